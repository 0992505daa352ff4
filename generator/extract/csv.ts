/** CSV and TSV: rows with their header, and a real table of the first ones. */
import { parse } from "csv-parse/sync";
import { objectPath, pagePath, relativeHref } from "#snapshots/format";
import { EMPTY_BODY, isNumber, MAX_SHOWN, MAX_SUMMARY, type Body, type Source } from "./body.ts";
import { formatCode } from "./code-view.ts";
import { escapeHtml } from "#snapshots/highlight";
import type { Lines } from "#snapshots/blocks";
import { cutPassages, headingPath, shorten, TARGET_LENGTH, type Mark } from "./passages.ts";

/** Of the table on the page; a cell in UTF-16 units. */
const MAX_ROWS = 500;
const MAX_COLUMNS = 100;
const MAX_CELL = 500;

export function readCsv(source: Source, mediaType: string): Body {
  const { lines, text } = source;
  const delimiter = mediaType.startsWith("text/tab") ? "\t" : findDelimiter(lines);
  const { starts, open } = findRecords(lines);
  const cut = starts.findIndex((line, index) => index > MAX_ROWS || lines.start(line) > MAX_SHOWN);
  const head = text.slice(0, cut < 0 ? text.length : lines.start(starts[cut] ?? 1)).slice(0, MAX_SHOWN);
  const rows = parseRows(head, delimiter);
  const notes = open ? ["A quoted field of this table is never closed."] : [];
  if (rows === null || rows.length === 0) {
    if (lines.count > 0) notes.push("This table does not parse; it is shown as text.");
    return { ...EMPTY_BODY, passages: cutPassages(lines, []), html: formatCode(source, null), notes };
  }
  const header = rows[0] ?? [];
  const columns = shorten(header.filter((name) => name !== "").join(", "), MAX_SUMMARY - 40);
  return {
    title: null,
    summary: `${Math.max(0, starts.length - 1)} rows. Columns: ${columns}`,
    passages: cutPassages(lines, packRecords(lines, starts, headingPath([columns]))),
    html: formatTable(source.key, rows, starts),
    notes,
  };
}

/** First lines of the records: a line break inside quotes ends none. Goes by the parity of quotes, so it never fails. */
function findRecords(lines: Lines): { starts: number[]; open: boolean } {
  const starts: number[] = [];
  let quoted = false;
  let opened = 0;
  let quote = nextQuote(lines.text, 0);
  for (let line = 1; line <= lines.count; line++) {
    if (!quoted && !lines.isBlank(line)) starts.push(line);
    const before = quoted;
    for (const end = lines.end(line); quote < end; quote = nextQuote(lines.text, quote + 1)) quoted = !quoted;
    if (quoted && !before) opened = line;
    // No field of a real table is this long: the quote was a stray one, so its line stands alone.
    if (quoted && line - opened > MAX_ROWS) return { starts: everyLine(lines, starts, opened), open: true };
  }
  return { starts, open: quoted };
}

function nextQuote(text: string, from: number): number {
  const at = text.indexOf('"', from);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

function everyLine(lines: Lines, starts: readonly number[], from: number): number[] {
  const all = starts.filter((line) => line < from);
  for (let line = from; line <= lines.count; line++) if (!lines.isBlank(line)) all.push(line);
  return all;
}

function packRecords(lines: Lines, starts: readonly number[], heading: readonly string[]): Mark[] {
  const marks: Mark[] = [];
  let open = 0;
  for (const [index, line] of starts.entries()) {
    const last = (starts[index + 1] ?? lines.count + 1) - 1;
    if (open > 0 && lines.end(last) - lines.start(open) <= TARGET_LENGTH) continue;
    marks.push({ line, heading, name: null });
    open = line;
  }
  return marks;
}

function findDelimiter(lines: Lines): string {
  const first = lines.count === 0 ? "" : lines.slice(1, 1).slice(0, 10_000);
  const count = (sign: string): number => first.split(sign).length;
  return [",", ";", "\t", "|"].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

function parseRows(text: string, delimiter: string): string[][] | null {
  try {
    return parse(text, {
      bom: true,
      delimiter,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      to: MAX_ROWS + 1,
    });
  } catch {
    return null;
  }
}

function formatTable(key: string, rows: readonly string[][], starts: readonly number[]): string {
  const [header = [], ...body] = rows;
  const total = Math.max(0, starts.length - 1);
  const width = Math.min(MAX_COLUMNS, Math.max(...rows.map((row) => row.length)));
  const numeric = Array.from({ length: width }, (_, column) => {
    const cells = body.map((row) => row[column]?.trim() ?? "").filter((cell) => cell !== "");
    return cells.length > 0 && cells.every((cell) => /^[-+]?(?:\d[\d_ ]*)?(?:[.,]\d+)*(?:[eE][-+]?\d+)?%?$/.test(cell));
  });
  const cells = (row: readonly string[], tag: "td" | "th"): string => {
    let html = "";
    for (let column = 0; column < width; column++) {
      const open = tag === "th" ? `th scope="col"` : "td";
      const name = [numeric[column] === true ? "right" : "", isNumber(row[column] ?? "") ? "number" : ""].join(" ").trim();
      html += `<${open}${name === "" ? "" : ` class="${name}"`}>${escapeHtml(shorten(row[column] ?? "", MAX_CELL))}</${tag}>`;
    }
    return html;
  };
  const href = escapeHtml(relativeHref(pagePath.object(key), objectPath(key)));
  const all = body.length >= total && width === Math.max(...rows.map((row) => row.length));
  const caption = all
    ? `${total} ${total === 1 ? "row" : "rows"}`
    : `The first ${body.length} of ${total} rows; <a href="${href}">the whole file</a>`;
  let html = `<table class="data"><caption>${caption}</caption>\n<thead><tr>${cells(header, "th")}</tr></thead>\n<tbody>\n`;
  for (const [index, row] of body.entries()) html += `<tr id="L${starts[index + 1] ?? index + 2}">${cells(row, "td")}</tr>\n`;
  return `${html}</tbody></table>`;
}
