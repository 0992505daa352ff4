/** Members of a record whose sources were read and over which a prover was run: optional, absent where nothing said it. */
import { z } from "zod";
import { CHECK_STATES, Count } from "./scalar.ts";
import { Reviewed, Standing } from "./standing.ts";

const names = z.array(z.string());

export const RecordCheck = z
  .object({
    state: z.enum(CHECK_STATES).meta({
      description:
        "What the prover said of it; exported: no kernel has replayed it; stale: of other bytes; not_run: nobody asked; disagrees: with the prover that it looks over",
    }),
    prover: z.string().meta({ description: "coq, lean, metamath, …" }),
    version: z.string().default(""),
    revision: z.string().default("").meta({ description: "Revision that was checked" }),
    finished: z.string().default("").meta({ description: "RFC 3339" }),
    attestation: z
      .string()
      .regex(/^(?:[0-9a-f]{64})?$/)
      .default("")
      .meta({ description: "Digest of the signed statement; empty where nothing was run" }),
    tool: z.string().default("").meta({ description: "The program, where it is another than the prover: coqchk" }),
    signers: names.default([]).meta({ description: "Whose signatures hold; empty when it is unsigned" }),
    counted: z
      .boolean()
      .default(true)
      .meta({ description: "false where nobody who is trusted here signed it: it is shown, and counts for nothing" }),
    isolation: z.string().default("").meta({ description: "What it ran in; none without a sandbox" }),
    exact: z.boolean().default(false).meta({ description: "The axioms are these, not at most these" }),
    reason: z.string().default("").meta({ description: "Why it says no more: what the prover printed, or what is missing" }),
  })
  .meta({ id: "RecordCheck", description: "What one prover said of a record" });
export type RecordCheck = z.infer<typeof RecordCheck>;

export const RecordEdge = z
  .object({
    id: z.string().exactOptional().meta({ description: "Its record" }),
    name: z.string().meta({ description: "Full name" }),
    from: z.enum(["statement", "proof", "witness"]).meta({ description: "Where it is used" }),
    basis: z.enum(["kernel", "source"]).meta({ description: "Known from the prover's kernel, or from the words of the source" }),
  })
  .meta({ id: "RecordEdge" });
export type RecordEdge = z.infer<typeof RecordEdge>;

export const DRIFT_CAUSES = ["wording", "statement", "meaning", "churn"] as const;
const RecordDrift = z
  .object({
    cause: z.enum(DRIFT_CAUSES).meta({
      description:
        "wording: the words differ, and the prover prints the same; statement: it prints another; meaning: a definition below it is another; churn: it prints another though neither words nor definitions of these sources moved",
    }),
    since: z.string().meta({ description: "Revision that it is compared with" }),
    definitions: names.meta({ description: "Of these sources, those below the statement that say something else now" }),
    accepted: z.string().exactOptional().meta({ description: "Why it is meant, as whoever accepted it wrote into the lock" }),
  })
  .meta({ id: "RecordDrift" });

const RecordEdges = z
  .object({
    count: Count.meta({ description: "In all" }),
    edges: z.array(RecordEdge).meta({ description: "Those that have a record in this view; at most 500 uses, 50 users" }),
  })
  .meta({ id: "RecordEdges" });

/** RecordGraph is the answer of GET /api/cubs/{id}/graph. */
export const RecordGraph = z
  .object({
    id: z.string(),
    nodes: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        step: z.int().meta({ description: "0 is the record; positive is what it uses, negative is what uses it" }),
        standing: Standing,
        reviewed: Reviewed,
      }),
    ),
    edges: z.array(z.object({ from: z.string(), to: z.string(), part: RecordEdge.shape.from, basis: RecordEdge.shape.basis })),
    left_out: Count.meta({ description: "Records that are as near, and beyond the 60 that are named" }),
    without_record: Count.meta({ description: "Uses of the record that this view does not name" }),
  })
  .meta({ id: "RecordGraph", description: "What a record uses and what uses it" });
export type RecordGraph = z.infer<typeof RecordGraph>;

const StatementWord = z
  .object({
    word: z.string().meta({ description: "As it stands in the source's statement" }),
    kind: z.enum(["notation", "scope", "name", "coercion", "implicit", "letters", "tactic"]).meta({
      description:
        "notation: the source's own; scope: a sign of a scope that the source opened; name: one that means something else where the source is not imported; coercion, implicit: put in by the prover; letters: they look like others; tactic: a program finds what stands there",
    }),
    stands_for: z.string().meta({ description: "What it is written for" }),
    path: z.string().exactOptional().meta({ description: "Where that is written, absent where the prover's own library has it" }),
    line: Count.exactOptional(),
  })
  .meta({ id: "StatementWord", description: "A word of a statement that does not mean what it means where nothing is imported" });
export type StatementWord = z.infer<typeof StatementWord>;
export const StatementWords = z.array(StatementWord).max(40);

export const RecordRecall = z
  .object({
    affected: z
      .array(z.object({ id: z.string(), title: z.string(), url: z.string(), by: z.string() }))
      .meta({ description: "Known holes of every checker that accepted it which its proof may use" }),
    cannot_use: names.meta({
      description: "Known holes that its proof cannot use: neither its file nor those below it have what they need",
    }),
    also_accepted: z
      .array(z.object({ id: z.string(), by: z.string() }))
      .meta({ description: "Known holes that another checker has not, which accepted it, too" }),
  })
  .meta({ id: "RecordRecall", description: "Known holes of the checkers that accepted a record; the registry's metadata tells each" });
export type RecordRecall = z.infer<typeof RecordRecall>;

