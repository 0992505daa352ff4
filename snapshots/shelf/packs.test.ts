import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Sha256, sha256 } from "../digest.ts";
import { type BlobEntry, formatTree } from "../format/tree.ts";
import { createTreeCache, openSnapshot } from "./read.ts";
import { type DirectoryShelf, openDirectoryShelf } from "./shelf-directory.ts";
import type { PackWriter } from "./pack-writer.ts";
import { sweep } from "./sweep.ts";
import { readChecked } from "./checked-read.ts";
import { streamBlob } from "./read.ts";
import { flip, flipInTurn, looseIn, newRoot, packsIn, placeIn, put, readable, words } from "./packs-fixture.ts";

/** Of every shape: none, short, long text, what nothing makes shorter, and one that ends where a part does. */
const BLOBS = [
  "",
  "hello\n",
  "All the same words. ".repeat(20_000),
  randomBytes(200_000).toString("latin1"),
  `${randomBytes(65_536).toString("latin1")}${"a".repeat(65_536)}`,
].map((text) => Buffer.from(text, "latin1"));
test("what a build puts is one ZIP file, named by its digest, which unzip checks and makes loose blobs of", async () => {
  const root = newRoot();
  const shelf = openDirectoryShelf(root, null, "building");
  await put(shelf, [...BLOBS, ...BLOBS]);
  assert.ok(!existsSync(join(root, "packs")), "nothing is there before it is whole");
  await shelf.blobs.flush();
  const [pack = "", ...others] = packsIn(root);
  assert.deepEqual([others, looseIn(root), readdirSync(join(root, "tmp"))], [[], [], []]);
  assert.equal(sha256(readFileSync(pack)), pack.slice(-68, -4));
  assert.ok(statSync(pack).size < BLOBS.reduce((sum, { length }) => sum + length, 0) * 0.7);
  const out = newRoot();
  execFileSync("mkdir", [out]);
  execFileSync("unzip", ["-q", pack, "-d", join(out, "blobs")]);
  assert.deepEqual(
    await readable(out, BLOBS),
    BLOBS.map(() => true),
  );
  assert.deepEqual(await Array.fromAsync(openDirectoryShelf(root).blobs.list()), await Array.fromAsync(shelf.blobs.list()));
  assert.equal((await Array.fromAsync(shelf.blobs.list())).length, BLOBS.length);
});

test("asking whether a blob is there writes nothing of the pack that is open: two roots that share blobs ask for each", async () => {
  const root = newRoot();
  const shelf = openDirectoryShelf(root, null, "building");
  const bytes = Buffer.from("hello\n");
  await put(shelf, [bytes]);
  const written = (): number[] => readdirSync(join(root, "tmp")).map((name) => statSync(join(root, "tmp", name)).size);
  assert.equal(await shelf.hasBlob(sha256(bytes)), true);
  assert.deepEqual(written(), [0]);
  assert.deepEqual(Buffer.from((await shelf.getBlob(sha256(bytes))) ?? assert.fail()), bytes);
  assert.ok((written()[0] ?? 0) > 0);
});

test("whoever puts can read at once, others when it is sealed, whole and in part", async () => {
  const root = newRoot();
  const writer = openDirectoryShelf(root, null, "building");
  const reader = openDirectoryShelf(root);
  await put(writer, BLOBS);
  const check = async (shelf: DirectoryShelf): Promise<void> => {
    for (const bytes of BLOBS) {
      const digest = sha256(bytes);
      assert.deepEqual(Buffer.from((await shelf.getBlob(digest)) ?? assert.fail()), bytes);
      assert.equal(await shelf.hasBlob(digest), true);
      for (const [start, end] of [
        [0, bytes.length],
        [65_535, 65_536],
        [70_000, 140_000],
      ] as const) {
        const streamed = Buffer.concat(await Array.fromAsync(streamBlob(shelf, digest, start, end)));
        assert.deepEqual(streamed, bytes.subarray(start, end + 1));
        if (start >= bytes.length) continue;
        const body = await readChecked(
          (await shelf.openBlob(digest)) ?? assert.fail(),
          (found) => found === digest,
          start,
          Math.min(end, bytes.length - 1),
        );
        const checked = Buffer.isBuffer(body) ? body : Buffer.concat(await Array.fromAsync(body));
        assert.deepEqual(checked, bytes.subarray(start, end + 1));
      }
    }
  };
  await check(writer);
  assert.equal(await reader.hasBlob(sha256(BLOBS[1] as Buffer)), false);
  await writer.blobs.seal();
  await check(writer);
  await check(reader);
  await put(writer, BLOBS);
  await writer.blobs.seal();
  assert.equal(packsIn(root).length, 1, "put-if-absent wrote again");
});

