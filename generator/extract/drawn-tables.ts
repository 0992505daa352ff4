/** Tables that are drawn with signs, as reStructuredText and Pandoc have them. Their cells are rows of the text, whatever that is written in. */
import type { Row } from "./lined.ts";

/** A DrawnCell is the rows of a cell as they stand, and how many columns and rows of the table it takes. */
export type DrawnCell = { readonly rows: readonly Row[]; readonly colSpan: number; readonly rowSpan: number };
/** A DrawnTable is a table; `heads` of its rows, from the top, name the columns. */
export type DrawnTable = { readonly rows: readonly (readonly DrawnCell[])[]; readonly heads: number };

/** GRID matches the first row of a table of `+---+`. */
export const GRID = /^\+(?:[-=:]+\+)+\s*$/;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;

/** readGrid reads a table of `+---+`. Columns begin at each plus that a rule leads to sideways and a post up or down, rows at each rule between two of them.
 *  It costs what the table has of signs. */
export function readGrid(written: readonly Row[]): DrawnTable {
  // A sign of Chinese is as wide as two of a rule.
  const widened = written.map(({ text, line }) => ({ text: text.replaceAll(WIDE, "$&\0"), line }));
  const lines = new Set(widened.map(({ text }) => text.length)).size === 1 ? widened : written;
  const isAt = (signs: string, y: number, x: number): boolean => signs.includes(lines[y]?.text[x] ?? "\n");
  const isJoint = (y: number, x: number): boolean =>
    (isAt("-=:+", y, x - 1) || isAt("-=:+", y, x + 1)) && (isAt("|+", y - 1, x) || isAt("|+", y + 1, x));
  const xs = [
    ...new Set(lines.flatMap(({ text }, y) => [...text.matchAll(/\+/g)].flatMap(({ index }) => (isJoint(y, index) ? [index] : [])))),
  ];
  xs.sort((a, b) => a - b);
  const [columns, inside] = [
    xs.length - 1,
    (y: number, from: number, to: number) => lines[y]?.text.slice((xs[from] ?? 0) + 1, xs[to]) ?? "",
  ];
  const isRuled = (y: number, column: number): boolean => /^[-=:]+$/.test(inside(y, column, column + 1));
  const ys = lines.flatMap((_, y) => (xs.slice(1).some((_x, column) => isRuled(y, column)) ? [y] : []));
  const isOpen = (from: number, to: number, x: number | undefined): boolean =>
    x !== undefined && Array.from({ length: to - from }, (_, n) => from + n).every((y) => !isAt("|+", y, x));
  const taken = new Set<number>();
  const rows = ys.slice(1).map((below, row) => {
    const cells: DrawnCell[] = [];
    const above = (ys[row] ?? 0) + 1;
    for (let column = 0; column < columns && above < below; column++) {
      if (taken.has(row * columns + column)) continue;
      let [colSpan, rowSpan] = [1, 1];
      while (column + colSpan < columns && isOpen(above, below, xs[column + colSpan])) colSpan++;
      while (row + rowSpan < ys.length - 1 && !isRuled(ys[row + rowSpan] ?? 0, column)) rowSpan++;
      for (let at = 0; at < colSpan * rowSpan; at++) taken.add((row + Math.floor(at / colSpan)) * columns + column + (at % colSpan));
      const end = column + colSpan;
      const own = lines.slice(above, ys[row + rowSpan]).map(({ line }, n) => {
        const text = end < columns ? inside(above + n, column, end) : inside(above + n, column, columns + 1).replace(/\|\s*$/, "");
        return { text: text.replaceAll("\0", "").trimEnd(), line };
      });
      cells.push({ rows: own, colSpan, rowSpan });
      column = end - 1;
    }
    return cells;
  });
  const heads = ys.findIndex((y, at) => at > 0 && at < ys.length - 1 && (lines[y]?.text.includes("=") ?? false));
  return { rows: rows.filter((cells) => cells.length > 0), heads: Math.max(0, heads) };
}

/** cutColumns cuts rows into cells where a row of signs has its gaps: each goes from where its column begins to where the next one does. */
export function cutColumns(rows: readonly Row[], border: string): readonly DrawnCell[] {
  const starts = [...border.matchAll(/\S+/g)].map(({ index }) => index);
  return starts.map((from, column) => ({
    rows: rows.map(({ text, line }) => ({ text: text.slice(column === 0 ? 0 : from, starts[column + 1]).trimEnd(), line })),
    colSpan: 1,
    rowSpan: 1,
  }));
}
