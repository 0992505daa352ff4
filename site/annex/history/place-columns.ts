const GAP = 0.25; // between columns and beside them, in columns with their gap
const WIDEST = 6; // percent of the chart

/** round keeps two digits after the point, which is finer than a pixel. */
export const round = (value: number): number => Math.round(value * 100) / 100;

/** placeColumns spreads columns evenly over the width of a chart. @returns where each begins, and how wide all are, in percent */
export function placeColumns(count: number): { readonly xs: readonly string[]; readonly width: string } {
  const step = 100 / (count + GAP);
  const xs = Array.from({ length: count }, (_, at) => `${round((at + GAP) * step)}%`);
  return { xs, width: `${round(Math.min(step * (1 - GAP), WIDEST))}%` };
}
