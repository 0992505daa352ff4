/** A block is what a person would copy from a text: a paragraph, an item, a command, an entry, with the place of its own bytes. Answers quote
 *  blocks, and what a search shows of a passage is made of them; this runs in browsers too. */
import type { Prose } from "../schema/kinds.ts";
import { LATEX_DRESS, LATEX_SIGNS } from "../index/latex-signs.ts";

/** `cells` are a row that says nothing without its head: it is shown, and never quoted. */
export type Form = "prose" | "item" | "code" | "entry" | "cells";

export type Block = {
  /** Code units of the text: what is between is cited. */
  readonly start: number;
  readonly end: number;
  /** As a reader sees it: one line, without marks. */
  readonly plain: string;
  /** Share of it that are words of links, which are other documents' titles. */
  readonly linked: number;
  /** Of what it stands under, outermost first. */
  readonly heading: readonly string[];
  readonly form: Form;
};

const LINK = /!?\[[^\]]+\]\([^()\s]*(?:\s+"[^"]*")?\)|<a\s[^<>]*href[^<>]*>[\s\S]*?<\/a>/gi;

export function makeBlock(
  text: string,
  start: number,
  end: number,
  prose: Prose,
  { heading, form }: Pick<Block, "heading" | "form">,
): Block {
  const written = text.slice(start, end);
  const plain = form === "code" && prose !== "html" ? written.replaceAll(/\s+/g, " ").trim() : plainIn(written, prose);
  const links = written.match(LINK) ?? [];
  const linked = links.reduce((sum, link) => sum + plainIn(link, prose).length, 0) / Math.max(1, plain.length);
  return { start, end, plain, linked, heading, form };
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  hellip: "\u2026",
  ldquo: "\u201c",
  lsquo: "\u2018",
  lt: "<",
  mdash: "\u2014",
  nbsp: " ",
  ndash: "\u2013",
  quot: '"',
  rdquo: "\u201d",
  rsquo: "\u2019",
};

const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** Text as a reader sees it, in one line. */
export function plainIn(text: string, prose: Prose): string {
  if (prose === "plain") return withoutRoles(text);
  if (prose === "markdown") return plainOf(text).replaceAll(ESCAPED, "$1");
  if (prose !== "html") return plainOf(text);
  return text
    .replaceAll(/<!--[\s\S]*?-->|<\/?(?:br|td|th|tr|p|div|li)\b[^<>]*>/gi, " ")
    .replaceAll(/<\/?[a-z][^<>]*>/gi, "")
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
      const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : -1;
      return code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : (NAMED[name ?? ""] ?? whole);
    })
    .replaceAll("\u00b6", "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Without the marks of reStructuredText and AsciiDoc; a name between angle brackets is no tag there. */
function withoutRoles(text: string): string {
  return text
    .replaceAll(/:[a-z][a-z:+-]{0,40}:`([^`<\n]{1,400}?)(?:\s*<[^<>`]{0,200}>)?`/g, "$1")
    .replaceAll(/`([^`<\n]{1,200}?)\s+<[^<>`\s]{1,300}>`_{1,2}/g, "$1")
    .replaceAll(/\[([^\]\n]{1,200})\]\([^()\s]*\)/g, "$1")
    .replaceAll(/\blinkgit:([\w-]+)\[(\d)\]/g, "$1($2)")
    .replaceAll(/\blink:[^\s[]+\[([^\]]*)\]/g, "$1")
    .replaceAll(/(?<!\w)'([^'\n]{1,80})'(?!\w)/g, "$1")
    .replaceAll(/\*\*(?=\S)([^*\n]{1,200}?)\*\*|(?<![\w*])\*(?=[^\s*])([^*]{1,200}?)(?<=\S)\*(?!\w)/g, "$1$2")
    .replaceAll(/`+([^`]+)`+/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Text without tags, and with the words of links, emphasis and code in their places. What no rule knows stays as it was written. */
function stripMarks(text: string): string {
  return text
    .replaceAll(/<!--[\s\S]*?-->|<\/?[a-z][^<>]*>/gi, "")
    .replaceAll(/!\[([^\]]*)\](?:\([^()\s]*(?:\s+"[^"]*")?\)|\[[^\]]*\])/g, "$1")
    .replaceAll(/\[([^\]]+)\](?:\([^()\s]*(?:\s+"[^"]*")?\)|\[[^\]]*\])/g, "$1")
    .replaceAll(/\[\^[^\]]+\]/g, "")
    .replaceAll(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/gs, "$2")
    .replaceAll(/(?<![\w*])\*(?=[^\s*])([^*]{1,200}?)(?<=\S)\*(?!\w)/g, "$1")
    .replaceAll(/(?<![\w_])_(?=[^\s_])([^_]{1,200}?)(?<=\S)_(?!\w)/g, "$1")
    .replaceAll(/`+([^`]+)`+/g, "$1");
}

/** Text as a page shows it, in one line: without marks of Markdown, comments, LaTeX and HTML. What no rule knows stays as it was written. */
export function plainOf(text: string): string {
  return stripMarks(
    text.replaceAll(/^[ \t]*(?:\/\/[/!]?|--|\*(?=\s|$)|>+)[ \t]?/gm, "").replaceAll(/\s*(?:\*+\)|-\/|\*\/|-\}|"""|''')\s*$/g, ""),
  )
    .replaceAll(/\\(?:emph|textbf|textit|texttt|textsc|text|mathrm|mathbf)\{([^{}]*)\}/g, "$1")
    .replaceAll(/\\(?:cite|ref|label|footnote|index)\*?(?:\[[^\]]*\])?\{[^{}]*\}/g, "")
    .replaceAll(/(?<![\\$\w])\$(?!\s)([^$]{1,200}?)(?<![\s\\])\$(?![$\d])/g, (_, formula: string) => plainFormula(formula))
    .replaceAll(/~/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** With the signs that its commands print; as it is when one of them is none. */
function plainFormula(formula: string): string {
  const plain = formula
    .replaceAll(/\\(?:[,;:!]|\s)/g, " ")
    .replaceAll(/\\([A-Za-z]+)/g, (command, name: string) => (LATEX_DRESS.has(name) ? "" : (LATEX_SIGNS.get(name) ?? command)));
  return plain.includes("\\") ? `$${formula}$` : plain;
}
