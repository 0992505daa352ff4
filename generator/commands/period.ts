import { ShelfError } from "#snapshots/errors";

const UNITS: Readonly<Record<string, number>> = { "": 3_600_000, h: 3_600_000, m: 60_000, s: 1_000, d: 86_400_000 };
const LONGEST_MS = 7 * 86_400_000;

/** parsePeriod reads "6", "6h", "30m", "15s" or "1d".
 *  @returns milliseconds
 *  @throws ShelfError "bad_config" */
export function parsePeriod(text: string): number {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([hmsd]?)$/.exec(text) ?? [];
  const period = Number(number ?? "0") * (UNITS[unit] ?? 0);
  if (!(period > 0 && period <= LONGEST_MS))
    throw new ShelfError("bad_config", "--every takes hours, as in 6, or 6h, 30m, 15s, 1d; more than none and at most 7d.");
  return period;
}
