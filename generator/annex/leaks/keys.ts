/** The keys of the look for leaks in the configuration: what may be said all the same, and whether repeating what is gated is refused. */
import { z } from "zod";
import { type AnnexKeys, gate, some } from "#generator/config";

const allowance = z
  .strictObject({
    public: some("the public key or file, as the refusal names it").meta({
      description: "Key of the public object that may say it, or path of the file, as the refusal names it; globs",
    }),
    text: some("the text, as the refusal shows it").optional().meta({ description: "The words, title, key or digest that may be said" }),
    gated: some("the gated key")
      .optional()
      .meta({ description: "Key of the gated object of which everything may be said, or the text alone" }),
    reason: some("why it may be public").meta({ description: "Why" }),
  })
  .refine(
    ({ text, gated }) => text !== undefined || gated !== undefined,
    "allows nothing; write text, or gated for all that one gated object says",
  );

const leaks = z
  .strictObject({ allow: z.array(allowance).default([]).meta({ description: "What may be public although it is gated" }) })
  .prefault({})
  .meta({ description: "Exceptions from the rule that nothing gated is public" });

const repeats = gate.meta({
  description: "A public object that repeats a gated key, digest or title, some twenty gated words, or is nine tenths gated",
});

declare module "../../config/keys.ts" {
  interface AnnexConfig {
    readonly leaks: z.output<typeof leaks>;
  }
  interface AnnexGates {
    readonly repeats: z.output<typeof repeats>;
  }
}

export const KEYS: AnnexKeys = { top: { leaks }, gates: { repeats } };
