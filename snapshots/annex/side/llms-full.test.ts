import assert from "node:assert/strict";
import { test } from "node:test";
import type { Snapshot } from "../../shelf/read.ts";
import { CubRecord } from "../../schema/cubs.ts";
import { TINY, tinyData } from "../../verify/tiny-shelf-fixture.ts";
import type { ViewData } from "../../format/view-data.ts";
import { llmsFullText } from "./llms-full.ts";

const LIMIT = 4 * 1024 * 1024;
const data = tinyData(TINY, "public");
const [row] = data.objects;
const [claim] = data.claims.claims;
assert.ok(row !== undefined && claim !== undefined);

/** No object has bytes: each is named, or counted. */
const snapshotOf = (view: ViewData): Snapshot => ({ data: async () => view, find: async () => null }) as unknown as Snapshot;

const manyObjects = (count: number): ViewData["objects"] =>
  Array.from({ length: count }, (_, n) => ({ ...row, key: `notes/${String(n).padStart(6, "0")}.md`, title: `Note ${n} `.repeat(4) }));
const manyRecords = (count: number): ViewData["cubs"] =>
  Array.from({ length: count }, (_, n) =>
    CubRecord.parse({ id: `CUB-${String(n).padStart(5, "0")}`, repo: "r", theorem_name: "t", statement: "s".repeat(120) }),
  );

test("30,000 objects, 50,000 records and 20,000 claims stay within the limit, and what is left out is counted", async () => {
  const views: readonly (readonly [ViewData, RegExp])[] = [
    [{ ...data, objects: manyObjects(30_000) }, /\n[0-9]+ more objects are at .*\/api\/catalog\n$/],
    [{ ...data, cubs: manyRecords(50_000) }, /\n[0-9]+ more are at .*\/api\/cubs\n/],
    [
      { ...data, claims: { ...data.claims, claims: Array.from({ length: 20_000 }, (_, n) => ({ ...claim, id: `c${n}` })) } },
      /\n[0-9]+ more are at .*\/api\/claims\n/,
    ],
    [{ ...data, objects: manyObjects(30_000), cubs: manyRecords(50_000) }, /more objects are at/],
    [{ ...data, library: { ...data.library, title: "x".repeat(5 * 1024 * 1024) } }, /# Claims/],
  ];
  for (const [view, told] of views) {
    const text = await llmsFullText(snapshotOf(view));
    assert.ok(Buffer.byteLength(text) <= LIMIT, String(Buffer.byteLength(text)));
    assert.match(text, told);
  }
});

test("what fits is all there, and nothing is said to be missing", async () => {
  const text = await llmsFullText(snapshotOf(data));
  for (const { id } of data.cubs) assert.ok(text.includes(`## ${id} `), id);
  for (const { key } of data.objects) assert.ok(text.includes(JSON.stringify(key)), key);
  assert.doesNotMatch(text, /more (objects )?are at/);
});
