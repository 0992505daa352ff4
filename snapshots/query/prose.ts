/** The sentences of a text, as they are read and as they stand: no titles, headings, front matter, fences or code, each with the place of
 *  its own bytes, so that what is shown is plain and what is cited is true. What an entry of a glossary or a row of a table says of its
 *  term is a sentence about that term. */
import { type Kind, KINDS, type Prose } from "../schema/kinds.ts";
import { plainOf } from "./plain.ts";

export type Sentence = {
  /** Code units of the text: what is between is cited. */
  readonly start: number;
  readonly end: number;
  /** As a reader sees it: one line, without marks. */
  readonly plain: string;
  /** The same without the words of links, which are other documents' titles. */
  readonly own: string;
  /** Sentences of one paragraph, list item or comment have one number, and stand beside each other. */
  readonly block: number;
  /** The heading that it stands under, where the text shows one; else "". */
  readonly heading: string;
  /** What an entry explains, and says nothing of anything else; "" of a sentence. */
  readonly term: string;
};

const MAX_TEXT = 64 * 1024; // code units that are read
const MAX_SENTENCE = 2000; // code units; what is longer was written by no person
const MAX_HEADING = 300;
const MAX_ABBREVIATION = 40; // code units before a full stop that tell what it ends
const MIN_WORDS = 4; // of a sentence
const MIN_SAID = 3; // words that an entry says of its term
const SUMMARY = /^[\w.+-]+ [-\u2013\u2014]{1,2} \p{L}/u; // "ls - list directory contents", as a manual page begins
const MIN_OPEN_WORDS = 7; // of a block that does not end like a sentence: shorter ones are labels
const MAX_PRINTED = 160; // characters of a line that a page has room for
const SHORT_LINE = 0.6; // of the width of a page: a heading's line ends before it

const COMMENT = /(?<!\\)%.*$/gm; // of LaTeX, at the end of a line

type Line = { readonly start: number; readonly text: string };
type Entry = { readonly term: string; readonly said: string; readonly from: number; readonly to: number };
/** What a line is: where its own words begin, or a heading, or an entry with its place in the line, or nothing that is read. */
type Read = { readonly from: number; readonly opens: boolean } | { readonly heading: string } | Entry | null;
type Reader = (line: Line, at: number, lines: readonly Line[]) => Read;

export function sentencesOf(text: string, kind: Kind): readonly Sentence[] {
  const { prose } = KINDS[kind];
  if (prose === null) return [];
  const start = text.slice(0, MAX_TEXT);
  const shown = kind === "latex" ? start.replaceAll(COMMENT, (comment) => " ".repeat(comment.length)) : start;
  const lines = linesOf(shown);
  const read = READERS[prose]();
  const sentences: Sentence[] = [];
  let heading = "";
  let block: { start: number; end: number } | null = null;
  let count = 0;
  const close = (): void => {
    if (block !== null) sentences.push(...cut(shown, block.start, block.end, count++, heading));
    block = null;
  };
  for (const [at, line] of lines.entries()) {
    const found = read(line, at, lines);
    if (found === null || "heading" in found || "term" in found) {
      close();
      if (found !== null && "heading" in found) heading = found.heading;
      if (found !== null && "term" in found) sentences.push(sentenceOf(found, line, count++, heading));
      continue;
    }
    if (found.opens) close();
    const end = line.start + line.text.trimEnd().length;
    if (block === null) block = { start: line.start + found.from, end };
    else block.end = end;
  }
  close();
  return sentences;
}

function sentenceOf({ term, said, from, to }: Entry, { start }: Line, block: number, heading: string): Sentence {
  const plain = `${term}: ${said}`;
  return { start: start + from, end: start + to, plain, own: plain, block, heading, term };
}

function linesOf(text: string): readonly Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const found = { start, text: line };
    start += line.length + 1;
    return found;
  });
}

const isBlank = (text: string): boolean => text.trim() === "";
const indent = (text: string): number => text.length - text.trimStart().length;

