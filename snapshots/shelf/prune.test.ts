import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { sha256 } from "../digest.ts";
import { prune } from "./prune.ts";
import { type DirectoryShelf, openDirectoryShelf } from "./shelf-directory.ts";
import { overriding } from "./overriding-fixture.ts";
import type { SnapshotRecord } from "./shelf.ts";
import { verifyShelf } from "../service/verify.ts";
import { publishBoth, TINY, type TinySource } from "../verify/tiny-shelf-fixture.ts";

const base = mkdtempSync(join(tmpdir(), "prune-"));
after(() => rmSync(base, { recursive: true }));
let rooms = 0;

const sourceOf = (version: number): TinySource => ({
  ...TINY,
  objects: [
    ...TINY.objects,
    { key: "notes/changing.md", text: `# Version ${version}\n` },
    { key: "drafts/changing.md", text: `# Draft ${version}\n` },
  ],
});

async function newRoom(
  versions: number,
): Promise<{ readonly root: string; readonly public: DirectoryShelf; readonly internal: DirectoryShelf }> {
  const root = join(base, String(rooms++));
  const shelf = openDirectoryShelf(join(root, "public"));
  const room = { root, public: shelf, internal: openDirectoryShelf(join(root, "internal"), shelf) };
  for (let version = 1; version <= versions; version++)
    await publishBoth(room, sourceOf(version), { created: `2026-01-0${version}T00:00:00Z` });
  return room;
}

const blobFile = (root: string, view: string, digest: string): string => join(root, view, "blobs", digest.slice(0, 2), digest);
const sequences = async (shelf: DirectoryShelf): Promise<number[]> => (await shelf.history.listRecords()).map((record) => record.sequence);

test("it refuses to remove anything while it is not known what a kept snapshot needs", async () => {
  const room = await newRoom(2);
  const [, last] = await room.public.history.listRecords();
  rmSync(blobFile(room.root, "public", last?.snapshot ?? ""));
  const before = await Array.fromAsync(room.public.blobs.list());
  await assert.rejects(prune({ shelf: room.public, keep: 1 }), { code: "snapshot_damaged" });
  assert.deepEqual(await sequences(room.public), [1, 2]);
  assert.equal((await Array.fromAsync(room.public.blobs.list())).length, before.length);
  for (const keep of [0, -1, 1.5, Number.NaN]) await assert.rejects(prune({ shelf: room.public, keep }), RangeError);
});

test("the newest are kept whole, older ones go with what only they used", async () => {
  const room = await newRoom(3);
  const records = await room.internal.history.listRecords();
  const full = await prune({ shelf: room.internal, keep: 2 });
  assert.deepEqual(full.removed_snapshots, [records[0]?.snapshot]);
  const open = await prune({ shelf: room.public, alsoUsedBy: [room.internal], keep: 2 });
  assert.ok(full.removed_blobs > 0 && open.removed_blobs > 0 && open.freed_bytes > 0);
  assert.deepEqual(
    [await sequences(room.internal), await sequences(room.public)],
    [
      [2, 3],
      [2, 3],
    ],
  );
  assert.deepEqual(await verifyShelf({ ...room, snapshots: "all" }), []);
  assert.equal(await room.public.hasBlob(sha256("# Version 1\n")), false);
  assert.equal(await room.internal.hasBlob(sha256("# Draft 1\n")), false);
  assert.equal(await room.internal.hasBlob(sha256("# Draft 2\n")), true);
  assert.ok((await room.public.readChanges(1)) !== null, "history was forgotten");
  assert.deepEqual(await prune({ shelf: room.public, alsoUsedBy: [room.internal], keep: 2 }), {
    removed_snapshots: [],
    removed_blobs: 0,
    freed_bytes: 0,
  });
});

test("the snapshot that is served is kept, however old", async () => {
  const room = await newRoom(3);
  const [first, , last] = await room.public.history.listRecords();
  await room.public.history.swapPointer(first as SnapshotRecord, last as SnapshotRecord);
  await prune({ shelf: room.public, keep: 1 });
  assert.deepEqual(await sequences(room.public), [1, 3]);
  assert.equal(await room.public.hasBlob(sha256("# Version 1\n")), true);
  assert.equal(await room.public.hasBlob(sha256("# Version 2\n")), false);
});

test("a public blob that an internal snapshot refers to stays", async () => {
  const room = await newRoom(1);
  // An object that was public becomes gated: internal refers to the blob that public already holds.
  const text = TINY.objects[0]?.text ?? "";
  const moved: TinySource = { ...TINY, objects: [{ key: "drafts/hello.md", text }, ...TINY.objects.slice(1)] };
  rmSync(blobFile(room.root, "internal", sha256(text)), { force: true });
  await publishBoth(room, moved);
  await prune({ shelf: room.internal, keep: 1 });
  await prune({ shelf: room.public, alsoUsedBy: [room.internal], keep: 1 });
  assert.equal(await room.public.hasBlob(sha256(text)), true);
  const findings = await verifyShelf({ ...room, snapshots: "all" });
  assert.deepEqual(
    findings.map((finding) => finding.code),
    ["gated_blob_in_public"],
  );
});

test("what a crash left is removed, and an interrupted run is finished by the next", async () => {
  const room = await newRoom(3);
  await room.public.blobs.put(sha256("left over"), Buffer.from("left over"));
  const failing = overriding(room.public, {
    blobs: overriding(room.public.blobs, { sweep: () => Promise.reject(new Error("power cut")) }),
  });
  await assert.rejects(prune({ shelf: failing, alsoUsedBy: [room.internal], keep: 1 }), /power cut/);
  assert.deepEqual(await sequences(room.public), [3]);
  assert.deepEqual(
    (await verifyShelf({ ...room, snapshots: "all" })).filter((finding) => finding.severity === "error"),
    [],
  );
  await prune({ shelf: room.internal, keep: 1 });
  await prune({ shelf: room.public, alsoUsedBy: [room.internal], keep: 1 });
  assert.deepEqual(await verifyShelf({ ...room, snapshots: "all" }), []);
});

test("the index is told which snapshots remain, after the records are gone and before the blobs are", async () => {
  const room = await newRoom(3);
  const [, second, third] = await room.public.history.listRecords();
  const told: (readonly string[])[] = [];
  const index = {
    prune: async (keep: readonly string[]): Promise<void> => {
      told.push(keep);
      assert.deepEqual(await sequences(room.public), [2, 3]);
      assert.equal(await room.public.hasBlob(sha256("# Version 1\n")), true);
    },
  };
  await prune({ shelf: room.public, keep: 2, index });
  assert.deepEqual(told, [[second?.snapshot, third?.snapshot]]);
});

test("a snapshot that a kept record names again is not told as removed", async () => {
  const room = await newRoom(2);
  await publishBoth(room, sourceOf(1), { created: "2026-01-03T00:00:00Z" });
  const pruned = await prune({ shelf: room.public, keep: 1 });
  const [last] = await room.public.history.listRecords();
  assert.equal(pruned.removed_snapshots.length, 1);
  assert.ok(!pruned.removed_snapshots.includes(last?.snapshot ?? ""));
  assert.deepEqual(
    (await verifyShelf({ public: room.public, internal: null, snapshots: "all" })).map((finding) => finding.code),
    [],
  );
});

test("an empty shelf has nothing to prune", async () => {
  assert.deepEqual(await prune({ shelf: openDirectoryShelf(join(base, "nothing")), keep: 1 }), {
    removed_snapshots: [],
    removed_blobs: 0,
    freed_bytes: 0,
  });
});
