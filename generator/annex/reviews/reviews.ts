/** reviews.yaml: people's yes and no to statements. Each is of a meaning, so that it falls when that moves, and not when a comment does. */
import { z } from "zod";
import { CubId, type RecordReview } from "#snapshots/schema";
import type { NoteKey } from "#snapshots/log";
import { readLocated } from "#generator/config";
import { isNote, openSigned } from "#generator/annex/recall";

const some = (what: string) => z.string().min(1, `is empty; write ${what}`).max(1000, "is longer than 1000 characters");

const review = z
  .strictObject({
    record: CubId,
    meaning: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "is no digest of a meaning; proofshelf registry explain prints it")
      .meta({ description: "Of what the statement said when it was read: meaning.sha256 of the record" }),
    by: some("a name").meta({ description: "Who says it" }),
    says: z.enum(["faithful", "doubted"]),
    on: z.iso.date("is no day; write it like 2026-11-28").meta({ description: "Day" }),
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

type Located = z.infer<typeof review> & { readonly signed: boolean; readonly place: string };

export type Reviews = {
  /** Those of a record, and whether they are of what it means now. */
  of(id: string, meaning: string): readonly RecordReview[];
  /** Reviews of records that are not there, or of what none of them ever meant, each with file and line. */
  findings(records: ReadonlyMap<string, ReadonlySet<string>>): readonly string[];
};

/** readReviews reads files of reviews. @param keys one of which has to have signed a file that is a note
 *  @throws ShelfError "bad_config" with every mistake and its line */
export function readReviews(files: readonly string[], keys: readonly NoteKey[]): Reviews {
  const all = files.flatMap((file): Located[] => {
    let lineOf = (_: number): number => 1;
    const { reviews } = readLocated(
      file,
      schema,
      reviewsJsonSchema,
      "a list of reviews",
      (_, yaml) => {
        lineOf = (index) => yaml.lineOf(["reviews", index]);
        return [];
      },
      openSigned(keys),
    );
    return reviews.map((one, index) => ({ ...one, signed: isNote(file), place: `${file}:${lineOf(index)}` }));
  });
  const byRecord = Map.groupBy(all, ({ record }) => record);
  return {
    of: (id, meaning) =>
      (byRecord.get(id) ?? []).map(({ record: _, place: __, ...said }) => ({
        ...said,
        holds: meaning !== "" && said.meaning === meaning,
      })),
    findings: (records) =>
      all.flatMap(({ record, meaning, place }) => {
        const meant = records.get(record);
        if (meant === undefined) return [`${place}: there is no record ${record}; its review is of nothing.`];
        return meant.has(meaning) ? [] : [`${place}: no check that lies here is of ${record} with the meaning ${meaning.slice(0, 12)}.`];
      }),
  };
}
