/** The check of a proof of an entry by whoever is given it, on nothing but its bytes: snapshots/README.md says it in words. */
import { isDeepStrictEqual } from "node:util";
import { sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { type EntryProof, parseTree } from "#snapshots/format";

/** checkProof tells whether a proof holds for a path: that a file has it, or that none has. Whether `proof.root` is a root that one
 *  trusts is the caller's to check. */
export function checkProof(proof: EntryProof, path: string): boolean {
  try {
    return followProof(proof, path);
  } catch (error) {
    // Text that is no tree proves nothing, whatever its digest.
    if (error instanceof ShelfError) return false;
    throw error;
  }
}

function followProof(proof: EntryProof, path: string): boolean {
  let digest = proof.root;
  const names = path.split("/");
  for (const [at, text] of proof.trees.entries()) {
    if (at >= names.length || sha256(text) !== digest) return false;
    const entry = parseTree(new TextEncoder().encode(text)).find((candidate) => candidate.name === names[at]);
    const last = at === proof.trees.length - 1;
    const isFile = entry?.kind === "blob" && at === names.length - 1;
    if (last && isFile) return isDeepStrictEqual(entry, proof.entry);
    // A folder that is followed to nowhere proves nothing, unless it stands where the file would.
    if (last) return proof.entry === null && (entry?.kind !== "tree" || at === names.length - 1);
    if (entry?.kind !== "tree") return false;
    digest = entry.sha256;
  }
  return false;
}
