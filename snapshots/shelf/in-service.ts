/** Finds the blobs that the snapshots in service reach, for whoever is asked for a blob by its digest. A root also holds what no snapshot in
 *  service needs: drafts that a build refused, what was withdrawn or gated and is not swept yet. None of that is anybody's. */
import type { Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { parseTree } from "#snapshots/format";
import { readBlob } from "./read.ts";
import type { Shelf, SnapshotRecord } from "./shelf.ts";

export type InService = {
  /** Bytes of a blob or tree that one of these records reaches; null for every other.
   *  @param records in service, as they are now */
  sizeOf(digest: Sha256, records: readonly SnapshotRecord[]): Promise<number | null>;
};

export function openInService(shelf: Shelf): InService {
  let known: Known = { sizes: new Map(), trees: new Set() };
  let walked = new Set<Sha256>();
  let walking: Promise<unknown> = Promise.resolve();

  const bring = async (roots: ReadonlySet<Sha256>): Promise<void> => {
    if (!walked.isSubsetOf(roots)) [known, walked] = [{ sizes: new Map(), trees: new Set() }, new Set()];
    for (const root of roots) {
      if (walked.has(root)) continue;
      try {
        const { sizes, trees } = await walk(shelf, root, known.trees);
        for (const [digest, size] of sizes) known.sizes.set(digest, size);
        for (const digest of trees) known.trees.add(digest);
        walked.add(root);
      } catch (error) {
        // One that is damaged keeps nobody from the others; the next request tries again.
        if (!(error instanceof ShelfError && error.code === "snapshot_damaged")) throw error;
      }
    }
  };

  return {
    async sizeOf(digest, records) {
      const roots = new Set(records.map(({ snapshot }) => snapshot));
      // One after the other: what two walks would write together belongs to neither.
      const turn = walking.then(() => bring(roots));
      walking = turn.catch(() => undefined);
      await turn;
      return known.sizes.get(digest) ?? null;
    },
  };
}

/** Trees apart from sizes: the bytes of a tree may also be some file's, whose entries then are nobody's. */
type Known = { readonly sizes: Map<Sha256, number>; readonly trees: Set<Sha256> };

/** Everything under a root but what is under known trees. Whole or not at all. */
async function walk(shelf: Shelf, root: Sha256, known: ReadonlySet<Sha256>): Promise<Known> {
  const sizes = new Map<Sha256, number>();
  const trees = new Set<Sha256>(known.has(root) ? [] : [root]);
  for (const digest of trees) {
    const bytes = await readBlob(shelf, digest);
    sizes.set(digest, bytes.length);
    for (const entry of parseTree(bytes)) {
      if (entry.kind === "blob") sizes.set(entry.sha256, entry.size);
      else if (!known.has(entry.sha256)) trees.add(entry.sha256);
    }
  }
  return { sizes, trees };
}
