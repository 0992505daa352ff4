/** `proofshelf prune` */
import { ShelfError } from "../../snapshots/errors.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { prune } from "../../snapshots/shelf/prune.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { type CommonOptions, openConfigured, print } from "./options.ts";
import { withBuildLock } from "../lock.ts";
import { closeIndex, keepRecords, vectorsDir } from "../shelves.ts";

export async function runPrune(options: CommonOptions & { readonly keep: string }): Promise<void> {
  const keep = Number(options.keep);
  if (!Number.isInteger(keep) || keep < 1) throw new ShelfError("bad_config", "--keep takes a whole number, at least 1.");
  const shelves = await openConfigured(options);
  // Vectors that are just being made belong to no snapshot yet and would be taken for another model's.
  const alone = <T>(work: () => Promise<T>): Promise<T> => withBuildLock(shelves.buildDir, () => withBuildLock(vectorsDir(shelves), work));
  const done = await alone(async () => {
    const result = { removed_snapshots: [] as string[], removed_blobs: 0, freed_bytes: 0 };
    // Internal first: its old snapshots may be all that still needs some public blobs.
    for (const view of ["internal", "public"] as const) {
      const shelf = shelves[view];
      const index = await openIndex(shelf.indexUri);
      try {
        const { removed_snapshots, removed_blobs, freed_bytes } = await prune({
          shelf,
          keep,
          index,
          ...(view === "public"
            ? { alsoUsedBy: [shelves.internal], moveTo: openDirectoryShelf(shelves.internalDir, null, "building") }
            : { servedWith: shelves.public }),
        });
        result.removed_snapshots.push(...removed_snapshots);
        result.removed_blobs += removed_blobs;
        result.freed_bytes += freed_bytes;
      } finally {
        index.close();
      }
    }
    await keepRecords(shelves);
    await closeIndex(shelves);
    return result;
  });
  print(
    options,
    done,
    `Removed ${done.removed_snapshots.length} snapshots and ${done.removed_blobs} blobs, ${(done.freed_bytes / 1e6).toFixed(1)} MB.\n`,
  );
}
