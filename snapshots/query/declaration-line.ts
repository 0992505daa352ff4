/** Where the declaration stands that a passage of code is named for: passages begin with what belongs to it, comments and attributes. */
import type { IndexKind, IndexRow } from "../index/row.ts";

/** Of the languages whose declarations have names here, and their like. Comments and attributes may mention the name before it is declared. */
const COMMENTS =
  /^[ \t]*[a-zA-Z]?"""[\s\S]*?"""|@\[[^\]]*\]|\(\*[\s\S]*?\*\)|\/-[\s\S]*?-\/|\/\*[\s\S]*?\*\/|(?:\/\/|--|;;|#(?![![]))[^\n]*/gm;

/** A text of code without its comments, in whose place are spaces, and the comments by themselves. */
export function splitComments(text: string): { readonly code: string; readonly comments: readonly string[] } {
  return {
    code: text.replaceAll(COMMENTS, (comment) => comment.replaceAll(/[^\n]/g, " ")),
    comments: text.match(COMMENTS) ?? [],
  };
}

/** @returns 1-based; the first line of the passage where it has no name, or does not show it */
export function declarationLine({ name, text, start_line: start }: Pick<IndexRow, "name" | "text" | "start_line">): number {
  const short = name.split(/\.|::/).at(-1) ?? "";
  if (short === "") return start;
  const bare = splitComments(text).code;
  const word = new RegExp(`(?<![\\p{L}\\p{N}_'])${RegExp.escape(short)}(?![\\p{L}\\p{N}_'])`, "u");
  const at = bare.split("\n").findIndex((line) => word.test(line));
  return at < 0 ? start : start + at;
}

/** Kinds whose text on the object's page has anchors on its lines. */
const ANCHORED: ReadonlySet<IndexKind> = new Set(["code", "text", "markdown", "html", "latex", "json", "yaml", "csv"]);

/** Where a passage stands on its object's page, its declaration if it has one: "#L12", "#P3L1", or "" for the beginning. */
export function findAnchor(kind: IndexKind, row: Pick<IndexRow, "name" | "text" | "start_line" | "page">): string {
  if (row.page !== null) return `#P${row.page}L${row.start_line}`;
  const start = kind === "code" ? declarationLine(row) : row.start_line;
  return start > 1 && ANCHORED.has(kind) ? `#L${start}` : "";
}
