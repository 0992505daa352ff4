/** Scores a passage against words: BM25 over weighted fields (Robertson, Zaragoza and Taylor's BM25F, the simple form:
 *  frequencies are weighted sums over the fields before they saturate). The engine finds the candidates; this orders them,
 *  from exact counts, so that the order depends on the library's texts alone and not on the index's history. */
import { FIELDS, type Field, type Terms } from "../index/row.ts";
import type { Statistics } from "../index/statistics.ts";

// Chosen on training data; ../index/README.md has what they reach.
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

export type RowScore = {
  /** 0 when the row holds none of the words. */
  readonly score: number;
  /** Whether it holds the mark. */
  readonly marked: boolean;
};

/** @param length words of the row's text */
export type Scorer = (terms: Terms, length: number) => RowScore;

/** Up to so many words are looked for one after the other, which the engine of the language does faster than we can walk;
 *  more are looked for in one walk, which takes the same time for all of them. */
const FEW_WORDS = 6;
/** Slots of the table of wanted words; a power of two, and many more than there are words. */
const SLOTS = 1024;
const SPACE = 32;
const LINE_END = 10;

/** Counts the wanted words of a row by word and field, in `counts[word * FIELDS.length + field]`; all are 0 before. The last
 *  of them is the mark: it stands on the line behind the fields.
 *  @returns whether the row holds the mark */
type Counter = (terms: Terms, counts: Int32Array) => boolean;

/** @param mark a word that scores nothing and is told of */
export function openScorer(statistics: Statistics, query: readonly WeightedWord[], mark: string): Scorer {
  const weights: readonly number[] = FIELDS.map((field) => FIELD_WEIGHTS[field]);
  const fields = weights.length;
  const rows = Math.max(1, statistics.rows);
  const average = Math.max(1, (statistics.lengths[TEXT] ?? 0) / rows);
  const factors = query.map(({ word, weight }) => weight * inverseFrequency(rows, Math.min(rows, statistics.rowsWith(word))));
  const wanted = [...query.map(({ word }) => Buffer.from(word)), Buffer.from(mark)];
  const count = wanted.length <= FEW_WORDS ? countEach(wanted) : countAll(wanted);
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

/** One word after the other, in a string that has a letter for every byte: places are then the same in both. */
function countEach(wanted: readonly Buffer[]): Counter {
  const words = wanted.map((word) => word.toString("latin1"));
  const mark = words.length - 1;
  const ends = new Int32Array(FIELDS.length);
  return ({ bytes, start, end }, counts) => {
    const line = bytes.toString("latin1", start, end);
    let measured = false;
    for (let number = 0; number < mark; number++) {
      const word = words[number] as string;
      for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + word.length)) {
        const next = at + word.length;
        if ((at > 0 && line.charCodeAt(at - 1) > SPACE) || (next < line.length && line.charCodeAt(next) > SPACE)) continue;
        if (!measured) {
          for (let field = 0, from = 0; field < ends.length; field++) {
            const found = line.indexOf("\n", from);
            ends[field] = found < 0 ? line.length : found;
            from = (ends[field] as number) + 1;
          }
          measured = true;
        }
        let field = 0;
        while (field < ends.length && at >= (ends[field] as number)) field++;
        if (field === ends.length) break;
        const place = number * FIELDS.length + field;
        counts[place] = (counts[place] as number) + 1;
      }
    }
    return line.includes(words[mark] as string);
  };
}

/** All words in one walk over the row. */
function countAll(wanted: readonly Buffer[]): Counter {
  // Words by their slot: 0 for none, else the number of the first, from 1, and `after` leads to the next.
  const slots = new Uint8Array(SLOTS);
  const after = new Uint8Array(wanted.length + 1);
  wanted.forEach((word, at) => {
    const slot = slotOf(word, 0, word.length);
    after[at + 1] = slots[slot] as number;
    slots[slot] = at + 1;
  });
  return ({ bytes, start, end }, counts) => {
    let marked = false;
    let field = 0;
    for (let at = start; at <= end; at++) {
      const from = at;
      while (at < end && (bytes[at] as number) > SPACE) at++;
      const first = at === from ? 0 : (slots[slotOf(bytes, from, at)] as number);
      for (let number = first; number > 0; number = after[number] as number) {
        const word = wanted[number - 1] as Buffer;
        if (word.length !== at - from || !isAt(bytes, from, word)) continue;
        if (number === wanted.length) marked = true;
        else if (field < FIELDS.length) {
          const place = (number - 1) * FIELDS.length + field;
          counts[place] = (counts[place] as number) + 1;
        }
      }
      if (at === end || bytes[at] === LINE_END) field++;
    }
    return marked;
  };
}

/** Of the word between two places: by its length and three of its letters. */
function slotOf(bytes: Uint8Array, from: number, to: number): number {
  return (
    ((to - from) * 7 + (bytes[from] as number) * 31 + (bytes[(from + to) >> 1] as number) * 13 + (bytes[to - 1] as number) * 5) &
    (SLOTS - 1)
  );
}

function isAt(bytes: Uint8Array, from: number, word: Uint8Array): boolean {
  for (let at = 0; at < word.length; at++) if (bytes[from + at] !== word[at]) return false;
  return true;
}
