/** The proof that an object lies in a snapshot: GET /api/proofs/{key} and the tool verify_object. It is checked with
 *  SHA-256 alone: each tree is named by its digest in the tree before it, and the first one's digest is the snapshot's id. */
import { sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { objectPath } from "../format/layout.ts";
import type { Snapshot } from "../shelf/read.ts";
import type { ObjectProof } from "../schema/evidence.ts";
import { proveEntry } from "../format/tree.ts";

const CHECK = [
  "The SHA-256 of trees[0].text is root: the snapshot's id. Compare root with one you trust (the X-Snapshot header, a citation, a mirror).",
  "In each tree, find the entry whose name is trees[n].name: its sha256 is the SHA-256 of trees[n+1].text.",
  "The last tree's entry is `entry`. Fetch `object`: its SHA-256 is entry.sha256, its length entry.size.",
  "A text that is null did not fit here: href has all of them.",
] as const;

/** @param base absolute address of the view. @throws ShelfError "object_not_found" */
export async function objectProof(snapshot: Snapshot, key: string, base: string): Promise<ObjectProof> {
  const path = `objects/${key}`;
  const proof = await proveEntry(snapshot.id, path, snapshot.tree);
  if (proof === null) {
    throw new ShelfError("object_not_found", "No object of this view has this key.", {
      fixes: ["List its prefix with /api/list.", "Look in /api/rejected."],
    });
  }
  const names = path.split("/");
  const { entry } = proof;
  return {
    key,
    path,
    root: proof.root,
    trees: proof.trees.map((text, at) => ({ name: names[at] ?? "", sha256: sha256(text), size: Buffer.byteLength(text), text })),
    entry: {
      kind: "blob",
      name: entry.name,
      sha256: entry.sha256,
      size: entry.size,
      type: entry.type,
      ...(entry.uploaded === undefined ? {} : { uploaded: entry.uploaded }),
    },
    object: `${base}/at/${snapshot.id}${objectPath(key)}`,
    check: [...CHECK],
  };
}
