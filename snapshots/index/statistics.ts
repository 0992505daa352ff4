/** The numbers that a score needs of the whole index: how many rows, how long each field is together, and in how many
 *  rows a word stands. They are kept beside the rows, exactly: the engine's own numbers count deleted rows until it rebuilds. */
import { FIELDS } from "./row.ts";

export type Statistics = {
  readonly rows: number;
  /** Words in all rows, per field, in the order of FIELDS. */
  readonly lengths: readonly number[];
  /** Rows that hold the word in any field; 0 when none does. */
  rowsWith(word: string): number;
};

/** Counted words are stored under their name, totals under names that no word can have. */
const ROWS_TOTAL = " rows";
function lengthTotal(field: number): string {
  return ` length ${field}`;
}

/** In how many rows each word stands, and the totals: what rows add and take away. */
export class WordCounts {
  readonly #counts = new Map<string, { count: number; row: number }>();
  #row = 0;

  /** Adds (`sign` 1) or takes away (-1) one row's share. @param words as AnalysedRow has them */
  add(words: readonly (readonly string[])[], sign: 1 | -1): void {
    this.#row++;
    this.#total(ROWS_TOTAL, sign);
    words.forEach((list, at) => {
      if (at < FIELDS.length) this.#total(lengthTotal(at), sign * list.length);
      for (const word of list) {
        const known = this.#counts.get(word);
        if (known === undefined) this.#counts.set(word, { count: sign, row: this.#row });
        else if (known.row !== this.#row) {
          known.row = this.#row;
          known.count += sign;
        }
      }
    });
  }

  #total(name: string, by: number): void {
    const known = this.#counts.get(name);
    if (known === undefined) this.#counts.set(name, { count: by, row: 0 });
    else known.count += by;
  }

  changes(): Map<string, number> {
    const out = new Map<string, number>();
    for (const [name, { count }] of this.#counts) if (count !== 0) out.set(name, count);
    return out;
  }
}

/** @param counts words in more than one row, and the totals; a word that is missing stands in one row or none */
export function openStatistics(counts: ReadonlyMap<string, number>): Statistics {
  return {
    rows: counts.get(ROWS_TOTAL) ?? 0,
    lengths: FIELDS.map((_, at) => counts.get(lengthTotal(at)) ?? 0),
    rowsWith: (word) => counts.get(word) ?? 1,
  };
}
