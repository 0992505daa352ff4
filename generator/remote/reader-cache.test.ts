/** A reader that keeps a part of a shelf in a bucket: how much it takes, what it fetches, and what it does with what is damaged. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { type FaultProxy, openFaultProxy } from "../../snapshots/bucket/fault-proxy-fixture.ts";
import { bucketTest, makeBucket } from "../../snapshots/bucket/server-fixture.ts";
import { openBucket } from "../../snapshots/bucket/s3-bucket.ts";
import { type Sha256, sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import type { BlobEntry } from "../../snapshots/format/tree.ts";
import { takeAnswer } from "../../snapshots/http/serving.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { openCachedShelf } from "../../snapshots/shelf/cached-shelf.ts";
import { createTreeCache, openSnapshot, type Snapshot } from "../../snapshots/shelf/read.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import { build } from "../build.ts";
import { type Config, openConfig } from "../config/config.ts";
import { shelveInBucket } from "../fixtures/bucket-library.ts";
import { SILENT, writeSmallFixture } from "../fixtures/library.ts";
import { CLI } from "../fixtures/serving-process.ts";
import { until } from "../torture/followers.ts";
import { follow } from "./follow.ts";
import { openReaderCache, type ReaderCache } from "./reader-cache.ts";
import { openRemote } from "./remote.ts";
import { onDisk } from "./room.ts";

const run = promisify(execFile);
const HASTY = { attempts: 2, firstPauseMs: 10, longestPauseMs: 20, beginWithinMs: 500, patienceMs: 2_000 };
const VIEWS = ["public", "internal"] as const;
/** Longer than what goes into a pack. */
const LONG = Buffer.from(Uint8Array.from({ length: 9 * 1024 * 1024 }, (_, at) => (at * 31 + (at >> 12)) % 251));

type Bucket = Awaited<ReturnType<typeof makeBucket>>;
/** What builds: its library and its bucket. */
type Builder = { readonly dir: string; readonly config: Config; readonly file: string; readonly bucket: Bucket };
/** Where a reader keeps its cache, and how it gets at the bucket. */
type Machine = Builder & { readonly proxy: FaultProxy; readonly folder: string };

const folders: string[] = [];
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "proofshelf-cache-"));
  folders.push(folder);
  return folder;
}

async function openBuilder(bucket: Bucket): Promise<Builder> {
  const dir = await newFolder();
  await writeSmallFixture(dir);
  await writeFile(join(dir, "library/data/long.bin"), LONG);
  for (let at = 0; at < 40; at++) {
    const words = Array.from({ length: 300 }, (_, word) => sha256(`${at} ${word}`).slice(0, 12)).join(" ");
    await writeFile(join(dir, `library/notes/long-${at}.md`), `# Long ${at}\n\n${words}\n`);
  }
  const file = await shelveInBucket(dir, bucket, "builder");
  return { dir, config: await openConfig(file), file, bucket };
}

async function openMachine(t: TestContext, builder: Builder): Promise<Machine> {
  const proxy = await openFaultProxy(builder.bucket.endpoint as string);
  t.after(() => proxy.close());
  return { ...builder, proxy, folder: await newFolder() };
}

let built: Promise<Builder> | null = null;
/** A machine of its own beside a library that was built once: for the tests that publish nothing, and behind them those that do. */
async function openReading(t: TestContext, server: Parameters<typeof makeBucket>[0]): Promise<Machine> {
  built ??= (async () => {
    const builder = await openBuilder(await makeBucket(server));
    await build(builder.config, { progress: SILENT });
    return builder;
  })();
  return openMachine(t, await built);
}

type Reader = { readonly cache: ReaderCache; readonly root: string; readonly shelf: Shelf; stop(): Promise<void> };

/** What a server's starter and the server do, in this process. */
async function openReader(t: TestContext, { folder, config, proxy }: Machine, maxBytes: number, linger = 60_000): Promise<Reader> {
  const { shelf: storage } = config;
  assert.ok(storage.kind === "s3");
  const seen = { ...storage, endpoint: proxy.endpoint };
  const remote = openRemote(seen, join(folder, "cache"));
  const cache = openReaderCache(remote, { views: VIEWS, maxBytes, hasty: openBucket(seen, HASTY), linger });
  const ended = new AbortController();
  const following = follow(remote, { views: VIEWS, cache, linger, signal: ended.signal, tell: () => undefined });
  const stop = async (): Promise<void> => {
    ended.abort();
    await following;
  };
  t.after(stop);
  const root = remote.places.public.root;
  const shelf = cachedShelf(cache, root);
  await until("a snapshot to serve", async () => (await shelf.readPointer()) !== null && cache.due() === null);
  return { cache, root, shelf, stop };
}

