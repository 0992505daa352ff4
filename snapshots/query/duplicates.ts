/** Duplicates fold: of objects with the same bytes, and of those whose best passages say nearly the same, a list shows the best one.
 *  The other places of the same bytes are named by the result (source.ts). */
import type { SearchResult } from "./search-result.ts";

export const SPARE_RESULTS = 10; // read beyond those wanted, so that a few that fold leave the list full
const SAME_SHARE = 0.9; // of the word triples of two passages is common to both
const SCORE_SHARE = 0.05; // passages that say the same have nearly the same score; only such are compared
const LENGTH_SHARE = 0.8; // lengths further apart are not compared
/** Words below which a passage says too little to be a repetition: two files that hold one short line are two files. */
const SHORT_WORDS = 12;

/** foldDuplicates leaves out results that repeat an earlier one. A result that the query names exactly stays, but for copies of the same bytes;
 *  records and claims stay always. @param results best first */
export function foldDuplicates<T extends Pick<SearchResult, "row" | "score" | "exact">>(results: readonly T[]): T[] {
  const digests = new Set<string>();
  const kept: { readonly result: T; readonly passage: Passage }[] = [];
  return results.filter((result) => {
    if (result.row.kind === "record" || result.row.kind === "claim") return true;
    const passage: Passage = { text: result.row.text, words: null, counts: null, triples: null };
    const { sha256 } = result.row;
    // A name or a title that is the query is that of all copies; a key is that of one.
    if (digests.has(sha256) && result.exact !== "key") return false;
    if (result.exact === null) {
      for (let at = kept.length - 1; at >= 0; at--) {
        const earlier = kept[at];
        if (earlier === undefined || earlier.result.score - result.score > Math.abs(earlier.result.score) * SCORE_SHARE) break;
        if (sameWords(earlier.passage, passage)) return false;
      }
    }
    if (sha256 !== "") digests.add(sha256);
    kept.push({ result, passage });
    return true;
  });
}

/** takeDistinct returns the first results of a ranking that repeat none before them, however many copies of one file stand between.
 *  @param show makes results of the next few */
export async function takeDistinct<D, T extends Pick<SearchResult, "row" | "score" | "exact">>(
  ranked: readonly D[],
  limit: number,
  show: (next: readonly D[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const read: T[] = [];
  let kept: T[] = [];
  for (let from = 0, step = limit + SPARE_RESULTS; from < ranked.length && kept.length < limit; from += step, step *= 2) {
    read.push(...(await show(ranked.slice(from, from + step))));
    kept = foldDuplicates(read);
  }
  return kept.slice(0, limit);
}

/** Words and triples are hashes: two texts that differ count as one by chance once in billions. */
type Passage = { readonly text: string; words: Int32Array | null; counts: Uint32Array | null; triples: Int32Array | null };

const BUCKETS = 64;

/** Room for the words of one text; one for all, because nothing waits between filling it and copying out of it. */
let scratch = new Int32Array(1024);

/** Hashes of the words of letters, digits and "_", in one walk over the text. The case of ASCII letters does not count. */
function wordsOf(passage: Passage): Int32Array {
  if (passage.words !== null) return passage.words;
  const { text } = passage;
  if (scratch.length <= text.length >> 1) scratch = new Int32Array(text.length);
  const words = scratch;
  let count = 0;
  let hash = 0;
  let inside = false;
  for (let at = 0; at <= text.length; at++) {
    let code = at === text.length ? 0 : text.charCodeAt(at);
    if (code >= 65 && code <= 90) code |= 32;
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95 || (code > 127 && isLetter(text, at, code))) {
      hash = step(hash, code);
      inside = true;
    } else if (inside) {
      words[count++] = hash;
      hash = 0;
      inside = false;
    }
  }
  passage.words = words.slice(0, count);
  return passage.words;
}

const LETTER = /[\p{L}\p{N}]/u;
/** Answers of isLetter for code points beyond ASCII; there are not many in use. */
const letters = new Map<number, boolean>();

/** @param code the code unit at that place; the second half of a pair is what the pair is */
function isLetter(text: string, at: number, code: number): boolean {
  const paired = code >= 0xdc00 && code <= 0xdfff && at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
  const point = text.codePointAt(paired ? at - 1 : at) ?? 0;
  let known = letters.get(point);
  if (known === undefined) {
    known = LETTER.test(String.fromCodePoint(point));
    letters.set(point, known);
  }
  return known;
}

function step(hash: number, code: number): number {
  return (Math.imul(hash, 0x01000193) + code + 1) | 0;
}

function sameWords(a: Passage, b: Passage): boolean {
  if (a.text === b.text) return wordsOf(a).length >= SHORT_WORDS;
  if (Math.min(a.text.length, b.text.length) < Math.max(a.text.length, b.text.length) * LENGTH_SHARE) return false;
  const [short, long] = wordsOf(a).length < wordsOf(b).length ? [a, b] : [b, a];
  const [fewer, more] = [wordsOf(short), wordsOf(long)];
  if (fewer.length < SHORT_WORDS || fewer.length < more.length * SAME_SHARE) return false;
  // No more triples are common than words are, and no more words than words of one bucket. Each word that a bucket has in one
  // text only is one of both that is not common: most pairs have too many such words within the first few buckets.
  const enough = (more.length - 2) * SAME_SHARE;
  const [few, many] = [countsOf(short), countsOf(long)];
  let spare = fewer.length + more.length - 2 * enough;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    spare -= Math.abs((few[bucket] as number) - (many[bucket] as number));
    if (spare < 0) return false;
  }
  const [one, other] = [triplesOf(short), triplesOf(long)];
  let common = 0;
  for (let at = 0, beside = 0; at < one.length && beside < other.length; ) {
    const difference = (one[at] as number) - (other[beside] as number);
    if (difference === 0) common++;
    if (difference <= 0) at++;
    if (difference >= 0) beside++;
  }
  return common >= enough;
}

/** How many words of a passage fall into each of some buckets. */
function countsOf(passage: Passage): Uint32Array {
  if (passage.counts !== null) return passage.counts;
  const counts = new Uint32Array(BUCKETS);
  for (const word of wordsOf(passage)) {
    const bucket = (word ^ (word >>> 16)) & (BUCKETS - 1);
    counts[bucket] = (counts[bucket] as number) + 1;
  }
  passage.counts = counts;
  return counts;
}

/** Ascending. */
function triplesOf(passage: Passage): Int32Array {
  if (passage.triples !== null) return passage.triples;
  const words = wordsOf(passage);
  const triples = new Int32Array(Math.max(0, words.length - 2));
  for (let at = 0; at < triples.length; at++) {
    const pair = step(Math.imul(words[at] as number, 31), words[at + 1] as number);
    triples[at] = step(pair ^ (pair >>> 15), words[at + 2] as number);
  }
  passage.triples = triples.sort();
  return triples;
}
