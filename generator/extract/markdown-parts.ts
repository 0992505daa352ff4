/** Parts of Markdown that lie in files of their own, as mdBook, MkDocs, Quarto and MyST take them in: text in its place, and code within a fence. */
import type { MarkdownIt, StateBlock, Token } from "markdown-it";
import { clearAsides } from "#snapshots/blocks";
import { MAX_SHOWN } from "./body.ts";
import { readFrontMatter } from "./front-matter.ts";
import { isIndented, lineOf, linkTo, pushWords } from "./markdown-lines.ts";
import { linesBetween, type Others } from "./others.ts";

/** MarkdownParts are what the parser of one text knows of its parts: `open` are the keys of the files that it is in, its own first. */
export type MarkdownParts = { readonly others: Others; readonly open: string[]; left: number };

/** A Taken is what a line takes in: a path, and what of it. */
type Taken = { readonly path: string; readonly lines: string | null; readonly anchor: string | null };

const MAX_DEPTH = 8; // parts within parts
const INCLUDE = /^\{\{#(?:rustdoc_)?(?:include|playground)\s+([^\s:{}]+)(?::([^\s{}]+))?[^{}]*\}\}$/;
const SHORTCODE = /^\{\{<\s+include\s+"?([^\s"<>{}]+)"?\s+>\}\}$/;
const SNIPPET = /^-{1,}8<-+\s+"([^":\n]+)(?::([^"\n]+))?"$/;
const DIRECTIVE = /^(?:`{3,}|:{3,})[ \t]*\{include\}[ \t]+(\S+)[ \t]*$/;

/** openParts begins the parts of a text. */
export const openParts = (key: string, others: Others, length: number): MarkdownParts => ({
  others,
  open: [key],
  left: Math.max(0, MAX_SHOWN - length),
});

/** useParts adds the lines that take in a text to a parser. */
export function useParts(md: MarkdownIt): void {
  md.block.ruler.before("fence", "part", takePart, { alt: ["paragraph", "reference", "blockquote", "list"] });
}

function readTaken(line: string): Taken | null {
  const [, path, rest] = INCLUDE.exec(line) ?? SHORTCODE.exec(line) ?? SNIPPET.exec(line) ?? DIRECTIVE.exec(line) ?? [];
  if (path === undefined) return null;
  const isLines = rest !== undefined && /^[\d:]+$/.test(rest);
  return { path, lines: isLines ? spanOf(rest) : null, anchor: isLines ? null : (rest ?? null) };
}

/** `2:10`, `:10` and `2:` as a span of lines; `2` is one line. */
const spanOf = (written: string): string => (written.includes(":") ? written.replace(/^:/, "1:").replace(":", "-") : written);

/** The lines of a part that are taken in, with its key; null where it is not told. */
function linesOf({ path, lines, anchor }: Taken, parts: MarkdownParts): { readonly key: string; readonly lines: readonly string[] } | null {
  const part = parts.others.part(parts.open.at(-1) ?? "", path);
  if (part === null || parts.open.includes(part.key) || parts.open.length > MAX_DEPTH || part.text.length > parts.left) return null;
  parts.left -= part.text.length;
  const all = part.text.replace(/\n$/, "").split("\n");
  if (lines !== null) return { key: part.key, lines: linesBetween(all, lines) };
  const isMark = (line: string): boolean => /\b(?:ANCHOR|ANCHOR_END):|-{1,}8<-+\s*\[(?:start|end):/.test(line);
  const edge = (name: string, word: string): number =>
    all.findIndex((line) => new RegExp(`(?:\\b${name}:\\s*|\\[${word}:)${RegExp.escape(anchor ?? "")}\\b`).test(line));
  const [from, to] = anchor === null ? [-1, all.length] : [edge("ANCHOR", "start"), edge("ANCHOR_END", "end")];
  return { key: part.key, lines: all.slice(from + 1, to < 0 ? all.length : to).filter((line) => !isMark(line)) };
}

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

/** A line that takes in a text: its blocks stand in its place and have no lines of their own. One that is not there is a link. */
function takePart(state: StateBlock, line: number, end: number, silent: boolean): boolean {
  const { parts } = state.env as { readonly parts?: MarkdownParts };
  const text = isIndented(state, line) ? "" : lineOf(state, line).trim();
  const taken = parts === undefined ? null : readTaken(text);
  if (parts === undefined || taken === null) return false;
  if (silent) return true;
  const part = linesOf(taken, parts);
  if (part === null) pushWords(state, linkTo(taken.path));
  else {
    parts.open.push(part.key);
    const written = clearAsides(part.lines.join("\n"), "markdown");
    const body = written.split("\n").slice(readFrontMatter(written).lines).join("\n");
    const made: Token[] = [];
    state.md.block.parse(body, state.md, state.env, made);
    for (const token of made) state.tokens.push(Object.assign(token, { map: null }));
    parts.open.pop();
  }
  state.line = line + 1;
  const close = /^[`:]{3,}/.exec(text)?.[0];
  if (close !== undefined) while (state.line < end && lineOf(state, state.line - 1).trim() !== close) state.line++;
  return true;
}
