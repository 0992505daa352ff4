/** The declarations of a text by its language's row (languages.ts), line by line. What stands deeper than a declaration begins is its
 *  own; what is at its column, or left of it, and begins nothing goes on with it. */
import { type DeclarationRow, type LanguageRow, LANGUAGES } from "#snapshots/highlight";
import { type Lines, openLines } from "#snapshots/blocks";
import { markAt } from "./marks.ts";
import type { Mark } from "./passages.ts";
import { readSymbols } from "./isabelle-symbols.ts";

const MAX_LINE = 1000; // UTF-16 units of a line that are looked at
const WINDOW = 400; // UTF-16 units from a line's start in which a declaration says its name

/** findDeclarations finds the marks of a text. It returns null when the text's language has no row of declarations. */
export function findDeclarations(lines: Lines, language: string): Mark[] | null {
  const row = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
  if (row?.declarations === undefined) return null;
  const { strings } = row.declarations;
  const hide = (part: string): string => (part.startsWith("/") ? part : part.replaceAll(/[^\n]/g, " "));
  return readDeclarations(strings === undefined ? lines : openLines(lines.text.replaceAll(strings, hide)), row, row.declarations);
}

function readDeclarations(lines: Lines, row: LanguageRow, rules: DeclarationRow): Mark[] {
  const { text } = lines;
  const marks: Mark[] = [];
  const comments = openComments(row);
  const titles: string[] = [];
  const scopes: { column: number; title: string }[] = [];
  let open = null as { column: number; name: string | null } | null;
  let declared = false;
  /** First line of the comments and attributes that the next declaration takes along. */
  let lead = null as number | null;
  const mark = (line: number, name: string | null, role?: "opens" | "tail"): void => {
    marks.push(markAt(line, [...titles, ...scopes.map((scope) => scope.title)], name, role));
  };
  const leave = (column: number): boolean => {
    const before = scopes.length;
    while ((scopes.at(-1)?.column ?? -1) >= column) scopes.pop();
    return scopes.length < before;
  };
  for (let line = 1; line <= lines.count; line++) {
    const start = lines.start(line);
    const source = text.slice(start, Math.min(lines.end(line), start + MAX_LINE));
    if (comments.inside()) {
      comments.step(source);
      continue;
    }
    const column = source.search(/\S/);
    if (column < 0) {
      // A comment with nothing but white space below it is nobody's: it opens what follows.
      if (lead !== null) mark(lead, null, "opens");
      lead = null;
      continue;
    }
    const begins = comments.begins(source, column);
    comments.step(source);
    if (open !== null && column > open.column) continue;
    const window = text.slice(start, start + WINDOW);
    const heading = rules.heading?.exec(window);
    if (heading) {
      const level = rules.levels === undefined ? 0 : Math.max(0, rules.levels.indexOf(heading[1] ?? ""));
      titles.length = Math.min(titles.length, level);
      titles.push(readSymbols((heading.at(-1) ?? "").trim()));
      scopes.length = 0;
      open = null;
      lead = null;
      mark(line, null, "opens");
      continue;
    }
    if (begins && rules.ends?.test(source) === true) {
      // A comment on the whole file or module is of nothing below it.
      lead = null;
      continue;
    }
    if (begins || rules.leads?.test(source) === true) {
      lead ??= line;
      continue;
    }
    const first = lead ?? line;
    lead = null;
    const holds = rules.holds?.exec(source);
    if (holds) {
      leave(column);
      // A file's own module is no part of it.
      const whole = !declared && row.module?.test(source) === true;
      const title = whole ? "" : (holds.slice(1).find((group) => group !== undefined) ?? "");
      scopes.push({ column, title });
      open = null;
      const name = title === "" || holds.groups?.["scope"] !== undefined ? null : title;
      mark(first, name, ...(name === null ? (["opens"] as const) : []));
      continue;
    }
    const found = rules.begins.exec(window);
    if (found !== null) {
      const name = found.slice(1).find((group) => group !== undefined) ?? null;
      // A signature and its equations are one.
      if (name !== null && open?.name === name && open.column === column) continue;
      leave(column);
      mark(first, name);
      open = { column, name };
    } else if (rules.ends?.test(source) === true) {
      leave(column);
      mark(first, null);
      open = null;
    } else if (leave(column)) {
      mark(line, null, "tail");
      open = null;
    }
  }
  return marks;
}

type Comments = {
  inside(): boolean;
  /** Tells whether a comment begins at a column of a line. */
  begins(source: string, column: number): boolean;
  step(source: string): void;
};

/** openComments tells where block comments and long strings are open after each line. A string on one line hides what it holds. */
export function openComments({ line, block, nests }: Pick<LanguageRow, "line" | "block" | "nests">): Comments {
  const signs = [...block.flat(), ...line].sort((a, b) => b.length - a.length);
  const token = new RegExp(`${[...new Set(signs)].map((sign) => RegExp.escape(sign)).join("|")}|"(?:[^"\\\\]|\\\\.)*"?`, "g");
  let close = "";
  let opened = "";
  let depth = 0;
  return {
    inside: () => depth > 0,
    begins: (source, column) =>
      line.some((sign) => source.startsWith(sign, column)) ||
      block.some(([open, close]) => open !== close && source.startsWith(open, column)),
    step(source) {
      token.lastIndex = 0;
      for (let found = token.exec(source); found !== null; found = token.exec(source)) {
        const [sign] = found;
        if (depth === 0) {
          if (line.includes(sign)) return;
          const pair = block.find(([open]) => open === sign);
          if (pair === undefined) continue;
          [opened, close] = pair;
          depth = 1;
        } else if (sign === close) depth--;
        else if (nests === true && sign === opened) depth++;
        // Inside a comment, a quotation mark opens nothing.
        else if (sign.startsWith('"')) token.lastIndex = found.index + 1;
      }
    },
  };
}
