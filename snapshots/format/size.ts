/** Sizes and counts for people. */

const UNITS = ["kB", "MB", "GB", "TB"] as const;

/** formatBytes writes bytes in decimal units: `0 B`, `812 B`, `4.2 kB`, `17.3 MB`, `120 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes;
  let unit = -1;
  do {
    value /= 1000;
    unit++;
  } while (value >= 999.5 && unit < UNITS.length - 1);
  return `${value < 99.95 ? value.toFixed(1) : value.toFixed(0)} ${UNITS[unit] ?? "TB"}`;
}

/** countOf writes a count with its noun: `1 file`, `3 files`, `1 entry is`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
