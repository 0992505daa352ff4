/** Lines and paragraphs of a block, for rules of the Markdown parser. */
import type { StateBlock } from "markdown-it";

/** lineOf gives the text of a line, without what stands before it: white space, and the signs of lists and quotations. */
export function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

/** isIndented tells whether a line is code by its indentation. */
export function isIndented(state: StateBlock, line: number): boolean {
  return (state.sCount[line] ?? 0) - state.blkIndent >= 4;
}

/** linkTo writes a link to a path in Markdown. */
export const linkTo = (path: string): string => `[${path.replaceAll(/[[\]]/g, "")}](<${path.replaceAll(/[<>]/g, "")}>)`;
/** pictureOf writes a picture in Markdown. */
export const pictureOf = (path: string, alt: string): string => `![${alt.replaceAll(/[[\]]/g, "")}](<${path.replaceAll(/[<>]/g, "")}>)`;

/** pushWords adds a paragraph; none where nothing is said. */
export function pushWords(state: StateBlock, markdown: string): void {
  if (markdown === "") return;
  state.push("paragraph_open", "p", 1);
  const inline = state.push("inline", "", 0);
  inline.content = markdown;
  inline.children = [];
  state.push("paragraph_close", "p", -1);
}
