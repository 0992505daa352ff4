/** Takes out of both roots at once what nobody may have any more. */
import type { Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { openIndex } from "#snapshots/index";
import { type DirectoryShelf, prune } from "#snapshots/shelf";
import { withBuildLock } from "#generator/files";
import { type Shelves, vectorsDir } from "#generator/shelves";

/** sweepClean removes everything of some roots that no kept snapshot needs.
 *  @param searchable public snapshots that the index has been written anew for, besides those that are served
 *  @param moveTo takes what only the internal view needs of the public root; without it that stays
 *  @returns false while vectors are being made: they would be written after they were removed */
export async function sweepClean(
  shelves: Shelves,
  views: readonly ("public" | "internal")[],
  searchable: readonly Sha256[],
  moveTo?: DirectoryShelf,
): Promise<boolean> {
  const sweep = async (view: "public" | "internal"): Promise<void> => {
    const shelf = shelves[view];
    const served = await shelf.readPointer();
    const index = await openIndex(shelf.indexUri, shelf.sharedIndexUri);
    const tags = [...(served === null ? [] : [served.snapshot]), ...(view === "public" ? searchable : [])];
    await prune({
      shelf,
      keep: Number.MAX_SAFE_INTEGER,
      purge: true,
      ...(view === "public" ? { alsoUsedBy: [shelves.internal] } : {}),
      ...(moveTo === undefined ? {} : { moveTo }),
      // Rows that were deleted stay in the files of earlier tags: only what was written anew is clean.
      index: { prune: () => index.prune(tags, []) },
    }).finally(() => index.close());
  };
  try {
    await withBuildLock(vectorsDir(shelves), async () => {
      for (const view of views) await sweep(view);
    });
    return true;
  } catch (error) {
    if (error instanceof ShelfError && error.code === "build_running") return false;
    throw error;
  }
}
