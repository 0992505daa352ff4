/** The numbers that a score needs of the whole index: how many rows, how long each field is together, and in how many
 *  rows a word stands. They are kept beside the rows, exactly, because the engine's own numbers count deleted rows until it
 *  rebuilds: with ours, an index that grew by a thousand updates scores like one that was built in one go. */
import { FIELDS, fieldLines } from "./row.ts";

export type Statistics = {
  readonly rows: number;
  /** Words in all rows, per field, in the order of FIELDS. */
  readonly lengths: readonly number[];
  /** Rows that hold the word in any field; 0 when none does. */
  rowsWith(word: string): number;
};

/** Counted words are stored under their name, totals under names that no word can have. */
export const ROWS_TOTAL = " rows";
export function lengthTotal(field: number): string {
  return ` length ${field}`;
}

/** Adds (`sign` 1) or takes away (-1) one row's share. */
export function countRow(into: Map<string, number>, terms: string, sign: 1 | -1): void {
  const add = (name: string, by: number): void => {
    into.set(name, (into.get(name) ?? 0) + by);
  };
  add(ROWS_TOTAL, sign);
  const lines = fieldLines(terms);
  const seen = new Set<string>();
  lines.forEach((line, at) => {
    if (line === "") return;
    const list = line.split(" ");
    if (at < FIELDS.length) add(lengthTotal(at), sign * list.length);
    for (const word of list) seen.add(word);
  });
  for (const word of seen) add(word, sign);
}

/** @param counts words in more than one row, and the totals; a word that is missing stands in one row or none */
export function openStatistics(counts: ReadonlyMap<string, number>): Statistics {
  return {
    rows: counts.get(ROWS_TOTAL) ?? 0,
    lengths: FIELDS.map((_, at) => counts.get(lengthTotal(at)) ?? 0),
    // A word that only one row holds need not be remembered: asked about a word in a row, 1 is the answer.
    rowsWith: (word) => counts.get(word) ?? 1,
  };
}
