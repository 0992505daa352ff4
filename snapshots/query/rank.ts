/** Orders what the engine finds. The engine scores passages by their words (BM25 over all fields, whose weights stand in
 *  index/row.ts); here passages become documents, long documents also count as a whole, what defines goes before what uses, and what the
 *  query names exactly goes first. How many results are wanted changes nothing in their order. */
import type { RowCandidate, FoundRow, IndexReader, IndexRow } from "#snapshots/index";
import { SPARE_RESULTS } from "./duplicates.ts";
import { rawWords } from "#snapshots/words";
import type { IndexQuery, Qualified } from "./parsed-query.ts";

// Measured on all collections together; ../index/README.md has what they reach.
const WHOLE_SHARE = 0.6; // of the score of a document with several passages
const DEFINITION_BONUS = 0.2; // of the score of a passage that defines what others are about
/** Added to the score of what the query names exactly: more than any number of words can reach. */
const EXACT_BONUS = 1_000;

/** Share of the score that a title adds when it is the words of the query. A longer title adds the share of it that the words are. */
const TITLE_BONUS = 0.6;
const TITLES = 20; // documents whose titles are looked at

const NOMINATED = 400; // passages, and documents as a whole, that are ordered here
/** How many passages are looked at when more documents are wanted, in the engine's own order. */
const MORE_ROWS = [1_600, 8_000] as const;
const MAX_ROWS = MORE_ROWS[1];
const MAX_NAMED = 100; // declarations of one name whose qualifiers are looked at
const MAX_PHRASE_WORDS = 64; // that the engine is asked for; a row is held against all of them
const SCORE_DIGITS = 6; // below them the order of additions decides, above them the texts do

/** A RankedDocument is a document with its passages that were found, the best first. */
export type RankedDocument = {
  readonly doc: string;
  readonly score: number;
  /** True when the query is its key, id, title or a name that it declares. */
  readonly exact: boolean;
  /** True when it has several passages. */
  readonly long: boolean;
  readonly passages: readonly RowCandidate[];
};

/** rankDocuments finds and ranks documents by the words of a query.
 *  @param reader one that remembers rows (remember.ts), as whoever shows the documents reads those that are looked at here
 *  @param limit at least as many documents, where there are as many
 *  @returns best first; ties by key, so that the order never depends on how the index came to be */
export async function rankDocuments(reader: IndexReader, wanted: IndexQuery, prefix: string, limit: number): Promise<RankedDocument[]> {
  const ask = (words: readonly string[], of: "terms" | "whole", rows = NOMINATED): Promise<RowCandidate[]> =>
    reader.find({ words, all: wanted.all, of, prefix, limit: rows });
  if (wanted.phrases.length > 0) return findPhrases(reader, wanted, prefix, limit);
  const [found, wholes, exact] = await Promise.all([
    ask(wanted.all ? wanted.words : [...wanted.words, ...wanted.nameMarks], "terms"),
    ask(wanted.words, "whole"),
    findExact(reader, wanted, prefix),
  ]);
  const ordered = order(found, wholes, new Set(exact.map(({ ref }) => ref)), exact);
  // Passages to be shown are read with the titles, in one request.
  const rows = await reader.rows(
    ordered.slice(0, Math.max(TITLES, limit + SPARE_RESULTS)).flatMap(({ passages }) => passages[0]?.ref ?? []),
  );
  const documents = [...preferTitles(rows, wanted, ordered.slice(0, TITLES)), ...ordered.slice(TITLES)];
  if (documents.length >= limit || found.length < NOMINATED) return documents;
  const known = new Set(documents.map(({ doc }) => doc));
  const last = documents.at(-1)?.score ?? Number.POSITIVE_INFINITY;
  let rest: RankedDocument[] = [];
  for (const rows of MORE_ROWS) {
    const more = await ask(wanted.words, "terms", rows);
    rest = fold(more.filter(({ doc }) => !known.has(doc)));
    if (documents.length + rest.length >= limit || more.length < rows) break;
  }
  return [...documents, ...rest.map((document) => ({ ...document, score: Math.min(last, document.score) }))];
}

/** The passages that the query names exactly. Most queries name nothing, which the statistics know. */
async function findExact(reader: IndexReader, { exactMark, qualified }: IndexQuery, prefix: string): Promise<RowCandidate[]> {
  const ask = (mark: string, limit: number): Promise<RowCandidate[]> =>
    reader.find({ words: [mark], all: false, of: "terms", prefix, limit });
  if (reader.statistics.rowsWith(exactMark) > 0) return ask(exactMark, NOMINATED);
  if (qualified === null) return [];
  const named = await ask(qualified.mark, MAX_NAMED);
  const rows = await reader.rows(named.map(({ ref }) => ref));
  return named.filter((_, at) => isQualified(rows[at]?.row, qualified));
}

/** Tells whether a declaration stands in what qualifies its name: classes and modules, the file, its folder. */
function isQualified(row: IndexRow | undefined, { qualifiers }: Qualified): boolean {
  if (row === undefined) return false;
  const around = rawWords(`${row.heading} ${row.name} ${row.title} ${row.key}`).flatMap((word) => word.toLowerCase().split(/[.:]+/));
  return qualifiers.every((one) => around.includes(one));
}

