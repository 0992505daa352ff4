/** A table of works as CSV: a row each, columns by their names. */
import { parse } from "csv-parse/sync";
import type { ImportEntry } from "./entry.ts";

const KNOWN = ["id", "title", "authors", "date", "license", "abstract", "doi", "url", "venue"] as const;

/** readTable reads entries from a CSV table. @throws Error for what is no CSV, and for a column that is not known */
export function readTable(text: string): readonly ImportEntry[] {
  const rows = parse(text, { columns: true, bom: true, skip_empty_lines: true, trim: true, max_record_size: 1024 * 1024 }) as Record<
    string,
    string
  >[];
  const columns = Object.keys(rows[0] ?? {});
  const unknown = columns.filter((name) => !(KNOWN as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`the column ${unknown[0]} is not known; columns are ${KNOWN.join(", ")}`);
  if (rows.length > 0 && !columns.includes("title")) throw new Error("there is no column title");
  return rows.map((row, at) => {
    const cell = (name: (typeof KNOWN)[number]): string => (row[name] ?? "").toWellFormed();
    return {
      id: cell("id") || cell("title") || `row-${at + 2}`,
      title: cell("title") || cell("id") || `Row ${at + 2}`,
      authors: cell("authors")
        .split(";")
        .map((name) => name.trim())
        .filter(Boolean),
      date: /^\d{4}(?:-\d\d){0,2}$/.test(cell("date")) ? cell("date") : null,
      license: cell("license") || null,
      abstract: cell("abstract"),
      doi: cell("doi") || null,
      url: cell("url") || null,
      venue: cell("venue") || null,
      files: [],
    };
  });
}
