import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openIndex } from "../../snapshots/index/open.ts";
import { documentId } from "../../snapshots/index/row.ts";
import { PASSAGES, WORDS } from "../../snapshots/index/tables.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { seedIndex } from "./update-index.ts";

test("a new internal index begins with the public rows; one that is there is left as it is, and so is what others read", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "seed-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const from = openDirectoryShelf(join(folder, "public"));
  const to = openDirectoryShelf(join(folder, "internal"));
  const publicIndex = await openIndex(from.indexUri);
  const doc = documentId("object", "a.md");
  const row = { doc, key: "a.md", kind: "markdown", collection: "", title: "A", sha256: "0".repeat(64), passages: [] } as const;
  await publicIndex.update({ upsert: [row], remove: [], base: null, tag: "one" });
  publicIndex.close();
  // Vectors that are being made, an older version's rows that a server still reads, and what a kill left of an earlier copy.
  mkdirSync(join(from.indexUri, "vectors-0-toy.lance"));
  mkdirSync(join(to.indexUri, "passages-0.lance"), { recursive: true });
  mkdirSync(join(to.indexUri, `${WORDS}.lance`, "_versions"), { recursive: true });
  mkdirSync(`${to.indexUri}.new/${WORDS}.lance`, { recursive: true });
  writeFileSync(`${to.indexUri}.new/${WORDS}.lance/half`, "");

  assert.equal(existsSync(join(to.indexUri, `${PASSAGES}.lance`)), false);
  await seedIndex(from, to);
  assert.deepEqual(readdirSync(to.indexUri).sort(), ["manifests", `${PASSAGES}.lance`, "passages-0.lance", `${WORDS}.lance`].sort());
  assert.deepEqual(readdirSync(join(folder, "internal")), ["index"]);
  const internal = await openIndex(to.indexUri);
  assert.equal(await internal.findProblem("one"), null);
  await internal.update({ upsert: [], remove: [doc], base: "one", tag: "two" });
  internal.close();
  assert.equal(existsSync(join(to.indexUri, `${PASSAGES}.lance`)), true, "and it is not made again");
  const kept = await openIndex(to.indexUri);
  assert.deepEqual([await kept.findProblem("one"), await kept.findProblem("two")], [null, null]);
  kept.close();
});

test("what the public index was made of goes from a new internal one as well", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "seed-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const from = openDirectoryShelf(join(folder, "public"));
  const to = openDirectoryShelf(join(folder, "internal"));
  // More than are written at once.
  const documents = Array.from({ length: 5_000 }, (_, at) => {
    const key = `${at}.md`;
    const doc = documentId("object", key);
    return { doc, key, kind: "markdown", collection: "", title: `Title ${at}`, sha256: "0".repeat(64), passages: [] } as const;
  });
  const open = await openIndex(from.indexUri);
  await open.update({ upsert: documents, remove: [], base: null, tag: "one" });
  await seedIndex(from, to);
  const internal = await openIndex(to.indexUri);
  await internal.update({ upsert: [], remove: [], base: "one", tag: "two" });
  await open.prune(["one"]);
  await internal.prune(["two"]);
  open.close();
  internal.close();
  const data = (shelf: typeof from): string[] => readdirSync(join(shelf.indexUri, `${PASSAGES}.lance`, "data"));
  assert.equal(data(from).length, 1);
  assert.deepEqual(data(to), data(from));
});
