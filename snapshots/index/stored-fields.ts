/** The fields that a passage is shown with, stored as one text: a search reads it for each result, and a column more costs it more than
 *  the bytes in it. Names of fields would stand in every row, so the values stand alone, in a fixed order. */
import { type Strings, textAt } from "./columns.ts";
import { documentId, type IndexRow } from "./row.ts";

const FIELDS = [
  "kind",
  "key",
  "collection",
  "title",
  "sha256",
  "n",
  "heading",
  "name",
  "page",
  "start_line",
  "end_line",
  "text",
] as const satisfies readonly (keyof IndexRow)[];

export function formatStoredFields(row: IndexRow): string {
  return JSON.stringify(FIELDS.map((field) => row[field]));
}

export function storedFieldsAt(column: Strings, at: number): IndexRow {
  const values = JSON.parse(textAt(column, at)) as unknown[];
  const row = Object.fromEntries(FIELDS.map((field, n) => [field, values[n]])) as Omit<IndexRow, "doc">;
  return { doc: documentId(row.kind === "record" || row.kind === "claim" ? row.kind : "object", row.key), ...row };
}
