/** A query in the index's words, and the passages that hold them, scored. */
import type { Candidate, IndexReader } from "../index/reader.ts";
import { exactMark, type IndexRow, normalizeExact } from "../index/row.ts";
import { type Terms, termsOf } from "../index/terms.ts";
import { words } from "../index/words.ts";
import { inverseFrequency, openScorer, type WeightedWord, weighWords } from "./rank.ts";

const MAX_WORDS = 32; // the rarest of a query: bounds the time of a pasted page
const SCORE_DIGITS = 9; // below them the order of additions decides, above them the texts do

/** What a query asks for. */
export type Wanted = {
  /** At most MAX_WORDS, the most telling first. */
  readonly words: readonly WeightedWord[];
  /** Word sequences in double quotes that a result has to have; [] unless the whole query is quoted. */
  readonly phrases: readonly string[];
  /** The mark of a row that the query names exactly. */
  readonly mark: string;
  /** How much each word tells. */
  readonly worth: ReadonlyMap<string, number>;
};

/** A passage with its score; `exact` when the query is its key, id, name or title. */
export type Scored = { readonly candidate: Candidate; readonly score: number; readonly exact: boolean };

export type ExactReason = "key" | "id" | "name" | "title";

/** Query text is words, never syntax. Only a query that is quoted as a whole asks for its words together: quotes within a
 *  sentence name or doubt something, and as a demand they cost five of the 52 CACM queries nearly all their results. */
export function parseWanted(q: string, { statistics }: Pick<IndexReader, "statistics">): Wanted {
  const text = q.toWellFormed().normalize("NFC");
  const quoted = /^\s*(?:"[^"]+"\s*)+$/.test(text) ? [...text.matchAll(/"([^"]+)"/g)] : [];
  const weighed = weighWords(words(text));
  const worth = new Map(weighed.map(({ word, weight }) => [word, weight * inverseFrequency(statistics.rows, statistics.rowsWith(word))]));
  return {
    words: weighed.toSorted((a, b) => (worth.get(b.word) ?? 0) - (worth.get(a.word) ?? 0)).slice(0, MAX_WORDS),
    phrases: quoted.map((match) => words(match[1] ?? "").join(" ")).filter((phrase) => phrase !== ""),
    mark: exactMark(text),
    worth,
  };
}

/** The passages that hold words of the query, the best by the engine's own order first.
 *  @param limit rows that are looked at; as many found means that there may be more */
export function findPassages(reader: IndexReader, wanted: Wanted, prefix: string, limit: number): Promise<readonly Candidate[]> {
  const all = [...new Set(wanted.phrases.flatMap((phrase) => phrase.split(" ")))];
  return reader.candidates({ any: wanted.words.map(({ word }) => word), mark: wanted.mark, all, prefix, limit });
}

/** @returns a function that scores passages, and leaves out those without the phrases */
export function openPassageScorer(reader: IndexReader, wanted: Wanted): (candidates: readonly Candidate[]) => Scored[] {
  const scoreRow = openScorer(reader.statistics, wanted.words, wanted.mark);
  const phrases = wanted.phrases.map(termsOf);
  return (candidates) => {
    const scored: Scored[] = [];
    for (const candidate of candidates) {
      const { terms, length } = candidate;
      if (!phrases.every((phrase) => holdsPhrase(terms, phrase))) continue;
      const { score, marked } = scoreRow(terms, length);
      scored.push({ candidate, score: Number(score.toPrecision(SCORE_DIGITS)), exact: marked });
    }
    return scored;
  };
}

/** Whether words of one line of a row are these, in this order. A phrase has no line end. */
function holdsPhrase({ of: codes, start, end }: Terms, phrase: Int32Array): boolean {
  for (let at = start; at <= end - phrase.length; at++) {
    let same = 0;
    while (same < phrase.length && codes[at + same] === phrase[same]) same++;
    if (same === phrase.length) return true;
  }
  return false;
}

/** The passages that hold words of the query, scored, in no promised order. */
export async function scorePassages(reader: IndexReader, wanted: Wanted, prefix: string, limit: number): Promise<readonly Scored[]> {
  return openPassageScorer(reader, wanted)(await findPassages(reader, wanted, prefix, limit));
}

/** Best first by score; ties by key, then by passage, so that the order never depends on how the index came to be. */
export function compareScored(a: Scored, b: Scored): number {
  if (a.score !== b.score) return b.score - a.score;
  const [keyA, keyB] = [keyOf(a.candidate.doc), keyOf(b.candidate.doc)];
  if (keyA !== keyB) return keyA < keyB ? -1 : 1;
  if (a.candidate.doc !== b.candidate.doc) return a.candidate.doc < b.candidate.doc ? -1 : 1;
  return a.candidate.n - b.candidate.n;
}

/** The key or id of a document id. */
function keyOf(doc: string): string {
  return doc.slice(doc.indexOf(":") + 1);
}

export function findReason(row: IndexRow, q: string): ExactReason | null {
  const whole = normalizeExact(q);
  if (normalizeExact(row.key) === whole) return row.kind === "record" || row.kind === "claim" ? "id" : "key";
  if (normalizeExact(row.name) === whole) return "name";
  return normalizeExact(row.title) === whole ? "title" : null;
}
