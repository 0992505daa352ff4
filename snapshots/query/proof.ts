/** The proof that a snapshot has an object, a record or a claim, or that it has none of that name, and that the snapshot is a publication
 *  of the log: GET /api/proofs/{key} and the tool verify_object. It is checked with SHA-256 and one Ed25519 signature: each tree is named by
 *  its digest in the tree before it, the first one's digest is the snapshot's id, and the log's entry names that. */
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { objectPath, proveEntry } from "#snapshots/format";
import { parseCheckpoint } from "#snapshots/log";
import type { Proof, ProofKind } from "#snapshots/schema";
import { proveRecord, type Snapshot } from "#snapshots/shelf";
import { parseCubId } from "./cubs.ts";

const TREES = [
  "The SHA-256 of trees[0].text is root: the snapshot's id.",
  "In each tree, find the entry whose name is trees[n].name: its sha256 is the SHA-256 of trees[n+1].text.",
] as const;
const LOG = [
  "log.checkpoint is signed by the log's key, which its owner tells elsewhere, over its lines up to the empty one (C2SP signed-note).",
  "Begin with the SHA-256 of a zero byte and log.entry; for each of log.hashes take the SHA-256 of a byte 1, that hash and what you have. The last is the checkpoint's third line, in base64.",
  "log.entry is a record whose snapshot is root.",
] as const;
const FOUND: Readonly<Record<ProofKind, string>> = {
  object: "The last tree's entry is `entry`. Fetch `object`: its SHA-256 is entry.sha256, its length entry.size.",
  record: "The last tree's entry is `entry`. The SHA-256 of `file` is entry.sha256: it is the record.",
  claim: "The last tree's entry is `entry`. The SHA-256 of `file` is entry.sha256: it holds all claims, and one of them has the id `key`.",
};
const ABSENT: Readonly<Record<ProofKind, string>> = {
  object: "The last tree has no file of its name, so no object has this key.",
  record: "The last tree has no file of its name, so no record has this id.",
  claim: "The SHA-256 of `file` is entry.sha256: it holds all claims, and none of them has the id `key`.",
};
const CUT = "A text that is null did not fit here: href has all of them.";

/** prove makes the proof that a snapshot holds a thing, or does not hold it. @param base absolute address of the view
 *  @throws ShelfError "bad_cub_id" for what no record can be called */
export async function prove(snapshot: Snapshot, kind: ProofKind, key: string, base: string): Promise<Proof> {
  const path = kind === "object" ? `objects/${key}` : kind === "record" ? `api/cubs/${parseCubId(key)}.json` : "api/claims.json";
  const { root, trees, entry } = await proveEntry(snapshot.id, path, snapshot.tree);
  const file = kind === "object" || entry === null ? null : new TextDecoder().decode(await snapshot.read(entry));
  const present = entry !== null && (kind !== "claim" || (await snapshot.data()).claims.claims.some(({ id }) => id === key));
  const names = path.split("/");
  return {
    kind,
    key,
    present,
    path,
    root,
    trees: trees.map((text, at) => ({ name: names[at] ?? "", sha256: sha256(text), size: Buffer.byteLength(text), text })),
    entry:
      entry === null
        ? null
        : {
            kind: "blob",
            name: entry.name,
            sha256: entry.sha256,
            size: entry.size,
            type: entry.type,
            ...(entry.uploaded === undefined ? {} : { uploaded: entry.uploaded }),
          },
    object: kind === "object" && present ? `${base}/at/${snapshot.id}${objectPath(key)}` : null,
    file,
    log: await logProof(snapshot),
    check: [...TREES, (present ? FOUND : ABSENT)[kind], ...LOG, CUT],
  };
}

/** Null also where the log is damaged: that is the operator's trouble, which /health tells, and the trees prove what they prove. */
async function logProof({ shelf, record }: Snapshot): Promise<Proof["log"]> {
  try {
    const proof = await proveRecord(shelf, record);
    if (proof === null) return null;
    const { checkpoint, signed, entry } = proof;
    const { origin } = parseCheckpoint(Buffer.from(checkpoint));
    return { origin, signed, checkpoint, entry, hashes: proof.hashes.map((hash) => hash.toString("hex")) };
  } catch (error) {
    if (error instanceof ShelfError && (error.code === "bad_log" || error.code === "bad_checkpoint")) return null;
    throw error;
  }
}
