/** Objects that a plan says are to be read: their bytes and extracts go to the shelf, their rows to the record set. */
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { compareNames } from "#snapshots/format";
import type { Extracts } from "#snapshots/page";
import type { Rejection } from "#snapshots/schema";
import { type DirectoryShelf, openByteBudget, readBlob } from "#snapshots/shelf";
import { type ExtractPool, findTellings, parseExtract, type Telling, toldOf } from "#generator/extract";
import type { Journal, KnownObject } from "#generator/kept";
import type { PlannedObject, ReadingPlan } from "./plan.ts";
import { type Progress, together } from "#generator/files";
import type { ObjectStore } from "#generator/sources";
import type { OriginOf } from "./origins.ts";

/** Objects under way at once for each core: enough to keep its process busy, few enough to hold in memory. */
const IN_FLIGHT = 8;
/** Bytes of objects held at once, by their listed sizes: each is in memory about three times on its way to a process and
 *  back, and a build is to stay below 1.5 GB. A larger object is read alone. */
const BYTES_AT_ONCE = 192 * 1024 * 1024;

/** Bytes of an object from which on what it leaves in memory is worth to be freed at once. */
const LARGE = 8 * 1024 * 1024;
/** Objects that are read again at once beside others. */
const TOLD_AT_ONCE = 16;
const TELLING_ROUNDS = 3;

/** The cost of reading an object however short it is, in bytes of a longer one. */
const WEIGHT = 2048;

/** weightOf says how long an object takes to be read, in bytes. */
export const weightOf = (size: number): number => size + WEIGHT;

export type ReadObjects = {
  /** Extracts of all these objects, from the shelf. */
  readonly extracts: Extracts;
  /** Those that were read and those that are kept, ascending by key. */
  readonly objects: readonly KnownObject[];
  /** Keys of those that were read again because another has changed. */
  readonly again: readonly string[];
  /** Listed, but not to be read; what the listing itself refused is not among them. */
  readonly refused: readonly Rejection[];
};

type Shelves = { readonly public: DirectoryShelf; readonly internal: DirectoryShelf };

/** readObjects reads the objects that a plan says are to be read.
 *  @param pool asked for when there is something to read; closed here when all is read, and by the caller when something fails
 *  @throws what the shelf throws: a file that cannot be read is refused, a disk that is full ends the build */
export async function readObjects(options: {
  readonly store: ObjectStore;
  readonly plan: Pick<ReadingPlan, "read" | "kept">;
  readonly shelves: Shelves;
  readonly pool: () => ExtractPool;
  readonly progress: Progress;
  readonly originOf: OriginOf;
  readonly journal: Journal;
  /** Digests of bytes that are refused. */
  readonly redacted: ReadonlySet<string>;
  /** How many pages of a PDF are drawn. */
  readonly pageImages: number;
  /** Default: BYTES_AT_ONCE. */
  readonly bytesAtOnce?: number;
}): Promise<ReadObjects> {
  const { store, plan, shelves, progress } = options;
  const objects = [...plan.kept];
  const refused: Rejection[] = [];
  let pool = null as ExtractPool | null;
  const open = (): ExtractPool => (pool ??= options.pool());
  if (plan.read.length > 0) {
    open();
    const waiting = plan.read.values();
    const budget = openByteBudget(options.bytesAtOnce ?? BYTES_AT_ONCE);
    let done = 0;
    let [weighed, all] = [0, 0];
    for (const { row } of plan.read) all += weightOf(row.size);
    await together(async ({ run, signal }) => {
      const work = async (): Promise<void> => {
        for (const planned of waiting) {
          await budget.take(planned.row.size);
          try {
            signal.throwIfAborted();
            const result =
              (await takeUp(planned, shelves[planned.root])) ??
              (await readObject(planned, {
                store,
                shelf: shelves[planned.root],
                pool: open(),
                originOf: options.originOf,
                redacted: options.redacted,
                pageImages: options.pageImages,
              }));
            if ("reason" in result) refused.push(result);
            else {
              objects.push(result);
              if (result !== planned.known) options.journal.add(result);
            }
          } finally {
            budget.give(planned.row.size);
          }
          weighed += weightOf(planned.row.size);
          progress.step("read", ++done, plan.read.length, weighed / all);
        }
      };
      for (let lane = Math.min(plan.read.length, availableParallelism() * IN_FLIGHT); lane > 0; lane--) void run(work);
    });
  }
  objects.sort((a, b) => compareNames(a.key, b.key));
  refused.sort((a, b) => compareNames(a.key, b.key));
  const again = new Set<string>();
  // A text that is told of its parts may have another title, which others are told.
  for (let round = 0; round < TELLING_ROUNDS; round++) {
    const tellings = findTellings(objects);
    const now = new Map<KnownObject, KnownObject>();
    for (let from = 0; from < tellings.length; from += TOLD_AT_ONCE)
      for (const [before, after] of await Promise.all(tellings.slice(from, from + TOLD_AT_ONCE).map((one) => tell(one, shelves, open()))))
        now.set(before, after);
    for (const [at, object] of objects.entries()) objects[at] = now.get(object) ?? object;
    for (const object of now.values()) options.journal.add(object);
    for (const { object } of tellings) again.add(object.key);
  }
  await pool?.close();
  if (plan.read.some(({ row }) => row.size > LARGE)) collectGarbage();
  // The thread that writes the index reads the extracts.
  if (pool !== null) await Promise.all([shelves.public.blobs.seal(), shelves.internal.blobs.seal()]);
  return { objects, again: [...again], refused, extracts: extractsOf(objects, shelves) };
}