/** Whether a line can go on in the next one: what follows a blank line, a table or a comment begins anew. */
const isPart = (line: string): boolean => !isBlank(line) && !/^\s*(?:\||<|`{3}|~{3})/.test(line);

function readMarkdown(): Reader {
  let fence: string | null = null;
  let front = false;
  let inList = false;
  return ({ text }, at, lines) => {
    const mark = /^[ \t>]*(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null;
      return null;
    }
    if (mark !== undefined) {
      fence = mark;
      return null;
    }
    if (at === 0 && /^---\s*$/.test(text) && lines.slice(1, 60).some((line) => /^(?:---|\.\.\.)\s*$/.test(line.text))) front = true;
    else if (front && /^(?:---|\.\.\.)\s*$/.test(text)) {
      front = false;
      return null;
    }
    if (front) return null;
    if (isBlank(text)) return null;
    const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(text)?.[1];
    if (heading !== undefined) return { heading: plainOf(heading.slice(0, MAX_HEADING)) };
    // The line under a heading, and the heading above it; the sign that an item of AsciiDoc goes on.
    if (/^ {0,3}(?:=+|-{2,}|\+)\s*$/.test(text)) return null;
    if (/^ {0,3}(?:=+|-{2,})\s*$/.test(lines[at + 1]?.text ?? "") && !/^\s*(?:[-*+]|\d+[.)])\s/.test(text))
      return { heading: plainOf(text.slice(0, MAX_HEADING)) };
    if (/^(?:\S|$)/.test(text) && !/^\s*(?:[-*+]|\d{1,4}[.)])\s/.test(text) && !isPart(lines[at - 1]?.text ?? "")) inList = false;
    if (/^\s*\|/.test(text)) return /^[\s|:-]*-[\s|:-]*$/.test(lines[at + 1]?.text ?? "") ? null : readRow(text);
    if (/^\s*(?:<!--|<\/?[a-z][^>]*>\s*$|\[[^\]]+\]:\s|\$\$|\\\[)/i.test(text)) return null;
    const item = /^[\s>]*(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?/.exec(text);
    if (item !== null) {
      inList = true;
      return { from: item[0].length, opens: true };
    }
    if (/^(?: {4}|\t)/.test(text) && !inList) return null;
    return { from: /^[\s>]*/.exec(text)?.[0].length ?? 0, opens: false };
  };
}

/** The first cell of a row, and those after it that say something of it in words. */
function readRow(text: string): Entry | null {
  const cells = [...text.matchAll(/(?<=\|)[^|]+(?=\|)/g)];
  const [first, last] = [cells[0], cells.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  const term = plainOf(first[0]);
  const said = cells.slice(1).map(([cell]) => plainOf(cell));
  if (term === "" || !said.some((cell) => cell.split(" ").length >= MIN_SAID)) return null;
  const from = first.index + indent(first[0]);
  return { term, said: said.join("; "), from, to: last.index + last[0].trimEnd().length };
}

/** `term: what it means`, as a glossary has it. */
function readYaml(): Reader {
  return ({ text }) => {
    const [whole = "", dash = "", term = "", said = ""] = /^(\s*(?:-\s+)?)([\p{L}_][^:#]*):\s+([\p{L}"'].*?)\s*$/u.exec(text) ?? [];
    const plain = said.replaceAll(/^["']|["']$/g, "");
    if (whole === "" || plain.split(" ").length < MIN_SAID) return null;
    return { term, said: plain, from: dash.length, to: text.trimEnd().length };
  };
}

/** Block comments: how one opens, and what closes it. */
const BLOCKS: readonly (readonly [open: RegExp, close: string])[] = [
  [/^\s*\(\*+\s?/, "*)"],
  [/^\s*\/-[-!]?\s?/, "-/"],
  [/^\s*\/\*[*!]?\s?/, "*/"],
  [/^\s*"""\s?/, '"""'],
  [/^\s*'''\s?/, "'''"],
  [/^\s*\{-\s?/, "-}"],
];
const LINE_COMMENT = /^\s*(?:\/\/[/!]?|--|#(?![![])|;+|%+)\s+/;

/** Comments alone; of a line of code nothing is read. */
function readCode(): Reader {
  let close: string | null = null;
  return ({ text }) => {
    if (close !== null) {
      const end = text.indexOf(close);
      if (end >= 0) close = null;
      return commentLine(text, /^\s*\**\s?/.exec(text)?.[0].length ?? 0, end);
    }
    for (const [open, closing] of BLOCKS) {
      const from = open.exec(text)?.[0].length;
      if (from === undefined) continue;
      const end = text.indexOf(closing, from);
      if (end < 0) close = closing;
      return commentLine(text, from, end);
    }
    const from = LINE_COMMENT.exec(text)?.[0].length;
    return from === undefined ? null : commentLine(text, from, -1);
  };
}

function commentLine(text: string, from: number, end: number): Read {
  const words = text.slice(from, end < 0 ? undefined : end);
  // A closing sign would be cited with the words before it; the line is left out when it has nothing else.
  if (isBlank(words) || /^[\s*=#-]*$/.test(words)) return null;
  return /^\s*(?:#+|\*)\s/.test(words) ? { heading: plainOf(words.slice(0, MAX_HEADING)) } : { from, opens: false };
}

/** The line under a heading, or above it. */
const RULE = /^\s*([-=~^"'`#*+_.:<>])\1{2,}\s*$/;
/** Of reStructuredText: what stands under others is no text, or a label. */
const DIRECTIVE = /^\s*\.\.(?:\s+(?!(?:note|tip|hint|important|warning|caution|attention|danger|seealso|admonition)::)|\s*$)/;

function readPlain(): Reader {
  /** How far the line stands in that announced a text to be taken as it is: what stands in farther is that. */
  let literal = Infinity;
  return ({ text }, at, lines) => {
    if (isBlank(text)) return null;
    if (indent(text) > literal) return null;
    const isMarked = /^\s*\.\.(?:\s|$)/.test(text);
    literal = (isMarked ? DIRECTIVE : /::\s*$/).test(text) ? indent(text) : Infinity;
    if (isMarked || RULE.test(text)) return null;
    const under = lines[at + 1]?.text ?? "";
    if (RULE.test(under) && indent(under) <= indent(text)) return { heading: plainOf(text.slice(0, MAX_HEADING)) };
    // An item, or columns.
    return { from: indent(text), opens: /^\s*(?:[-*+•]|\d{1,3}[.)])\s|\S(?: {2,}|\t)\S/.test(text) };
  };
}