function cachedShelf(cache: ReaderCache, root: string): Shelf {
  return openCachedShelf(openDirectoryShelf(root), [root], async (digest, anew) =>
    takeAnswer(await cache.answer({ view: "public", digest, anew })),
  );
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile()))
    bytes += onDisk((await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size);
  return bytes;
}

async function openServed(shelf: Shelf): Promise<Snapshot> {
  const record = await shelf.readPointer();
  assert.ok(record !== null);
  return openSnapshot(shelf, record, createTreeCache());
}

async function listFiles(snapshot: Snapshot): Promise<readonly BlobEntry[]> {
  const files: BlobEntry[] = [];
  const walk = async (digest: Sha256): Promise<void> => {
    for (const entry of await snapshot.tree(digest)) {
      if (entry.kind === "tree") await walk(entry.sha256);
      else files.push(entry);
    }
  };
  await walk(snapshot.id);
  return files;
}

async function readAll(snapshot: Snapshot, entry: BlobEntry): Promise<Buffer> {
  const body = await snapshot.readPart(entry, 0, entry.size - 1);
  return Buffer.isBuffer(body) ? body : Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>));
}

function keptFile(root: string, digest: Sha256): string {
  return join(root, "blobs", digest.slice(0, 2), digest);
}

async function isCode(work: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(
    work,
    (error: unknown) => error instanceof ShelfError && error.code === code && error.headers["Retry-After"] === "5",
  );
}

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
  assert.deepEqual(notes.filter(isKept), used);
  machine.proxy.fault = () => "cut";
  await (await openServed(shelf)).data();
});

bucketTest(
  "a damaged file of a cache is never served and fetched again; what is away is told, and what is kept is served",
  async (t, server) => {
    const machine = await openReading(t, server);
    const { root, shelf, stop } = await openReader(t, machine, 13_000_000);
    const snapshot = await openServed(shelf);
    const files = await listFiles(snapshot);
    const long = files.find(({ size }) => size === LONG.length);
    const short = files.find(({ name, type }) => name === "long-1.md" && type.startsWith("text/markdown"));
    assert.ok(long !== undefined && short !== undefined);
    for (const entry of [short, long]) {
      await readAll(snapshot, entry);
      const path = keptFile(root, entry.sha256);
      const bytes = await readFile(path);
      for (const at of [0, bytes.length >> 1, bytes.length - 1]) bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(path, bytes);
      assert.equal(sha256(await readAll(snapshot, entry)), entry.sha256);
      assert.equal(sha256(await readFile(path)), entry.sha256);
      // A torn one, and one that is gone.
      await writeFile(path, bytes.subarray(0, 100));
      assert.equal(sha256(await snapshot.read(entry)), entry.sha256);
      await rm(path);
      assert.equal(sha256(await readAll(snapshot, entry)), entry.sha256);
    }
    // Under somebody who reads it: that ends, and the next one has it.
    const body = await snapshot.readPart(long, 0, long.size - 1);
    assert.ok(!(body instanceof Uint8Array));
    await body.next();
    await writeFile(keptFile(root, long.sha256), Buffer.alloc(long.size, 7), { flag: "r+" });
    await assert.rejects(Array.fromAsync(body));
    assert.equal(sha256(await readFile(keptFile(root, long.sha256))), long.sha256);

    for (const name of await readdir(join(root, "packs"))) {
      const path = join(root, "packs", name);
      const bytes = await readFile(path);
      await writeFile(path, bytes.fill(0x55, 0, bytes.length >> 1));
    }
    await (await openServed(shelf)).data();

    // The long one may have taken its room.
    await snapshot.read(short);
    machine.proxy.fault = () => "503";
    const unread = files.filter(({ sha256: digest }) => !existsSync(keptFile(root, digest)) && digest !== short.sha256);
    const strange = unread.find(({ name }) => name === "long-2.md");
    assert.ok(strange !== undefined);
    await isCode(snapshot.read(strange), "bucket_unavailable");
    const start = performance.now();
    for (const entry of unread.slice(0, 50)) await snapshot.read(entry).catch(() => undefined);
    assert.ok(performance.now() - start < 2_000, "nobody waits again for a bucket that is away");
    assert.equal(sha256(await snapshot.read(short)), short.sha256);
    machine.proxy.fault = () => null;
    await until("the end of the outage", async () => (await snapshot.read(strange).catch(() => null)) !== null);

    // The index, which the engine reads by itself: when a server starts.
    await stop();
    const parts = await readdir(join(root, "index"), { recursive: true, withFileTypes: true });
    const part = parts.find((entry) => entry.isFile() && entry.name.endsWith(".lance"));
    assert.ok(part !== undefined);
    const path = join(part.parentPath, part.name);
    const whole = await readFile(path);
    await writeFile(path, Buffer.alloc(whole.length, 7));
    await openReader(t, machine, 13_000_000);
    assert.ok((await readFile(path)).equals(whole));
  },
);

