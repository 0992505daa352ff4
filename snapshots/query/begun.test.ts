import assert from "node:assert/strict";
import { test } from "node:test";
import type { ViewData } from "#snapshots/format";
import { findBegun, isHalf } from "./begun.ts";

const record = (id: string, theorem_name: string) => ({ id, theorem_name });
const data = {
  cubs: [
    record("CUB-0001", "chains_sup_correct"),
    record("CUB-0002", "chains_order_total"),
    record("CUB-0003", "ZornsLemma"),
    record("CUB-0004", "percolate"),
    record("CUB-0005", "zorn"),
  ],
  claims: { claims: [{ id: "merge-keeps", title: "Merging keeps order" }] },
  objects: [{ key: "notes/percent.md", kind: "markdown", title: "Percent signs" }],
} as unknown as ViewData;
const keysOf = (query: string): readonly string[] => findBegun(data, query).map(({ key }) => key);

test("half a word finds what begins so, in any part of a name, shorter names first", () => {
  assert.deepEqual(keysOf("zor"), ["CUB-0005", "CUB-0003"]);
  assert.deepEqual(keysOf("perc"), ["CUB-0004", "notes/percent.md"]);
  assert.deepEqual(keysOf("mer"), ["merge-keeps"]);
  assert.deepEqual(keysOf("chains_or"), ["CUB-0002"]);
  assert.deepEqual(keysOf("signs perc"), ["notes/percent.md"]);
  assert.deepEqual(keysOf("ord"), ["CUB-0002", "merge-keeps"]);
  assert.deepEqual(keysOf("cub-0001"), ["CUB-0001"]);
  assert.deepEqual([keysOf(""), keysOf("ains"), keysOf("\u0000")], [[], [], []]);
});

test("a query is half where its last word stands nowhere: not with a sign after it, nor where any form of it does", () => {
  const rowsWith = (word: string): number => Number(["sort", "chains", "or"].includes(word));
  const half = (query: string): boolean => isHalf(query, rowsWith, ["en"]);
  assert.deepEqual(["zor", "chains_or", "sort zo"].map(half), [true, true, true]);
  assert.deepEqual(["sorted", "zor.", "z", "", "chains"].map(half), [false, false, false, false, false]);
});
