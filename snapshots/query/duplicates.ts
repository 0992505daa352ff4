/** Near duplicates fold: of objects whose best passages say the same, a list shows the best one. A reader who wants the others
 *  asks for them by key, prefix or digest. */
import type { SearchResult } from "./search.ts";

/** Results read beyond those wanted, so that a few that fold leave the list full. */
export const SPARE_RESULTS = 10;
/** Share of the word triples of two passages that are common to both. */
const SAME_SHARE = 0.9;
/** Passages that say the same have nearly the same score; only such are compared, which keeps long lists cheap. */
const SCORE_SHARE = 0.05;
/** Lengths further apart than this are not looked into: counting words costs more than all the rest of a search. */
const LENGTH_SHARE = 0.8;
/** Words below which a passage says too little to be a repetition: two files that hold one short line are two files. */
const SHORT_WORDS = 12;

/** @param results best first
 *  @returns them without those that repeat an earlier one; what the query names exactly always stays, and so do records and claims */
export function foldDuplicates<T extends Pick<SearchResult, "row" | "score" | "exact">>(results: readonly T[]): T[] {
  const kept: { readonly result: T; readonly passage: Passage }[] = [];
  return results.filter((result) => {
    if (result.row.kind === "record" || result.row.kind === "claim") return true;
    const passage: Passage = { text: result.row.text, words: null, triples: null };
    if (result.exact === null) {
      for (let at = kept.length - 1; at >= 0; at--) {
        const earlier = kept[at];
        if (earlier === undefined || earlier.result.score - result.score > Math.abs(earlier.result.score) * SCORE_SHARE) break;
        if (sameWords(earlier.passage, passage)) return false;
      }
    }
    kept.push({ result, passage });
    return true;
  });
}

/** Words and triples are made when they are first needed. */
type Passage = { readonly text: string; words: readonly string[] | null; triples: ReadonlyMap<string, number> | null };

function wordsOf(passage: Passage): readonly string[] {
  passage.words ??= passage.text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return passage.words;
}

function sameWords(a: Passage, b: Passage): boolean {
  if (Math.min(a.text.length, b.text.length) < Math.max(a.text.length, b.text.length) * LENGTH_SHARE) return false;
  const [short, long] = wordsOf(a).length < wordsOf(b).length ? [a, b] : [b, a];
  const [fewer, more] = [wordsOf(short), wordsOf(long)];
  if (fewer.length < SHORT_WORDS || fewer.length < more.length * SAME_SHARE) return false;
  const [one, other] = [triplesOf(short), triplesOf(long)];
  let common = 0;
  for (const [triple, count] of one) common += Math.min(count, other.get(triple) ?? 0);
  return common >= (more.length - 2) * SAME_SHARE;
}

function triplesOf(passage: Passage): ReadonlyMap<string, number> {
  if (passage.triples !== null) return passage.triples;
  const counts = new Map<string, number>();
  const words = wordsOf(passage);
  for (let at = 2; at < words.length; at++) {
    const triple = `${words[at - 2]} ${words[at - 1]} ${words[at]}`;
    counts.set(triple, (counts.get(triple) ?? 0) + 1);
  }
  passage.triples = counts;
  return counts;
}
