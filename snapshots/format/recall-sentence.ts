/** Sentences for readers about known holes of the checkers that accepted a record, about what has to be read to believe its statement, and about who
 *  has read it. */
import { countOf } from "./size.ts";
import type { CubRecord, Standing } from "#snapshots/schema";
import { recordStanding } from "./standing.ts";

/** recallSentences says which holes a proof may use, and why the others are no reason to doubt it. */
export function recallSentences({ recall }: Partial<Pick<CubRecord, "recall">>): readonly string[] {
  if (recall === undefined) return [];
  const { affected, cannot_use: without, also_accepted: accepted } = recall;
  const second = Map.groupBy(accepted, ({ by }) => by);
  return [
    ...affected.map(
      ({ id, title, url, by }) =>
        `${by} ${by.includes(", ") ? "have" : "has"} a known hole that this proof may use, ${id}: ${title} (${url}).`,
    ),
    ...(without.length === 0
      ? []
      : [
          `${without.length === 1 ? "One known hole" : `${without.length} known holes`} of its checker cannot be used by it, since neither its file nor those of its sources below it have what that needs: ${without.join(", ")}.`,
        ]),
    ...[...second].map(([by, ones]) => `${by}, which has no such hole, accepted it, too: ${ones.map(({ id }) => id).join(", ")}.`),
  ];
}

/** meaningSentence counts what has to be read to believe a statement; null where no prover printed it. */
export function meaningSentence({ meaning }: Partial<Pick<CubRecord, "meaning">>): string | null {
  if (meaning === undefined) return null;
  const { count, lines, library, at_least: isBound, same = [] } = meaning;
  const also = same.length === 0 ? "" : ` Also proved as ${same.join(", ")}.`;
  if (count === 0)
    return `To believe its statement, read it: ${isBound ? "no definition of these sources is known to stand below it" : `it names nothing but ${library}`}.${also}`;
  const what = `${isBound ? "at least " : ""}${countOf(count, "definition")}`;
  return `To believe its statement, read ${what} below it, ${countOf(lines, "line")}, and what they name of ${library}.${also}`;
}

/** reviewSentences says who has read a statement and who doubts it, beside its standing and never in it. */
export function reviewSentences({ reviews = [] }: Partial<Pick<CubRecord, "reviews">>): readonly string[] {
  return reviews.map(({ by, says, on, source, why, settled, holds, signed }) => {
    const who = `${by}${signed ? "" : " (unsigned)"}`;
    const of = source === undefined ? "" : ` to ${source}`;
    const reason = why === undefined ? "" : `: ${why}`;
    const said =
      says === "faithful"
        ? `Statement read by ${who} on ${on}, and found faithful${of}${reason}`
        : `${settled === undefined ? "Doubted" : "Once doubted"} by ${who} on ${on}${reason}${settled === undefined ? "" : `; settled: ${settled}`}`;
    return `${said}${holds ? "." : says === "faithful" ? "; it means something else since, and nobody has read that." : "; it means something else since."}`;
  });
}

/** reviewMarks says in few words who has read a statement as it is now, and whose doubts are open. */
export function reviewMarks({ reviews = [] }: Partial<Pick<CubRecord, "reviews">>): readonly string[] {
  const named = (what: string, those: typeof reviews): string[] => {
    const [first] = those;
    const more = those.length === 1 ? "" : ` and ${those.length - 1} more`;
    return first === undefined ? [] : [`${what} by ${first.by}${first.signed ? "" : " (unsigned)"}${more}`];
  };
  return [
    ...named(
      "statement read",
      reviews.filter(({ says, holds }) => says === "faithful" && holds),
    ),
    ...named(
      "doubted",
      reviews.filter(({ says, settled }) => says === "doubted" && settled === undefined),
    ),
  ];
}

/** judgedRecord gives what stands beside a record's name wherever it is named: its standing, and people's marks, which are no part of it. */
export function judgedRecord(record: CubRecord): { readonly standing: Standing; readonly reviewed?: readonly string[] } {
  const reviewed = reviewMarks(record);
  return { standing: recordStanding(record), ...(reviewed.length === 0 ? {} : { reviewed }) };
}

/** judgedWords says the same in one line. */
export function judgedWords(record: CubRecord): string {
  return [recordStanding(record).says, ...reviewMarks(record)].join("; ");
}

/** witnessSentence says what shows that a theorem is not vacuous; null where nobody names anything. */
export function witnessSentence({ witness }: Partial<Pick<CubRecord, "witness">>): string | null {
  if (witness === undefined) return null;
  const { id, name, state, why } = witness;
  const it = name === "" ? id : `${id} (${name})`;
  if (state === "shown") return `Not vacuous: ${it} is verified, and shows that its hypotheses can be met.`;
  const named = `To show that its hypotheses can be met, its author names ${it}`;
  if (state === "named") return `${named}, which is verified; whether it does so was not checked: ${why}.`;
  return state === "missing" ? `${named}, and no record has this id.` : `${named}, which is not verified.`;
}
