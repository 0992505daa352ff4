/** Tables as programs write them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { extract } from "./extract.ts";

async function read(
  key: string,
  text: string,
): Promise<{ header: string[]; cells: string[]; ids: string[]; caption: string; notes: readonly string[] }> {
  const { html, notes } = await extract(key, Buffer.from(text));
  const all = (tag: string): string[] =>
    [...(html ?? "").matchAll(new RegExp(`<${tag}\\b[^>]*>(.*?)</${tag}>`, "g"))].map(([, inner = ""]) => inner.replaceAll("&quot;", '"'));
  const ids = [...(html ?? "").matchAll(/ id="(L\d+)"/g)].map(([, id = ""]) => id);
  return { header: all("th"), cells: all("td"), ids, caption: all("caption")[0] ?? "", notes };
}

test("the sign that divides is told by what stands outside quotes, over several rows, or by Excel's first line", async () => {
  for (const text of [
    '"Name (last, first, middle)";"Age"\n"Doe, Jane, Q";41\n"Roe, Max, X";42\n',
    "Name (last, first, middle);Age\nDoe;41\nRoe;42\n",
    "sep=;\nName;Age\nDoe;41\nRoe;42\n",
    "sep=^\r\nName^Age\r\nDoe^41\r\nRoe^42\r\n",
    "   \nName|Age\nDoe|41,5\nRoe|42,5\n",
  ]) {
    const { header, cells, caption } = await read("a.csv", text);
    assert.deepEqual([header.length, header[1]?.replaceAll('"', ""), cells.length, caption], [2, "Age", 4, "2 rows"], text);
  }
});

test("a quote opens a field only at its start, and each row has its own line", async () => {
  const inches = await read("a.csv", 'size,name\n5" disk,Alpha\n3" disk,Beta\n8,Gamma\n');
  assert.deepEqual([inches.ids, inches.cells[0], inches.notes], [["L2", "L3", "L4"], '5" disk', []]);
  const broken = await read("a.csv", 'a,b\n"one\nfield",x\n"two ""quoted"" lines\n",y\nlast,z\n');
  assert.deepEqual(broken.ids, ["L2", "L4", "L6"]);
  const open = await read("a.csv", 'a,b\n"never closed,x\ny,z\n');
  assert.deepEqual(open.notes.slice(0, 1), ["A quoted field of this table is never closed."]);
});

test("tab-separated values have no quotes, and lines may end with carriage returns alone", async () => {
  const tabs = await read("a.tsv", 'id\tname\n1\t"quoted\n2\tb "c" d\n3\t"in ""all"""\n');
  assert.deepEqual(tabs.cells, ["1", '"quoted', "2", 'b "c" d', "3", 'in "all"']);
  const old = await read("a.csv", "a,b\r1,2\r3,4\r");
  assert.deepEqual([old.caption, old.cells, old.ids], ["2 rows", ["1", "2", "3", "4"], []]);
});

test("a column of numbers says in its head how they are spread; one of few, of equal or of doubtful numbers, or of words, does not", async () => {
  const rows = Array.from({ length: 40 }, (_, at) => `${at},${at % 2 === 0 ? 1 : 9.5},7,"1,${at}",n${at}`).join("\n");
  const { html } = await extract("a.csv", Buffer.from(`i,twice,same,doubtful,word\n${rows}\n`));
  const heads = [...(html ?? "").matchAll(/<th[^>]*>(.*?)<\/th>/gs)].map(([, head = ""]) => /aria-label="([^"]*)"/.exec(head)?.[1] ?? "");
  assert.deepEqual(heads, ["from 0 to 39", "from 1 to 9.5", "", "", ""]);
  assert.match(html ?? "", /<title>from 1 to 9\.5<\/title><path d="M0 16v-16h4V16zM55 16v-16h4V16z"/);
  const few = await extract("a.csv", Buffer.from("a\n1\n2\n"));
  assert.ok(!few.html?.includes("<svg"));
});

test("the caption says what of the table is shown", async () => {
  const wide = Array.from({ length: 300 }, (_, at) => `c${at}`).join(",");
  assert.match((await read("a.csv", `${wide}\n${wide}\n`)).caption, /^1 row, the first 100 of 300 columns; <a /);
  assert.match((await read("a.csv", `a\n${"1\n".repeat(700)}`)).caption, /^700 rows, the first 500 are here; <a /);
  assert.match((await extract("a.csv", Buffer.from("a,b\n1,2\n"))).summary, /^1 row\. Columns: a, b$/);
});
