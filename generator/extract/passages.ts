/** Cutting a text into passages. A reader of one type (Markdown, Coq, …) marks where a stretch begins; it reaches to the next mark,
 *  so stretches neither overlap nor leave a line out, whatever the reader got wrong. This file trims blank lines, joins what is
 *  too short to stand alone and splits what is too long. */
import { MAX_PASSAGE, type Passage } from "#snapshots/schema";
import { isEncoded } from "#snapshots/words";
import type { Lines } from "#snapshots/blocks";

/** TARGET_LENGTH is the length up to which passages are joined and packed, in UTF-16 units, so that a result shows one thought. */
export const TARGET_LENGTH = 1200;
/** MAX_LENGTH is the length that a declaration or a paragraph may have in one passage, in UTF-16 units; no passage is longer. */
export const MAX_LENGTH = MAX_PASSAGE;
/** MIN_LENGTH is the length below which a rest is joined to its neighbour rather than left alone, in UTF-16 units. */
export const MIN_LENGTH = 300;

/** Marks used of one object; what follows the last is packed as plain text. No file that a person wrote has as many. */
const MAX_MARKS = 50_000;

export type Mark = {
  /** First line of the stretch, 1-based. */
  readonly line: number;
  readonly heading: readonly string[];
  readonly name: string | null;
  /** A stretch that says nothing alone (a title without text, the first line of a block): it opens the next one. */
  readonly opens?: boolean;
  /** A rest after a declaration (`End X.`, `}`, a hint): it joins that declaration when it is only a line or two. */
  readonly tail?: boolean;
};

/** cutPassages cuts a text into passages: exact lines, in order, not overlapping; every line that is not blank is in one.
 *  @param marks ascending by line; of several on one line the last counts */
export function cutPassages(lines: Lines, marks: readonly Mark[]): Passage[] {
  const passages: Passage[] = [];
  const last = marks[MAX_MARKS];
  const used = last === undefined ? marks : [...marks.slice(0, MAX_MARKS), { line: last.line, heading: [], name: null }];
  const stretches = joinOpenings(lines, used);
  for (const [index, mark] of stretches.entries()) {
    const to = (stretches[index + 1]?.line ?? lines.count + 1) - 1;
    cutStretch(lines, mark, mark.line, to, passages);
  }
  return passages;
}

/** shorten makes a title for display and search: white space folded, at most `limit` UTF-16 units. */
export function shorten(text: string, limit: number): string {
  const folded = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  if (folded.length <= limit) return folded;
  const cut = folded.slice(0, limit - 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > limit / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, "")).trimEnd()}…`;
}

const TAIL_LENGTH = 120; // UTF-16 units of a rest that joins the declaration before it
const HEADING_LENGTH = 200; // UTF-16 units
const HEADING_DEPTH = 8;

/** headingPath makes a heading path that fits into an index row, whatever the document says. */
export function headingPath(titles: readonly string[]): readonly string[] {
  return titles
    .slice(0, HEADING_DEPTH)
    .map((title) => shorten(title, HEADING_LENGTH))
    .filter((title) => title !== "");
}

function joinOpenings(lines: Lines, marks: readonly Mark[]): Mark[] {
  const stretches: Mark[] = [];
  let opening: number | null = null;
  // A few lines before the first mark (a licence line, front matter) say nothing alone.
  const preface = lines.start(marks[0]?.line ?? 1) <= TAIL_LENGTH * 2;
  const all: readonly Mark[] = [{ line: 1, heading: [], name: null, opens: preface }, ...marks];
  for (const [index, mark] of all.entries()) {
    const next = marks[index]?.line ?? lines.count + 1;
    if (next <= mark.line || mark.line > lines.count) continue;
    const from: number = opening ?? mark.line;
    const before = stretches.at(-1);
    if (
      mark.tail === true &&
      before !== undefined &&
      opening === null &&
      lines.end(next - 1) - lines.start(from) <= TAIL_LENGTH &&
      lines.end(next - 1) - lines.start(before.line) <= MAX_LENGTH
    ) {
      continue;
    }
    const joinable = mark.opens === true && next <= lines.count && lines.end(next) - lines.start(from) < TARGET_LENGTH;
    if (joinable) {
      opening = from;
      continue;
    }
    stretches.push({ ...mark, line: from });
    opening = null;
  }
  return stretches;
}

function cutStretch(lines: Lines, mark: Mark, first: number, last: number, passages: Passage[]): void {
  let from = first;
  let to = last;
  while (from <= to && lines.isBlank(from)) from++;
  while (to >= from && lines.isBlank(to)) to--;
  if (from > to) return;
  const length = lines.end(to) - lines.start(from);
  // A declaration stays whole as long as it may; prose is packed from its paragraphs.
  if (length <= (mark.name === null ? TARGET_LENGTH : MAX_LENGTH)) {
    passages.push(passage(mark, from, to, lines.slice(from, to)));
    return;
  }
  const packed: Packed = { from: 0, to: 0 };
  const flush = (): void => {
    if (packed.from > 0) passages.push(passage(mark, packed.from, packed.to, lines.slice(packed.from, packed.to)));
    packed.from = 0;
  };
  for (let line = from; line <= to; ) {
    let end = line;
    while (end < to && !lines.isBlank(end + 1)) end++;
    packBlock(lines, mark, line, end, packed, flush, passages);
    line = end + 1;
    while (line <= to && lines.isBlank(line)) line++;
  }
  flush();
}

type Packed = { from: number; to: number };

function packBlock(lines: Lines, mark: Mark, from: number, to: number, packed: Packed, flush: () => void, passages: Passage[]): void {
  const joined = packed.from > 0 ? lines.end(to) - lines.start(packed.from) : 0;
  const before = packed.from > 0 ? lines.end(packed.to) - lines.start(packed.from) : 0;
  const block = lines.end(to) - lines.start(from);
  const short = before < MIN_LENGTH || block < MIN_LENGTH;
  if (packed.from > 0 && joined <= (short ? (TARGET_LENGTH + MAX_LENGTH) / 2 : TARGET_LENGTH)) {
    packed.to = to;
    return;
  }
  flush();
  if (block <= MAX_LENGTH) {
    packed.from = from;
    packed.to = to;
    return;
  }
  for (let line = from; line <= to; line++) {
    if (lines.end(line) - lines.start(line) > MAX_LENGTH) {
      flush();
      sliceLine(lines, mark, line, passages);
    } else if (packed.from > 0 && lines.end(line) - lines.start(packed.from) <= TARGET_LENGTH) {
      packed.to = line;
    } else {
      flush();
      packed.from = line;
      packed.to = line;
    }
  }
}

/** A line longer than any passage: cut after white space, never inside a character. */
function sliceLine(lines: Lines, mark: Mark, line: number, passages: Passage[]): void {
  const end = lines.end(line);
  for (let at = lines.start(line); at < end; ) {
    let to = Math.min(end, at + TARGET_LENGTH);
    if (to < end) {
      // Within the slice only: looking back over all of the line would take the square of its length.
      const space = lines.text.slice(at + MIN_LENGTH, to).lastIndexOf(" ");
      if (space >= 0) to = at + MIN_LENGTH + space + 1;
      else if ((lines.text.charCodeAt(to) & 0xfc00) === 0xdc00) to++;
    }
    const text = lines.text.slice(at, to);
    if (text.trim() !== "" && !isEncoded(text)) passages.push(passage(mark, line, line, text));
    at = to;
  }
}

function passage(mark: Mark, from: number, to: number, text: string): Passage {
  return { heading: mark.heading, name: mark.name, page: null, start_line: from, end_line: to, text };
}