export const RecordMeaning = z
  .object({
    sha256: z.string().meta({
      description: "Digest of what it says, with every definition below it; reviews are of one; empty where no prover printed it",
    }),
    parts: z
      .array(
        z.object({
          name: z.string(),
          id: z.string().exactOptional().meta({ description: "Its record, where this view has one" }),
          path: z.string().exactOptional(),
          line: Count.exactOptional(),
          end_line: Count.exactOptional(),
        }),
      )
      .meta({ description: "Definitions of these sources below the statement, each after what it rests on; the last 40" }),
    count: Count.meta({ description: "How many there are" }),
    lines: Count.meta({ description: "How many lines they have" }),
    at_least: z.boolean().meta({ description: "true where the prover prints no definitions: there may be more" }),
    library: z.string().meta({ description: "The prover's own library and its version, which they name too" }),
    same: names.exactOptional().meta({ description: "Records of the same meaning: other proofs of it" }),
  })
  .meta({ id: "RecordMeaning", description: "What has to be read to believe a statement" });
export type RecordMeaning = z.infer<typeof RecordMeaning>;

export const RecordReview = z
  .object({
    by: z.string().meta({ description: "Who says it" }),
    says: z.enum(["faithful", "doubted"]).meta({ description: "Read, and faithful to its source; or doubted" }),
    on: z.string().meta({ description: "Day" }),
    source: z.string().exactOptional().meta({ description: "Address of what it is to be faithful to" }),
    why: z.string().exactOptional(),
    settled: z.string().exactOptional().meta({ description: "Of a doubt: how it was settled" }),
    meaning: z.string().exactOptional().meta({ description: "Digest of the meaning that was read" }),
    holds: z.boolean().meta({ description: "false where the statement means something else since" }),
    signed: z.boolean().meta({ description: "Whether a key that is trusted here signed it" }),
    attestation: z.string().exactOptional().meta({ description: "Digest of the signed statement" }),
  })
  .meta({ id: "RecordReview", description: "What a person says of a statement; no standing follows from it" });
export type RecordReview = z.infer<typeof RecordReview>;

export const RecordWitness = z
  .object({
    id: z.string().meta({ description: "Its record" }),
    name: z.string(),
    state: z.enum(["shown", "named", "not_verified", "missing"]).meta({
      description:
        "shown: verified, and it states each hypothesis, or its proof has met each; named: verified, the rest is its author's word; missing: no such record",
    }),
    why: z.string().meta({ description: "Why it is not shown" }),
  })
  .meta({ id: "RecordWitness", description: "Named to show that its hypotheses can be met" });
export type RecordWitness = z.infer<typeof RecordWitness>;

export const CHECKED_MEMBERS = {
  summary: z.string().exactOptional().meta({ description: "What the source's own comment says of it" }),
  revision: z.string().exactOptional().meta({ description: "Revision that it was read at" }),
  anchor: z
    .object({ path: z.string(), line: Count, end_line: Count })
    .exactOptional()
    .meta({ description: "Where it stands at that revision, 1-based" }),
  statement_basis: z.enum(["source", "elaborated", "person"]).exactOptional().meta({
    description: "The statement is the source's words, the prover's print, or a person's words that the prover accepted as the type",
  }),
  statement_source: z.string().exactOptional().meta({ description: "The source's words, where the statement is the prover's print of it" }),
  statement_words: StatementWords.exactOptional().meta({
    description: "Words of the source's statement that are its own, or hide something",
  }),
  axioms: names.exactOptional().meta({ description: "All that it rests on, statement and proof; absent where nobody asked" }),
  axioms_outside: names.exactOptional().meta({
    description: "Its axioms outside the policy, where they alone keep it from being VERIFIED",
  }),
  unsafe: names.exactOptional().meta({ description: "What keeps proofs sound and was switched off" }),
  holes: z
    .array(z.object({ path: z.string(), line: Count, what: z.string() }))
    .exactOptional()
    .meta({ description: "Where its proof is open, and the word that says so" }),
  checks: z.array(RecordCheck).exactOptional().meta({ description: "The newest of each checker; absent where only a person speaks" }),
  agreement: z.object({ checkers: Count, agree: Count }).exactOptional().meta({
    description:
      "Of those who are trusted and ran a prover over these bytes, how many say the same as the first; absent for fewer than two",
  }),
  quorum: z
    .object({
      asked: Count.meta({ description: "How many kernels have to accept what is VERIFIED" }),
      verdicts: z.array(
        z.object({
          name: z.string(),
          version: z.string(),
          verdict: z.enum(["accept", "reject", "decline"]),
          signers: names,
          attestation: z.string(),
        }),
      ),
    })
    .exactOptional()
    .meta({ description: "Which kernels said what, and who signed that; absent where one is asked for and one spoke" }),
  drift: RecordDrift.exactOptional().meta({ description: "What moved since the check before, told from the prover's print" }),
  uses: RecordEdges.exactOptional().meta({ description: "What its statement and its proof name of the same sources" }),
  recall: RecordRecall.exactOptional().meta({ description: "Known holes of the checkers that accepted it; absent where none has one" }),
  meaning: RecordMeaning.exactOptional().meta({
    description: "What has to be read to believe its statement; absent where no prover printed it",
  }),
  reviews: z.array(RecordReview).exactOptional().meta({ description: "Who has read its statement, and who doubts it" }),
  witness: RecordWitness.exactOptional().meta({ description: "Shows that its hypotheses can be met" }),
  used_by: RecordEdges.exactOptional().meta({ description: "What names it" }),
} as const;
export const CHECKED_FIELDS = Object.keys(CHECKED_MEMBERS) as readonly (keyof typeof CHECKED_MEMBERS)[];
/** CHECK_ONLY are those that only a check may say: a person who writes them says who verified what, and nobody did. */
export const CHECK_ONLY: readonly string[] = CHECKED_FIELDS.filter((name) => name !== "summary" && name !== "revision");
