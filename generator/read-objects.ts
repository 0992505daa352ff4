/** Object store → rows: lists everything, reads and extracts only what changed since the last build. */
import { availableParallelism } from "node:os";
import { sha256 } from "../snapshots/digest.ts";
import { ShelfError } from "../snapshots/errors.ts";
import { parentPrefix } from "../snapshots/format/relations.ts";
import type { Extract } from "../snapshots/schema/extract.ts";
import type { Rejection } from "../snapshots/schema/resources.ts";
import type { Shelf } from "../snapshots/shelf/shelf.ts";
import { compareNames } from "../snapshots/format/tree.ts";
import { type CollectionInfo, findCollection } from "../snapshots/format/view-data.ts";
import { parseExtract } from "./extract/extract-json.ts";
import type { ExtractPool } from "./extract/pool.ts";
import type { Progress } from "./progress.ts";
import { openByteBudget } from "./sources/byte-budget.ts";
import type { ObjectStore, StoredObject } from "./sources/object-store.ts";
import type { KnownObject } from "./state.ts";

/** Objects under way at once for each core: enough to keep its process busy, few enough to hold in memory. */
const IN_FLIGHT = 8;
/** Bytes of objects held at once, by their listed sizes: each is in memory about three times on its way to a process and
 *  back, and a build is to stay below 1.5 GB. A larger object is read alone. */
const BYTES_AT_ONCE = 192 * 1024 * 1024;

export type Listed = { readonly rows: readonly StoredObject[]; readonly rejected: readonly Rejection[] };

/** @param onRow hears of what can be read as soon as it is listed
 *  @returns what can be read, ascending by key, and what cannot with its reason */
export async function listObjects(
  store: ObjectStore,
  collections: readonly CollectionInfo[],
  onRow?: (row: StoredObject) => void,
): Promise<Listed> {
  const rows: StoredObject[] = [];
  const rejected: Rejection[] = [];
  for await (const row of store.list()) {
    if (row.problem !== null) rejected.push({ source: "store", key: row.key, reason: row.problem });
    else if (findCollection(collections, row.key) === null) {
      rejected.push({ source: "store", key: row.key, reason: "the key lies under no collection" });
    } else {
      rows.push(row);
      onRow?.(row);
    }
  }
  rows.sort((a, b) => compareNames(a.key, b.key));
  return { rows, rejected };
}

export type ReadObjects = {
  readonly objects: readonly KnownObject[];
  /** Listed, but not to be read; what the listing itself refused is not among them. */
  readonly refused: readonly Rejection[];
  /** Keys that were read in this build. */
  readonly read: ReadonlySet<string>;
  /** Folders in which an object was added, read again or removed. */
  readonly touched: ReadonlySet<string>;
  /** The extract of any object, from the shelf. */
  extract(key: string): Promise<Extract>;
};

export async function readObjects(options: {
  readonly store: ObjectStore;
  readonly listed: Listed;
  readonly collections: readonly CollectionInfo[];
  readonly known: readonly KnownObject[];
  readonly shelves: { readonly public: Shelf; readonly internal: Shelf };
  /** Closed when all is read; by the caller when something fails. */
  readonly pool: ExtractPool;
  readonly progress: Progress;
  /** Default: BYTES_AT_ONCE. */
  readonly bytesAtOnce?: number;
}): Promise<ReadObjects> {
  const { store, listed, collections, shelves, pool, progress } = options;
  const known = new Map(options.known.map((object) => [object.key, object]));
  const objects: KnownObject[] = [];
  const changed: StoredObject[] = [];
  const rootOf = (key: string): "public" | "internal" =>
    findCollection(collections, key)?.visibility === "public" ? "public" : "internal";
  for (const row of listed.rows) {
    const before = known.get(row.key);
    const same =
      before !== undefined &&
      before.version === row.version &&
      before.size === row.size &&
      before.uploaded === row.uploaded &&
      before.root === rootOf(row.key);
    if (same) objects.push(before);
    else changed.push(row);
  }

  const refused: Rejection[] = [];
  if (changed.length > 0) {
    let next = 0;
    let done = 0;
    const budget = openByteBudget(options.bytesAtOnce ?? BYTES_AT_ONCE);
    const work = async (): Promise<void> => {
      for (let row = changed[next++]; row !== undefined; row = changed[next++]) {
        await budget.take(row.size);
        try {
          const { bytes, version } = await store.read(row.key);
          const root = rootOf(row.key);
          const shelf = shelves[root];
          const digest = sha256(bytes);
          await shelf.putBlob(digest, bytes);
          const size = bytes.length;
          // The pool takes the buffer over: nothing may read `bytes` after this line.
          const { json, ...facts } = await pool.extract(row.key, bytes);
          const extractDigest = sha256(json);
          await shelf.putBlob(extractDigest, json);
          objects.push({
            key: row.key,
            ...facts,
            size,
            sha256: digest,
            uploaded: row.uploaded,
            extract: { sha256: extractDigest, size: json.length },
            version,
            root,
          });
        } catch (error) {
          // Disk full and the like are the build's failure; a file that cannot be read is its own.
          if (!(error instanceof ShelfError) || error.code !== "bad_source") throw error;
          refused.push({ source: "store", key: row.key, reason: error.message });
        } finally {
          budget.give(row.size);
        }
        progress.step("read", ++done, changed.length);
      }
    };
    await Promise.all(Array.from({ length: Math.min(changed.length, availableParallelism() * IN_FLIGHT) }, work));
    await pool.close();
  }
  objects.sort((a, b) => compareNames(a.key, b.key));
  refused.sort((a, b) => compareNames(a.key, b.key));
  const byKey = new Map(objects.map((object) => [object.key, object]));
  const removed = [...known.keys()].filter((key) => !byKey.has(key));
  return {
    objects,
    refused,
    read: new Set(changed.map((row) => row.key)),
    touched: new Set([...changed.map((row) => row.key), ...removed].map(parentPrefix)),
    async extract(key) {
      const object = byKey.get(key);
      const json = object === undefined ? null : await shelves[object.root].getBlob(object.extract.sha256);
      if (json === null)
        throw new ShelfError(
          "build_failed",
          `The extract of ${key} is gone from the shelf; remove internal/build/state.v8 there and build again.`,
        );
      return parseExtract(json);
    },
  };
}
