/** The statement of a check, as the predicate of an in-toto statement: https://in-toto.io/Statement/v1. */
import { z } from "zod";
import { CHECK_STATES, Sha256Hex, StatementWords } from "#snapshots/schema";

/** PREDICATE_PATH stands behind the address of a library and makes the type of the predicate. The path says what it means in every library, so
 *  checks of two can be compared. */
export const PREDICATE_PATH = "/predicates/proof-check/v1";
const PREDICATE_TYPE = new RegExp(`^https?://[^\\s?#]+${PREDICATE_PATH.replaceAll(".", "\\.")}$`);

const names = z.array(z.string());
/** SAID_STATES names what a run can say: that it was of other bytes follows from checks. */
export const SAID_STATES = CHECK_STATES.filter((state) => state !== "stale");

const result = z.object({
  key: z.string(),
  path: z.string(),
  state: z.enum(SAID_STATES),
  statement: z.string().nullable(),
  statement_sha256: z.string().default("").meta({ description: "Digest of the words of the source" }),
  is_words: z.boolean().nullable().exactOptional().meta({
    description:
      "The words of the source, read without anything of these sources but names, are the type; absent or null where nobody asked",
  }),
  words: StatementWords.exactOptional().meta({ description: "Words of the source's statement that are its own, or hide something" }),
  type_sha256: z.string().nullable().meta({ description: "Digest of the statement as the prover prints it, with everything shown" }),
  meaning_sha256: z.string().nullable().default(null).meta({ description: "Of that and of every definition of these sources below it" }),
  mentions: names.default([]).meta({ description: "Definitions of these sources that the statement names" }),
  axioms: names.nullable(),
  own: names.exactOptional().meta({ description: "Those of the axioms that these sources declare, and no library that is installed" }),
  unsafe: names,
  exact: z.boolean(),
  reason: z.string().exactOptional().meta({ description: "Why it is not accepted, where that is said of it alone" }),
  uses: z.array(z.object({ to: z.string(), part: z.enum(["statement", "proof"]), basis: z.enum(["kernel", "source"]) })),
});

export const proofCheckSchema = z.object({
  repo: z.string(),
  revision: z.string(),
  prover: z.string(),
  /** The programs that are installed beside it, and the adapter that asked: another one is asked again. */
  tool: z.object({
    name: z.string(),
    version: z.string(),
    executable_sha256: z.string(),
    installed_sha256: z.string(),
    adapter: z.string(),
    kernels: z
      .array(z.object({ name: z.string(), version: z.string() }))
      .exactOptional()
      .meta({ description: "Who accepted what is accepted, where that is not the tool alone; empty where nobody looked at a proof" }),
  }),
  /** A second opinion on what another prover's kernel accepted, of files and not of theorems. */
  second: z.boolean().default(false),
  flags: names,
  command: names,
  isolation: z.enum(["bubblewrap", "none"]),
  limits: z.record(z.string(), z.number()),
  started: z.string(),
  finished: z.string(),
  request_sha256: Sha256Hex,
  transcript_sha256: Sha256Hex,
  /** The key of what two runs share: tool, subjects, results. */
  reproducible_sha256: Sha256Hex,
  imports: z.record(z.string(), names),
  definitions: z.record(z.string(), z.object({ sha256: Sha256Hex, mentions: names })).default({}),
  results: z.array(result),
  logs: z.array(z.object({ path: z.string(), state: z.string(), log: z.string() })),
});

export const statementSchema = z.object({
  _type: z.literal("https://in-toto.io/Statement/v1"),
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha256: Sha256Hex }) })).min(1),
  predicateType: z.string().regex(PREDICATE_TYPE, `ends not with ${PREDICATE_PATH}`),
  predicate: proofCheckSchema,
});
export type CheckStatement = z.infer<typeof statementSchema>;
