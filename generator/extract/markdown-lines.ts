/** Lines of a block, for rules of the Markdown parser. */
import type { StateBlock } from "markdown-it";

/** lineOf gives the text of a line, without what stands before it: white space, and the signs of lists and quotations. */
export function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

/** isIndented tells whether a line is code by its indentation. */
export function isIndented(state: StateBlock, line: number): boolean {
  return (state.sCount[line] ?? 0) - state.blkIndent >= 4;
}
