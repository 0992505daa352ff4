/** Strings as a column for the engine. */
import type { Utf8, Vector } from "apache-arrow";
import type { Engine } from "./engine.ts";

const MAX_BYTES_PER_UNIT = 3; // UTF-8 bytes of one UTF-16 code unit

/** textColumn makes a column of texts. @param values null where there is none */
export function textColumn(arrow: Engine["arrow"], values: readonly (string | null)[]): Vector<Utf8> {
  let units = 0;
  for (const value of values) units += value?.length ?? 0;
  const room = Buffer.allocUnsafeSlow(units * MAX_BYTES_PER_UNIT);
  const offsets = new Int32Array(values.length + 1);
  const present = new Uint8Array(Math.ceil(values.length / 8));
  let at = 0;
  let missing = 0;
  for (const [n, value] of values.entries()) {
    if (value === null) missing++;
    else present[n >> 3] = (present[n >> 3] ?? 0) | (1 << (n & 7));
    if (value) at += room.write(value, at, "utf8");
    offsets[n + 1] = at;
  }
  return arrow.makeVector(
    arrow.makeData({
      type: new arrow.Utf8(),
      length: values.length,
      nullCount: missing,
      nullBitmap: present,
      valueOffsets: offsets,
      data: room.subarray(0, at),
    }),
  );
}
