/** Finds the blobs that a set of snapshots needs. Reads trees only, each once. */
import { type Sha256, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import type { Shelf } from "./shelf.ts";
import { parseTree } from "#snapshots/format";

/** reachable gives the digests of every tree and blob that the roots reach, themselves included.
 *  @throws ShelfError "snapshot_damaged" when a tree is missing or wrong: what it names is then not known */
export async function reachable(shelf: Shelf, roots: Iterable<Sha256>): Promise<Set<Sha256>> {
  const blobs = new Set<Sha256>();
  // Apart from the blobs: the bytes of a tree may also be some file's.
  const trees = new Set<Sha256>(roots);
  const open = [...trees];
  for (let digest = open.pop(); digest !== undefined; digest = open.pop()) {
    const bytes = await shelf.getBlob(digest);
    if (bytes === null || sha256(bytes) !== digest) {
      throw new ShelfError("snapshot_damaged", `Tree ${digest} is missing or damaged.`, {
        fixes: ["Run: proofshelf repair"],
      });
    }
    for (const entry of parseTree(bytes)) {
      if (entry.kind === "blob") blobs.add(entry.sha256);
      else if (!trees.has(entry.sha256)) {
        trees.add(entry.sha256);
        open.push(entry.sha256);
      }
    }
  }
  return blobs.union(trees);
}
