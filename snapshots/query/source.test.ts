/** A result names every place of its bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectRow, ViewData } from "../format/view-data.ts";
import { Source } from "../schema/resources.ts";
import type { SearchResult } from "./search-result.ts";
import { toSource } from "./source.ts";

const SHA256 = "5".repeat(64);
const row = (key: string, sha256: string): ObjectRow => ({
  key,
  title: key,
  summary: "",
  kind: "text",
  media_type: "text/plain",
  size: 1,
  sha256,
  uploaded: null,
});
/** What a view has besides its objects is not looked at. */
const viewOf = (objects: readonly ObjectRow[]): ViewData => ({ objects, library: { view: "public" } }) as unknown as ViewData;
const result = (key: string): SearchResult =>
  ({
    doc: key,
    key,
    kind: "text",
    collection: "",
    title: key,
    snippet: "",
    score: 1,
    exact: null,
    row: { sha256: SHA256, name: "", text: "Text.", start_line: 3 },
  }) as SearchResult;

test("a result names the other keys of its bytes, in this view, twenty at most, and no field where there are none", () => {
  const other = row("c", "6".repeat(64));
  const source = toSource(viewOf([row("a/x", SHA256), row("b/x", SHA256), other]), result("b/x"));
  assert.deepEqual([source.copies, source.line], [["a/x"], 3]);
  assert.deepEqual(Source.parse(source), source);
  assert.ok(!("copies" in toSource(viewOf([row("b/x", SHA256), other]), result("b/x"))));
  const many = Array.from({ length: 50 }, (_, at) => row(`many/${String(at).padStart(2, "0")}`, SHA256));
  assert.equal(toSource(viewOf(many), result("many/07")).copies?.length, 20);
});
