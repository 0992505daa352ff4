/** A view's trees, in the shelf but not yet published. */
import { scheduler } from "node:timers/promises";
import type { Sha256 } from "#snapshots/digest";
import { joinSubtrees, type Subtrees } from "#snapshots/format";
import type { DirectoryShelf } from "#snapshots/shelf";

/** writeDraft writes the trees over all files of a view, whose blobs are in the shelf.
 *  @param there digests of trees that are in the shelf, and whole */
export async function writeDraft(
  shelf: DirectoryShelf,
  parts: readonly Subtrees[],
  there: ReadonlySet<Sha256>,
): Promise<{ readonly snapshot: Sha256; readonly trees: readonly Sha256[] }> {
  const { root, trees } = joinSubtrees(parts);
  // Leaves first, as buildTree gives them: a tree never lies in the shelf before what it names.
  for (const [digest, bytes] of trees) {
    if (there.has(digest)) continue;
    await scheduler.yield();
    await shelf.blobs.put(digest, bytes);
  }
  return { snapshot: root.sha256, trees: [...trees.keys()] };
}
