/** Tables that Pandoc draws: with `+---+`, and with dashes above or below the names of columns. Their cells are Markdown. */
import type { MarkdownIt, StateBlock, Token } from "markdown-it";
import { cutColumns, type DrawnCell, type DrawnTable, GRID, readGrid } from "./drawn-tables.ts";
import { isBlank, type Row } from "./lined.ts";

const MAX_WITHIN = 3; // tables within tables
/** Dashes with gaps, and a row of dashes alone around rows of several lines. */
const DASHES = /^ *-{2,}(?: +-{2,})+ *$/;
const FRAME = /^-{10,} *$/;

/** Env is what tables note of a text: how many they lie in, and up to which line none begins, since nobody looks for an end twice. */
type Env = { readonly within?: number; noTable?: number };

/** useTables adds the tables to a parser. */
export function useTables(md: MarkdownIt): void {
  md.block.ruler.before("table", "drawn_table", (state, line, end, silent) => {
    const first = rowAt(state, line).text;
    const below = line + 1 < end ? rowAt(state, line + 1).text : "";
    const isDrawn = GRID.test(first) || DASHES.test(first) || FRAME.test(first) || (DASHES.test(below) && first.trim() !== "");
    const env = state.env as Env;
    if (!isDrawn || silent || (env.within ?? 0) > MAX_WITHIN || line < (env.noTable ?? 0)) return false;
    const rows: Row[] = [];
    for (let at = line; at < end && (state.sCount[at] ?? 0) >= Math.min(state.blkIndent, state.sCount[line] ?? 0); at++) {
      const row = rowAt(state, at);
      if (isBlank(row) && (GRID.test(first) || !FRAME.test(first))) break;
      rows.push(row);
      if (FRAME.test(first) && at > line && FRAME.test(row.text)) break;
    }
    const table = GRID.test(first) ? readGrid(rows) : readDashes(rows);
    if (table === null || table.rows.length === 0) {
      if (GRID.test(first)) env.noTable = line + rows.length;
      return false;
    }
    pushTable(state, table, [line, line + rows.length]);
    return true;
  });
}

const rowAt = (state: StateBlock, line: number): Row => ({
  text: state.getLines(line, line + 1, state.blkIndent, false).trimEnd(),
  line: line + 1,
});

/** A table whose columns are as a row of dashes divides them; null where it has none, or no end. */
function readDashes(rows: readonly Row[]): DrawnTable | null {
  const isFramed = FRAME.test(rows[0]?.text ?? "");
  const at = rows.findIndex(({ text }) => DASHES.test(text));
  const border = rows[at]?.text ?? "";
  const hasEnd = FRAME.test(rows.at(-1)?.text ?? "") || DASHES.test(rows.at(-1)?.text ?? "");
  if (at < 0 || rows.length < at + 2 || ((isFramed || at === 0) && !hasEnd) || (!isFramed && at > 1)) return null;
  const head = rows.slice(isFramed ? 1 : 0, at);
  const groups: Row[][] = [[]];
  for (const row of rows.slice(at + 1, hasEnd ? -1 : undefined))
    if (isFramed && !isBlank(row)) groups.at(-1)?.push(row);
    else groups.push(isBlank(row) ? [] : [row]);
  const body = groups.filter((group) => group.length > 0);
  return {
    rows: [head, ...body].flatMap((group) => (group.length === 0 ? [] : [cutColumns(group, border)])),
    heads: head.length > 0 ? 1 : 0,
  };
}

function pushTable(state: StateBlock, { rows, heads }: DrawnTable, map: [number, number]): void {
  state.push("table_open", "table", 1).map = map;
  for (const [at, cells] of rows.entries()) {
    if (at === 0 || at === heads) state.push("part_open", at < heads ? "thead" : "tbody", 1);
    const line = cells[0]?.rows[0]?.line ?? 1;
    state.push("tr_open", "tr", 1).map = [line - 1, line];
    for (const cell of cells) pushCell(state, cell, at < heads ? "th" : "td");
    state.push("tr_close", "tr", -1);
    if (at === heads - 1 || at === rows.length - 1) state.push("part_close", at < heads ? "thead" : "tbody", -1);
  }
  state.push("table_close", "table", -1);
  state.line = map[1];
}

/** The only paragraph of a cell is its words. */
function pushCell(state: StateBlock, { rows, colSpan, rowSpan }: DrawnCell, tag: string): void {
  const spans = Object.entries({ colspan: colSpan, rowspan: rowSpan }).filter(([, span]) => span > 1);
  state.push("cell_open", tag, 1).attrs = spans.map(([name, span]) => [name, String(span)]);
  const env = state.env as Env;
  const margin = Math.min(...rows.filter((row) => !isBlank(row)).map(({ text }) => text.search(/\S/)));
  const made: Token[] = [];
  const text = rows.map((row) => row.text.slice(margin)).join("\n");
  state.md.block.parse(text, state.md, { ...env, within: (env.within ?? 0) + 1, noTable: 0 }, made);
  const from = (rows[0]?.line ?? 1) - 1;
  for (const token of made) {
    if (token.map !== null) token.map = [token.map[0] + from, token.map[1] + from];
    if (made.length === 3 && token.type.startsWith("paragraph_")) token.hidden = true;
    state.tokens.push(token);
  }
  state.push("cell_close", tag, -1);
}
