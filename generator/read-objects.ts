/** Object store → rows: lists everything, reads and extracts only what changed since the last build. */
import { availableParallelism } from "node:os";
import { sha256 } from "../snapshots/digest.ts";
import { ShelfError } from "../snapshots/errors.ts";
import type { Extract } from "../snapshots/schema/extract.ts";
import type { Rejection } from "../snapshots/schema/resources.ts";
import type { Shelf } from "../snapshots/shelf.ts";
import { compareNames } from "../snapshots/tree.ts";
import { type CollectionInfo, findCollection } from "../snapshots/view-data.ts";
import { parseExtract } from "./extract/extract-json.ts";
import { openExtractPool } from "./extract/pool.ts";
import type { Progress } from "./progress.ts";
import type { ObjectStore, StoredObject } from "./sources/object-store.ts";
import type { KnownObject } from "./state.ts";

/** Objects under way at once for each worker: enough to keep it busy, few enough to hold in memory. */
const IN_FLIGHT = 8;
/** Extracts that stay in memory for rendering, as JSON: bytes are nothing for the collector to follow. The rest is read again. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024;

export type Listed = { readonly rows: readonly StoredObject[]; readonly rejected: readonly Rejection[] };

/** @returns what can be read, ascending by key, and what cannot with its reason */
export async function listObjects(store: ObjectStore, collections: readonly CollectionInfo[]): Promise<Listed> {
  const rows: StoredObject[] = [];
  const rejected: Rejection[] = [];
  for await (const row of store.list()) {
    if (row.problem !== null) rejected.push({ source: "store", key: row.key, reason: row.problem });
    else if (findCollection(collections, row.key) === null) {
      rejected.push({ source: "store", key: row.key, reason: "the key lies under no collection" });
    } else rows.push(row);
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
  /** The extract of any object: from memory when it was just made, else from the shelf. */
  extract(key: string): Promise<Extract>;
};

export async function readObjects(options: {
  readonly store: ObjectStore;
  readonly listed: Listed;
  readonly collections: readonly CollectionInfo[];
  readonly known: readonly KnownObject[];
  readonly shelves: { readonly public: Shelf; readonly internal: Shelf };
  readonly progress: Progress;
}): Promise<ReadObjects> {
  const { store, listed, collections, shelves, progress } = options;
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
  const extracts = new Map<string, Uint8Array>();
  let kept = 0;
  if (changed.length > 0) {
    const threads = Math.min(availableParallelism(), Math.ceil(changed.length / IN_FLIGHT));
    const pool = openExtractPool({ threads });
    let next = 0;
    let done = 0;
    const work = async (): Promise<void> => {
      for (let row = changed[next++]; row !== undefined; row = changed[next++]) {
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
          if (kept + json.length <= MAX_KEPT_BYTES) {
            extracts.set(row.key, json);
            kept += json.length;
          }
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
        }
        progress.step("read", ++done, changed.length);
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(changed.length, threads * IN_FLIGHT) }, work));
    } finally {
      await pool.close();
    }
  }
  objects.sort((a, b) => compareNames(a.key, b.key));
  refused.sort((a, b) => compareNames(a.key, b.key));
  const byKey = new Map(objects.map((object) => [object.key, object]));
  return {
    objects,
    refused,
    read: new Set(changed.map((row) => row.key)),
    async extract(key) {
      const object = byKey.get(key);
      const json = extracts.get(key) ?? (object === undefined ? null : await shelves[object.root].getBlob(object.extract.sha256));
      if (json === null)
        throw new ShelfError("build_failed", `The extract of ${key} is gone from the shelf; remove the build state and build again.`);
      return parseExtract(json);
    },
  };
}
