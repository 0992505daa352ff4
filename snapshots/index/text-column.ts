/** Strings as a column for the engine. */
import type { Utf8, Vector } from "apache-arrow";
import type { Engine } from "./engine.ts";

const MAX_BYTES_PER_UNIT = 3; // UTF-8 bytes of one UTF-16 code unit

export function textColumn(arrow: Engine["arrow"], values: readonly string[]): Vector<Utf8> {
  let units = 0;
  for (const value of values) units += value.length;
  const room = Buffer.allocUnsafeSlow(units * MAX_BYTES_PER_UNIT);
  const offsets = new Int32Array(values.length + 1);
  let at = 0;
  for (let n = 0; n < values.length; n++) {
    const value = values[n] ?? "";
    if (value !== "") at += room.write(value, at, "utf8");
    offsets[n + 1] = at;
  }
  return arrow.makeVector(
    arrow.makeData({ type: new arrow.Utf8(), length: values.length, nullCount: 0, valueOffsets: offsets, data: room.subarray(0, at) }),
  );
}