/** The text of a printed page: nothing marks a heading in it but that its line ends before it is full and no sentence ends there. */
function readPdf(): Reader {
  let width = 0;
  let before = "";
  const plain = readPlain();
  return (line, at, lines) => {
    if (at === 0) width = Math.max(...lines.map(({ text }) => text.length).filter((length) => length <= MAX_PRINTED), 0);
    const follows = at === 0 || isBlank(before) || /[.!?:]["\u201d\u2019)\]]*$/.test(before);
    before = line.text.trimEnd();
    const isHeading =
      follows && before.length <= SHORT_LINE * width && /[\p{L}\p{N})]$/u.test(before) && /^\s*\p{Lu}/u.test(lines[at + 1]?.text ?? "");
    return isHeading ? { heading: before.trim() } : plain(line, at, lines);
  };
}

function readLatex(): Reader {
  return ({ text }) => {
    const heading = /^\s*\\(?:part|chapter|(?:sub)*section|paragraph|title)\*?\{(.*)\}\s*$/.exec(text)?.[1];
    if (heading !== undefined) return { heading: plainOf(heading.slice(0, MAX_HEADING)) };
    if (
      isBlank(text) ||
      /^\s*(?:%|\\(?:begin|end|label|documentclass|usepackage|bibliography|author|date|maketitle|newcommand|item\s*$)|\\\[|\$\$)/.test(text)
    )
      return null;
    const item = /^\s*\\item(?:\[[^\]]*\])?\s*/.exec(text);
    return { from: item?.[0].length ?? indent(text), opens: item !== null };
  };
}

