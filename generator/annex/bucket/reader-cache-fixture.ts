/** A library in a bucket, and machines that read it through a cache, each with a proxy of its own before the bucket. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { promisify } from "node:util";
import { type FaultProxy, openFaultProxy } from "../../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { openBucket } from "../../../snapshots/annex/bucket/s3-bucket.ts";
import { type Sha256, sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import type { BlobEntry } from "../../../snapshots/format/tree.ts";
import { takeAnswer } from "../../../snapshots/http/serving.ts";
import { openCachedShelf } from "../../../snapshots/shelf/cached-shelf.ts";
import { createTreeCache, openSnapshot, type Snapshot } from "../../../snapshots/shelf/read.ts";
import { openDirectoryShelf } from "../../../snapshots/shelf/shelf-directory.ts";
import type { Shelf } from "../../../snapshots/shelf/shelf.ts";
import { type Config, openConfig } from "../../config/config.ts";
import { shelveInBucket } from "../../testing/bucket-library.ts";
import { SILENT, writeSmallFixture } from "../../testing/library.ts";
import { until } from "../../testing/until.ts";
import { follow } from "./follow.ts";
import { ReaderCache } from "./reader-cache.ts";
import { openRemote } from "./remote.ts";
import { onDisk } from "./room.ts";
import { useParts } from "../../publish/parts.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { build } from "../../testing/whole.ts";

useParts(PLAIN_PARTS);

export const run = promisify(execFile);
export const HASTY = { attempts: 2, firstPauseMs: 10, longestPauseMs: 20, beginWithinMs: 500, patienceMs: 2_000 };
const VIEWS = ["public", "internal"] as const;
/** LONG is longer than what goes into a pack. */
export const LONG = Buffer.alloc(9 * 1024 * 1024);
for (let at = 0; at < LONG.length; at++) LONG[at] = (at * 31 + (at >> 12)) % 251;

type Bucket = Awaited<ReturnType<typeof makeBucket>>;
/** The library and the bucket of the machine that builds. */
type Builder = { readonly dir: string; readonly config: Config; readonly file: string; readonly bucket: Bucket };
/** Where a reader keeps its cache, and how it gets at the bucket. */
type Machine = Builder & { readonly proxy: FaultProxy; readonly folder: string };

const folders: string[] = [];
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "proofshelf-cache-"));
  folders.push(folder);
  return folder;
}

export async function openBuilder(bucket: Bucket): Promise<Builder> {
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

export async function openMachine(t: TestContext, builder: Builder): Promise<Machine> {
  const proxy = await openFaultProxy(builder.bucket.endpoint as string);
  t.after(() => proxy.close());
  return { ...builder, proxy, folder: await newFolder() };
}

let built: Promise<Builder> | null = null;
/** openReading returns a machine of its own beside a library that was built once: for the tests that publish nothing, and behind them those that
 *  do. */
export async function openReading(t: TestContext, server: Parameters<typeof makeBucket>[0]): Promise<Machine> {
  built ??= (async () => {
    const builder = await openBuilder(await makeBucket(server));
    await build(builder.config, { progress: SILENT });
    return builder;
  })();
  return openMachine(t, await built);
}

type Reader = { readonly cache: ReaderCache; readonly root: string; readonly shelf: Shelf; stop(): Promise<void> };

/** openReader does what a server's starter and the server do, in this process. */
export async function openReader(t: TestContext, { folder, config, proxy }: Machine, maxBytes: number, linger = 60_000): Promise<Reader> {
  const { shelf: storage } = config;
  assert.ok(storage.kind === "s3");
  const seen = { ...storage, endpoint: proxy.endpoint };
  const remote = openRemote(seen, join(folder, "cache"));
  const cache = new ReaderCache(remote, { views: VIEWS, maxBytes, hasty: openBucket(seen, HASTY), linger });
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

export function cachedShelf(cache: ReaderCache, root: string): Shelf {
  return openCachedShelf(openDirectoryShelf(root), [root], async (digest, anew) =>
    takeAnswer(await cache.answer({ view: "public", digest, anew })),
  );
}

export async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile()))
    bytes += onDisk((await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size);
  return bytes;
}

export async function openServed(shelf: Shelf): Promise<Snapshot> {
  const record = await shelf.readPointer();
  assert.ok(record !== null);
  return openSnapshot(shelf, record, createTreeCache());
}

export async function listFiles(snapshot: Snapshot): Promise<readonly BlobEntry[]> {
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

export async function readAll(snapshot: Snapshot, entry: BlobEntry): Promise<Buffer> {
  const body = await snapshot.readPart(entry, 0, entry.size - 1);
  return Buffer.isBuffer(body) ? body : Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>));
}

export function keptFile(root: string, digest: Sha256): string {
  return join(root, "blobs", digest.slice(0, 2), digest);
}

export async function isCode(work: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(
    work,
    (error: unknown) => error instanceof ShelfError && error.code === code && error.headers["Retry-After"] === "5",
  );
}
