/** Bodies of the routes that agents verify with: what has a digest, and the proof that an object lies in a snapshot. */
import { z } from "zod";
import { ClaimEvidence } from "./claims.ts";
import { CUB_ID_PATTERN } from "./cubs.ts";
import { Reviewed, Standing } from "./standing.ts";
import { Count, DateTime, Sha256Hex, SnapshotId } from "./scalar.ts";

export const DigestMatches = z
  .object({
    sha256: Sha256Hex,
    objects: z.array(z.object({ key: z.string(), title: z.string(), size: Count, media_type: z.string(), href: z.string() })),
    evidence: z
      .array(z.object({ claim: z.string(), status: z.string(), standing: Standing }).extend(ClaimEvidence.omit({ sha256: true }).shape))
      .meta({ description: "Evidence items of claims that are pinned to it" }),
    cub_files: z
      .array(
        z.object({
          id: z.string().regex(CUB_ID_PATTERN),
          theorem_name: z.string(),
          standing: Standing.exactOptional(),
          reviewed: Reviewed,
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

const LogProof = z
  .object({
    origin: z.string().meta({ description: "Name of the log" }),
    signed: z.boolean().meta({ description: "Whether anybody has signed the checkpoint" }),
    checkpoint: z.string().meta({ description: "Head of the log as it was published with this snapshot: C2SP tlog-checkpoint" }),
    entry: z.string().meta({ description: "The log's last entry then, byte for byte: the record that names the snapshot" }),
    hashes: z
      .array(Sha256Hex)
      .meta({ description: "From the entry to the root, RFC 6962; each stands on the left, because the entry is the last" }),
  })
  .meta({ id: "LogProof", description: "Proof that the snapshot is a publication of the log" });

export const PROOF_KINDS = ["object", "record", "claim"] as const;
export type ProofKind = (typeof PROOF_KINDS)[number];

export const Proof = z
  .object({
    kind: z.enum(PROOF_KINDS),
    key: z.string(),
    present: z.boolean().meta({ description: "Whether the snapshot has it; the trees prove either" }),
    path: z.string().meta({ description: "Path in the snapshot's tree" }),
    root: SnapshotId,
    trees: z
      .array(ProofTree)
      .meta({ description: "From the root to the folder that holds the file, or to the one in which its path ends" }),
    entry: z
      .object({
        kind: z.literal("blob"),
        name: z.string(),
        sha256: Sha256Hex,
        size: Count,
        type: z.string(),
        uploaded: DateTime.nullable().exactOptional(),
      })
      .nullable()
      .meta({ description: "What the last tree says of the file; null when it has none" }),
    object: z.string().nullable().meta({ description: "Where an object's bytes are" }),
    file: z.string().nullable().meta({ description: "The file that a record or a claim is in, byte for byte; null when it did not fit" }),
    log: LogProof.nullable().meta({ description: "null when the shelf has no log yet" }),
    check: z.array(z.string()).meta({ description: "What to do, step by step" }),
  })
  .meta({ id: "Proof", description: "Proof that a snapshot has something, or that it has not" });
export type Proof = z.infer<typeof Proof>;
