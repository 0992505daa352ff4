/** Coq's own words of a file's declarations, to hold our reader to. */

export type Listed = { readonly kind: string; readonly name: string; readonly line: number };

/** readGlob returns the declarations of some kinds in a .glob file, on the lines of their names. @param source the bytes that it was made of */
export function readGlob(glob: string, source: Uint8Array, kinds: readonly string[]): Listed[] {
  const starts = [0];
  for (let at = source.indexOf(10); at >= 0; at = source.indexOf(10, at + 1)) starts.push(at + 1);
  const lineAt = (offset: number): number => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
  return glob.split("\n").flatMap((row) => {
    const [, kind = "", from = "", name = ""] = /^(\w+) (\d+):\d+ \S+ (\S+)$/.exec(row) ?? [];
    return kinds.includes(kind) ? [{ kind, name, line: lineAt(Number(from)) }] : [];
  });
}
