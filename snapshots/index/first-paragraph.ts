/** The opening paragraph of a text, of a doc comment, of a docstring: the first thing that a passage says of itself. */

const MAX_LENGTH = 400; // UTF-16 units
/** The first block comment, docstring or run of comment lines. */
const COMMENT =
  /\/--?!?([\s\S]*?)-\/|\/\*\*?([\s\S]*?)\*\/|\(\*\*?([\s\S]*?)\*\)|"""([\s\S]*?)"""|'''([\s\S]*?)'''|((?:^[ \t]*(?:\/\/[/!]?|--|#(?![![]))[^\n]*\n?)+)/m;
const COMMENT_SIGNS = /^[ \t]*(?:\/\/[/!]?|--|#|\*)/gm;
/** Lines at the beginning of a text that are its title. */
const TITLE_LINES = /^(?:\s*#{1,6} [^\n]*\n|[^\n]+\n(?:=+|-+)\n|\s*\n)+/;

/** firstParagraph returns the opening paragraph of a passage.
 *  @param code whether the text is source code
 *  @param opens whether it is the beginning of its document
 *  @returns "" where there is none, and for prose that goes on from an earlier passage */
export function firstParagraph(text: string, code: boolean, opens: boolean): string {
  if (!code && !opens) return "";
  const said = code
    ? (
        COMMENT.exec(text)
          ?.slice(1)
          .find((group) => group !== undefined) ?? ""
      ).replaceAll(COMMENT_SIGNS, "")
    : text.replace(TITLE_LINES, "");
  return (said.trim().split(/\n\s*\n/)[0] ?? "").slice(0, MAX_LENGTH);
}
