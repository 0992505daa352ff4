/** Scores a passage against words: BM25 over weighted fields (Robertson, Zaragoza and Taylor's BM25F, the simple form:
 *  frequencies are weighted sums over the fields before they saturate). The engine finds the candidates; this orders them,
 *  from exact counts, so that the order depends on the library's texts alone and not on the index's history. */
import { FIELDS, type Field, fieldLines } from "../index/row.ts";
import type { Statistics } from "../index/statistics.ts";

// Chosen on training data; index/README.md has the figures.
export const FIELD_WEIGHTS: Readonly<Record<Field, number>> = { title: 1.5, heading: 0.5, name: 2, path: 0.3, text: 1 };
/** How soon a word that stands often in a passage stops telling more. */
export const K1 = 1.5;
/** How much a long passage is held back. Its length is that of its text: a long title is no fault. */
export const B = 0.75;
/** How soon a word that stands often in the query stops telling more. */
export const K3 = 2;

const TEXT = FIELDS.indexOf("text");

export type WeightedWord = { readonly word: string; readonly weight: number };

/** The words of a query, each once, with the weight that its repetitions give it. */
export function weighWords(words: readonly string[]): WeightedWord[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => ({ word, weight: ((K3 + 1) * count) / (K3 + count) }));
}

/** How much a word tells: 0 < idf, more for rarer words. */
export function inverseFrequency(rows: number, rowsWith: number): number {
  return Math.log(1 + (rows - rowsWith + 0.5) / (rowsWith + 0.5));
}

/** Occurrences of a whole word in a line of words separated by one space. */
export function countWord(line: string, word: string): number {
  let count = 0;
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + word.length)) {
    const end = at + word.length;
    if ((at === 0 || line[at - 1] === " ") && (end === line.length || line[end] === " ")) count++;
  }
  return count;
}

/** @param length words of the row's text */
export type Scorer = (terms: string, length: number) => number;

/** @returns a function from a stored row's `terms` to its score, 0 when it holds none of the words */
export function openScorer(statistics: Statistics, query: readonly WeightedWord[]): Scorer {
  const weights: readonly number[] = FIELDS.map((field) => FIELD_WEIGHTS[field]);
  const rows = Math.max(1, statistics.rows);
  const average = Math.max(1, (statistics.lengths[TEXT] ?? 0) / rows);
  const words = query.map(({ word, weight }) => ({ word, factor: weight * inverseFrequency(rows, Math.min(rows, statistics.rowsWith(word))) }));
  return (terms, length) => {
    const lines = fieldLines(terms);
    const norm = K1 * (1 - B + (B * length) / average);
    let score = 0;
    for (const { word, factor } of words) {
      if (!terms.includes(word)) continue;
      let frequency = 0;
      for (let at = 0; at < weights.length; at++) {
        const line = lines[at] ?? "";
        if (line.length >= word.length) frequency += (weights[at] ?? 0) * countWord(line, word);
      }
      if (frequency > 0) score += (factor * frequency * (K1 + 1)) / (frequency + norm);
    }
    return score;
  };
}
