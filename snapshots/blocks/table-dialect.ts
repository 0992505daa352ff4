/** How a table in lines is written, told by its first lines: programs put remarks, a title or a word to Excel above the names of columns. */

export type TableDialect = {
  readonly delimiter: string;
  /** The line, from 1, that names the columns. */
  readonly first: number;
  /** True where remarks stand above it: lines that begin with "#". */
  readonly hasRemarks: boolean;
  /** The line above all of it that says what it is; null for none. */
  readonly title: string | null;
};

/** Signs that divide fields, the likeliest first. */
const DELIMITERS = [",", ";", "\t", "|"];
const SAMPLE = 20; // lines of which the delimiter is told
const MAX_TOP = 100_000; // UTF-16 units in which the table begins

/** tableDialect tells how a table is written. @param isTabbed where its type says that tabs divide it */
export function tableDialect(text: string, isTabbed = false): TableDialect {
  const top = text.slice(text.startsWith("\ufeff") ? 1 : 0, MAX_TOP).split("\n");
  const next = (from: number): number => {
    let found = from;
    while (found < top.length && top[found]?.trim() === "") found++;
    return found < top.length ? found : from;
  };
  const begun = next(0);
  const [, said] = /^sep=(.)\r?$/i.exec(top[begun] ?? "") ?? [];
  if (said !== undefined) return { delimiter: said, first: begun + 2, hasRemarks: false, title: null };
  let at = begun;
  for (; top[at]?.startsWith("#") === true; at++) at = next(at + 1) - 1;
  if ((top[at] ?? "").trim() === "") at = begun;
  const delimiterAt = (from: number): string => (isTabbed ? "\t" : delimiterOf(top.slice(from, from + SAMPLE)));
  const hasRemarks = at > begun;
  const [below, own] = [next(at + 1), delimiterAt(at)];
  // A line alone above a table that has more columns.
  const isTitle = below > at + 1 && top[at]?.includes(delimiterAt(below)) === false && top[below]?.includes(delimiterAt(below)) === true;
  if (isTitle) return { delimiter: delimiterAt(below), first: below + 1, hasRemarks, title: top[at]?.trim() ?? null };
  const [remark = "", row = ""] = [top[at - 1], top[at]];
  const count = (line: string): number => line.split(own).length;
  const isNumbers = row.split(own).every((cell) => /^\s*[-+]?[\d.]+(?:e[-+]?\d+)?\s*$/i.test(cell));
  const isHead = hasRemarks && count(row) > 1 && count(remark) === count(row) && (/^#[^#\s]/.test(remark) || isNumbers);
  return { delimiter: own, first: isHead ? at : at + 1, hasRemarks, title: null };
}

/** isRemark tells whether a line of a table that has remarks, or several columns, is one. */
export const isRemark = (line: string, delimiter: string): boolean => line.startsWith("#") && !line.includes(delimiter);

/** The sign that divides most of the first lines into as many fields as the first, outside quotes; of several the one that divides into more. */
function delimiterOf(sample: readonly string[]): string {
  const bare = sample
    .join("\n")
    .slice(0, 50_000)
    .replaceAll(/"(?:[^"]|"")*"/g, "")
    .split(/\r\n?|\n/)
    .filter((line) => line !== "");
  const worth = (sign: string): number => {
    const [fields = 0, ...others] = bare.map((line) => line.split(sign).length - 1);
    return fields === 0 ? 0 : 1 + others.filter((count) => count === fields).length + fields / 10_000;
  };
  return DELIMITERS.reduce((best, sign) => (worth(sign) > worth(best) ? sign : best));
}