test("a blob in a pack is put again when it is damaged, and the good one is read from then on", async () => {
  const root = newRoot();
  const blobs = [words(1), words(2), BLOBS[2] as Buffer, randomBytes(100)];
  const first = openDirectoryShelf(root, null, "building");
  await put(first, blobs);
  await first.blobs.flush();
  const [pack = ""] = packsIn(root);
  for (const blob of blobs.slice(1)) flip(pack, placeIn(readFileSync(pack), blob));
  assert.deepEqual(await readable(root, blobs), [true, false, false, false]);
  assert.deepEqual(await openDirectoryShelf(root).blobs.findDamagedPacks(), [pack.slice(-68, -4)]);
  const second = openDirectoryShelf(root, null, "building");
  await put(second, blobs);
  await second.blobs.flush();
  assert.deepEqual(await readable(root, blobs), [true, true, true, true]);
  // Then the damaged pack goes.
  await second.blobs.sweep({ isNeeded: null });
  assert.deepEqual([looseIn(root), await second.blobs.findDamagedPacks(), packsIn(root).length], [[], [], 1]);
  assert.deepEqual(await readable(root, blobs), [true, true, true, true]);
});

test("a sweep that ends early has removed packs before blobs in files of their own, of which a pack may have a damaged copy", async () => {
  const writer = { seal: () => undefined, sealed: new Set<Sha256>(), add: () => undefined };
  const root = newRoot();
  mkdirSync(root);
  const path = join(root, "pack.zip");
  writeFileSync(path, "");
  const loose = [{ digest: sha256("gone"), size: 1, path: join(root, "gone") }];
  const plan = { packs: [{ name: sha256("pack"), path, directory: null }], loose, isNeeded: () => false, spare: [] };
  await assert.rejects(
    sweep(plan, writer as unknown as PackWriter, async () => undefined),
    { code: "ENOENT" },
  );
  assert.equal(existsSync(path), false);
});

test("of a pack with one other byte no more than that entry is lost", async () => {
  // packs.slow.test.ts looks at one in seven.
  await flipInTurn(67);
});

test("sweeping frees what is not needed, merges small packs and packs loose blobs, and a reader goes on", async () => {
  const root = newRoot();
  const blobs = Array.from({ length: 12 }, (_, number) => words(number));
  for (const [number, bytes] of blobs.entries()) {
    const shelf = openDirectoryShelf(root, null, number < 10 ? "building" : "serving");
    await put(shelf, [bytes]);
    await shelf.blobs.flush();
  }
  assert.deepEqual([packsIn(root).length, looseIn(root).length], [10, 2]);
  const reader = openDirectoryShelf(root);
  const kept = blobs.filter((_, number) => number % 2 === 0);
  const isNeeded = (digest: string): boolean => kept.some((bytes) => sha256(bytes) === digest);
  const open = (await reader.openBlob(sha256(blobs[1] as Buffer))) ?? assert.fail();
  const shelf = openDirectoryShelf(root, null, "building");
  assert.equal((await shelf.blobs.findSpare(isNeeded)).length, 6);
  const flushed: number[] = [];
  const flush = async (): Promise<void> => {
    flushed.push(packsIn(root).length, looseIn(root).length);
    await shelf.blobs.flush();
  };
  const { blobs: removed, bytes } = await (Object.create(shelf.blobs, { flush: { value: flush } }) as typeof shelf.blobs).sweep({
    isNeeded,
  });
  assert.ok(removed === 6 && bytes > 0);
  assert.deepEqual(flushed, [11, 2], "all stands that is replaced, until the new pack outlives a power cut");
  assert.deepEqual([packsIn(root).length, looseIn(root)], [1, []]);
  for (const blob of blobs) assert.equal(await reader.hasBlob(sha256(blob)), kept.includes(blob));
  assert.deepEqual(
    await readable(root, kept),
    kept.map(() => true),
  );
  assert.deepEqual(await open.read(0, 1000), blobs[1]);
  await open.close();
  assert.deepEqual(await shelf.blobs.sweep({ isNeeded }), { blobs: 0, bytes: 0 });
});

test("of a large pack that is mostly needed nothing is written again, unless it holds what must go", async () => {
  const root = newRoot();
  const blobs = Array.from({ length: 12 }, () => randomBytes(1024 * 1024));
  const shelf = openDirectoryShelf(root, null, "building");
  await put(shelf, blobs);
  await shelf.blobs.flush();
  const [pack = ""] = packsIn(root);
  const gone = sha256(blobs[3] as Buffer);
  const isNeeded = (digest: string): boolean => digest !== gone;
  assert.deepEqual(await shelf.blobs.findSpare(isNeeded), []);
  assert.deepEqual(await shelf.blobs.sweep({ isNeeded }), { blobs: 0, bytes: 0 });
  assert.deepEqual([packsIn(root), await shelf.hasBlob(gone)], [[pack], true]);
  assert.equal((await shelf.blobs.sweep({ isNeeded, mustGo: () => true })).blobs, 1);
  assert.deepEqual([packsIn(root).length, existsSync(pack), await shelf.hasBlob(gone)], [1, false, false]);
  const half = new Set(blobs.slice(0, 5).map((bytes) => sha256(bytes)));
  assert.equal((await shelf.blobs.sweep({ isNeeded: (digest) => half.has(digest) })).blobs, 7);
  assert.equal((await Array.fromAsync(shelf.blobs.list())).length, 4);
});

