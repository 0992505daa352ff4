/** The text of an object in lines, as much as a budget allows. */
import { ShelfError } from "#snapshots/errors";
import type { BlobEntry } from "#snapshots/format";
import type { Snapshot } from "#snapshots/shelf";
import { cutText, countOf } from "#snapshots/format";

const MAX_READ = 32 * 1024 * 1024; // bytes; larger objects are not read whole for a few lines

export type TextSource = {
  /** "bytes": the object's own lines, quotable. "extract": text that was extracted from it (PDF, and the like). "none": no text. */
  readonly from: "bytes" | "extract" | "none";
  readonly lines: readonly string[];
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** readText reads the lines of an object. @throws ShelfError "snapshot_damaged" */
export async function readText(snapshot: Snapshot, key: string, entry: BlobEntry): Promise<TextSource> {
  if (entry.size <= MAX_READ) {
    const bytes = await snapshot.read(entry);
    if (!bytes.includes(0)) {
      try {
        return { from: "bytes", lines: utf8.decode(bytes).split("\n") };
      } catch {
        // Not UTF-8: there may be an extract.
      }
    }
  }
  const extract = await snapshot.extract(key);
  if (extract === null || extract.passages.length === 0) return { from: "none", lines: [] };
  const lines: string[] = [];
  let page: number | null = null;
  for (const passage of extract.passages) {
    if (passage.page !== null && passage.page !== page) lines.push(`[page ${passage.page}]`);
    page = passage.page;
    lines.push(...passage.text.split("\n"));
  }
  return { from: "extract", lines };
}

export type ReadLines = {
  readonly start: number;
  /** Inclusive; 0 when there is no line. */
  readonly end: number;
  readonly text: string;
  /** First line that did not fit, or null. */
  readonly next: number | null;
  /** True when the last line shown is only its beginning. */
  readonly cut: boolean;
};

/** takeLines returns the lines `start` to `end` (null: to the last) as far as their JSON text fits.
 *  @throws ShelfError "bad_parameter" for a start behind the last line or an end before the start */
export function takeLines(lines: readonly string[], start: number, end: number | null, budget: number): ReadLines {
  if (start > lines.length) {
    throw new ShelfError("bad_parameter", `The object has ${countOf(lines.length, "line")}.`, {
      errors: [{ pointer: "start_line", detail: `1 to ${lines.length}` }],
    });
  }
  if (end !== null && end < start) {
    throw new ShelfError("bad_parameter", "end_line is before start_line.", {
      errors: [{ pointer: "end_line", detail: `${start} or more` }],
    });
  }
  const last = Math.min(end ?? lines.length, lines.length);
  const taken: string[] = [];
  let size = 2;
  for (let at = start; at <= last; at++) {
    const line = lines[at - 1] ?? "";
    const bytes = Buffer.byteLength(JSON.stringify(line)) - 2 + (taken.length === 0 ? 0 : 2);
    if (size + bytes > budget) {
      if (taken.length > 0) return { start, end: at - 1, text: taken.join("\n"), next: at, cut: false };
      return { start, end: at, text: cutToBytes(line, budget - 2), next: at < last ? at + 1 : null, cut: true };
    }
    size += bytes;
    taken.push(line);
  }
  return { start, end: last, text: taken.join("\n"), next: null, cut: false };
}

/** The longest beginning whose JSON text has at most `budget` bytes. */
function cutToBytes(line: string, budget: number): string {
  let low = 0;
  let high = Math.min(line.length, budget);
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (Buffer.byteLength(JSON.stringify(cutText(line, middle))) - 2 <= budget) low = middle;
    else high = middle - 1;
  }
  return cutText(line, low);
}
