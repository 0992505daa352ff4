/** Reviews: people's yes and no to statements. Each is of a meaning, so that it falls when that moves, and not when a comment does. They stand in files,
 *  or each lies signed in the store of checks, as an in-toto statement whose subject is the record at its meaning. */
import { z } from "zod";
import { CubId, type RecordReview } from "#snapshots/schema";
import { type LocatedYaml, readLocated } from "#generator/config";

const some = (what: string) => z.string().trim().min(1, `is empty; write ${what}`).max(1000, "is longer than 1000 characters");

const EARLIEST_DAY = 14 * 3_600_000; // ms by which the earliest place on earth is ahead of UTC

/** Somewhere it is that day already, or it is no day. */
function hasBegun(day: string): boolean {
  return !(Date.parse(day) > Date.now() + EARLIEST_DAY);
}

const review = z
  .strictObject({
    record: CubId,
    meaning: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "is no digest of a meaning; proofshelf registry explain prints it")
      .meta({ description: "Of what the statement said when it was read: meaning.sha256 of the record" }),
    by: some("a name").meta({ description: "Who says it" }),
    says: z.enum(["faithful", "doubted"]),
    on: z.iso.date("is no day; write it like 2026-11-28").refine(hasBegun, "is a day that has not come").meta({ description: "Day" }),
    source: z
      .url({ protocol: /^https?$/, error: "is no address; write https://…" })
      .exactOptional()
      .meta({
        description: "What it is faithful to",
      }),
    why: some("why").exactOptional(),
    settled: some("how").exactOptional().meta({ description: "Of a doubt: how it was settled" }),
  })
  .refine(({ says, why }) => says !== "doubted" || why !== undefined, { path: ["why"], error: "is missing; write what is doubted" })
  .refine(({ says, settled }) => says !== "faithful" || settled === undefined, { path: ["settled"], error: "is of a doubt; remove it" });
const schema = z.strictObject({ reviews: z.array(review) });
export const reviewsJsonSchema = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });

export type Review = z.infer<typeof review>;
export type SealedReview = Review & Pick<RecordReview, "signed" | "attestation"> & { readonly place: string; readonly untrusted: string };

const PREDICATE_PATH = "/predicates/statement-review/v1";
const statement = z.object({
  _type: z.literal("https://in-toto.io/Statement/v1"),
  subject: z.tuple([z.object({ name: z.string(), digest: z.object({ sha256: z.string() }) })]),
  predicateType: z.string().endsWith(PREDICATE_PATH),
  predicate: z.record(z.string(), z.unknown()),
});
export type ReviewStatement = z.infer<typeof statement>;

/** stateReview makes the statement of a review. @param base address of the library */
export function stateReview({ record, meaning, ...predicate }: Review, base: string): ReviewStatement {
  const subject: ReviewStatement["subject"] = [{ name: record, digest: { sha256: meaning } }];
  return { _type: "https://in-toto.io/Statement/v1", subject, predicateType: `${base}${PREDICATE_PATH}`, predicate };
}

/** openReview reads such a statement; null where it is one of something else. */
export function openReview(value: unknown): { readonly review: Review } | { readonly refused: string } | null {
  const stated = statement.safeParse(value);
  if (!stated.success) return null;
  const [{ name: record, digest }] = stated.data.subject;
  const { data, error } = review.safeParse({ record, meaning: digest.sha256, ...stated.data.predicate });
  if (data !== undefined) return { review: data };
  return { refused: `is no review: ${error.issues[0]?.path.join(".") ?? ""} ${error.issues[0]?.message ?? ""}` };
}

export type Reviews = {
  /** Those of a record, and whether they are of what it means now. */
  of(id: string, meaning: string): readonly RecordReview[];
  /** Reviews of records that are not there, of what none of them ever meant, and signed by whom nobody trusts, each with its place.
   *  @param meant digests of all that a record is known to have meant; null where there is no such record */
  findings(meant: (id: string) => ReadonlySet<string> | null): readonly string[];
};

/** readReviewFile reads a file of reviews, each with its line. @throws ShelfError "bad_config" with every mistake and its line */
export function readReviewFile(file: string): readonly SealedReview[] {
  let lineOf: LocatedYaml["lineOf"] = () => 1;
  const { reviews } = readLocated(file, schema, reviewsJsonSchema, "a list of reviews", (_, yaml) => {
    ({ lineOf } = yaml);
    return [];
  });
  return reviews.map((one, index) => ({ ...one, signed: false, place: `${file}:${lineOf(["reviews", index])}`, untrusted: "" }));
}

/** readReviews joins files of reviews with those of the store.
 *  @throws ShelfError "bad_config" with every mistake and its line */
export function readReviews(files: readonly string[], sealed: readonly SealedReview[]): Reviews {
  const all = [...files.flatMap(readReviewFile), ...sealed];
  const byRecord = Map.groupBy(standing(all), ({ record }) => record);
  return {
    of: (id, meaning) =>
      (byRecord.get(id) ?? []).map(({ record: _, place: __, untrusted: ___, ...said }) => ({
        ...said,
        holds: meaning !== "" && said.meaning === meaning,
      })),
    findings: (meant) =>
      Object.entries({
        "reviews of records that are not there": ({ record }: SealedReview) =>
          meant(record) === null ? `there is no record ${record}; its review is of nothing` : "",
        "reviews at digests of no known meaning": ({ record, meaning }: SealedReview) =>
          meant(record)?.has(meaning) === false ? `no check that lies here is of ${record} with the meaning ${meaning.slice(0, 12)}` : "",
        "reviews whose signatures count for nothing": ({ untrusted }: SealedReview) => untrusted && `the review ${untrusted}`,
      }).flatMap(([what, tell]) =>
        cutAlike(
          all.flatMap((one) => (tell(one) === "" ? [] : [`${one.place}: ${tell(one)}.`])),
          what,
        ),
      ),
  };
}

const MAX_ALIKE = 20;

/** cutAlike bounds findings of one kind, and counts the others. */
export function cutAlike(findings: readonly string[], what: string): readonly string[] {
  const more = findings.length - MAX_ALIKE;
  return more <= 0 ? findings : [...findings.slice(0, MAX_ALIKE), `And ${more} more ${what}.`];
}

/** standing leaves out what is said again: a doubt that its author settled is not open beside that, and nobody settles a signed one without a
 *  signature. */
function standing(all: readonly SealedReview[]): readonly SealedReview[] {
  const same = Map.groupBy(all, ({ record, meaning, by, says, on, source, why }) =>
    JSON.stringify([record, meaning, by, says, on, source, why]),
  );
  return [...same.values()].flatMap((those) => {
    const { signed = [], others = [] } = Object.groupBy(those, (one) => (one.signed ? "signed" : "others"));
    const [sure, other] = [signed, others].map((some) => some.findLast(({ settled }) => settled !== undefined) ?? some[0]);
    const isAgain = sure !== undefined && sure.settled === other?.settled;
    return [sure, isAgain ? undefined : other].filter((one) => one !== undefined);
  });
}
