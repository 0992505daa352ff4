/** FindTexts finds the texts that may answer a question: those that search has first, and those whose passages are nearest in meaning. */
import type { Embedder } from "#snapshots/embed";
import type { IndexReader, IndexRow } from "#snapshots/index";
import { rawWords, words } from "#snapshots/words";
import {
  bareScore,
  type IndexQuery,
  parseIndexQuery,
  rankDistinct,
  type RankedDocument,
  rememberRows,
  type SearchQuery,
  type SearchResult,
} from "#snapshots/query";

const TEXTS = 12; // that search has first
const NEAREST = 12; // passages whose texts are read too
const NEAR_ROWS = 100; // passages whose nearness is known; the last stands for all others
const PASSAGES = 6; // of a text

/** A FoundPassage is a passage of a text; `words` is its share of the best passage's score, `near` its cosine to the question. */
export type FoundPassage = { readonly row: IndexRow; readonly words: number; readonly near: number };

export type FoundText = {
  /** 1 for the first; 0 of one that is only near. */
  readonly rank: number;
  /** Share of the first one's score. */
  readonly share: number;
  /** Best first, at least one. */
  readonly passages: readonly FoundPassage[];
};

export type TextFindings = {
  /** As a search shows them. */
  readonly results: readonly SearchResult[];
  readonly texts: readonly FoundText[];
  /** How much each word that was looked for tells. */
  readonly worth: ReadonlyMap<string, number>;
  /** Score of the best passage, as the engine has it. */
  readonly score: number;
  /** Cosines of the nearest passage and of what is not among the nearest; 0 where meaning is not to be had. */
  readonly near: { readonly high: number; readonly low: number };
};

type Near = { readonly doc: string; readonly n: number; readonly similarity: number };

/** findTexts finds the texts that may answer a question, by words and by meaning. @param embedder null ranks by words alone; so does one that
 *  fails */
export async function findTexts(
  index: IndexReader,
  embedder: Embedder | null,
  query: SearchQuery,
  signal?: AbortSignal,
): Promise<TextFindings> {
  const reader = rememberRows(index);
  const wanted = parseIndexQuery(query.q, reader);
  const [{ ranked, results }, near] = await Promise.all([
    rankDistinct(reader, wanted, query),
    wanted.nowhere ? [] : findNear(reader, embedder, query, signal).catch(() => []),
  ]);
  const score = Math.max(0, ...ranked.slice(0, TEXTS).flatMap(({ passages }) => passages.map((passage) => bareScore(passage.score))));
  return {
    results,
    texts: await readTexts(reader, ranked, results, near, score),
    worth: new Map([...wanted.worth, ...asWritten(query.q, wanted), ...unknownWords(query.q, wanted, reader)]),
    score,
    near: { high: near[0]?.similarity ?? 0, low: near.at(-1)?.similarity ?? 0 },
  };
}

/** The worth of a question's words as they are written. Each has the worth of its forms in other languages, by which texts were found. */
function asWritten(q: string, { worth, languages }: IndexQuery): readonly (readonly [string, number])[] {
  return languages.length === 1
    ? []
    : rawWords(q.toWellFormed().normalize("NFC")).flatMap((raw) => {
        const told = Math.max(0, ...words(raw, languages).map((word) => worth.get(word) ?? 0));
        return told === 0 ? [] : words(raw).map((word) => [word, worth.get(word) ?? told] as const);
      });
}

/** Words that stand nowhere, nor anything that they may have been meant for: no text has all that such a question is about. */
function unknownWords(
  q: string,
  { worth, instead, languages }: IndexQuery,
  { statistics }: IndexReader,
): readonly (readonly [string, number])[] {
  return rawWords(q.toWellFormed().normalize("NFC"))
    .filter((raw) => !instead.has(raw) && (languages.length === 1 || !words(raw, languages).some((word) => worth.has(word))))
    .flatMap((raw) => words(raw))
    .filter((word) => !worth.has(word) && statistics.rowsWith(word) === 0)
    .map((word) => [word, statistics.worth(word)]);
}

async function findNear(
  reader: IndexReader,
  embedder: Embedder | null,
  query: SearchQuery,
  signal?: AbortSignal,
): Promise<readonly Near[]> {
  const vectors = embedder === null ? null : await reader.vectors(embedder.id);
  const [vector] = vectors === null ? [] : ((await embedder?.embed([query.q.toWellFormed()], signal)) ?? []);
  return vector === undefined ? [] : ((await vectors?.nearest(vector, query.prefix, NEAR_ROWS)) ?? []);
}

/** @param results what of the ranking is no copy of what stands before it */
async function readTexts(
  reader: IndexReader,
  ranked: readonly RankedDocument[],
  results: readonly SearchResult[],
  near: readonly Near[],
  best: number,
): Promise<readonly FoundText[]> {
  const nearness = new Map(near.map(({ doc, n, similarity }) => [`${n} ${doc}`, similarity]));
  const low = near.at(-1)?.similarity ?? 0;
  const docs = new Set([...results.slice(0, TEXTS).map(({ doc }) => doc), ...near.slice(0, NEAREST).map(({ doc }) => doc)]);
  const places = ranked
    .filter(({ doc }) => docs.has(doc))
    .flatMap(({ doc, passages }) => passages.slice(0, PASSAGES).map(({ ref, n, score }) => ({ doc, ref, n, score: bareScore(score) })));
  const known = new Set(places.map(({ doc, n }) => `${n} ${doc}`));
  const unknown = near.slice(0, NEAREST).filter(({ doc, n }) => !known.has(`${n} ${doc}`));
  const all = [...places, ...(unknown.length === 0 ? [] : await reader.at(unknown))];
  const rows = new Map((await reader.rows(all.map(({ ref }) => ref))).map(({ ref, row }) => [ref, row]));
  const top = bareScore(ranked[0]?.score ?? 0) || 1;
  const texts = [...docs].map((doc): FoundText => {
    const at = ranked.findIndex((one) => one.doc === doc);
    const passages = all.flatMap(({ doc: of, ref, n, score }) => {
      const row = of === doc ? rows.get(ref) : undefined;
      return row === undefined ? [] : [{ row, words: best === 0 ? 0 : score / best, near: nearness.get(`${n} ${doc}`) ?? low }];
    });
    return {
      rank: at + 1,
      share: bareScore(ranked[at]?.score ?? 0) / top,
      passages: passages.sort((a, b) => b.words - a.words),
    };
  });
  return texts.filter(({ passages }) => passages.length > 0);
}
