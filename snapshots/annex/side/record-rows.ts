/** Records and objects a line each: NDJSON, and CSV for spreadsheets. */
import { canonicalJson } from "#snapshots/digest";
import { groupByCollection, recordStanding, type ViewData } from "#snapshots/format";
import { type CubRecord, SAID_FIELDS } from "#snapshots/schema";
import { rowsJson } from "#snapshots/query";

export type RowsOf = "catalog" | "cubs";
export type RowsRouteId = `${RowsOf}-${"ndjson" | "csv"}`;

const AT_ONCE = 200; // rows in a chunk
const RECORD_COLUMNS = [...SAID_FIELDS, "standing", "evidence_state", "statement_state"];
const OBJECT_COLUMNS = [
  "collection",
  "key",
  "title",
  "summary",
  "kind",
  "media_type",
  "size",
  "sha256",
  "uploaded",
  "authors",
  "date",
  "license",
  "swhid",
  "href",
];

/** Spreadsheets run a stranger's text that begins like a formula. Some leave out spaces and what cannot be seen before it, and take the
 *  wide forms of its signs for the others. */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

export type TableRow = Readonly<Record<string, unknown>>;

/** COLUMNS gives the columns of a table, in their order. */
export const COLUMNS: Readonly<Record<RowsOf, readonly string[]>> = { catalog: OBJECT_COLUMNS, cubs: RECORD_COLUMNS };

/** formatRows yields the text in chunks. Every object is one of `/api/catalog` with its collection's id, every record one of `/api/cubs.json`. */
export function* formatRows(id: RowsRouteId, data: ViewData): Generator<string> {
  const of = id.startsWith("cubs") ? "cubs" : "catalog";
  const isCsv = id.endsWith("csv");
  if (isCsv) yield `${COLUMNS[of].join(",")}\r\n`;
  if (isCsv) for (const rows of cellRows(of, data)) yield rows.map((row) => csvLine(row, COLUMNS[of])).join("");
  else for (const rows of wholeRows(of, data)) yield rows.map((row) => `${canonicalJson(row)}\n`).join("");
}

/** cellRows yields rows as a table has them, in chunks. */
export function* cellRows(of: RowsOf, data: ViewData): Generator<readonly TableRow[]> {
  for (const rows of wholeRows(of, data)) yield of === "cubs" ? rows.map((row) => inCells(row as CubRecord)) : rows;
}

function wholeRows(of: RowsOf, data: ViewData): Generator<readonly TableRow[]> {
  return of === "cubs" ? inChunks(data.cubs) : objectRows(data);
}

function* inChunks<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += AT_ONCE) yield list.slice(at, at + AT_ONCE);
}

function* objectRows({ library, objects }: ViewData): Generator<readonly TableRow[]> {
  for (const [at, members] of groupByCollection(library, objects).entries()) {
    const collection = library.collections[at]?.id ?? "";
    for (const some of inChunks(members)) yield (JSON.parse(rowsJson(library, some)) as TableRow[]).map((row) => ({ ...row, collection }));
  }
}

/** A cell has the words of a standing. */
function inCells(record: CubRecord): TableRow {
  return { ...record, standing: recordStanding(record).says };
}

/** RFC 4180. What is no text is JSON. */
function csvLine(row: TableRow, columns: readonly string[]): string {
  return `${columns.map((name) => csvValue(row[name])).join(",")}\r\n`;
}

function csvValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const harmless = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
