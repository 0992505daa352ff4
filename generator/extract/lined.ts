/** Lines, and markup within them, as readers of reStructuredText and Org share them; AsciiDoc takes in its parts by them. */
import type { ElementContent } from "hast";
import { MAX_SHOWN } from "./body.ts";
import { type Nodes, words } from "./document.ts";
import type { Others } from "./others.ts";

/** A Row is a line of a text, or what is left of it without what stands before it, with its number: 0 in a part that lies in a file of its own. */
export type Row = { readonly text: string; readonly line: number };

export const isBlank = (row: Row | undefined): boolean => row === undefined || row.text.trim() === "";
export const indentOf = (row: Row | undefined): number => (row === undefined ? 0 : row.text.length - row.text.trimStart().length);

export function rowsOf(text: string): readonly Row[] {
  return text.split("\n").map((one, at) => ({ text: one.replaceAll("\t", "        ").trimEnd(), line: at + 1 }));
}

export const textIn = (rows: readonly Row[]): string => rows.map(({ text }) => text).join("\n");

/** dedent takes away what all rows stand in, and blank rows around them. */
export function dedent(rows: readonly Row[]): readonly Row[] {
  let margin = Infinity;
  for (const row of rows) if (!isBlank(row)) margin = Math.min(margin, indentOf(row));
  let [from, to] = [0, rows.length];
  while (from < to && isBlank(rows[from])) from++;
  while (to > from && isBlank(rows[to - 1])) to--;
  return rows.slice(from, to).map(({ text, line }) => ({ text: text.slice(margin), line }));
}

/** takeIndented finds where rows end that stand in at least so far; blank ones between them count, and those behind them do not. */
export function takeIndented(rows: readonly Row[], from: number, least: number): number {
  let end = from;
  for (let at = from; at < rows.length; at++) {
    if (isBlank(rows[at])) continue;
    if (indentOf(rows[at]) < least) break;
    end = at + 1;
  }
  return end;
}

/** settingsIn reads `name=value` between commas; a value with commas stands in quotes or braces. */
export function settingsIn(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/([\w-]+(?: [\w-]+)*)\s*=\s*(?:"([^"]*)"|\{([^{}]*)\}|([^,]*))/g);
  return new Map(Array.from(found, ([, name = "", quoted, braced, bare = ""]) => [name, quoted ?? braced ?? bare.trim()]));
}

/** A Rule makes nodes of what its expression, which is sticky, finds in a text; null where that is no markup. */
export type Rule = readonly [sign: RegExp, make: (found: RegExpExecArray) => Nodes | null];

/** scan reads the markup within a text. Each expression looks a bounded way ahead, so that a text costs what its length is.
 *  @param starts matches the signs that a rule may begin with
 *  @param plain makes nodes of the text between */
export function scan(text: string, starts: RegExp, rules: readonly Rule[], plain: (text: string) => Nodes = (one) => [words(one)]): Nodes {
  const nodes: Nodes = [];
  const sign = new RegExp(starts.source, `${starts.flags}g`);
  let from = 0;
  for (let start = sign.exec(text); start !== null; start = sign.exec(text)) {
    const made = matchAt(text, start.index, rules);
    if (made === null) continue;
    if (start.index > from) nodes.push(...plain(text.slice(from, start.index)));
    nodes.push(...made.nodes);
    from = made.end;
    sign.lastIndex = Math.max(made.end, start.index + 1);
  }
  if (from < text.length) nodes.push(...plain(text.slice(from)));
  return nodes;
}

function matchAt(
  text: string,
  at: number,
  rules: readonly Rule[],
): { readonly nodes: readonly ElementContent[]; readonly end: number } | null {
  for (const [rule, make] of rules) {
    rule.lastIndex = at;
    const found = rule.exec(text);
    if (found === null) continue;
    const nodes = make(found);
    // Rules are used within rules, which move their expressions on.
    if (nodes !== null) return { nodes, end: at + found[0].length };
  }
  return null;
}

/** A PartLine is a line that takes in a part: its path, the lines that become of it, and how many lines below belong to it. */
export type PartLine = { readonly path: string; readonly take: (lines: readonly string[]) => readonly string[]; readonly below?: number };

const MAX_DEPTH = 8; // parts within parts
const MAX_BELOW = 12; // lines below one that takes in a part

/** withParts puts the parts of a text into their places, as far as they are told and there is room.
 *  @param find reads a line that takes in a part; null for any other. It is given each line once, in order
 *  @returns the rows, and how long the parts are */
export function withParts(
  text: string,
  own: string,
  others: Others,
  find: (line: string, below: readonly Row[]) => PartLine | null,
): { readonly rows: readonly Row[]; readonly parts: number } {
  let left = MAX_SHOWN - text.length;
  const rows: Row[] = [];
  const open: string[] = [own];
  const add = (all: readonly Row[]): void => {
    for (let at = 0; at < all.length; at++) {
      const row = all[at] ?? { text: "", line: 0 };
      const asked = find(row.text, all.slice(at + 1, at + 1 + MAX_BELOW));
      const from = open.at(-1) ?? own;
      const part = asked === null || open.length > MAX_DEPTH ? null : others.part(from, asked.path);
      if (asked === null || part === null || open.includes(part.key) || part.text.length > left) rows.push(row);
      else {
        left -= part.text.length;
        open.push(part.key);
        add(
          asked
            .take(part.text.split("\n"))
            .flatMap((one) => rowsOf(one))
            .map((one) => ({ ...one, line: 0 })),
        );
        open.pop();
        at += asked.below ?? 0;
      }
    }
  };
  add(rowsOf(text));
  return { rows, parts: MAX_SHOWN - text.length - left };
}
