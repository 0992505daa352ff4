/** Objects that a plan says are to be read: their bytes and extracts go to the shelf, their rows to the record set. */
import { availableParallelism } from "node:os";
import { sha256 } from "../snapshots/digest.ts";
import { ShelfError } from "../snapshots/errors.ts";
import { compareNames } from "../snapshots/format/tree.ts";
import type { Rejection } from "../snapshots/schema/resources.ts";
import type { Shelf } from "../snapshots/shelf/shelf.ts";
import { parseExtract } from "./extract/extract-json.ts";
import type { ExtractPool } from "./extract/pool.ts";
import type { Extracts, PlannedObject, ReadingPlan } from "./plan.ts";
import type { Progress } from "./progress.ts";
import type { ObjectStore } from "./sources/object-store.ts";
import type { KnownObject } from "./state.ts";
import { together } from "./tasks.ts";

/** Objects under way at once for each core: enough to keep its process busy, few enough to hold in memory. */
const IN_FLIGHT = 8;

export type ReadObjects = Extracts & {
  /** Those that were read and those that are kept, ascending by key. */
  readonly objects: readonly KnownObject[];
  /** Listed, but not to be read; what the listing itself refused is not among them. */
  readonly refused: readonly Rejection[];
};

type Shelves = { readonly public: Shelf; readonly internal: Shelf };

/** @param pool asked for when there is something to read; closed here when all is read, and by the caller when something fails
 *  @throws what the shelf throws: a file that cannot be read is refused, a disk that is full ends the build */
export async function readObjects(options: {
  readonly store: ObjectStore;
  readonly plan: ReadingPlan;
  readonly shelves: Shelves;
  readonly pool: () => ExtractPool;
  readonly progress: Progress;
}): Promise<ReadObjects> {
  const { store, plan, shelves, progress } = options;
  const objects = [...plan.kept];
  const refused: Rejection[] = [];
  if (plan.read.length > 0) {
    const pool = options.pool();
    const waiting = plan.read.values();
    let done = 0;
    await together(async ({ run, signal }) => {
      const work = async (): Promise<void> => {
        for (const planned of waiting) {
          signal.throwIfAborted();
          const result = await readObject(planned, store, shelves[planned.root], pool);
          if ("reason" in result) refused.push(result);
          else objects.push(result);
          progress.step("read", ++done, plan.read.length);
        }
      };
      for (let lane = Math.min(plan.read.length, availableParallelism() * IN_FLIGHT); lane > 0; lane--) void run(work);
    });
    await pool.close();
  }
  objects.sort((a, b) => compareNames(a.key, b.key));
  refused.sort((a, b) => compareNames(a.key, b.key));
  return { objects, refused, ...extractsOf(objects, shelves) };
}

async function readObject(
  { row, root }: PlannedObject,
  store: ObjectStore,
  shelf: Shelf,
  pool: ExtractPool,
): Promise<KnownObject | Rejection> {
  try {
    const { bytes, version } = await store.read(row.key);
    const digest = sha256(bytes);
    await shelf.putBlob(digest, bytes);
    const size = bytes.length;
    // The pool takes the buffer over: nothing may read `bytes` after this line.
    const { json, ...facts } = await pool.extract(row.key, bytes);
    const extract = { sha256: sha256(json), size: json.length };
    await shelf.putBlob(extract.sha256, json);
    return { key: row.key, ...facts, size, sha256: digest, uploaded: row.uploaded, extract, version, root };
  } catch (error) {
    // Disk full and the like are the build's failure; a file that cannot be read is its own.
    if (!(error instanceof ShelfError) || error.code !== "bad_source") throw error;
    return { source: "store", key: row.key, reason: error.message };
  }
}

/** How to get at the extracts of these objects. */
export function extractsOf(objects: readonly KnownObject[], shelves: Shelves): Extracts {
  const byKey = new Map(objects.map((object) => [object.key, object]));
  return {
    extractDigest: (key) => byKey.get(key)?.extract.sha256 ?? "",
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
