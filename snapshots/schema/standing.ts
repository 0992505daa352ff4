/** A Standing is what is to be said of a record or a claim now: what its source says, whether what it pins and rests on still holds, what checked
 *  it and when, and all of it in words. */
import { z } from "zod";
import { CHECK_STATES, EVIDENCE_STATES } from "./scalar.ts";

export const Standing = z
  .object({
    state: z.string().meta({
      description:
        "verified (a check that counts accepted it), proved_outside (the policy's axioms), recalled (its checker has a known hole), exported, defined, assumed, not_verified, unspecified, scoped, partial, or the registry's own; _said: its source alone says so; _lost: what it pins or rests on does not hold",
    }),
    evidence: z.enum(EVIDENCE_STATES).meta({ description: "Of what it pins: the gravest state that this view may see" }),
    check: z
      .object({
        state: z.enum(CHECK_STATES),
        by: z.string().meta({ description: "The prover and its version" }),
        on: z.string().meta({ description: "When it ended, RFC 3339: how old the check is" }),
      })
      .exactOptional()
      .meta({ description: "Of a record: the run of a prover that its state is of, else the newest; absent where nobody ran one" }),
    says: z.string().meta({
      description: "State, evidence, check and the day of the check in one sentence: what every page, list and answer says",
    }),
    rests_on: z
      .array(z.object({ id: z.string(), says: z.string() }))
      .exactOptional()
      .meta({ description: "Of a claim: the records that it rests on and that are not verified, changed or are not there any more" }),
  })
  .meta({ id: "Standing", description: "What is to be said of a record or a claim, the same on every surface" });
export type Standing = z.infer<typeof Standing>;

/** Reviewed is what people say of a statement, in few words, beside the standing of its record and never in it. */
export const Reviewed = z.array(z.string()).readonly().exactOptional().meta({
  description:
    "Of a record: who has read its statement as it is now, and whose doubts are open; of a claim, of each record below it; absent where nobody says anything",
});
