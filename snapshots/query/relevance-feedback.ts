/** Pseudo-relevance feedback: a query takes on words that its first results have in common, and asks again. It helps among short texts of prose, where
 *  one text says a thing in one word of several (measured: index/README.md). A long text has said them all, and names in code have no other
 *  words: there nothing changes. */
import type { IndexReader } from "#snapshots/index";
import { rankDocuments, type RankedDocument } from "./rank.ts";
import type { IndexQuery } from "./parsed-query.ts";

const DOCUMENTS = 10; // that are read; with fewer results there is nothing to choose from
const MAX_LONG = 3; // of them
const PROSE = 0.97; // share of plain words in their texts, numbers aside
const WORDS = 20; // that are added at most
const MIN_WORD = 3; // letters
/** How often a word of the query counts, and at most one that is added. */
const OWN_WEIGHT = 8;
const ADDED_WEIGHT = 3;

const TEXT_LINE = 5; // of a row's terms: see rowsOf
const PLAIN = /^\p{L}+$/u;
const NUMBER = /^[\d.]*$/;

/** rankWithFeedback ranks as rankDocuments does, and once more with words of the first documents added to the query. @param reader one that
 *  remembers rows: both rounds look at much the same */
export async function rankWithFeedback(reader: IndexReader, wanted: IndexQuery, prefix: string, limit: number): Promise<RankedDocument[]> {
  const ranked = await rankDocuments(reader, wanted, prefix, limit);
  const first = ranked.slice(0, DOCUMENTS);
  const [best] = first;
  const short = first.filter(({ long }) => !long).length >= DOCUMENTS - MAX_LONG;
  if (best === undefined || !short || best.exact || wanted.all) return ranked;
  const rows = await reader.rows(first.flatMap(({ passages }) => passages[0]?.ref ?? []));
  const texts = rows.map(({ terms }) => (terms.split("\n")[TEXT_LINE] ?? "").split(" "));
  const words = texts.flat().filter((word) => !NUMBER.test(word));
  if (words.filter((word) => PLAIN.test(word)).length < words.length * PROSE) return ranked;
  const weights = new Map<string, number>();
  for (const [at, text] of texts.entries()) {
    const share = (first[at]?.score ?? 0) / best.score;
    for (const [word, { length }] of Map.groupBy(text, (item) => item)) {
      if (word.length < MIN_WORD || !PLAIN.test(word) || reader.statistics.rowsWith(word) < 2) continue;
      weights.set(word, (weights.get(word) ?? 0) + (share * length * reader.statistics.worth(word)) / (length + 1));
    }
  }
  const added = [...weights].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, WORDS);
  const most = added[0]?.[1] ?? 1;
  const asked = [
    ...repeat(wanted.words, OWN_WEIGHT),
    ...added.flatMap(([word, weight]) => repeat([word], Math.round((ADDED_WEIGHT * weight) / most))),
  ];
  return rankDocuments(reader, { ...wanted, words: asked }, prefix, limit);
}

function repeat(words: readonly string[], times: number): string[] {
  return Array.from({ length: times }, () => words).flat();
}
