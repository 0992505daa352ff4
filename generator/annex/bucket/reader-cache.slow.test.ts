/** A reader of a shelf in a bucket of which everything is read: what its cache keeps, and what it lets go. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import type { BlobEntry } from "../../../snapshots/format/tree.ts";
import { openIndex } from "../../../snapshots/index/open.ts";
import { createTreeCache, openSnapshot } from "../../../snapshots/shelf/read.ts";
import { SILENT } from "../../testing/library.ts";
import { CLI } from "../../testing/serving-process.ts";
import { until } from "../../testing/until.ts";
import { ARRIVING } from "./room.ts";
import {
  run,
  LONG,
  openBuilder,
  openMachine,
  openReading,
  openReader,
  cachedShelf,
  bytesIn,
  openServed,
  listFiles,
  readAll,
  keptFile,
} from "./reader-cache-fixture.ts";
import { build } from "../../testing/whole.ts";

bucketTest("a cache holds its bound while everything is read twice, and asks for nothing but the pointer then", async (t, server) => {
  const machine = await openReading(t, server);
  const maxBytes = 13_000_000;
  const folder = join(machine.folder, "cache");
  const { cache, root, shelf } = await openReader(t, machine, maxBytes);
  assert.ok((await bytesIn(folder)) < 3_000_000, "nothing was fetched that nobody has asked for");

  // What a server needs to be ready is there: the bucket may be away.
  machine.proxy.fault = () => "cut";
  const snapshot = await openServed(shelf);
  const { objects } = await snapshot.data();
  assert.ok(objects.length > 40);
  const files = await listFiles(snapshot);
  const reader = await (await openIndex(shelf.indexUri)).at(snapshot.id);
  reader.close();
  machine.proxy.fault = () => null;

  const long = files.find(({ size }) => size === LONG.length);
  assert.ok(long !== undefined);
  for (const _ of [1, 2]) {
    for (const [at, entry] of files.entries()) {
      assert.equal(sha256(entry === long ? await readAll(snapshot, entry) : await snapshot.read(entry)), entry.sha256);
      if (at % 40 === 0 || entry === long) assert.ok((await bytesIn(folder)) <= maxBytes, `${await bytesIn(folder)} bytes`);
    }
  }
  assert.ok((await readAll(snapshot, long)).equals(LONG));
  assert.equal(cache.note().good, true);

  // What was read last is there still.
  machine.proxy.reset();
  assert.ok(existsSync(keptFile(root, long.sha256)));
  await readAll(snapshot, long);
  await wait(2_500);
  const asked = new Set(machine.proxy.requests.map((line) => line.replace(/^.*?\/[^/]+\/|\?.*/g, "")));
  assert.deepEqual(
    [...asked].filter((key) => !key.endsWith("/pointer")),
    [],
  );

  // A disk that takes nothing: what is not kept is handed over.
  const gone = files.filter(({ sha256: digest }) => digest !== long.sha256).slice(0, 2);
  for (const { sha256: digest } of gone) await rm(keptFile(root, digest), { force: true });
  const [one, other] = gone.map(({ sha256: digest }) => digest);
  assert.ok(one !== undefined && other !== undefined);
  await rm(join(root, ARRIVING), { recursive: true });
  await symlink("/sys/kernel", join(root, ARRIVING));
  assert.equal((await cache.answer({ view: "public", digest: one, anew: false })).state, "held");
  assert.deepEqual([cache.note().good, cache.note().text.startsWith("the disk of the cache is full")], [false, true]);
  await rm(join(root, ARRIVING));
  assert.equal((await cache.answer({ view: "public", digest: other, anew: false })).state, "kept");
  assert.equal(cache.note().good, true);
});

bucketTest("what was read longest ago goes first, and what is served keeps what it needs", async (t, server) => {
  const machine = await openMachine(t, await openBuilder(await makeBucket(server)));
  await rm(join(machine.dir, "library/data/long.bin"));
  await build(machine.config, { progress: SILENT });
  const { cache, root, shelf } = await openReader(t, machine, 2_900_000);
  const snapshot = await openServed(shelf);
  const notes = (await listFiles(snapshot)).filter(({ name, type }) => name.startsWith("long-") && type.startsWith("text/markdown"));
  assert.equal(notes.length, 40);
  const isKept = ({ sha256: digest }: BlobEntry): boolean => existsSync(keptFile(root, digest));
  const others = (await listFiles(snapshot)).filter((entry) => !notes.includes(entry));
  for (const entry of [...notes, ...others.slice(0, 20)]) await snapshot.read(entry);
  assert.ok(notes.every(isKept));
  // As a server does that was started a moment ago.
  const used = notes.slice(0, 5);
  const later = await openServed(cachedShelf(cache, root));
  for (const entry of used) await later.read(entry);
  for (const entry of others.slice(20)) {
    await snapshot.read(entry);
    if (!notes.every(isKept)) break;
  }
  // Room is made for a whole share at once: a long file may take the newer ones along, but never before all the older ones.
  const kept = notes.filter(isKept);
  assert.deepEqual(kept, kept.length === 0 ? [] : used);
  machine.proxy.fault = () => "cut";
  await (await openServed(shelf)).data();
});

// This one publishes: it stands last.

bucketTest("earlier snapshots are fetched when they are asked for, and what the bucket has no more goes", async (t, server) => {
  const machine = await openReading(t, server);
  const { root, shelf } = await openReader(t, machine, 13_000_000, 2_000);
  const first = await openServed(shelf);
  await writeFile(join(machine.dir, "library/notes/short.md"), "# Short\n\nAnother zebra.\n");
  const second = await build(machine.config, { progress: SILENT });
  await until("the second snapshot", async () => (await shelf.readPointer())?.snapshot === second.snapshot);
  await (await openServed(shelf)).data();

  const [record] = (await shelf.records.index()).records;
  assert.equal(record?.snapshot, first.id);
  const past = await openSnapshot(shelf, record, createTreeCache());
  const entry = await past.find("objects/notes/short.md");
  assert.ok(entry?.kind === "blob");
  assert.equal(Buffer.from(await past.read(entry)).toString(), "# Short\n\nA zebra.\n");
  assert.ok(existsSync(keptFile(root, entry.sha256)));

  await run(process.execPath, [CLI, "prune", "--keep", "1", "--config", machine.file]);
  await until("what was pruned gone from the cache", async () => !existsSync(keptFile(root, entry.sha256)));
  await assert.rejects(past.read(entry), (error: unknown) => error instanceof ShelfError && error.code === "snapshot_damaged");
  for (const file of await listFiles(await openServed(shelf))) await (await openServed(shelf)).read(file);
});
