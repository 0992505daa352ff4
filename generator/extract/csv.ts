/** CSV and TSV: rows with their header, and a real table of the first ones. */
import { parse } from "csv-parse/sync";
import { countOf, objectPath, pagePath, relativeHref } from "#snapshots/format";
import { EMPTY_BODY, isNumber, MAX_SHOWN, MAX_SUMMARY, type Body, type SourceText } from "./body.ts";
import { formatCode } from "./code-view.ts";
import { escapeHtml } from "#snapshots/highlight";
import { isRemark, type Lines, type TableDialect, tableDialect } from "#snapshots/blocks";
import { type Row, textIn } from "./lined.ts";
import { cutPassages, headingPath, shorten, TARGET_LENGTH, type Mark } from "./passages.ts";

/** Limits of the table on the page; of a cell in UTF-16 units. */
const MAX_ROWS = 500;
const MAX_COLUMNS = 100;
const MAX_CELL = 500;

/** A dialect with whether a field in quotes may hold delimiters and line breaks. IANA's tab-separated values have no quotes. */
type Dialect = TableDialect & { readonly quotes: boolean };
const FORGIVING = { bom: true, ltrim: true, relax_quotes: true, relax_column_count: true, skip_empty_lines: true } as const;

/** readCsv reads a table: rows with their header, shown as a table of the first ones. */
export function readCsv(source: SourceText, mediaType: string): Body {
  const { lines, text } = source;
  const isTabbed = mediaType.startsWith("text/tab");
  const dialect = { ...tableDialect(text, isTabbed), quotes: !isTabbed };
  const { starts, open } = findRecords(lines, dialect);
  const cut = starts.findIndex((line, index) => index > MAX_ROWS || lines.start(line) > MAX_SHOWN);
  const head = text.slice(lines.start(dialect.first), cut < 0 ? text.length : lines.start(starts[cut] ?? 1)).slice(0, MAX_SHOWN);
  const rows = parseRows(head, dialect);
  const notes = open ? ["A quoted field of this table is never closed."] : [];
  if (rows === null || rows.length === 0) {
    if (lines.count > 0) notes.push("This table does not parse; it is shown as text.");
    return { ...EMPTY_BODY, passages: cutPassages(lines, []), html: formatCode(source, null), notes };
  }
  const header = rows[0] ?? [];
  const columns = shorten(header.filter((name) => name !== "").join(", "), MAX_SUMMARY - 40);
  // Lines end at line feeds alone; a table whose lines end with carriage returns is one of them.
  const total = starts.length === 1 ? (text.trimEnd().match(/\r/g)?.length ?? 0) : starts.length - 1;
  return {
    title: dialect.title,
    summary: `${countOf(total, "row")}. Columns: ${columns}`,
    passages: cutPassages(lines, packRecords(lines, starts, headingPath([columns]))),
    html: formatTable(source.key, rows, starts, total),
    notes,
  };
}

/** findRecords finds the first lines of the records: a line break inside quotes ends none, and a quote opens a field only at its start. */
function findRecords(lines: Lines, dialect: Dialect): { starts: number[]; open: boolean } {
  const { delimiter, quotes, first } = dialect;
  const starts: number[] = [];
  let quoted = false;
  let opened = 0;
  let quote = quotes ? nextQuote(lines.text, lines.start(first)) : Number.POSITIVE_INFINITY;
  for (let line = first; line <= lines.count; line++) {
    if (!quoted && !lines.isBlank(line) && !isAside(lines, line, dialect)) starts.push(line);
    const before = quoted;
    const end = lines.end(line);
    if (quote < end) {
      quoted = isOpenAtEnd(lines.text.slice(lines.start(line), end), delimiter, quoted);
      quote = nextQuote(lines.text, end);
    }
    if (quoted && !before) opened = line;
    // No field of a real table is this long: the quote was a stray one, so its line stands alone.
    if (quoted && line - opened > MAX_ROWS) return { starts: everyLine(lines, starts, opened), open: true };
  }
  return { starts, open: quoted };
}

/** A remark between the rows of a table that has some above it. */
const isAside = (lines: Lines, line: number, { hasRemarks, delimiter, first }: Dialect): boolean =>
  hasRemarks && line > first && isRemark(lines.slice(line, line), delimiter);

