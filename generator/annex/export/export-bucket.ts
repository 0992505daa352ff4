/** The public view as objects of a bucket, for a website of it or a CDN in front: what `exported-files.ts` gives, with media types and
 *  cache times, and of each run only what has changed.
 *
 *  Nobody finds a page before what it shows is there: first goes what is new, then what has changed, pages after all else and the
 *  front page last; what is gone is removed when nothing leads to it any more. A manifest in the bucket says what lies there by our
 *  hand, and only that is ever removed: names are noted before their objects are written, so that what a killed run leaves is known
 *  to the next one. One export at a time holds the lease beside the manifest, from before it reads it until it has written it: else the
 *  slower of two would write a manifest that does not know the other's objects, and nobody would ever remove those. */
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Bucket, PutOptions } from "#snapshots/annex/bucket";
import { type Sha256, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { compareNames } from "#snapshots/format";
import type { Shelf } from "#snapshots/shelf";
import { encode, isCompressed, type View } from "#snapshots/http";
import { together, withTemporaryFolder } from "#generator/files";
import { type Lease, takeLease } from "#generator/annex/bucket";
import { openStaticView } from "./export.ts";
import { type ExportedFile, type ExportOptions, exportedFiles, isOfRecord } from "./exported-files.ts";

const OURS = ".proofshelf-export/";
const MANIFEST = `${OURS}manifest.json`;
const LEASE = `${OURS}lease`;
/** Lists of names that are about to be written for the first time. */
const BEGUN = `${OURS}begun-`;
/** A list of names has so many at most. */
const BATCH_FILES = 500;
/** Files wait in memory until their names are noted, up to so many bytes. */
const BATCH_BYTES = 32 * 1024 * 1024;
const LANES = 16;
/** No store takes a longer key. */
const MAX_KEY_BYTES = 1024;

const manifestSchema = z.strictObject({
  snapshot: z.string().nullable(),
  /** Path → digest of the bytes and headers, and the ETag that the store gave. */
  files: z.record(z.string(), z.tuple([z.string(), z.string()])),
});
type Manifest = z.infer<typeof manifestSchema>;

export type ExportedToBucket = {
  readonly snapshot: string;
  readonly files: number;
  readonly written: number;
  readonly removed: number;
  readonly bytes: number;
  /** Paths that are too long for a key. */
  readonly skipped: readonly string[];
};

type BucketExportOptions = ExportOptions & {
  readonly bucket: Bucket;
  /** Text lies there compressed, for hosts that compress nothing themselves: a bucket gives everybody the same bytes. */
  readonly gzip?: boolean;
};

/** Files that are named by a digest, or asked for in parts, lie there as they are. */
const AS_IT_IS = /^(at\/[0-9a-f]{64}\/)?(objects|shelf)\//;

/** exportToBucket exports the public view into a bucket.
 *  @throws ShelfError "build_failed" when the target holds something that is no export, and what the bucket throws: then the next run goes on
 *  where this one has stopped; "build_running" while another export holds the lease, "lost_race" after it was lost */
export async function exportToBucket(
  options: BucketExportOptions & { readonly shelf: Shelf; readonly dist: string; readonly ttl?: number },
): Promise<ExportedToBucket> {
  const { bucket, ttl } = options;
  await refuseForeign(bucket);
  const lease = await takeLease(bucket, null, { key: LEASE, work: "export to this bucket", ...(ttl === undefined ? {} : { ttl }) });
  try {
    // Opened under the lease: what was newest before may be older than what another export has written since.
    const { view, snapshot } = await openStaticView(options.shelf, options.dist);
    const before = await readBefore(bucket);
    const writing = { options, view, snapshot: snapshot.id, lease };
    return { snapshot: snapshot.id, ...(await withTemporaryFolder("export", (spool) => write(writing, before, spool))) };
  } finally {
    await lease.release();
  }
}

/** refuseForeign throws where something lies and no manifest does: before anything is written, a lease included. */
async function refuseForeign(bucket: Bucket): Promise<void> {
  if (manifestSchema.safeParse(await readJson(bucket, MANIFEST)).success) return;
  for await (const { key } of bucket.list())
    if (!key.startsWith(OURS))
      throw new ShelfError("build_failed", `${bucket.address} holds something and is no earlier export; nothing was written.`, {
        fixes: ["Choose an empty bucket or another prefix."],
      });
}

type Writing = { readonly options: BucketExportOptions; readonly view: View; readonly snapshot: string; readonly lease: Lease };

type Before = {
  /** The manifest's word on objects that are there as it says. */
  readonly files: Manifest["files"];
  /** Keys that are there by our hand. */
  readonly ours: ReadonlySet<string>;
  /** Lists of names that a killed run has left. */
  readonly begun: readonly string[];
};

async function readBefore(bucket: Bucket): Promise<Before> {
  const there = new Map<string, string>();
  for await (const { key, etag } of bucket.list()) there.set(key, etag);
  const begun = [...there.keys()].filter((key) => key.startsWith(BEGUN));
  const manifest = manifestSchema.safeParse(await readJson(bucket, MANIFEST)).data ?? null;
  if (manifest === null) await bucket.put(MANIFEST, formatManifest({ snapshot: null, files: {} }));
  const noted = await Promise.all(begun.map(async (key) => z.array(z.string()).safeParse(await readJson(bucket, key)).data ?? []));
  const named = new Set([...Object.keys(manifest?.files ?? {}), ...noted.flat()]);
  return {
    files: Object.fromEntries(Object.entries(manifest?.files ?? {}).filter(([path, [, etag]]) => there.get(path) === etag)),
    ours: new Set([...named].filter((path) => there.has(path))),
    begun,
  };
}

async function readJson(bucket: Bucket, key: string): Promise<unknown> {
  const got = await bucket.get(key);
  try {
    return got.state === "found" ? JSON.parse(got.bytes.toString()) : null;
  } catch {
    return null;
  }
}

function formatManifest(manifest: Manifest): Buffer {
  return Buffer.from(JSON.stringify(manifest));
}

/** @param spool an empty folder for what is written later than it is made */
async function write(
  { options, view, snapshot, lease }: Writing,
  before: Before,
  spool: string,
): Promise<Omit<ExportedToBucket, "snapshot">> {
  const { bucket, gzip = false } = options;
  const files: Manifest["files"] = {};
  const skipped: string[] = [];
  const later: (Omit<ExportedFile, "bytes"> & { readonly digest: Sha256; readonly at: string })[] = [];
  const begun = [...before.begun];
  const prefixBytes = Buffer.byteLength(bucket.address.replace(/^s3:\/\/[^/]*\//, ""));
  let batch: (ExportedFile & { readonly digest: Sha256 })[] = [];
  let held = 0;
  let written = 0;
  let bytes = 0;
  const put = async (file: ExportedFile, digest: Sha256): Promise<void> => {
    lease.check();
    const put = optionsOf(file, gzip);
    files[file.path] = [digest, await bucket.put(file.path, await encode(file.bytes, put.contentEncoding ?? "identity"), put)];
    written++;
  };
  const putBatch = async (): Promise<void> => {
    if (batch.length === 0) return;
    await lease.confirm();
    // In this order: an object whose name is noted nowhere is nobody's, and stays for ever.
    const fresh = batch.map(({ path }) => path).filter((path) => !before.ours.has(path));
    if (fresh.length > 0) {
      const list = `${BEGUN}${randomUUID()}.json`;
      await bucket.put(list, Buffer.from(JSON.stringify(fresh)), { contentType: "application/json" });
      begun.push(list);
    }
    await inLanes(batch, (file) => put(file, file.digest));
    batch = [];
    held = 0;
  };

  for await (const file of exportedFiles(view, options)) {
    if (isOfRecord(file) && !file.alsoFolder) continue;
    if (prefixBytes + Buffer.byteLength(file.path) > MAX_KEY_BYTES) {
      skipped.push(file.path);
      continue;
    }
    const digest = sha256(JSON.stringify(optionsOf(file, gzip)));
    bytes += file.bytes.length;
    const known = before.files[file.path];
    if (known?.[0] === digest) files[file.path] = known;
    else if (before.ours.has(file.path) || isFrontPage(file.path)) {
      const { bytes: body, ...rest } = file;
      const at = join(spool, String(later.length));
      await writeFile(at, body);
      later.push({ ...rest, digest, at });
    } else {
      batch.push({ ...file, digest });
      held += file.bytes.length;
      if (batch.length >= BATCH_FILES || held >= BATCH_BYTES) await putBatch();
    }
  }
  await putBatch();
  const isPage = (path: string): boolean => path.endsWith(".html");
  for (const now of [
    later.filter(({ path }) => !isPage(path)),
    later.filter(({ path }) => isPage(path) && !isFrontPage(path)),
    later.filter(({ path }) => isFrontPage(path)),
  ]) {
    if (now.length > 0) await lease.confirm();
    await inLanes(now, async ({ at, ...file }) => put({ ...file, bytes: await readFile(at) }, file.digest));
  }

  const gone = [...before.ours].filter((path) => files[path] === undefined).sort(compareNames);
  await lease.confirm();
  await inLanes(gone, (path) => bucket.delete(path));
  await lease.confirm();
  // Lists of names go behind the manifest that has them: a run that is killed here leaves nothing that is nobody's.
  await bucket.put(MANIFEST, formatManifest({ snapshot, files }), { contentType: "application/json" });
  await inLanes(begun, (list) => bucket.delete(list));
  return { files: Object.keys(files).length, written, removed: gone.length, bytes, skipped };
}

function isFrontPage(path: string): boolean {
  return path === "index.html";
}

/** optionsOf reads the file as it is: its digest is the same however it lies there. */
function optionsOf({ path, type, headers, bytes }: ExportedFile, gzip: boolean): PutOptions {
  const { "Cache-Control": cacheControl, "Content-Disposition": contentDisposition } = headers;
  return {
    contentType: type,
    ...(cacheControl === undefined ? {} : { cacheControl }),
    ...(contentDisposition === undefined ? {} : { contentDisposition }),
    ...(gzip && isCompressed(type, bytes.length) && !AS_IT_IS.test(path) ? { contentEncoding: "gzip" } : {}),
    metadata: { sha256: sha256(bytes) },
  };
}

async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await together(async ({ run, signal }) => {
    const lane = async (): Promise<void> => {
      for (const item of waiting) {
        signal.throwIfAborted();
        await work(item);
      }
    };
    for (let lanes = Math.min(items.length, LANES); lanes > 0; lanes--) void run(lane);
  });
}
