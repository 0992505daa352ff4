import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tinyData, type TinySource, publishTiny } from "../verify/tiny-shelf-fixture.ts";
import { createTreeCache, openSnapshot } from "./read.ts";
import { openDirectoryShelf } from "./shelf-directory.ts";
import { overriding } from "./overriding-fixture.ts";
import type { Shelf } from "./shelf.ts";

const dir = mkdtempSync(join(tmpdir(), "shelf-read-"));
after(() => rmSync(dir, { recursive: true, force: true }));

const OBJECTS = 1500;
const source = (changed = ""): TinySource => ({
  objects: Array.from({ length: OBJECTS }, (_, at) => ({ key: `notes/${at}.md`, text: `# Note ${at}${at === 700 ? changed : ""}\n` })),
  cubs: Array.from({ length: OBJECTS }, (_, at) => ({
    id: `CUB-${String(at).padStart(4, "0")}`,
    repo: "a",
    theorem_name: `t_${at}`,
    statement: "s",
  })),
});

function counting(shelf: Shelf): Shelf & { readonly read: string[] } {
  const read: string[] = [];
  return Object.assign(overriding(shelf, { getBlob: (digest) => (read.push(digest), shelf.getBlob(digest)) }), { read });
}

test("of a snapshot that follows another only the parts that changed are read, and they are a few of many", async () => {
  const plain = openDirectoryShelf(join(dir, "parts"));
  const [first, second] = [source(), source(" changed")];
  const records = [
    await publishTiny(plain, tinyData(first, "public"), first),
    await publishTiny(plain, tinyData(second, "public"), second),
  ];
  const shelf = counting(plain);
  const cache = createTreeCache();
  const opened = await Promise.all(records.map((record) => openSnapshot(shelf, record, cache)));
  const counts: number[] = [];
  for (const [at, snapshot] of opened.entries()) {
    const before = shelf.read.length;
    const { objects, cubs, code } = await snapshot.data();
    counts.push(shelf.read.length - before);
    const expected = tinyData(at === 0 ? first : second, "public");
    assert.deepEqual(objects, expected.objects);
    assert.deepEqual(cubs, expected.cubs);
    assert.deepEqual([...code.values()], [...expected.code.values()]);
  }
  const [parts = 0, changed = 0] = counts;
  assert.ok(parts > 12, `${parts} blobs`);
  // Trees, the library, the claims, what was rejected, the registry's metadata, and one part.
  assert.ok(changed <= 10, `${changed} blobs`);
  assert.equal((await opened[0]?.data())?.objects[0], (await opened[1]?.data())?.objects[0], "the same rows");
});
