/** Marks of source files: one by itself, and lists of them for files in which declarations have a first and a last line. */
import type { Lines } from "#snapshots/blocks";
import { headingPath, type Mark } from "./passages.ts";

const MAX_NAME = 200; // UTF-16 units; a longer one is no name

/** markAt makes a mark that fits into an index row, whatever the file says. */
export function markAt(line: number, heading: readonly string[], name: string | null, role?: "opens" | "tail"): Mark {
  return {
    line,
    heading: headingPath(heading),
    name: name === null || name.length > MAX_NAME ? null : name,
    ...(role === undefined ? {} : { [role]: true }),
  };
}

/** MarkList collects marks. Offsets must not go back. */
export type MarkList = {
  /** A declaration between two offsets of its own characters. What follows it is unnamed until the next call. One that begins
   *  on the last line of the one before joins it. */
  declare(from: number, to: number, name: string | null, heading: readonly string[]): void;
  /** Unnamed text from the line of `from` on; `opens` when it belongs to what follows, `tail` to what came before. */
  free(from: number, heading: readonly string[], role?: "opens" | "tail"): void;
  readonly marks: Mark[];
};

export function openMarks(lines: Lines): MarkList {
  const marks: Mark[] = [];
  let busy = 0;
  return {
    marks,
    declare(from, to, name, heading) {
      const line = lines.lineAt(from);
      const last = lines.lineAt(to);
      if (line > busy) marks.push(markAt(line, heading, name));
      else if (marks.at(-1)?.line === busy + 1) marks.pop();
      busy = Math.max(busy, last);
      marks.push(markAt(busy + 1, heading, null, "tail"));
    },
    free(from, heading, role) {
      marks.push(markAt(Math.max(lines.lineAt(from), busy + 1), heading, null, role));
    },
  };
}
