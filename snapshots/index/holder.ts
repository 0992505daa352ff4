/** Which readers hold their rows in memory: one budget for the process, those used last have it. The others ask the engine, with the
 *  same answers. */
import type { ResidentRows } from "./resident.ts";

const MAX_BYTES = 384 * 1024 * 1024; // of all held rows together
const USES_TO_RETURN = 50; // after which a reader that lost its rows to others gets them back

export type Holder = {
  /** null while they are not held; then they may be from some later use on. */
  rows(): ResidentRows | null;
  /** Gives the memory back until the rows are used again. */
  release(): void;
  /** Returns when nothing is being read for it any more: until then the engine refuses to close what is read from. */
  close(): Promise<void>;
};

type Entry = { rows: ResidentRows | null };

const holding = new Set<Entry>(); // the one used last at the end

/** @param load reads the rows unless they take more than so many bytes */
export function openHolder(load: (room: number) => Promise<ResidentRows | null>): Holder {
  const entry: Entry = { rows: null };
  let wait = 0;
  let closed = false;
  let loading: Promise<void> = Promise.resolve();
  const hold = (rows: ResidentRows | null): void => {
    if (rows === null || closed) return;
    entry.rows = rows;
    holding.add(entry);
    wait = USES_TO_RETURN;
    let bytes = [...holding].reduce((sum, { rows: held }) => sum + (held?.bytes ?? 0), 0);
    for (const other of holding) {
      if (bytes <= MAX_BYTES) break;
      bytes -= other.rows?.bytes ?? 0;
      other.rows = null;
      holding.delete(other);
    }
  };
  const release = (): void => {
    entry.rows = null;
    holding.delete(entry);
  };
  return {
    release,
    rows() {
      if (entry.rows !== null) {
        holding.delete(entry);
        holding.add(entry);
      } else if (--wait < 0) {
        // One that cannot be read, or is too large, is not tried again.
        wait = Number.POSITIVE_INFINITY;
        loading = load(MAX_BYTES).then(hold, () => undefined);
      }
      return entry.rows;
    },
    close() {
      closed = true;
      release();
      return loading;
    },
  };
}
