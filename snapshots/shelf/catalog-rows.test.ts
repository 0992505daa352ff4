import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { catalogJson } from "../query/catalog.ts";
import type { Library, ObjectRow } from "../format/view-data.ts";
import type { ShelfError } from "../errors.ts";
import { parseCatalogRows } from "./catalog-rows.ts";

const library = (prefixes: readonly string[]): Library => ({
  title: "T",
  summary: "",
  view: "public",
  base_url: "",
  registry_url: "",
  registry: "none",
  generator: "g",
  collections: prefixes.map((prefix, at) => ({ id: `c${at}`, title: '"objects":[', summary: '],"prefix":', visibility: "public", prefix })),
  notes: [],
});

/** Texts that try to look like the structure around them. */
const hostile = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom('},{"etag":', '"objects":[', '],"prefix":', '\\"},{"etag":', "}]", "\\", '"', '\\\\"objects":['),
);

test("the rows of a catalog are what JSON.parse of the whole gives, whatever their texts", async () => {
  const row = (key: string) =>
    fc.record({
      key: fc.constant(key),
      title: hostile,
      summary: hostile,
      kind: fc.constant("markdown" as const),
      media_type: fc.constant("text/markdown"),
      size: fc.nat(),
      sha256: fc.constant("0".repeat(64)),
      uploaded: fc.constantFrom(null, "2026-01-01T00:00:00Z"),
    });
  const keys = fc
    .uniqueArray(
      hostile.map((text) => text.replaceAll("\0", "")),
      { maxLength: 12 },
    )
    .map((names) => names.filter((name) => name !== "").sort());
  await fc.assert(
    fc.asyncProperty(
      keys.chain((names) => fc.tuple(...names.map((name, at) => row(`${at % 2 === 0 ? "a/" : "b/"}${name}`)))),
      async (found) => {
        const rows = (found as ObjectRow[]).map((row) => ({ ...row })).sort((a, b) => (a.key < b.key ? -1 : 1));
        assert.deepEqual(await parseCatalogRows(catalogJson(library(["a/", "b/", "c/"]), rows)), rows);
      },
    ),
    { numRuns: 300 },
  );
});

test("a catalog of several slices comes out whole, and others have their turn between two of them", async () => {
  const rows = Array.from(
    { length: 5000 },
    (_, n): ObjectRow => ({
      key: `a/${String(n).padStart(6, "0")}`,
      title: `Title ${n}`,
      summary: "s".repeat(200),
      kind: "text",
      media_type: "text/plain",
      size: n,
      sha256: "0".repeat(64),
      uploaded: null,
    }),
  );
  let turns = 0;
  const ticking = setInterval(() => turns++, 0);
  const parsed = await parseCatalogRows(catalogJson(library(["a/"]), rows));
  clearInterval(ticking);
  assert.deepEqual(parsed, rows);
  assert.ok(turns > 1, "timers ran meanwhile");
});

test("a catalog that holds fewer objects than it counts is damaged", async () => {
  const text = catalogJson(library(["a/"]), []).replace('"count":0', '"count":1');
  await assert.rejects(parseCatalogRows(text), (error: ShelfError) => error.code === "snapshot_damaged");
});
