/** Collecting the marks of a source file in which declarations have a first and a last line. Offsets must not go back. */
import type { Lines } from "./lines.ts";
import { headingPath, type Mark } from "./passages.ts";

const MAX_NAME = 200; // UTF-16 units; a longer one is no name

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
      const path = headingPath(heading);
      const line = lines.lineAt(from);
      const last = lines.lineAt(to);
      if (line > busy) {
        marks.push({ line, heading: path, name: name === null || name.length > MAX_NAME ? null : name });
      } else if (marks.at(-1)?.line === busy + 1) {
        marks.pop();
      }
      busy = Math.max(busy, last);
      marks.push({ line: busy + 1, heading: path, name: null, tail: true });
    },
    free(from, heading, role) {
      const line = Math.max(lines.lineAt(from), busy + 1);
      marks.push({ line, heading: headingPath(heading), name: null, ...(role === undefined ? {} : { [role]: true }) });
    },
  };
}
