/** Where the declaration stands that a passage of code is named for: passages begin with what belongs to it, comments and attributes. */
import type { IndexRow } from "../index/row.ts";

/** Of the languages whose declarations have names here, and their like. Comments and attributes may mention the name before it is declared. */
const COMMENTS = /@\[[^\]]*\]|\(\*[\s\S]*?\*\)|\/-[\s\S]*?-\/|\/\*[\s\S]*?\*\/|(?:\/\/|--|;;|#(?![![]))[^\n]*/g;

/** @returns 1-based; the first line of the passage where it has no name, or does not show it */
export function declarationLine({ name, text, start_line: start }: Pick<IndexRow, "name" | "text" | "start_line">): number {
  const short = name.split(/\.|::/).at(-1) ?? "";
  if (short === "") return start;
  const bare = text.replaceAll(COMMENTS, (comment) => comment.replaceAll(/[^\n]/g, " "));
  const word = new RegExp(`(?<![\\p{L}\\p{N}_'])${RegExp.escape(short)}(?![\\p{L}\\p{N}_'])`, "u");
  const at = bare.split("\n").findIndex((line) => word.test(line));
  return at < 0 ? start : start + at;
}
