/** A block is what a person would copy from a text: a paragraph, an item, a command, an entry, with the place of its own bytes. Answers quote
 *  blocks, and what a search shows of a passage is made of them; this runs in browsers too. */
import type { Prose } from "#snapshots/schema";
import { LATEX_DRESS, LATEX_SIGNS } from "#snapshots/words";

/** Form is the form of a block. `cells` are a head, or a row that has none: shown, and never quoted. A `row` stands below the names of its
 *  columns, which are its last heading. */
export type Form = "prose" | "item" | "code" | "entry" | "cells" | "row";

export type Block = {
  /** Code units of the text: what is between is cited. */
  readonly start: number;
  readonly end: number;
  /** As a reader sees it, without marks: one line, and code in the lines that it has. */
  readonly plain: string;
  /** Share of it that are words of links, which are other documents' titles. */
  readonly linked: number;
  /** Titles of the headings that it stands under, outermost first. */
  readonly heading: readonly string[];
  readonly form: Form;
};

/** A Heading divides a text. */
export type Heading = Pick<Block, "start" | "end"> & {
  /** 1 is the outermost; levels may be left out. Of HTML a line in bold has BOLD_LEVEL, what a list of definitions explains TERM_LEVEL. */
  readonly level: number;
  readonly title: string;
  /** Its id. */
  readonly anchor: string | null;
};
export const [BOLD_LEVEL, TERM_LEVEL, CAPTION_LEVEL] = [7, 8, 9];

/** ABOVE_LEVEL is the level of the headings above a part of a text: a heading in the part may be as high. */
export const ABOVE_LEVEL = 6;

export const MAX_BLOCK = 8_000; // code units; what is longer was written by no person, and is searched and never quoted

