/** The plugs of the annex: keys of the configuration, shelves in a bucket for those who write and those who serve, stores of objects, and a command. */
import { lazily } from "#generator/files";
import { join } from "node:path";
import { openBucket } from "#snapshots/annex/bucket";
import type { ShelfAnnexes } from "#generator/shelves";
import type { StoreAnnexes } from "#generator/sources";
import { follow, LINGER_MS } from "./follow.ts";
import { openS3Store } from "./object-store-s3.ts";
import { ReaderCache } from "./reader-cache.ts";
import { openRemote } from "./remote.ts";

export { KEYS as BUCKET_KEYS } from "./keys.ts";

/** Somebody waits for the answer. */
const HASTY = { attempts: 3, firstPauseMs: 100, longestPauseMs: 500, beginWithinMs: 3_000, patienceMs: 5_000 };

export const BUCKETS: ShelfAnnexes & StoreAnnexes = {
  shelves: {
    s3: {
      open: (shelf) => openRemote(shelf, shelf.copy),
      serve(shelf, views) {
        const dir = shelf.cache?.dir ?? shelf.copy;
        const remote = openRemote(shelf, dir);
        const cache =
          shelf.cache === undefined
            ? null
            : new ReaderCache(remote, { views, maxBytes: shelf.cache.maxBytes, hasty: openBucket(shelf, HASTY), linger: LINGER_MS });
        return {
          publicDir: join(dir, "public"),
          internalDir: join(dir, "internal"),
          follow: (signal, tell) => follow(remote, { views, cache, signal, tell }),
          cache,
        };
      },
    },
  },
  stores: { s3: openS3Store },
};

export const runShelfCopy = lazily(async () => (await import("./shelf-command.ts")).runShelfCopy);
