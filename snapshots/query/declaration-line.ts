/** Where the declaration stands that a passage of code is named for: passages begin with what belongs to it, comments and attributes. */
import type { IndexRow } from "#snapshots/index";
import { type Kind, KINDS } from "#snapshots/schema";

/** Comments of the languages whose declarations have names here, and their like. Comments and attributes may mention the name before it is
 *  declared. */
const COMMENTS =
  /^[ \t]*[a-zA-Z]?"""[\s\S]*?"""|@\[[^\]]*\]|\(\*[\s\S]*?\*\)|\/-[\s\S]*?-\/|\/\*[\s\S]*?\*\/|(?:\/\/|--|;;|#(?![![]))[^\n]*/gm;

/** Signs that begin one of them, or look like it. */
const COMMENT_BEGINS = /"""|@\[|\(\*|\/-|\/\*|\/\/|--|;;|#/;

/** withoutComments returns code with spaces in place of its comments. */
export function withoutComments(text: string): string {
  return text.replaceAll(COMMENTS, (comment) => comment.replaceAll(/[^\n]/g, " "));
}

/** declarationLine finds the line on which a passage declares its name. @returns the 1-based line; the first line of the passage where it has no
 *  name, or does not show it */
export function declarationLine({ name, text, start_line: start }: Pick<IndexRow, "name" | "text" | "start_line">): number {
  const short = name.split(/\.|::/).at(-1) ?? "";
  if (short === "") return start;
  // One comment after the other, only as far as the word is looked for: most passages declare their name in the first line.
  let comment: { readonly start: number; readonly end: number } | null = { start: 0, end: 0 };
  for (const at of findWord(text, short)) {
    if (comment?.end === 0 && !COMMENT_BEGINS.test(text.slice(0, at))) return lineOf(at);
    while (comment !== null && comment.end <= at) comment = findComment(text, comment.end);
    if (comment === null || comment.start > at) return lineOf(at);
  }
  return start;

  function lineOf(at: number): number {
    return start + text.slice(0, at).split("\n").length - 1;
  }
}

/** Yields where a word begins in a text, ascending, and not where it is a part of a longer word. A regular expression of each name would
 *  cost more than all that is done with it: classes of letters are compiled anew. */
function* findWord(text: string, word: string): Generator<number> {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at);
    if (!ENDS_IN_WORD.test(before) && !BEGINS_WITH_WORD.test(text.slice(at + word.length, at + word.length + 2))) yield at;
  }
}

const ENDS_IN_WORD = /[\p{L}\p{N}_']$/u;
const BEGINS_WITH_WORD = /^[\p{L}\p{N}_']/u;

function findComment(text: string, from: number): { readonly start: number; readonly end: number } | null {
  COMMENTS.lastIndex = from;
  const found = COMMENTS.exec(text);
  return found === null ? null : { start: found.index, end: found.index + found[0].length };
}

/** findAnchor finds where a passage stands on its object's page, by its declaration if it has one: "#L12", "#P3L1", or "" for the beginning. */
export function findAnchor(kind: Kind, row: Pick<IndexRow, "name" | "text" | "start_line" | "page">): string {
  if (row.page !== null) return `#P${row.page}L${row.start_line}`;
  const start = kind === "code" ? declarationLine(row) : row.start_line;
  return start > 1 && KINDS[kind].lines !== null ? `#L${start}` : "";
}
