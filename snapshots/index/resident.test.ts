import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { sha256 } from "../digest.ts";
import { search } from "../query/search.ts";
import { openHolder } from "./holder.ts";
import { openIndex } from "./open.ts";
import { loadRows } from "./resident.ts";
import { type Document, documentId } from "./row.ts";
import { connectEngine } from "./engine.ts";
import { PASSAGES } from "./tables.ts";
import { termsOf } from "./terms.ts";

const folder = await mkdtemp(join(tmpdir(), "resident-"));
after(() => rm(folder, { recursive: true, force: true }));

function document(key: string, texts: readonly string[]): Document {
  return {
    doc: documentId("object", key),
    key,
    kind: "text",
    collection: "c",
    title: `Title of ${key}`,
    sha256: sha256([key, ...texts].join("\n")),
    passages: texts.map((text, at) => ({
      heading: at % 2 === 0 ? [] : ["Heading", "é"],
      name: at === 1 ? "name" : null,
      page: at === 0 ? null : at,
      start_line: at + 1,
      end_line: at + 2,
      text,
    })),
  };
}

const some = (from: number, to: number, more = ""): Document[] =>
  Array.from({ length: to - from }, (_, at) =>
    document(`c/${from + at}`, ["", `proof ${from + at}${more} ∀ é 🙂`, "x".repeat((from + at) % 50)].slice(0, 1 + ((from + at) % 3))),
  );

test("rows held in memory are the rows that the engine gives, after changes and removals, at an earlier tag too", async () => {
  const index = await openIndex(folder);
  await index.update({ upsert: some(0, 3000), remove: [], base: null, tag: "one" });
  await index.update({
    upsert: [...some(100, 130, " changed"), ...some(3000, 3010)],
    remove: ["object:c/0", "object:c/2999", "object:c/77"],
    base: "one",
    tag: "two",
  });
  const engine = await connectEngine(folder);
  for (const [tag, documents] of [
    ["one", 3000],
    ["two", 3007],
  ] as const) {
    const table = await engine.connection.openTable(PASSAGES);
    await table.checkout(tag);
    const held = await loadRows(table, 10_000_000);
    assert.ok(held !== null);
    assert.equal(await loadRows(table, held.bytes - 1), null);
    const reader = await index.at(tag);
    const all = await table.query().select(["doc", "n", "terms", "length"]).withRowId().toArrow();
    const refs = Array.from({ length: all.numRows }, (_, at) => BigInt(all.getChild("_rowid")?.get(at)));
    const rows = await reader.rows(refs);
    assert.equal(new Set(rows.map(({ doc }) => doc)).size, documents);
    refs.forEach((ref, at) => {
      assert.deepEqual(held.row(ref), rows[at]);
      const [doc, n, terms, length] = ["doc", "n", "terms", "length"].map((name) => all.getChild(name)?.get(at));
      const place = held.place(ref);
      assert.ok(place !== null);
      assert.deepEqual(
        { ...place, terms: place.terms.of.slice(place.terms.start, place.terms.end) },
        { doc, n, terms: termsOf(terms), length },
      );
    });
    for (const ref of [1n << 40n, 0xffff_ffffn, BigInt(1e15)]) assert.deepEqual([held.row(ref), held.place(ref)], [null, null]);
    reader.close();
    table.close();
  }
  engine.connection.close();
  index.close();
});

test("a reader may be closed at any moment while its rows come into memory", async () => {
  const index = await openIndex(folder);
  for (let round = 0; round < 40; round++) {
    const reader = await index.at("two");
    await search(reader, { q: "proof", prefix: "", limit: 1 });
    await new Promise((resolve) => setTimeout(resolve, round / 2));
    reader.close();
  }
  index.close();
});

test("readers share the room for rows: who was used last keeps it, and who lost it gets it back after a while", async () => {
  const most = 200 * 1024 * 1024;
  const loads = [0, 0, 0];
  const holders = loads.map((_, at) =>
    openHolder(async () => {
      loads[at] = (loads[at] ?? 0) + 1;
      return { bytes: most, place: () => null, row: () => null };
    }),
  );
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const isHeld = (): boolean[] => holders.map((holder) => holder.rows() !== null);
  const [first, second] = holders;
  assert.equal(first?.rows(), null);
  await settle();
  assert.ok(first?.rows() !== null);
  second?.rows();
  await settle();
  assert.deepEqual([first?.rows() ?? null, second?.rows() === null, loads], [null, false, [1, 1, 0]]);
  for (let use = 0; use < 60; use++) first?.rows();
  await settle();
  assert.deepEqual([first?.rows() === null, second?.rows() ?? null, loads], [false, null, [2, 1, 0]]);
  first?.release();
  assert.equal(first?.rows() ?? null, null);
  for (let use = 0; use < 60; use++) first?.rows();
  await settle();
  assert.ok(first?.rows() !== null);
  for (const holder of holders) void holder.close();
  assert.deepEqual(isHeld(), [false, false, false]);
});
