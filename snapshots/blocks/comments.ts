/** OpenComments reads a source of code: its comments without their signs, in their own lines. Those that the tools of Rust and Lean read as
 *  Markdown are read so; any other comment and doc string is quoted as it stands, since a mark in it is a sign of its author. */
import type { Prose } from "#snapshots/schema";
import { plainIn } from "./plain.ts";
import { indent, isBlank, MAX_HEADING, type Opened, part, type Read } from "./read-line.ts";

/** Block comments: how one opens, and what closes it. */
const BLOCKS: readonly (readonly [open: RegExp, close: string])[] = [
  [/^\s*\(\*+\s?/, "*)"],
  [/^\s*\/-[-!]?\s?/, "-/"],
  [/^\s*\/\*[*!]?\s?/, "*/"],
  [/^\s*[a-zA-Z]?"""\s?/, '"""'],
  [/^\s*'''\s?/, "'''"],
  [/^\s*\{-\s?/, "-}"],
];
const LINE_COMMENT = /^\s*(?:\/\/[/!]?|--|#(?![![])|;+|%+)\s+/;
const IS_MARKDOWN = /^\s*(?:\/\/[/!]|\/-[-!])/;
/** Stars that begin each line, below the sign that opens the comment. */
const GUTTER = /^\s*\*{1,2}(?=\s|$)\s?/;
const MAX_GUTTER = 2; // columns that they stand in farther

const QUOTES = String.raw`[a-zA-Z]{0,2}("""|''')`;
/** A string over lines that is data: what takes it stands before it on its line, or at the end of the line above. */
const DATA = new RegExp(String.raw`(?:[=([{,:+%]|\breturn)[ \t]*${QUOTES}`);
const TAKES = /[=([{,+%][ \t]*$/;
const BEGINS = new RegExp(String.raw`^[ \t]*${QUOTES}`);

/** A line of a comment: its words, with spaces in place of its signs. */
type Comment = { readonly words: string; readonly prose: Prose; readonly opens: boolean; readonly heading: RegExp | undefined };

export function openComments(text: string): Opened {
  const lines = text.split("\n");
  const next = commentsIn();
  const comments = lines.map(next);
  return { text: lines.map((line, at) => comments[at]?.words ?? line).join("\n"), read: (_, at) => readComment(comments[at] ?? null) };
}

/** A function that takes the lines of a source, one by one: null for a line of code. */
function commentsIn(): (line: string) => Comment | null {
  let open: { readonly sign: string; readonly close: string } | null = null;
  /** The signs that end a string that is data. */
  let [data, above] = ["", ""];
  let isBlock = false;
  return (text) => {
    if (open !== null) {
      const { sign, close } = open;
      const end = text.indexOf(close);
      if (end >= 0) open = null;
      const hasGutter = /^\s*[(/]\*/.test(sign) && indent(text) <= indent(sign) + MAX_GUTTER;
      return commentLine(text, hasGutter ? (GUTTER.exec(text)?.[0].length ?? 0) : 0, end, proseOf(sign));
    }
    const quotes = data || (DATA.exec(text)?.[1] ?? (TAKES.test(above) ? BEGINS.exec(text)?.[1] : undefined) ?? "");
    if (!isBlank(text)) above = text;
    if (quotes !== "") {
      const isOdd = text.split(quotes).length % 2 === 0;
      data = isOdd === (data === "") ? quotes : "";
      return null;
    }
    for (const [opens, close] of BLOCKS) {
      const sign = opens.exec(text)?.[0];
      if (sign === undefined) continue;
      const end = text.indexOf(close, sign.length);
      if (end < 0) open = { sign, close };
      isBlock = true;
      return commentLine(text, sign.length, end, proseOf(sign), true, sign.includes("(") ? STARS : undefined);
    }
    const sign = LINE_COMMENT.exec(text)?.[0];
    const wasBlock = isBlock;
    isBlock &&= isBlank(text);
    return sign === undefined ? null : commentLine(text, sign.length, -1, proseOf(sign), wasBlock);
  };
}

const proseOf = (sign: string): Prose => (IS_MARKDOWN.test(sign) ? "docs" : "comments");
/** How a heading begins: of coqdoc, and of Markdown. */
const STARS = /^\s*(\*{1,4})\s/;
const HASHES = /^\s*(#{1,6})\s/;

function commentLine(
  text: string,
  from: number,
  end: number,
  prose: Prose,
  opens = false,
  heading = prose === "docs" ? HASHES : undefined,
): Comment {
  const own = text.slice(from, end < 0 ? undefined : end).replace(/\s\*+$/, "");
  return { words: (" ".repeat(from) + own).padEnd(text.length), prose, opens, heading };
}

function readComment(comment: Comment | null): Read {
  // A line that has only signs frames the others.
  if (comment === null || /^[\s*=#-]*$/.test(comment.words)) return null;
  const { words, prose, opens, heading } = comment;
  const [whole = "", signs] = heading?.exec(words) ?? [];
  return signs === undefined
    ? { ...part(indent(words), opens), prose }
    : { heading: plainIn(words.slice(whole.length, MAX_HEADING), prose), level: signs.length };
}
