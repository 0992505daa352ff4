/** Lines are the lines of a text, as a citation counts them: split at "\n" only, 1-based, a final "\n" opens no further line. */

export type Lines = {
  readonly text: string;
  readonly count: number;
  /** Offset of the first character of line `line`; for `count + 1` the offset just after the last line. */
  start(line: number): number;
  /** Offset after the last character of line `line`, before its "\n". */
  end(line: number): number;
  /** The lines `from` to `to`, both included, joined by "\n". A "\r" before a "\n" stays. */
  slice(from: number, to: number): string;
  lineAt(offset: number): number;
  isBlank(line: number): boolean;
};

export function openLines(text: string): Lines {
  let starts = new Uint32Array(1024);
  let count = 0;
  for (let at = 0; at < text.length; ) {
    if (count + 2 > starts.length) {
      const larger = new Uint32Array(starts.length * 2);
      larger.set(starts);
      starts = larger;
    }
    starts[count++] = at;
    const next = text.indexOf("\n", at);
    at = next < 0 ? text.length : next + 1;
  }
  starts[count] = text.length;
  const start = (line: number): number => starts[line - 1] ?? text.length;
  const end = (line: number): number => {
    const after = start(line + 1);
    return after > 0 && text.charCodeAt(after - 1) === 10 && after > start(line) ? after - 1 : after;
  };
  return {
    text,
    count,
    start,
    end,
    slice: (from, to) => text.slice(start(from), end(to)),
    lineAt(offset) {
      let low = 1;
      let high = Math.max(1, count);
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (start(middle) <= offset) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    isBlank(line) {
      return /^[\t-\r ]*$/.test(text.slice(start(line), end(line)));
    },
  };
}
