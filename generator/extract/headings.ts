/** Marks of a document that is divided by headings. */
import { headingsOf, type Lines } from "#snapshots/blocks";
import type { Kind } from "#snapshots/schema";
import { headingPath, type Mark } from "./passages.ts";

export type OpenHeading = { readonly level: number; readonly title: string };

type HeadingList = {
  /** A heading on the lines `first` to `last`. @param level 1 is the outermost; levels may be left out */
  add(first: number, last: number, level: number, title: string): void;
  readonly marks: Mark[];
};

/** openHeadings begins a list of headings. A heading with nothing but a deeper heading below it opens that one's passage.
 *  @param path of headings that are open above the lines; it is kept up to date */
export function openHeadings(lines: Lines, path: OpenHeading[] = []): HeadingList {
  const marks: Mark[] = [];
  let end = 0;
  return {
    marks,
    add(first, last, level, title) {
      const before = marks.at(-1);
      if (before !== undefined && level > (path.at(-1)?.level ?? 0) && allBlank(lines, end + 1, first - 1)) {
        marks[marks.length - 1] = { ...before, opens: true };
      }
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      path.push({ level, title });
      end = last;
      marks.push({ line: first, heading: headingPath(path.map((part) => part.title)), name: null });
    },
  };
}

function allBlank(lines: Lines, from: number, to: number): boolean {
  for (let line = from; line <= to; line++) if (!lines.isBlank(line)) return false;
  return true;
}

/** addHeadings adds the headings that divide the text, as its blocks are read.
 *  @returns the first title, and the line that it stands on */
export function addHeadings(lines: Lines, kind: Kind, list: HeadingList): { readonly title: string; readonly line: number } | null {
  const all = headingsOf(lines.text, kind).map((one) => ({ ...one, line: lines.lineAt(one.start) }));
  for (const { line, end, level, title } of all) list.add(line, lines.lineAt(end), level, title);
  return all.find(({ title }) => title !== "") ?? null;
}
