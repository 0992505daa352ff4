/** The public notice of a withdrawal that stands where an object, a record or a claim was. Its text is the operator's. */
import { z } from "zod";

export const WITHDRAWAL_REASONS = ["legal", "privacy", "error", "superseded"] as const;

export const Withdrawal = z
  .object({
    what: z.enum(["object", "record", "claim"]),
    name: z.string().meta({ description: "Key of an object, id of a record or a claim" }),
    reason: z.enum(WITHDRAWAL_REASONS),
    date: z.iso.date(),
    note: z.string(),
    replacement: z.string().nullable().meta({ description: "What takes its place: a name of the same kind, or a web address" }),
    redacted: z.boolean().meta({ description: "Whether its bytes were taken out of earlier snapshots, too" }),
  })
  .meta({ id: "Withdrawal" });
export type Withdrawal = z.infer<typeof Withdrawal>;
