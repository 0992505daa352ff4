/** Columns of the engine as the bytes that they are. */
import type { Data, RecordBatch } from "apache-arrow";

/** Strings are the strings of one column of one batch, UTF-8 one behind the other; string `row` ends where the next begins. */
export type Strings = { readonly bytes: Buffer; readonly offsets: Int32Array };

export function stringsOf(batch: RecordBatch, name: string): Strings {
  const { values, valueOffsets } = dataOf(batch, name);
  const bytes = values as Uint8Array;
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), offsets: valueOffsets };
}

export function numbersOf(batch: RecordBatch, name: string): Int32Array | Float64Array {
  return dataOf(batch, name).values as Int32Array | Float64Array;
}

export function refsOf(batch: RecordBatch): BigUint64Array {
  return dataOf(batch, "_rowid").values as BigUint64Array;
}

export function textAt({ bytes, offsets }: Strings, row: number): string {
  return bytes.toString("utf8", offsets[row], offsets[row + 1]);
}

function dataOf(batch: RecordBatch, name: string): Data {
  const data = batch.getChild(name)?.data[0];
  if (data === undefined) throw new Error(`The index gave no column ${name}.`);
  return data;
}
