import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { CubRecord } from "../../snapshots/schema/cubs.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { sharePictures } from "../../snapshots/page/index.ts";
import { TINY, tinyData } from "../../snapshots/verify/tiny-shelf-fixture.ts";
import { makeGlyphs } from "./share-glyphs.ts";
import { shareFiles } from "./share-pictures.ts";

const glyphs = await makeGlyphs();

function dataOf(names: readonly string[], count = names.length) {
  const data = tinyData(TINY, "public");
  const cubs = Array.from({ length: count }, (_, at) =>
    CubRecord.parse({ id: `CUB-${String(at + 1).padStart(4, "0")}`, repo: "r", theorem_name: names[at % names.length], statement: "s" }),
  );
  return { ...data, library: { ...data.library, base_url: "https://library.example" }, claims: { ...data.claims, claims: [] }, cubs };
}

/** Rows of grey of a picture, and in which of them there is ink right of its bar. */
function inkOf(png: Uint8Array): readonly number[] {
  const bytes = Buffer.from(png);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  assert.deepEqual([width, height], [1200, 630]);
  const packed = inflateSync(bytes.subarray(41, bytes.indexOf("IEND") - 8));
  const line = width / 4 + 1;
  return Array.from({ length: height }, (_, y) => y).filter((y) =>
    packed.subarray(y * line + 15, (y + 1) * line).some((value) => value !== 255),
  );
}

test("the letters, and so the pictures, are the same bytes each time", async () => {
  assert.equal(sha256(await makeGlyphs()), sha256(glyphs));
  const [first, again] = [1, 2].map(() => [...shareFiles(dataOf(["isort_sorts"]), glyphs)].map(({ path, bytes }) => [path, sha256(bytes)]));
  assert.deepEqual(first, again);
});

test("a title is wrapped and stays on the picture, and what has no letters leaves its place empty", () => {
  const names = ["a", "word ".repeat(200), "x".repeat(400), "插入排序", "éß→≤"];
  const files = [...shareFiles(dataOf(names), glyphs)];
  assert.equal(new Set(files.map(({ path }) => path)).size, names.length + 1);
  for (const { bytes } of files) {
    const rows = inkOf(bytes);
    assert.ok(rows.length > 20 && (rows[0] ?? 0) > 40 && (rows.at(-1) ?? 630) < 620, String(rows.length));
  }
  const heights = files.map(({ bytes }) => inkOf(bytes).length);
  assert.ok((heights[2] ?? 0) > (heights[1] ?? 0));
});

test("of many records the library's picture stands for all, and without an address there is none", () => {
  assert.equal(sharePictures(dataOf(["t"], 200)).length, 2);
  assert.equal(sharePictures(dataOf(["t"], 201)).length, 1);
  const data = dataOf(["t"]);
  assert.deepEqual(sharePictures({ ...data, library: { ...data.library, base_url: "" } }), []);
  assert.deepEqual(sharePictures({ ...data, library: { ...data.library, view: "internal" } }), []);
  assert.deepEqual([...shareFiles(data, null)], []);
});
