/** Scores a passage against words: BM25 over weighted fields (Robertson, Zaragoza and Taylor's BM25F, the simple form:
 *  frequencies are weighted sums over the fields before they saturate). The engine finds the candidates; this orders them,
 *  from exact counts, so that the order depends on the library's texts alone and not on the index's history. */
import { FIELDS, type Field } from "../index/row.ts";
import type { Statistics } from "../index/statistics.ts";
import { LINE_END, type Terms, termsOf } from "../index/terms.ts";

// Chosen on training data; ../index/README.md has what they reach.
export const FIELD_WEIGHTS: Readonly<Record<Field, number>> = { title: 1.5, heading: 0.5, name: 2, path: 0.3, text: 1 };
export const K1 = 1.5; // how soon a word that stands often in a passage stops telling more
export const B = 0.75; // how much a long passage is held back; a long title is no fault
const K3 = 2; // how soon a word that stands often in the query stops telling more

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

export type RowScore = {
  /** 0 when the row holds none of the words. */
  readonly score: number;
  /** Whether it holds the mark. */
  readonly marked: boolean;
};

/** @param length words of the row's text */
export type Scorer = (terms: Terms, length: number) => RowScore;

const SLOTS = 1024; // of the table of wanted words; a power of two, and many more than there are words

/** Counts the wanted words of a row by word and field, in `counts[word * FIELDS.length + field]`; all are 0 before.
 *  @returns whether the row holds the mark: the last of the words, on the line behind the fields */
type Counter = (terms: Terms, counts: Int32Array) => boolean;

/** @param mark a word that scores nothing and is told of */
export function openScorer(statistics: Statistics, query: readonly WeightedWord[], mark: string): Scorer {
  const weights: readonly number[] = FIELDS.map((field) => FIELD_WEIGHTS[field]);
  const fields = weights.length;
  const rows = Math.max(1, statistics.rows);
  const average = Math.max(1, (statistics.lengths[TEXT] ?? 0) / rows);
  const factors = query.map(({ word, weight }) => weight * inverseFrequency(rows, Math.min(rows, statistics.rowsWith(word))));
  const wanted = [...query.map(({ word }) => word), mark].map((word) => termsOf(word)[0] ?? LINE_END);
  const count = openCounter(wanted);
  const counts = new Int32Array(wanted.length * fields);

  return (terms, length) => {
    counts.fill(0);
    const marked = count(terms, counts);
    const norm = K1 * (1 - B + (B * length) / average);
    let score = 0;
    for (let word = 0; word < factors.length; word++) {
      let frequency = 0;
      for (let at = 0; at < fields; at++) frequency += (weights[at] as number) * (counts[word * fields + at] as number);
      if (frequency > 0) score += ((factors[word] as number) * frequency * (K1 + 1)) / (frequency + norm);
    }
    return { score, marked };
  };
}

/** All words in one walk over the row. */
function openCounter(wanted: readonly number[]): Counter {
  // Words by their slot: 0 for none, else the number of the first, from 1, and `after` leads to the next.
  const slots = new Uint16Array(SLOTS);
  const after = new Uint16Array(wanted.length + 1);
  wanted.forEach((code, at) => {
    const slot = code & (SLOTS - 1);
    after[at + 1] = slots[slot] as number;
    slots[slot] = at + 1;
  });
  const mark = wanted.length;
  return ({ of: codes, start, end }, counts) => {
    let marked = false;
    let field = 0;
    for (let at = start; at < end; at++) {
      const code = codes[at] as number;
      if (code === LINE_END) {
        field++;
        continue;
      }
      for (let number = slots[code & (SLOTS - 1)] as number; number > 0; number = after[number] as number) {
        if (wanted[number - 1] !== code) continue;
        if (field === FIELDS.length) marked ||= number === mark;
        else if (number !== mark) {
          const place = (number - 1) * FIELDS.length + field;
          counts[place] = (counts[place] as number) + 1;
        }
        break;
      }
    }
    return marked;
  };
}
