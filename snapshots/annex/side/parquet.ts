/** Records and objects as Parquet, for programs that read columns: the rows of the CSV, with types that no library's data changes. */
import type { BasicType, ColumnSource } from "hyparquet-writer";
import type { ViewData } from "#snapshots/format";
import { cellRows, COLUMNS, type RowsOf } from "./record-rows.ts";

/** Columns that are no text. */
const TYPES: Readonly<Record<string, BasicType>> = {
  size: "INT64",
  active: "BOOLEAN",
  deployable: "BOOLEAN",
  no_holes: "BOOLEAN",
  proof_kernels_execute_at_request_time: "BOOLEAN",
};

/** formatParquet writes one table. The library that writes is loaded by the first who asks. */
export async function formatParquet(of: RowsOf, data: ViewData): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const columns = COLUMNS[of].map((name) => ({ name, type: TYPES[name] ?? "STRING", data: [] as unknown[] }));
  for (const rows of cellRows(of, data))
    for (const row of rows) for (const { name, type, data: values } of columns) values.push(valueOf(row[name], type));
  return new Uint8Array(parquetWriteBuffer({ columnData: columns as ColumnSource[], createdBy: "proofshelf" }));
}

/** A list or an object is JSON, as it is in the CSV: readers differ in what they make of nested columns. */
function valueOf(value: unknown, type: BasicType): unknown {
  if (value === undefined || value === null) return null;
  if (type === "INT64") return BigInt(value as number);
  return type === "BOOLEAN" || typeof value === "string" ? value : JSON.stringify(value);
}
