/** The log and the shelf behind it, for whoever checks or copies them. */
import { Proof } from "#snapshots/schema";
import { json, key, parameter, row, text, type WrittenRow } from "#snapshots/routes";

export const LOG_ROWS = {
  proof: row({
    group: "library",
    path: "/api/proofs/{key...}",
    kind: "query",
    summary: "Proof that this snapshot has an object, a record or a claim, or that it has none, and that the snapshot is in the log",
    parts: { key },
    query: [parameter("kind", "What the key is of: object, record (its id) or claim (its id); object without it.", "object")],
    success: json(Proof, "From the root to the file, and from the snapshot to the log's head; checked with SHA-256 and Ed25519 alone"),
    errors: [400],
  }),
  shelf: row({
    group: "service",
    views: "public",
    path: "/shelf/{path...}",
    at: "now",
    summary: "The public shelf as files, for mirrors and auditors",
    parts: {
      path: {
        description:
          "checkpoint, checkpoints/{n}, keys.json, tile/…, snapshots.json (numbers of those that are kept), snapshots/{n}.json, changes/{n}.json, withdrawn.json, or blobs/ab/abcd….bin.",
        example: "checkpoint",
      },
    },
    success: text("*/*", "The file, as the format's description has it"),
    also: { 206: "The part that Range asks for, of a blob" },
    errors: [404, 416, 503],
  }),
} as const satisfies Readonly<Record<string, WrittenRow>>;
