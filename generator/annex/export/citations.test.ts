import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openCitations } from "./citations.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const PAGES = 400;
/** Of a page that is read between two citations; bytes. */
const PAGE_BYTES = 80_000;

test("citations that lie together hold their texts and none of the memory that they were read into", async () => {
  const citations = openCitations(async (path, name) => ({
    path: name,
    bytes: Buffer.from(path.endsWith(".bib") ? `@misc{${path}}` : "{}"),
  }));
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < PAGES; at++) {
    const html = Buffer.concat([Buffer.from('<a href="cite.bib">'), Buffer.alloc(PAGE_BYTES, " ")]);
    const linked = await citations.withLinks(`/claims/${at}/`, { path: `claims/${at}/index.html`, bytes: html }, "");
    assert.match(Buffer.from(linked.bytes).toString(), /^<a href="\.\.\/=cite\.bib">/);
  }
  collectGarbage();
  const held = process.memoryUsage().arrayBuffers - before;
  assert.ok(held < (PAGES * PAGE_BYTES) / 2, `${held} bytes`);
  const bib = [...citations.files()].find(({ path }) => path === "claims/=cite.bib");
  assert.equal(bib?.bytes.toString().match(/^@misc/gm)?.length, PAGES);
});
