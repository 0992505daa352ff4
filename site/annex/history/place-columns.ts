const GAP = 0.25; // between columns and beside them, in columns with their gap
const WIDEST = 6; // percent of the chart

/** round keeps two digits after the point, which is finer than a pixel. */
export const round = (value: number): number => Math.round(value * 100) / 100;

/** placeColumns spreads columns evenly over the width of a chart. @returns where each begins, and how wide all are, in percent */
export function placeColumns(count: number): { readonly xs: readonly number[]; readonly width: string } {
  const step = 100 / (count + GAP);
  const xs = Array.from({ length: count }, (_, at) => round((at + GAP) * step));
  return { xs, width: `${round(Math.min(step * (1 - GAP), WIDEST))}%` };
}

const SIGN = 2.4; // percent of the width that a sign takes on a phone

/** roomFor tells what a text takes on a phone, in percent of the width of a chart. */
export const roomFor = (text: string): number => (text === "" ? 0 : text.length * SIGN + 1);

/** fitTexts leaves of texts that begin at places in percent, in order, those that do not run into a later one on a phone: the newest stay, and
 *  every mark does. */
export function fitTexts(xs: readonly number[], texts: readonly string[]): readonly string[] {
  let free = 100 + SIGN;
  const spans = texts.map((text, at) => ({ text, from: xs[at] ?? 0, to: (xs[at] ?? 0) + roomFor(text), stays: text.startsWith("▼") }));
  const marks = spans.filter(({ stays }) => stays);
  return spans.reduceRight<string[]>((kept, { text, from, to, stays }) => {
    const fits = stays || (text !== "" && to <= free && marks.every((mark) => to <= mark.from || mark.to <= from));
    if (fits) free = from;
    return [fits ? text : "", ...kept];
  }, []);
}

const EVEN = 40; // percent that all share alike, so that a step of a minute is seen

/** placeSteps spreads steps over the width of a chart: each is as wide as the time until the next one, and the last has the mean of the others.
 *  @returns where each begins, and how wide it is, in percent */
export function placeSteps(times: readonly number[]): readonly { readonly x: number; readonly width: number }[] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const mean = (last - first) / Math.max(1, times.length - 1);
  const spans = times.map((time, at) => (times[at + 1] ?? time + mean) - time);
  const all = spans.reduce((sum, span) => sum + span, 0);
  let x = 0;
  return spans.map((span) => {
    const width = EVEN / times.length + (all === 0 ? 1 / times.length : span / all) * (100 - EVEN);
    x += width;
    return { x: round(x - width), width: round(width) };
  });
}
