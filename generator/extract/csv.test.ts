/** Tables as programs write them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "../../snapshots/blocks/blocks.ts";
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
  const unnamed = await read("a.csv", ",b\n1,2\n");
  assert.deepEqual([unnamed.header, unnamed.cells], [["b"], ["", "1", "2"]], "a head without a word is none");
});

test("the caption says what of the table is shown", async () => {
  const wide = Array.from({ length: 300 }, (_, at) => `c${at}`).join(",");
  assert.match((await read("a.csv", `${wide}\n${wide}\n`)).caption, /^1 row, the first 100 of 300 columns; <a /);
  assert.match((await read("a.csv", `a\n${"1\n".repeat(700)}`)).caption, /^700 rows, the first 500 are here; <a /);
  assert.match((await extract("a.csv", Buffer.from("a,b\n1,2\n"))).summary, /^1 row\. Columns: a, b$/);
});

test("remarks and a title above a table are no rows, and the last remark may name its columns", async () => {
  const tables: readonly (readonly [key: string, text: string, header: readonly string[], rows: number])[] = [
    ["a.csv", "# made by a tool, on Monday\n# units: m, s\nname,price\nHam,15\n# between, as it were\nNail,2\n", ["name", "price"], 3],
    ["a.csv", "# made by a tool\n\nname,price\nHam,15\n# between\nNail,2\n", ["name", "price"], 2],
    ["a.tsv", "##source=x\n##more\n#chrom\tstart\nchr1\t1\n", ["#chrom", "start"], 1],
    ["a.csv", "# time, value\n0.5,2\n1e-3,4\n", ["# time", "value"], 2],
    ["a.csv", "id,name\n#1,one\n#2,two\n", ["id", "name"], 2],
    ["a.csv", "#only\n#remarks\n", ["#only"], 1],
    ["a.csv", "Prices of tools, 2024\n\nname;price\nHam;15\n", ["name", "price"], 1],
    ["a.csv", "name\n\nHam\n", ["name"], 1],
  ];
  for (const [key, text, header, rows] of tables) {
    const found = await read(key, text);
    assert.deepEqual([found.header, found.caption], [header, `${rows} row${rows === 1 ? "" : "s"}`], text);
  }
  const { title, passages } = await extract("a.csv", Buffer.from("Prices of tools\n\nname,price\nHam,15\n"));
  assert.deepEqual([title, passages.at(-1)?.end_line], ["Prices of tools", 4]);
  const [row] = blocksOf("# made by a tool\nname,price\nHam,15\n# between\n", "csv");
  assert.deepEqual([row?.plain, row?.row?.columns], ["Ham,15", ["name", "price"]]);
});

test("blanks before a quoted field do not belong to it", async () => {
  const { cells, caption } = await read("a.csv", 'name, price\n"Ham, m", 15\nNail, "2,\n3"\n');
  assert.deepEqual([cells.slice(0, 3), caption], [["Ham, m", "15", "Nail"], "2 rows"]);
});
