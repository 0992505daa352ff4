/** The summary of what the look for leaks did before a snapshot was published: kept in the record of the publication, which the log holds. */
import { z } from "zod";
import { Count, SnapshotId } from "#snapshots/schema";

/** LEAK_INPUT is the check's name among the inputs of a record. */
export const LEAK_INPUT = "leak check";

export const LeakSummary = z
  .object({
    rule: z.string().meta({ description: "Version of the rule" }),
    found: Count.meta({ description: "Always 0: with anything found nothing is published" }),
    allowances: Count.meta({ description: "What the operator lets pass, each with a reason" }),
    details: z
      .object({
        keys: Count,
        digests: Count,
        titles: Count,
        private_values: Count,
        texts: Count.meta({ description: "Runs of eight words" }),
        files: Count.meta({ description: "Public files that were looked through" }),
        bytes: Count,
        said_by_public_sources: Count.exactOptional().meta({
          description:
            "Gated keys, digests, titles and passages that public sources repeat in what was looked through; public by their word",
        }),
        since: SnapshotId.nullable().meta({
          description:
            "The snapshot whose files had been looked through before, so that only changed ones were now: of the others it was known that they say nothing that is looked for; null: all were",
        }),
      })
      .exactOptional()
      .meta({
        description: "What was looked for, and in how much: in the internal view alone, since how much is gated is told to nobody else",
      }),
  })
  .meta({ id: "LeakSummary" });
export type LeakSummary = z.infer<typeof LeakSummary>;

export const LeakReport = z
  .object({
    sequence: Count.meta({ description: "Number of the publication" }),
    snapshot: SnapshotId,
    check: LeakSummary.nullable().meta({ description: "null when the record says nothing of one: a rollback" }),
  })
  .meta({ id: "LeakReport" });
export type LeakReport = z.infer<typeof LeakReport>;
