/** Figure is one line of the benchmark: a measured value, what it has to be, and what it is made of. */

export type Figure = {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  /** null for a figure that is told and not held to anything. */
  readonly target: { readonly at: "least" | "most"; readonly value: number } | null;
  /** The parts of the value, and what bounds it. */
  readonly note: string;
};

/** figuresAt returns figures that all are of one size of library, each with the most that it may be.
 *  @param size as a person says it, e.g. "10,000 publications" */
export function figuresAt(size: string): (figure: string, value: number, unit: string, target: number, note: string) => Figure {
  return (figure, value, unit, target, note) => ({
    figure: `${figure}, ${size}`,
    value,
    unit,
    target: { at: "most", value: target },
    note,
  });
}

/** A Skipped part could not run here, and says why instead of giving figures. */
export type Skipped = { readonly skipped: string };
export type Part = { readonly part: string; readonly results: readonly Figure[] | Skipped };

export function meets({ value, target }: Figure): boolean {
  if (target === null) return true;
  return target.at === "least" ? value >= target.value : value <= target.value;
}

/** percentile returns the value that a share of all values does not exceed.
 *  @param share from 0 to 1
 *  @param sorted ascending; not empty */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

export function formatNumber(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString("en");
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function formatTarget({ at, value }: NonNullable<Figure["target"]>): string {
  return `${at === "least" ? "≥" : "≤"} ${formatNumber(value)}`;
}

/** formatTable returns one table for all parts. */
export function formatTable(parts: readonly Part[]): string {
  const rows = parts.flatMap(({ part, results }) =>
    "skipped" in results
      ? [[part, "skipped", "", "", results.skipped]]
      : results.map((figure) => [
          figure.figure,
          `${formatNumber(figure.value)} ${figure.unit}`,
          ...(figure.target === null ? ["", ""] : [formatTarget(figure.target), meets(figure) ? "met" : "MISSED"]),
          figure.note,
        ]),
  );
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd()).join("\n");
}
