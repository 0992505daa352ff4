/** Sizes for people. */

const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** Bytes in decimal units with three significant digits at most: `12 B`, `3.4 kB`, `120 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const text = unit === 0 || value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
  return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text} ${UNITS[unit]}`;
}