/** Frees the memory of large files that were read. Their bytes lie outside of the heap, this thread rests while the index is written, and a thread that
 *  rests collects nothing. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

/** Reads an object again with what it is told of others. One that cannot be read so stays as it was, and is tried in the next build.
 *  @returns the object before and after */
async function tell(
  { object, files, places, told }: Telling<KnownObject>,
  shelves: Shelves,
  pool: ExtractPool,
): Promise<readonly [before: KnownObject, now: KnownObject]> {
  const bytesOf = ({ root, sha256: content }: KnownObject): Promise<Uint8Array> => readBlob(shelves[root], content);
  const { told: _, whole: __, ...rest } = object;
  try {
    // The pool takes the buffer over.
    const found = await pool.extract(object.key, Uint8Array.from(await bytesOf(object)), 0, await toldOf({ files, places }, bytesOf));
    // Its asking follows from its own bytes alone.
    const { json, images: ___, asked: ____, ...facts } = found;
    const extract = { sha256: sha256(json), size: json.length };
    await shelves[object.root].blobs.put(extract.sha256, json);
    return [object, { ...rest, ...facts, extract, ...(told === undefined ? {} : { told }) }];
  } catch (error) {
    if (error instanceof ShelfError && error.code === "bad_source") return [object, object];
    throw error;
  }
}

/** takeUp returns an object that an unfinished build has read, when its blobs are whole; null when not. */
async function takeUp({ known }: PlannedObject, shelf: DirectoryShelf): Promise<KnownObject | null> {
  if (known === undefined) return null;
  try {
    await readBlob(shelf, known.sha256);
    await readBlob(shelf, known.extract.sha256);
    for (const { sha256: digest } of known.drawn?.images ?? []) await readBlob(shelf, digest);
    return known;
  } catch (error) {
    if (error instanceof ShelfError) return null;
    throw error;
  }
}

async function readObject(
  { row, root }: PlannedObject,
  {
    store,
    shelf,
    pool,
    originOf,
    redacted,
    pageImages,
  }: {
    readonly store: ObjectStore;
    readonly shelf: DirectoryShelf;
    readonly pool: ExtractPool;
    readonly originOf: OriginOf;
    readonly redacted: ReadonlySet<string>;
    readonly pageImages: number;
  },
): Promise<KnownObject | Rejection> {
  try {
    const { bytes, version, uploaded = row.uploaded, source } = await store.read(row.key);
    const digest = sha256(bytes);
    if (redacted.has(digest)) throw new ShelfError("bad_source", "its bytes are those of something that is withdrawn and redacted");
    await shelf.blobs.put(digest, bytes);
    const size = bytes.length;
    const swhid = `swh:1:cnt:${createHash("sha1").update(`blob ${size}\0`).update(bytes).digest("hex")}`;
    const origin = await originOf({ ...row, uploaded, ...(source === undefined ? {} : { source }) }, digest, bytes);
    // The pool takes the buffer over: nothing may read `bytes` after this line.
    const { json, images: pages, ...facts } = await pool.extract(row.key, bytes, pageImages);
    const extract = { sha256: sha256(json), size: json.length };
    await shelf.blobs.put(extract.sha256, json);
    const images: { page: number; sha256: string; size: number }[] = [];
    for (const { page, png } of pages) {
      images.push({ page, sha256: sha256(png), size: png.length });
      await shelf.blobs.put(sha256(png), png);
    }
    const drawn = facts.kind === "pdf" || images.length > 0 ? { drawn: { limit: pageImages, images } } : {};
    return { key: row.key, ...facts, size, sha256: digest, swhid, ...origin, extract, ...drawn, version, root };
  } catch (error) {
    // Disk full and the like are the build's failure; a file that cannot be read is its own.
    if (!(error instanceof ShelfError) || error.code !== "bad_source") throw error;
    return { source: "store", key: row.key, reason: error.message };
  }
}

/** extractsOf gives access to the extracts of these objects; reading one throws ShelfError "snapshot_damaged" where it is not whole. */
function extractsOf(objects: readonly KnownObject[], shelves: Shelves): Extracts {
  const byKey = new Map(objects.map((object) => [object.key, object]));
  return {
    digest: (key) => byKey.get(key)?.extract.sha256 ?? "",
    links: (key) => byKey.get(key)?.links ?? [],
    async read(key) {
      const object = byKey.get(key);
      if (object === undefined) throw new ShelfError("internal", `${key} is not among the objects that were read.`);
      return parseExtract(await readBlob(shelves[object.root], object.extract.sha256));
    },
  };
}
