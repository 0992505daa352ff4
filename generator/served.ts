/** What a machine serves from: the shelf itself, this machine's copy of a shelf in a bucket, or a cache of it. */
import { join } from "node:path";
import { openBucket } from "../snapshots/bucket/s3-bucket.ts";
import type { Config } from "./config/config.ts";
import { LINGER_MS } from "./remote/follow.ts";
import { openReaderCache, type ReaderCache } from "./remote/reader-cache.ts";
import { openRemote, type Remote, type RemoteView } from "./remote/remote.ts";
import { openShelves } from "./shelves.ts";

/** Somebody waits for the answer. */
const HASTY = { attempts: 3, firstPauseMs: 100, longestPauseMs: 500, beginWithinMs: 3_000, patienceMs: 5_000 };

export type Served = {
  readonly publicDir: string;
  readonly internalDir: string;
  /** What the folders follow; null when they are the shelf. */
  readonly remote: Remote | null;
  /** Null when the folders have everything. */
  readonly cache: ReaderCache | null;
};

/** Creates nothing, and asks nothing of a bucket. */
export function openServed({ shelf }: Pick<Config, "shelf">, views: readonly RemoteView[]): Served {
  if (shelf.kind === "directory" || shelf.cache === null) return { ...openShelves({ shelf }), cache: null };
  const { dir, maxBytes } = shelf.cache;
  const remote = openRemote(shelf, dir);
  const cache = openReaderCache(remote, { views, maxBytes, hasty: openBucket(shelf, HASTY), linger: LINGER_MS });
  return { publicDir: join(dir, "public"), internalDir: join(dir, "internal"), remote, cache };
}