/** @param open true when the line begins inside a quoted field @returns true when it ends inside one */
function isOpenAtEnd(line: string, delimiter: string, open: boolean): boolean {
  for (let at = 0; ; ) {
    while (!open && line[at] === " ") at++;
    if (open || line[at] === '"') {
      let close = line.indexOf('"', open ? at : at + 1);
      while (close !== -1 && line[close + 1] === '"') close = line.indexOf('"', close + 2);
      if (close === -1) return true;
      open = false;
      at = close + 1;
    }
    const next = line.indexOf(delimiter, at);
    if (next === -1) return false;
    at = next + 1;
  }
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

function parseRows(text: string, { delimiter, quotes, hasRemarks }: Dialect): string[][] | null {
  const isRow = (row: readonly string[], at: number): boolean => at === 0 || row.length > 1 || !isRemark(row[0] ?? "", delimiter);
  try {
    const all = parse(text, { ...FORGIVING, delimiter, quote: quotes ? '"' : false, to: MAX_ROWS + 1 });
    const rows = hasRemarks ? all.filter(isRow) : all;
    // Some programs put fields in quotes all the same.
    return quotes ? rows : rows.map((row) => row.map((field) => field.replace(/^"(.*)"$/, (_, own: string) => own.replaceAll('""', '"'))));
  } catch {
    return null;
  }
}

/** recordsIn reads the rows of a table within another text, with the lines on which they end. */
export function recordsIn(
  rows: readonly Row[],
  delimiter: string,
): readonly { readonly cells: readonly string[]; readonly line: number }[] {
  const found: { cells: readonly string[]; line: number }[] = [];
  const add = (cells: readonly string[], { lines }: { readonly lines: number }): null => {
    found.push({ cells, line: rows[lines - 1]?.line ?? 0 });
    return null;
  };
  parse(textIn(rows), { ...FORGIVING, rtrim: true, delimiter, on_record: add });
  return found;
}

function formatTable(key: string, rows: readonly string[][], starts: readonly number[], total: number): string {
  const [header = [], ...body] = rows;
  const widest = Math.max(...rows.map((row) => row.length));
  const width = Math.min(MAX_COLUMNS, widest);
  const numeric = Array.from({ length: width }, (_, column) => {
    const cells = body.map((row) => row[column]?.trim() ?? "").filter((cell) => cell !== "");
    return cells.length > 0 && cells.every((cell) => /^[-+]?(?:\d[\d_ ]*)?(?:[.,]\d+)*(?:[eE][-+]?\d+)?%?$/.test(cell));
  });
  const sparks = numeric.map((is, column) => (is ? formatSpark(body.flatMap((row) => readNumber(row[column] ?? ""))) : ""));
  const cells = (row: readonly string[], tag: "td" | "th"): string => {
    let html = "";
    for (let column = 0; column < width; column++) {
      const text = escapeHtml(shorten(row[column] ?? "", MAX_CELL));
      const isHead = tag === "th" && text.trim() !== "";
      const name = [numeric[column] === true ? "right" : "", isNumber(row[column] ?? "") ? "number" : ""].join(" ").trim();
      const open = `${isHead ? `th scope="col"` : "td"}${name === "" ? "" : ` class="${name}"`}`;
      html += `<${open}>${text}${tag === "th" ? (sparks[column] ?? "") : ""}</${isHead ? "th" : "td"}>`;
    }
    return html;
  };
  const href = escapeHtml(relativeHref(pagePath.object(key), objectPath(key)));
  const cut = [
    ...(body.length < total ? [`the first ${body.length} are here`] : []),
    ...(width < widest ? [`the first ${width} of ${countOf(widest, "column")}`] : []),
  ];
  const caption = [countOf(total, "row"), ...cut].join(", ") + (cut.length === 0 ? "" : `; <a href="${href}">the whole file</a>`);
  let html = `<table class="data"><caption>${caption}</caption>\n<thead><tr>${cells(header, "th")}</tr></thead>\n<tbody>\n`;
  for (const [index, row] of body.entries()) {
    const line = starts[index + 1];
    html += `<tr${line === undefined ? "" : ` id="L${line}"`}>${cells(row, "td")}</tr>\n`;
  }
  return `${html}</tbody></table>`;
}

/** Bars of a spark, each of them five pixels wide. */
const BINS = 12;
const SPARK_HEIGHT = 16;

/** A number of which there is no doubt: a comma may be a point or nothing. */
function readNumber(cell: string): number[] {
  const text = cell.trim().replace(/%$/, "").replaceAll(/[_ ]/g, "");
  return text === "" ? [] : [Number(text)];
}

/** formatSpark draws how the numbers of a column are spread; "" where they are few, all the same, or none without doubt. */
function formatSpark(numbers: readonly number[]): string {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  if (numbers.length < BINS || !(most - least > 0 && Number.isFinite(most - least))) return "";
  const counts = Array.from({ length: BINS }, () => 0);
  for (const number of numbers) {
    const bin = Math.min(BINS - 1, Math.floor(((number - least) / (most - least)) * BINS));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const top = Math.max(...counts);
  const bars = counts.map((count, at) =>
    count === 0 ? "" : `M${at * 5} ${SPARK_HEIGHT}v-${Math.ceil((count / top) * SPARK_HEIGHT)}h4V${SPARK_HEIGHT}z`,
  );
  const size = `viewBox="0 0 ${BINS * 5} ${SPARK_HEIGHT}" width="${BINS * 5}" height="${SPARK_HEIGHT}"`;
  return `<br><svg class="bar" ${size} role="img" aria-label="from ${least} to ${most}"><title>from ${least} to ${most}</title><path d="${bars.join("")}"/></svg>`;
}