test("an internal pack is closed to others, and no gated blob comes to the public root", async () => {
  const [open, closed] = [newRoot(), newRoot()];
  execFileSync("mkdir", ["-m", "700", closed]);
  const shared = openDirectoryShelf(open, null, "building");
  const internal = openDirectoryShelf(closed, shared, "building");
  await put(shared, [words(1)]);
  await put(internal, [words(1), words(2)]);
  await Promise.all([shared.blobs.flush(), internal.blobs.flush()]);
  assert.deepEqual(
    (await Array.fromAsync(internal.blobs.list())).map(({ digest }) => digest),
    [sha256(words(2))],
  );
  assert.equal(await shared.hasBlob(sha256(words(2))), false);
  assert.deepEqual([statSync(join(closed, "packs")).mode & 0o777, statSync(packsIn(closed)[0] ?? "").mode & 0o777], [0o700, 0o600]);
});

test("many short blobs are read at once from both roots and several packs; what is spoiled or not packed comes from where it is whole", async () => {
  const [publicRoot, internalRoot] = [newRoot(), newRoot()];
  const blobs = Array.from({ length: 40 }, (_, at) => words(at));
  const [first, second, own] = [blobs.slice(0, 15), blobs.slice(15, 30), blobs.slice(30)];
  for (const half of [first, second]) {
    const shelf = openDirectoryShelf(publicRoot, null, "building");
    await put(shelf, half);
    await shelf.blobs.flush();
  }
  const internal = openDirectoryShelf(internalRoot, openDirectoryShelf(publicRoot), "building");
  await put(internal, own);
  await internal.blobs.flush();
  const loose = Buffer.from("in a file of its own");
  const shelf = openDirectoryShelf(internalRoot, openDirectoryShelf(publicRoot));
  await put(shelf, [loose]);
  const asked = [...blobs.toReversed(), loose, BLOBS[2] as Buffer].map((bytes) => sha256(bytes));
  const found = await shelf.readMany([...asked, ...asked]);
  assert.deepEqual([...found.keys()].sort(), blobs.map((bytes) => sha256(bytes)).sort());
  for (const bytes of blobs) assert.deepEqual(Buffer.from(found.get(sha256(bytes)) ?? assert.fail()), bytes);

  const spoiled = blobs[3] as Buffer;
  const pack = packsIn(publicRoot).find((path) => readFileSync(path).includes(sha256(spoiled))) ?? assert.fail();
  flip(pack, placeIn(readFileSync(pack), spoiled) + 2);
  const entries: BlobEntry[] = [spoiled, loose, own[0] as Buffer].map((bytes, at) => ({
    kind: "blob",
    name: `${at}`,
    sha256: sha256(bytes),
    size: bytes.length,
    type: "text/plain",
  }));
  const tree = formatTree(entries);
  await put(shelf, [Buffer.from(tree)]);
  const record = { sequence: 1, snapshot: sha256(tree), created: "2026-01-01T00:00:00Z", previous: null, inputs: {} };
  const snapshot = await openSnapshot(openDirectoryShelf(internalRoot, openDirectoryShelf(publicRoot)), record, createTreeCache());
  await assert.rejects(snapshot.readMany(entries), { code: "snapshot_damaged" });
  const mended = join(publicRoot, "blobs", sha256(spoiled).slice(0, 2));
  mkdirSync(mended, { recursive: true });
  writeFileSync(join(mended, sha256(spoiled)), spoiled);
  assert.deepEqual(
    (await snapshot.readMany(entries)).map((bytes) => sha256(bytes)),
    entries.map((entry) => entry.sha256),
  );
});

test("a pack has no blob of a name that is no digest", async () => {
  const root = newRoot();
  const shelf = openDirectoryShelf(root, null, "building");
  await put(shelf, BLOBS);
  await shelf.blobs.flush();
  for (const name of ["", "0", sha256("hello\n").slice(1), `${sha256("hello\n")}0`])
    assert.equal(await openDirectoryShelf(root).getBlob(name), null, name);
  assert.notEqual(await openDirectoryShelf(root).getBlob(sha256("hello\n")), null);
});
