/** Scores a passage against words: BM25 over weighted fields (Robertson, Zaragoza and Taylor's BM25F, the simple form:
 *  frequencies are weighted sums over the fields before they saturate). The engine finds the candidates; this orders them,
 *  from exact counts, so that the order depends on the library's texts alone and not on the index's history. */
import { FIELDS, type Field } from "../index/row.ts";
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

/** @param length words of the row's text */
export type Scorer = (terms: string, length: number) => number;

/** @returns a function from a stored row's `terms` to its score, 0 when it holds none of the words */
export function openScorer(statistics: Statistics, query: readonly WeightedWord[]): Scorer {
  const weights: readonly number[] = FIELDS.map((field) => FIELD_WEIGHTS[field]);
  const rows = Math.max(1, statistics.rows);
  const average = Math.max(1, (statistics.lengths[TEXT] ?? 0) / rows);
  const words = query.map(({ word, weight }) => ({ word, factor: weight * inverseFrequency(rows, Math.min(rows, statistics.rowsWith(word))) }));
  const ends = new Int32Array(weights.length);
  const counts = new Int32Array(weights.length);
  return (terms, length) => {
    const norm = K1 * (1 - B + (B * length) / average);
    let score = 0;
    let measured = false;
    for (const { word, factor } of words) {
      let found = false;
      for (let at = terms.indexOf(word); at >= 0; at = terms.indexOf(word, at + word.length)) {
        if (!isWhole(terms, at, at + word.length)) continue;
        if (!measured) {
          // Where each field's line ends; what follows the last is no field.
          for (let field = 0, from = 0; field < ends.length; field++) {
            const end = terms.indexOf("\n", from);
            ends[field] = end < 0 ? terms.length : end;
            from = (ends[field] ?? 0) + 1;
          }
          measured = true;
        }
        const field = ends.findIndex((end) => at < end);
        if (field < 0) break;
        if (!found) counts.fill(0);
        found = true;
        counts[field] = (counts[field] ?? 0) + 1;
      }
      if (!found) continue;
      let frequency = 0;
      for (let field = 0; field < weights.length; field++) frequency += (weights[field] ?? 0) * (counts[field] ?? 0);
      if (frequency > 0) score += (factor * frequency * (K1 + 1)) / (frequency + norm);
    }
    return score;
  };
}

/** Whether a stretch is a word and not a part of one; words are separated by spaces and line ends. */
function isWhole(terms: string, start: number, end: number): boolean {
  return (start === 0 || isGap(terms.charCodeAt(start - 1))) && (end === terms.length || isGap(terms.charCodeAt(end)));
}

function isGap(code: number): boolean {
  return code === 32 || code === 10;
}