function order(
  found: readonly RowCandidate[],
  wholes: readonly RowCandidate[],
  marked: ReadonlySet<bigint>,
  exact: readonly RowCandidate[],
): RankedDocument[] {
  const refs = new Set(found.map(({ ref }) => ref));
  const named = exact.filter(({ ref }) => !refs.has(ref)).map((candidate) => ({ ...candidate, score: 0 }));
  const scored = [...found, ...named].map((candidate) => ({
    ...candidate,
    score: candidate.score * (candidate.defines ? 1 + DEFINITION_BONUS : 1) + (marked.has(candidate.ref) ? EXACT_BONUS : 0),
  }));
  const plain = new Map<string, number>();
  for (const { doc, score } of found) plain.set(doc, Math.max(plain.get(doc) ?? 0, score));
  // The scores of two indexes have two scales: the best of one is worth what the best of the other is.
  const scale =
    Math.max(0, ...wholes.map(({ doc }) => plain.get(doc) ?? 0)) / Math.max(Number.MIN_VALUE, ...wholes.map(({ score }) => score));
  const whole = new Map(wholes.map(({ doc, score }) => [doc, score * scale]));
  return fold(scored)
    .map((document) => {
      const part = plain.get(document.doc) ?? 0;
      const mixed = document.score + WHOLE_SHARE * ((whole.get(document.doc) ?? part) - part);
      return { ...document, long: document.long || whole.has(document.doc), score: Number(mixed.toPrecision(SCORE_DIGITS)) };
    })
    .sort(compareRanked);
}

/** Moves forward, among the first documents, those whose titles hold all words of the query. */
function preferTitles(rows: readonly FoundRow[], wanted: IndexQuery, documents: readonly RankedDocument[]): RankedDocument[] {
  const words = new Set(wanted.words);
  return documents
    .map((document, at) => {
      const title = new Set(rows[at]?.terms.split("\n")[0]?.split(" "));
      if (words.size === 0 || !words.isSubsetOf(title)) return document;
      const bonus = bareScore(document.score) * TITLE_BONUS * (words.size / title.size);
      return { ...document, score: Number((document.score + bonus).toPrecision(SCORE_DIGITS)) };
    })
    .sort(compareRanked);
}

/** bareScore returns a score without what an exact name adds. */
export function bareScore(score: number): number {
  return score >= EXACT_BONUS ? score - EXACT_BONUS : score;
}

/** Passages → documents by their best one. */
function fold(passages: readonly RowCandidate[]): RankedDocument[] {
  return [...Map.groupBy(passages, ({ doc }) => doc)]
    .map(([doc, list]) => {
      const sorted = list.toSorted((a, b) => (isExact(a) && isExact(b) ? a.n - b.n : b.score - a.score || a.n - b.n));
      const [best] = sorted;
      return {
        doc,
        score: best?.score ?? 0,
        exact: best !== undefined && isExact(best),
        long: list.some(({ n }) => n > 0),
        passages: sorted,
      };
    })
    .sort(compareRanked);
}

/** A declaration that is cut into passages begins with the first of them. */
function isExact({ score }: RowCandidate): boolean {
  return score >= EXACT_BONUS;
}

/** Documents with a passage that has the phrases. The engine finds those with all the words. */
async function findPhrases(reader: IndexReader, wanted: IndexQuery, prefix: string, limit: number): Promise<RankedDocument[]> {
  const lists = await Promise.all(
    wanted.phrases.map(async (phrases) => {
      const words = new Set(phrases.flatMap((phrase) => phrase.split(" ")).slice(0, MAX_PHRASE_WORDS));
      return { phrases, found: await reader.find({ words: [...words], all: true, of: "terms", prefix, limit: MAX_ROWS }) };
    }),
  );
  const exact = await findExact(reader, wanted, prefix);
  const marked = new Set(exact.map(({ ref }) => ref));
  const holding: RowCandidate[] = [];
  for (const { phrases, found } of lists) {
    for (let from = 0; from < found.length && fold(holding).length < limit; from += NOMINATED) {
      const some = found.slice(from, from + NOMINATED);
      const terms = await reader.terms(some.map(({ ref }) => ref));
      holding.push(...some.filter((_, at) => phrases.every((phrase) => holdsPhrase(terms[at] ?? "", phrase))));
    }
  }
  return fold(holding.map((candidate) => ({ ...candidate, score: candidate.score + (marked.has(candidate.ref) ? EXACT_BONUS : 0) })));
}

function holdsPhrase(terms: string, phrase: string): boolean {
  return terms.split("\n").some((line) => ` ${line} `.includes(` ${phrase} `));
}

function compareRanked(a: RankedDocument, b: RankedDocument): number {
  if (a.score !== b.score) return b.score - a.score;
  const [keyA, keyB] = [keyOf(a.doc), keyOf(b.doc)];
  if (keyA !== keyB) return keyA < keyB ? -1 : 1;
  return a.doc < b.doc ? -1 : 1;
}

/** The key or id of a document id. */
function keyOf(doc: string): string {
  return doc.slice(doc.indexOf(":") + 1);
}
