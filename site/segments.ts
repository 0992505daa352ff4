/** segmentsOf cuts a whole into parts, as bars and their legends draw them: parts of one colour lie side by side, and each of them its own hatching. */
import type { Count } from "#snapshots/page";
import { explain, type StateField, type Words } from "./words.ts";

export type Segment = Count & {
  readonly words: Words;
  /** In percent of the whole. */
  readonly x: string;
  readonly width: string;
  /** The number of the hatching over the colour; 0 for none. */
  readonly hatch: number;
};

const ORDER: readonly Words["shape"][] = ["verified", "partial", "said", "failed", "unverified", "defined", "unspecified"];
/** Hatchings besides none, in components/segments.astro. */
const HATCHES = 2;

/** @returns verified first, each with where it stands in a bar of 100 % */
export function segmentsOf(field: StateField, counts: readonly Count[]): readonly Segment[] {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const colour = (value: string): string => explain(field, value).shape.replace("defined", "unverified");
  const rank = (value: string): number => ORDER.indexOf(explain(field, value).shape);
  const sorted = counts.toSorted((a, b) => rank(a.value) - rank(b.value) || b.count - a.count);
  const percent = (value: number): string => `${Math.round((value / Math.max(1, total)) * 10_000) / 100}%`;
  let end = 0;
  return sorted.map((row, index) => {
    const from = end;
    end += row.count;
    const before = sorted.slice(0, index).filter(({ value }) => colour(value) === colour(row.value)).length;
    return { ...row, words: explain(field, row.value), x: percent(from), width: percent(row.count), hatch: before % (HATCHES + 1) };
  });
}
