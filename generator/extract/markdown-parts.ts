/** Parts of Markdown that lie in files of their own, as mdBook, MkDocs, Quarto and MyST take them in: text in its place, and code within a fence. */
import type { MarkdownIt, StateBlock, Token } from "markdown-it";
import { clearAsides } from "#snapshots/blocks";
import { MAX_SHOWN } from "./body.ts";
import { type FrontMatter, readFrontMatter } from "./front-matter.ts";
import { fillInLinks } from "./links.ts";
import { isIndented, lineOf, linkTo, pushWords } from "./markdown-lines.ts";
import { chosenLines, linesBetween, type Others, regionsIn } from "./others.ts";

/** MarkdownParts are what the parser of one text knows of its parts: `open` are the keys of the files that it is in, its own first, and `values` what it
 *  has above it for names in braces. */
export type MarkdownParts = {
  readonly others: Others;
  readonly open: string[];
  left: number;
  readonly values: ReadonlyMap<string, string>;
};

/** A Taken is what a line takes in: a path, and how its lines are chosen. */
type Taken = { readonly path: string; readonly choose: (lines: readonly string[]) => readonly string[] };

const MAX_DEPTH = 8; // parts within parts
const MAX_BELOW = 200; // lines in which the end of what takes in a part is looked for
const INCLUDE = /^\{\{#(?:rustdoc_)?(?:include|playground)\s+([^\s:{}]+)(?::([^\s{}]+))?[^{}]*\}\}$/;
const SHORTCODE = /^\{\{<\s+include\s+"?([^\s"<>{}]+)"?\s+>\}\}$/;
const SNIPPET = /^-{1,}8<-+\s+"([^":\n]+)(?::([^"\n]+))?"$/;
const SNIPPETS = /^-{1,}8<-+$/;
const DIRECTIVE = /^(?:`{3,}|:{3,})[ \t]*\{include\}[ \t]+(\S+)[ \t]*$/;

/** openParts begins the parts of a text. */
export const openParts = (key: string, others: Others, length: number, values: FrontMatter["values"]): MarkdownParts => ({
  values: valuesIn(values),
  others,
  open: [key],
  left: Math.max(0, MAX_SHOWN - length),
});

/** The values of MyST, which stand in its own part of the facts above a text, or beside the others. */
function valuesIn(facts: FrontMatter["values"]): ReadonlyMap<string, string> {
  const own = (facts["myst"] ?? {}) as { readonly substitutions?: unknown };
  const values = own.substitutions ?? facts["substitutions"] ?? {};
  return new Map(Object.entries(values).flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : [])));
}

/** useParts adds the lines that take in a text to a parser. */
export function useParts(md: MarkdownIt): void {
  md.block.ruler.before("fenced_box", "part", takePart, { alt: ["paragraph", "reference", "blockquote", "list"] });
}

function readTaken(line: string, options: ReadonlyMap<string, string> = new Map()): Taken | null {
  const [, path, rest] = INCLUDE.exec(line) ?? SHORTCODE.exec(line) ?? SNIPPET.exec(line) ?? [];
  if (path !== undefined) return { path, choose: (lines) => regionIn(lines, rest) };
  const [, own] = DIRECTIVE.exec(line) ?? [];
  // Lines of the facts above a text count, and are not taken in.
  const choose = (lines: readonly string[]): readonly string[] => {
    const above = readFrontMatter(lines.join("\n")).lines;
    return chosenLines(
      lines.map((one, at) => (at < above ? "" : one)),
      options,
    );
  };
  return own === undefined ? null : { path: own, choose };
}

/** The region of a name, or a span of lines: `2:10`, `:10` and `2:`; `2` is one line. */
function regionIn(lines: readonly string[], written: string | undefined): readonly string[] {
  if (written !== undefined && /^[\d:]+$/.test(written))
    return linesBetween(lines, written.includes(":") ? written.replace(/^:/, "1:").replace(":", "-") : written);
  return regionsIn(lines, written === undefined ? [] : [written]);
}

/** The lines of a part that are taken in, with its key; null where it is not told. */
function linesOf({ path, choose }: Taken, parts: MarkdownParts): { readonly key: string; readonly lines: readonly string[] } | null {
  const part = parts.others.part(parts.open.at(-1) ?? "", path);
  if (part === null || parts.open.includes(part.key) || parts.open.length > MAX_DEPTH || part.text.length > parts.left) return null;
  parts.left -= part.text.length;
  return { key: part.key, lines: choose(part.text.replace(/\n$/, "").split("\n")) };
}

const OPTION = /^[ \t]*:([\w-]+):[ \t]*(.*)$/;

/** listingOf gives the code of a file that a directive of MyST shows; null for what is none, or is not told.
 *  @param info behind the fence @param content below it: options */
export function listingOf(
  info: string,
  content: string,
  parts: MarkdownParts | undefined,
): { readonly code: string; readonly language: string } | null {
  const [, path] = /^\{literalinclude\}[ \t]+(\S+)$/.exec(info) ?? [];
  if (path === undefined || parts === undefined) return null;
  const options = optionsIn(content.split("\n"));
  const found = linesOf({ path, choose: (lines) => chosenLines(lines, options) }, parts);
  return found === null ? null : { code: found.lines.join("\n"), language: options.get("language") ?? "" };
}

const optionsIn = (lines: readonly string[]): ReadonlyMap<string, string> =>
  new Map(lines.flatMap((line) => (OPTION.test(line) ? [[OPTION.exec(line)?.[1] ?? "", OPTION.exec(line)?.[2] ?? ""] as const] : [])));

/** withCode puts parts into code. */
export function withCode(code: string, parts: MarkdownParts | undefined): string {
  if (parts === undefined || !/\{\{#|8<-/.test(code)) return code;
  return code
    .split("\n")
    .flatMap((line) => {
      const taken = readTaken(line.trim());
      return (taken === null ? null : linesOf(taken, parts)?.lines) ?? [line];
    })
    .join("\n");
}

/** A line that takes in a text, or lines that do between two others. */
function takePart(state: StateBlock, line: number, end: number, silent: boolean): boolean {
  const { parts } = state.env as { readonly parts?: MarkdownParts };
  const text = isIndented(state, line) ? "" : lineOf(state, line).trim();
  const isList = SNIPPETS.test(text);
  const sign = isList ? text : DIRECTIVE.test(text) ? /^[`:]{3,}/.exec(text)?.[0] : undefined;
  let close = line + 1;
  if (sign !== undefined) while (close < Math.min(end, line + MAX_BELOW) && lineOf(state, close).trim() !== sign) close++;
  const below = Array.from({ length: Math.min(close, end) - line - 1 }, (_, at) => lineOf(state, line + 1 + at).trim());
  const paths = below.filter((path) => path !== "" && !path.startsWith(";"));
  const taken = isList ? paths.map((path) => readTaken(`--8<-- "${path}"`)) : [readTaken(text, optionsIn(below))];
  if (parts === undefined || taken.length === 0 || taken.includes(null)) return false;
  if (silent) return true;
  for (const one of taken) if (one !== null) pushPart(state, one, parts);
  state.line = sign === undefined ? line + 1 : Math.min(end, close + 1);
  return true;
}

/** Its blocks stand in its place and have no lines of their own. One that is not there is a link. */
function pushPart(state: StateBlock, taken: Taken, parts: MarkdownParts): void {
  const part = linesOf(taken, parts);
  if (part === null) return pushWords(state, linkTo(taken.path));
  parts.open.push(part.key);
  const written = fillInLinks(clearAsides(part.lines.join("\n"), "markdown"));
  const body = written.split("\n").slice(readFrontMatter(written).lines).join("\n");
  const made: Token[] = [];
  state.md.block.parse(body, state.md, state.env, made);
  for (const token of made) state.tokens.push(Object.assign(token, { map: null }));
  parts.open.pop();
}
