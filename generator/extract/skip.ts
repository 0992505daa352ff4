/** Stepping over parts of a program text. An open part reaches to the end of the text; nothing recurses. */

/** skipComment returns the offset after the block comment whose text begins at `from`; comments nest.
 *  @param open how one begins; `edges` finds beginnings and ends */
export function skipComment(text: string, from: number, open: string, edges: RegExp): number {
  const edge = new RegExp(edges);
  edge.lastIndex = from;
  for (let depth = 1; ; ) {
    const found = edge.exec(text);
    if (found === null) return text.length;
    depth += found[0] === open ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
}
