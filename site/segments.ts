/** segmentsOf cuts a whole into parts, as bars and their legends draw them: each shape has its own pattern, so that a bar needs no colour, and parts of one shape are told apart by strength. */
import type { ValueCount } from "#snapshots/page";
import { explain, type StateField, type StateWords } from "./words.ts";

export type BarSegment = ValueCount & {
  readonly words: StateWords;
  /** In percent of the whole. */
  readonly x: string;
  readonly width: string;
  /** How many parts of the same shape stand before it: each is lighter than the one before. */
  readonly step: number;
};

/** SHAPES are all shapes of states, the best first. */
export const SHAPES: readonly StateWords["shape"][] = ["verified", "partial", "said", "failed", "unverified", "defined", "unspecified"];
const LIGHTEST = 2; // steps of one shape, in style/parts.css

/** segmentsOf makes the segments of a bar. @returns verified first, each with where it stands in a bar of 100 % */
export function segmentsOf(field: StateField, counts: readonly ValueCount[]): readonly BarSegment[] {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const rank = (value: string): number => SHAPES.indexOf(explain(field, value).shape);
  const sorted = counts.toSorted((a, b) => rank(a.value) - rank(b.value) || b.count - a.count);
  const percent = (value: number): string => `${Math.round((value / Math.max(1, total)) * 10_000) / 100}%`;
  let end = 0;
  return sorted.map((row, index) => {
    const from = end;
    end += row.count;
    const before = sorted.slice(0, index).filter(({ value }) => rank(value) === rank(row.value)).length;
    return { ...row, words: explain(field, row.value), x: percent(from), width: percent(row.count), step: Math.min(before, LIGHTEST) };
  });
}
