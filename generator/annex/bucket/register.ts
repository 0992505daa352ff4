/** The plugs of the annex: keys of the configuration, shelves in a bucket for those who write and those who serve, stores of objects, and a command. */
import { lazily } from "#generator/files";
import { join } from "node:path";
import type { ShelfAnnexes } from "#generator/shelves";
import type { StoreAnnexes } from "#generator/sources";
import { follow } from "./follow.ts";
import { openS3Store } from "./object-store-s3.ts";
import { openRemote } from "./remote.ts";

export { KEYS as BUCKET_KEYS } from "./keys.ts";

export const BUCKETS: ShelfAnnexes & StoreAnnexes = {
  shelves: {
    s3: {
      open: (shelf) => openRemote(shelf, shelf.copy),
      serve(shelf, views) {
        const remote = openRemote(shelf, shelf.copy);
        return {
          publicDir: join(shelf.copy, "public"),
          internalDir: join(shelf.copy, "internal"),
          follow: (signal, tell) => follow(remote, { views, signal, tell }),
        };
      },
    },
  },
  stores: { s3: openS3Store },
};

export const runShelfCopy = lazily(async () => (await import("./shelf-command.ts")).runShelfCopy);
