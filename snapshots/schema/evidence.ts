/** Bodies of the routes that agents verify with: what has a digest, and the proof that an object lies in a snapshot. */
import { z } from "zod";
import { ClaimEvidence } from "./claims.ts";
import { CUB_ID_PATTERN } from "./cubs.ts";
import { Count, DateTime, Sha256Hex, SnapshotId } from "./scalar.ts";

export const DigestMatches = z
  .object({
    sha256: Sha256Hex,
    objects: z.array(z.object({ key: z.string(), title: z.string(), size: Count, media_type: z.string(), href: z.string() })),
    evidence: z
      .array(z.object({ claim: z.string(), status: z.string() }).extend(ClaimEvidence.omit({ sha256: true }).shape))
      .meta({ description: "Evidence items of claims that are pinned to it" }),
    cub_files: z
      .array(
        z.object({
          id: z.string().regex(CUB_ID_PATTERN),
          theorem_name: z.string(),
          repo: z.string(),
          head: z.string(),
          path: z.string(),
          role: z.string(),
          system: z.string(),
          available: z.boolean(),
        }),
      )
      .meta({ description: "Proof and runtime files of records" }),
  })
  .meta({ id: "DigestMatches", description: "Everything with this digest" });
export type DigestMatches = z.infer<typeof DigestMatches>;

const ProofTree = z
  .object({
    name: z.string().meta({ description: "Entry to look for in this tree" }),
    sha256: Sha256Hex.meta({ description: "Digest of `text`; the tree before names it, the first is the snapshot's id" }),
    size: Count.meta({ description: "Bytes of `text`" }),
    text: z.string().nullable().meta({ description: "The tree as it is stored, byte for byte; null when it did not fit" }),
  })
  .meta({ id: "ProofTree" });

export const ObjectProof = z
  .object({
    key: z.string(),
    path: z.string().meta({ description: "Path in the snapshot's tree" }),
    root: SnapshotId,
    trees: z.array(ProofTree).meta({ description: "From the root to the folder that holds the object" }),
    entry: z.object({
      kind: z.literal("blob"),
      name: z.string(),
      sha256: Sha256Hex,
      size: Count,
      type: z.string(),
      uploaded: DateTime.nullable().exactOptional(),
    }),
    object: z.string().meta({ description: "Where the object's bytes are" }),
    check: z.array(z.string()).meta({ description: "What to do, step by step" }),
  })
  .meta({ id: "ObjectProof", description: "Proof that an object lies in a snapshot" });
export type ObjectProof = z.infer<typeof ObjectProof>;