const LINK = /!?\[[^\]]+\]\([^()\s]*(?:\s+"[^"]*")?\)|<a\s[^<>]*href[^<>]*>[\s\S]*?<\/a>/gi;

export function makeBlock(
  text: string,
  start: number,
  end: number,
  prose: Prose,
  { heading, form }: Pick<Block, "heading" | "form">,
): Block {
  const written = text.slice(start, end);
  // A text that is too long to be quoted keeps its marks, since nobody reads it: to look for them could take the square of its length.
  const isLong = written.length > MAX_BLOCK && prose !== "html";
  const plain =
    form === "code" ? linesOfCode(prose === "html" ? withoutTags(written) : written) : isLong ? written : plainIn(written, prose);
  const links = written.length > MAX_BLOCK ? [] : (written.match(LINK) ?? []);
  const linked = links.reduce((sum, link) => sum + plainIn(link, prose).length, 0) / Math.max(1, plain.length);
  return { start, end, plain, linked, heading, form };
}

/** linesOfCode keeps what a drawing or a program is made of: its lines, and how far they stand in beside each other. Blank ones go. */
function linesOfCode(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const margin = Math.min(...lines.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(margin).trimEnd()).join("\n");
}

const pairsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S|\u00a0)/g)].map(([, name = "", sign = ""]) => [name, sign]));
/** Those of mathematics have their names of LaTeX. */
const NAMED = pairsIn(
  "aelig=æ amp=& apos=' bull=• copy=© deg=° euro=€ gt=> hellip=… laquo=« larr=← ldquo=“ lsquo=‘ lt=< mdash=— middot=· minus=− nbsp=\u00a0 " +
    'ndash=– oslash=ø plusmn=± quot=" raquo=» rarr=→ rdquo=” reg=® rsquo=’ sect=§ szlig=ß trade=™',
);
const ACCENTED = /^([a-z])(acute|caron|cedil|circ|grave|ring|tilde|uml)$/i;
const ACCENTS = pairsIn("acute=\u0301 caron=\u030c cedil=\u0327 circ=\u0302 grave=\u0300 ring=\u030a tilde=\u0303 uml=\u0308");
/** An accent and its letter, as LaTeX has them. */
const LATEX_ACCENT = /\\(["'`^~=.])\{?(\p{L})\}?/gu;
const LATEX_ACCENTS: Readonly<Record<string, string>> = {
  '"': "\u0308",
  "'": "\u0301",
  "`": "\u0300",
  "^": "\u0302",
  "~": "\u0303",
  "=": "\u0304",
  ".": "\u0307",
};

/** Letters with the accents that LaTeX sets over them. */
function composeAccents(text: string): string {
  return text.replaceAll(LATEX_ACCENT, (_, accent: string, letter: string) => (letter + (LATEX_ACCENTS[accent] ?? "")).normalize("NFC"));
}

/** A reference of HTML by its name; those of mathematics that few pages have stay as they were written. */
function signOf(name: string): string | undefined {
  const [, letter = "", accent = ""] = ACCENTED.exec(name) ?? [];
  return letter === "" ? (NAMED[name] ?? LATEX_SIGNS.get(name)) : (letter + (ACCENTS[accent.toLowerCase()] ?? "")).normalize("NFC");
}

const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** Signs of LaTeX beside words: a formula, a sign that is escaped, the end of a line, a command, braces. */
const LATEX =
  /\$[^$]*\$|``|''|(?<!\\)&|\\texorpdfstring\{[^{}]*\}|\\([%&#_${}])|\\(?:\\(?:\[[^\]]*\])?|\s)|\\([A-Za-z@]+)\*?(?:\[[^\]]*\])?|[{}]/g;

function signOfLatex(written: string, escaped?: string, command?: string): string {
  if (written.startsWith("$")) return written;
  if (written === "&") return " · ";
  if (written === "``" || written === "''") return written === "``" ? "\u201c" : "\u201d";
  return escaped ?? (command !== undefined ? (LATEX_SIGNS.get(command) ?? "") : written.startsWith("\\") ? " " : "");
}

/** plainIn returns a text as a reader sees it, in one line. */
export function plainIn(text: string, prose: Prose): string {
  if (prose === "plain") return withoutRoles(text);
  if (prose === "markdown") return plainOf(text).replaceAll(ESCAPED, "$1");
  if (prose === "latex") return plainOf(composeAccents(text)).replaceAll(LATEX, signOfLatex).replaceAll(/\s+/g, " ").trim();
  if (prose === "table") return text.replaceAll(/\s+/g, " ").trim();
  if (prose !== "html") return plainOf(text);
  return withoutTags(text).replaceAll(/\s+/g, " ").trim();
}

const FORMULA = /<math\b([^<>]*)>((?:(?!<math\b)[\s\S]){0,20000}?)<\/math>/gi;
/** The words of a picture or a formula, which stand in its tag. */
const SAID = /\salt(?:text)?=(?:"([^"<>]*)"|'([^'<>]*)')/i;

/** Formulas as somebody wrote them for a reader without pictures, in TeX, or by their signs. */
function wordsOfFormula(attributes: string, inside: string): string {
  const [, double, single] = SAID.exec(attributes) ?? [];
  const [, tex] = /<annotation\b[^<>]*>([^<]*)<\/annotation>/i.exec(inside) ?? [];
  return double ?? single ?? tex ?? inside;
}

/** withoutTags gives the text of HTML with its own white space; a formula and a picture by their words. */
export function withoutTags(text: string): string {
  return text
    .replaceAll(FORMULA, (_, attributes: string, inside: string) => wordsOfFormula(attributes, inside))
    .replaceAll(
      /<img\b[^<>]*>/gi,
      (tag) =>
        SAID.exec(tag)
          ?.slice(1)
          .find((words) => words !== undefined) ?? "",
    )
    .replaceAll(/<br\b[^<>]*>/gi, "\n")
    .replaceAll(/<!--[\s\S]*?-->|<\/?(?:td|th|tr|p|div|li)\b[^<>]*>/gi, " ")
    .replaceAll(/<(?:\/?[a-z]|[!?])[^<>]*>/gi, "")
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
      const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : -1;
      return code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : (signOf(name ?? "") ?? whole);
    })
    .replaceAll("\u00b6", "");
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

/** plainOf returns a text as a page shows it, in one line: without marks of Markdown, comments, LaTeX and HTML. A mark that no rule knows stays as
 *  it was written. */
export function plainOf(text: string): string {
  return stripMarks(
    text.replaceAll(/^[ \t]*(?:\/\/[/!]?|--|\*(?=\s|$)|>+)[ \t]?/gm, "").replaceAll(/\s*(?:\*+\)|-\/|\*\/|-\}|"""|''')\s*$/g, ""),
  )
    .replaceAll(/\\(?:emph|textbf|textit|texttt|textsc|text|mathrm|mathbf)\{([^{}]*)\}/g, "$1")
    .replaceAll(
      /\\(?:\w{0,20}cite\w{0,20}|\w{0,20}ref|label|footnote|index\w*|[vh]space|thanks|input|include|includegraphics|textcolor|color|usepackage|documentclass|bibliography\w*|begin|end)\*?(?:\[[^\]]*\])*\{[^{}]*\}/g,
      "",
    )
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
