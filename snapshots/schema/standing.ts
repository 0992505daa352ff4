/** What is to be said of a record or a claim now: what its source says, whether what it pins and rests on still holds, what checked it and
 *  when, and all of it in words. */
import { z } from "zod";
import { CHECK_STATES, EVIDENCE_STATES } from "./scalar.ts";

export const Standing = z
  .object({
    state: z.string().meta({
      description:
        "One word. Of a record: verified where a check that counts accepted it, proved_outside where it rests on axioms outside the policy, exported where no kernel has replayed it, defined and assumed where there is nothing to prove, not_verified, unspecified, or the registry's own. Of a claim: verified, scoped, partial. With _said where its source alone says so, and with _lost where what it pins or rests on does not hold any more",
    }),
    evidence: z.enum(EVIDENCE_STATES).meta({ description: "Of what it pins: the gravest state that this view may see" }),
    check: z
      .object({
        state: z.enum(CHECK_STATES),
        by: z.string().meta({ description: "The prover and its version" }),
        on: z.string().meta({ description: "When it ended, RFC 3339: how old the check is" }),
        isolation: z.literal("none").exactOptional().meta({ description: "It ran without a sandbox" }),
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
