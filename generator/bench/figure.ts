/** One line of the benchmark: a measured value, what it has to be, and what it is compared with. */

export type Figure = {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  /** What the value has to reach or not to pass; null when it is only shown. */
  readonly target: { readonly at: "least" | "most"; readonly value: number } | null;
  /** Measured in the same run, in the same unit. */
  readonly beside: { readonly name: string; readonly value: number } | null;
  readonly note?: string;
};

/** A part that could not run here says why instead of giving figures. */
export type Skipped = { readonly skipped: string };
export type Part = { readonly part: string; readonly results: readonly Figure[] | Skipped };

export function meets({ value, target }: Figure): boolean | null {
  if (target === null) return null;
  return target.at === "least" ? value >= target.value : value <= target.value;
}

export function ratio({ value, beside }: Figure): number | null {
  return beside === null || beside.value === 0 ? null : value / beside.value;
}

function formatNumber(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString("en");
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function formatTable(parts: readonly Part[]): string {
  const lines: string[] = [];
  for (const { part, results } of parts) {
    lines.push("", part);
    if ("skipped" in results) {
      lines.push(`  skipped: ${results.skipped}`);
      continue;
    }
    const rows = results.map((figure) => {
      const { target, beside, unit, note } = figure;
      const times = ratio(figure);
      return [
        figure.figure,
        `${formatNumber(figure.value)} ${unit}`,
        target === null
          ? ""
          : `${target.at === "least" ? "≥" : "≤"} ${formatNumber(target.value)} ${meets(figure) === true ? "met" : "MISSED"}`,
        beside === null ? "" : `${beside.name} ${formatNumber(beside.value)} ${unit}`,
        times === null ? "" : `× ${times.toPrecision(2)}`,
        note ?? "",
      ];
    });
    const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
    for (const row of rows)
      lines.push(
        `  ${row
          .map((cell, column) => (column < 5 ? cell.padEnd(widths[column] ?? 0) : cell))
          .join("  ")
          .trimEnd()}`,
      );
  }
  return `${lines.join("\n").trim()}\n`;
}
