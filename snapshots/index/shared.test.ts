import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../digest.ts";
import { openIndex } from "./open.ts";
import { type Document, documentId } from "./row.ts";
import { findShared, shareTag } from "./shared.ts";
import { PASSAGES } from "./tables.ts";
import type { ViewIndex } from "./view-index.ts";

const [OPEN, LATER, INTERNAL, NEXT] = ["open", "later", "internal", "next"].map((text) => sha256(text)) as [string, string, string, string];

const documentOf = (key: string, text: string): Document => ({
  doc: documentId("object", key),
  key,
  kind: "text",
  collection: "",
  title: key,
  sha256: sha256(text),
  passages: [{ heading: [], name: null, page: null, start_line: 1, end_line: 1, text }],
});

/** The public index with one document, and the internal one beside it. */
async function openBoth(
  t: TestContext,
): Promise<{ readonly open: ViewIndex; readonly internal: ViewIndex; readonly uri: string; readonly shared: string }> {
  const folder = mkdtempSync(join(tmpdir(), "shared-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [shared, uri] = [join(folder, "public"), join(folder, "internal")];
  const open = await openIndex(shared);
  await open.update({ upsert: [documentOf("a.txt", "a walrus")], remove: [], base: null, tag: OPEN });
  const internal = await openIndex(uri, shared);
  t.after(() => {
    open.close();
    internal.close();
  });
  return { open, internal, uri, shared };
}

const textsOf = async (index: ViewIndex, tag: string): Promise<readonly string[]> => (await Array.fromAsync(index.texts(tag))).flat(2);

test("a tag that shares the rows of the public index is searched there, and the internal index holds no rows", async (t) => {
  const { internal, uri } = await openBoth(t);
  assert.notEqual(await internal.findProblem(INTERNAL), null);
  shareTag(uri, INTERNAL, OPEN);
  assert.deepEqual([await internal.findProblem(INTERNAL), await internal.knows(INTERNAL)], [null, true]);
  const reader = await internal.at(INTERNAL);
  assert.equal(reader.statistics.rowsWith("walrus"), 1);
  reader.close();
  assert.ok((await textsOf(internal, INTERNAL)).includes("a walrus"));
  assert.deepEqual(readdirSync(uri), ["shared"]);
});

test("one changed byte of what says so is told, and so is a public index that lacks the tag", async (t) => {
  const { internal, uri } = await openBoth(t);
  shareTag(uri, INTERNAL, OPEN);
  const path = join(uri, "shared", INTERNAL);
  const bytes = readFileSync(path);
  for (const at of [0, 31, 63]) {
    writeFileSync(
      path,
      bytes.map((byte, n) => (n === at ? byte ^ 1 : byte)),
    );
    assert.match((await internal.findProblem(INTERNAL)) ?? "", /./, `byte ${at}`);
  }
  await internal.mend();
  assert.equal(findShared(uri, INTERNAL), null, "what does not hold is forgotten");
});

test("rows of its own come and go: what is gated is in no public row, and nothing of it stays when only what is shared is kept", async (t) => {
  const { open, internal, uri } = await openBoth(t);
  shareTag(uri, INTERNAL, OPEN);
  await internal.update({
    upsert: [documentOf("a.txt", "a walrus"), documentOf("b.txt", "a gated gnu")],
    remove: [],
    base: null,
    tag: NEXT,
  });
  assert.deepEqual([await internal.findProblem(INTERNAL), await internal.findProblem(NEXT)], [null, null]);
  assert.ok((await textsOf(internal, NEXT)).includes("a gated gnu"));
  assert.ok(!(await textsOf(internal, INTERNAL)).includes("a gated gnu"));
  await open.update({ upsert: [documentOf("c.txt", "a third")], remove: [], base: OPEN, tag: LATER });
  const last = sha256("last");
  shareTag(uri, last, LATER);
  await internal.prune([last]);
  assert.deepEqual([findShared(uri, INTERNAL), findShared(uri, last)], [null, LATER]);
  assert.equal(existsSync(join(uri, `${PASSAGES}.lance`)), false);
  assert.deepEqual((await textsOf(internal, last)).filter((text) => text.startsWith("a ")).sort(), ["a third", "a walrus"]);
});