bucketTest("a cache that is wide enough has all of the shelf; one that is too narrow says so and goes on", async (t, server) => {
  const machine = await openReading(t, server);
  const wide = await openReader(t, machine, 40_000_000);
  machine.proxy.fault = () => "cut";
  const snapshot = await openServed(wide.shelf);
  for (const entry of await listFiles(snapshot)) await snapshot.read(entry);
  machine.proxy.fault = () => null;
  await wide.stop();
  const packs = await readdir(join(wide.root, "packs"));

  const narrow = await openReader(t, machine, 200_000);
  await until("its word", async () => !narrow.cache.note().good);
  assert.match(narrow.cache.note().text, /^what a server needs takes [0-9.]+ [kM]B, more than the 200 kB of shelf\.cache\.maxBytes$/);
  assert.ok(!packs.some((name) => existsSync(join(narrow.root, "packs", name))), "packs that hold little that is needed are gone");
  const files = await listFiles(await openServed(narrow.shelf));
  const again = await openServed(narrow.shelf);
  for (const entry of files.slice(0, 60)) assert.equal(sha256(await again.read(entry)), entry.sha256);
  assert.equal(existsSync(keptFile(narrow.root, files[0]?.sha256 ?? "")), false);
});

// These two publish, in this order.

bucketTest("earlier snapshots are fetched when they are asked for, and what the bucket has no more goes", async (t, server) => {
  const machine = await openReading(t, server);
  const { root, shelf } = await openReader(t, machine, 13_000_000, 2_000);
  const first = await openServed(shelf);
  await writeFile(join(machine.dir, "library/notes/short.md"), "# Short\n\nAnother zebra.\n");
  const second = await build(machine.config, { progress: SILENT });
  await until("the second snapshot", async () => (await shelf.readPointer())?.snapshot === second.snapshot);
  await (await openServed(shelf)).data();

  const [record] = await shelf.listRecords();
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

bucketTest("what is gated, or redacted, leaves the cache of the public view with every byte of it", async (t, server) => {
  const machine = await openReading(t, server);
  const { root, shelf } = await openReader(t, machine, 13_000_000, 2_000);
  const snapshot = await openServed(shelf);
  const find = async (path: string): Promise<BlobEntry> => {
    const entry = await snapshot.find(path);
    return entry?.kind === "blob" ? entry : assert.fail(path);
  };
  const [gated, redacted] = [await find("objects/data/long.bin"), await find("objects/notes/long-1.md")];
  for (const entry of [gated, await find("extracts/notes/long-1.md"), redacted]) {
    await readAll(snapshot, entry);
    assert.ok(existsSync(keptFile(root, entry.sha256)));
  }

  const withdrawal = { key: "notes/long-1.md", reason: "error", date: "2026-01-02", note: "A name in it.", redact: true };
  await writeFile(join(machine.dir, "withdrawals.yaml"), JSON.stringify({ withdrawals: [withdrawal] }));
  await writeFile(machine.file, `${await readFile(machine.file, "utf8")}\nwithdrawals: { path: ./withdrawals.yaml }\n`);
  await build(await openConfig(machine.file), { progress: SILENT });
  await until("what was redacted gone", async () => !existsSync(keptFile(root, redacted.sha256)));
  await assert.rejects(snapshot.read(redacted), (error: unknown) => error instanceof ShelfError && error.code === "withdrawn");

  const open = await readFile(machine.file, "utf8");
  await writeFile(machine.file, open.replace("title: Data, visibility: public", "title: Data, visibility: email-gated"));
  const { snapshot: next } = await build(await openConfig(machine.file), { progress: SILENT });
  await until("the gated snapshot", async () => (await shelf.readPointer())?.snapshot === next);
  await until("what was gated gone", async () => !existsSync(keptFile(root, gated.sha256)));
  await assert.rejects(readAll(snapshot, gated), (error: unknown) => error instanceof ShelfError);
  const text = await readFile(join(machine.dir, "library/notes/long-1.md"), "utf8");
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile()))
    assert.ok(!(await readFile(join(file.parentPath, file.name))).includes(text.slice(20, 80)), file.name);
});