function readHtml(): Reader {
  return ({ text }) => {
    const heading = /^\s*<h[1-6][^>]*>(.*?)<\/h[1-6]>/i.exec(text)?.[1];
    if (heading !== undefined) return { heading: plainOf(heading.slice(0, MAX_HEADING)) };
    if (isBlank(plainOf(text.slice(0, MAX_SENTENCE))) || /<(?:title|meta|script|style|link|pre|th|td)\b/i.test(text)) return null;
    const tags = /^(?:\s|<[^>]*>)*/.exec(text)?.[0] ?? "";
    return { from: tags.length, opens: /<(?:p|li|div|dd|dt|blockquote)\b/i.test(tags) };
  };
}

const READERS: Readonly<Record<Prose, () => Reader>> = {
  markdown: readMarkdown,
  comments: readCode,
  plain: readPlain,
  printed: readPdf,
  latex: readLatex,
  html: readHtml,
  entries: readYaml,
};

const LINK = /!?\[[^\]]+\]\([^()\s]*(?:\s+"[^"]*")?\)/g;
/** After a full stop, a question mark or the like, before what may begin a sentence. */
const BOUNDARY = /(?:[.!?]["\u201d\u2019)\]*_`]*(\s+)(?=["\u201c\u2018([*_`$\\]*[\p{Lu}\p{N}\p{Lo}])|(?<=\s)[.!?](\s+))/gu;
/** What ends with a full stop and ends no sentence. */
const ABBREVIATION =
  /(?:\b(?:e\.g|i\.e|cf|vs|etc|al|fig|figs|eq|no|dr|mr|mrs|st|approx|resp|ca|sp|spp|p|pp|vol|ed|eds)|\b\p{Lu})\.["\u201d)]*$/iu;

function cut(text: string, start: number, end: number, block: number, heading: string): readonly Sentence[] {
  const whole = text.slice(start, end);
  const pieces: [number, number][] = [];
  let from = 0;
  const code = [...whole.matchAll(/(`+)(?!`)[^`]+\1/g)].map((span) => [span.index, span.index + span[0].length] as const);
  for (const match of whole.matchAll(BOUNDARY)) {
    if (code.some(([start, end]) => match.index > start && match.index < end - 1)) continue;
    const space = (match[1] ?? match[2] ?? "").length;
    const stop = match.index + match[0].length - space;
    const before = whole.slice(Math.max(from, stop - MAX_ABBREVIATION), stop);
    if (/\.["\u201d)]*$/.test(before) && ABBREVIATION.test(before) && !/\b\p{Lu}\p{Lu}+\.$/u.test(before)) continue;
    pieces.push([from, stop]);
    from = stop + space;
  }
  pieces.push([from, whole.length]);
  const ended = /[.!?:;]["\u201d\u2019)\]*_`]*\s*$/.test(whole);
  return joinShort(whole, pieces).flatMap(([first, last]) => {
    const written = whole.slice(first, last);
    if (written.length > MAX_SENTENCE) return [];
    const plain = plainOf(written);
    const own = plainOf(written.replaceAll(LINK, " "));
    // An entry of a list of contents.
    if (own.length < plain.length / 3) return [];
    const words = plain.split(" ").length;
    const isLabel = pieces.length === 1 && !ended && words < MIN_OPEN_WORDS && !SUMMARY.test(plain);
    if (words < MIN_WORDS || isLabel) return [];
    return [{ start: start + first, end: start + last, plain, own, block, heading, term: "" }];
  });
}

/** "It does not." belongs to what stands before it, and the words that a paragraph begins with to what follows them. */
function joinShort(whole: string, pieces: readonly [number, number][]): readonly [number, number][] {
  const isShort = ([from, to]: [number, number]): boolean => plainOf(whole.slice(from, to)).split(" ").length < MIN_WORDS;
  const joined: [number, number][] = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    if (before !== undefined && (isShort(piece) || isShort(before))) before[1] = piece[1];
    else joined.push([...piece]);
  }
  return joined;
}
