/** A block is what a person would copy from a text: a paragraph, an item, a command, an entry, with the place of its own bytes. Answers quote
 *  blocks, and what a search shows of a passage is made of them; this runs in browsers too. */
import type { Prose } from "#snapshots/schema";
import { ATTRIBUTES, plainIn, withoutTags } from "./plain.ts";

/** Form is the form of a block. `cells` are a head, a row that has none, or a value of a file of settings: shown, and quoted
 *  only where somebody asks for a cell. A `row` stands below the names of its
 *  columns, which are its last heading. */
export type Form = "prose" | "item" | "code" | "entry" | "cells" | "row";

/** Row is a row of a table, or a value of a file of settings: what its columns are called, and what stands in them, both as a reader sees them. A
 *  value has one column, and the names above it are headings. */
export type Row = { readonly columns: readonly string[]; readonly cells: readonly string[] };

export type Block = {
  /** Code units of the text: what is between is cited. */
  readonly start: number;
  readonly end: number;
  /** As a reader sees it, without marks: one line, and code in the lines that it has. */
  readonly plain: string;
  /** Share of it that are words of links, which are other documents' titles. */
  readonly linked: number;
  /** Titles of the headings that it stands under, outermost first. */
  readonly heading: readonly string[];
  readonly form: Form;
  readonly row?: Row;
  /** The words of a stretch of it. */
  plainOf(start: number, end: number): string;
};

/** A Heading divides a text. */
export type Heading = Pick<Block, "start" | "end"> & {
  /** 1 is the outermost; levels may be left out. Of HTML a line in bold has BOLD_LEVEL, what a list of definitions explains TERM_LEVEL. */
  readonly level: number;
  readonly title: string;
  /** Its id. */
  readonly anchor: string | null;
};
export const [BOLD_LEVEL, TERM_LEVEL, CAPTION_LEVEL] = [7, 8, 9];

/** ABOVE_LEVEL is the level of the headings above a part of a text: a heading in the part may be as high. */
export const ABOVE_LEVEL = 6;

export const MAX_BLOCK = 8_000; // code units; what is longer was written by no person, and is searched and never quoted

const TAGGED = String.raw`<a\s(?=(${ATTRIBUTES}))\1>[^]*?<\/a>|<img\s(?![^<>]*\balt="[^"]{60})(?=(${ATTRIBUTES}))\2>`;
const INLINE = String.raw`!?\[[^\]]+\]\([^()\s]*(?:\s+"[^"]*")?\)`;
const TARGET = String.raw`(?:\([^()\s]*(?:\s+"[^"]*")?\)|\[[^[\]]*\])`;
/** A picture of Markdown, which may be what a link shows, as badges are. */
const PICTURE = String.raw`!\[[^[\]]*\]${TARGET}|\[\s*(?:!\[[^[\]]*\]${TARGET}\s*)+\]${TARGET}`;
const LINK = new RegExp(`${INLINE}|${TAGGED}`, "gi");
const LINKS: Partial<Readonly<Record<Prose, RegExp>>> = {
  markdown: new RegExp(`${PICTURE}|${INLINE}|${TAGGED}`, "gi"),
  asciidoc: /\b(?:image|link|https?):[^\s[\]]{1,500}\[[^\]]*\]/g,
  org: /\[\[[^[\]]{1,500}\](?:\[[^[\]]{1,500}\])?\]/g,
};
const LEADING = new RegExp(
  String.raw`^(?:\s*(?:${PICTURE}|<img\s(?![^<>]*\balt="[^"]{60})(?=(${ATTRIBUTES}))\1>)(?:\{[^{}\n]*\})?)+\s*`,
  "i",
);

/** picturesBefore gives how many code units of pictures and badges stand before the first words. */
export function picturesBefore(text: string, start: number, end: number): number {
  return LEADING.exec(text.slice(start, end))?.[0].length ?? 0;
}

export function makeBlock(
  text: string,
  start: number,
  end: number,
  prose: Prose,
  { heading, form, row }: Pick<Block, "heading" | "form"> & { readonly row?: Row | undefined },
): Block {
  const written = text.slice(start, end);
  // A text that is too long to be quoted keeps its marks, since nobody reads it: to look for them could take the square of its length.
  const isLong = written.length > MAX_BLOCK && prose !== "html";
  const code = (): string =>
    linesOfCode(prose === "html" ? withoutTags(written) : isQuoted(text, start) ? written.replaceAll(QUOTES, "") : written);
  const plain = form === "code" ? code() : isLong ? written : plainIn(written, prose);
  const links = written.length > MAX_BLOCK ? [] : (written.match(LINKS[prose] ?? LINK) ?? []);
  const linked = links.reduce((sum, link) => sum + plainIn(link, prose).length, 0) / Math.max(1, plain.length);
  const plainOf = (from: number, to: number): string => plainIn(text.slice(from, to), prose);
  return { start, end, plain, linked, heading, form, ...(row === undefined ? {} : { row }), plainOf };
}

const QUOTES = /^[ \t]*(?:>[ \t]?)+/gm;

/** Tells whether code stands in a quotation: the line of its fence does. */
function isQuoted(text: string, start: number): boolean {
  return /(?:^|\n)[ \t]*>[^\n]*\n[ \t]*$/.test(text.slice(Math.max(0, start - 200), start));
}

/** linesOfCode keeps what a drawing or a program is made of: its lines, and how far they stand in beside each other. Blank ones go. */
function linesOfCode(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const margin = Math.min(...lines.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(margin).trimEnd()).join("\n");
}
