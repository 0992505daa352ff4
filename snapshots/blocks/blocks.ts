/** BlocksOf reads a text into its blocks, whatever it is written in. Front matter, comments to authors, links of
 *  contents and directives are none; headings, and terms that are explained, are the headings of what stands below them. */
import { type Kind, KINDS, type Prose } from "#snapshots/schema";
import { ABOVE_LEVEL, type Block, type Form, type Heading, makeBlock, MAX_BLOCK, picturesBefore, type Row } from "./block.ts";
import { clearLatex } from "./clear-latex.ts";
import { openComments } from "./comments.ts";
import { readAsciidoc, readOrg, readRst } from "./markup-lines.ts";
import { readHtml } from "./html-blocks.ts";
import { readMarkdown } from "./markdown.ts";
import { codeLines, proseOfSource } from "./literate.ts";
import { readMarkdownLines } from "./markdown-lines.ts";
import { isTex, plainIn } from "./plain.ts";
import { isRemark, tableDialect } from "./table-dialect.ts";
import { indent, isBlank, isPart, type Line, MAX_HEADING, MIN_SAID, type Opened, part, type Reader } from "./read-line.ts";

const MAX_TEXT = 256 * 1024; // code units that are read
const MAX_LINE = 500; // code units of a line that are looked at for a heading
const MAX_TERM = 100; // of a line that a definition stands under
const MAX_LINKED = 0.67; // of a block that is no list of contents
const MAX_PRINTED = 160; // characters of a line that a page has room for
const SHORT_LINE = 0.6; // of the width of a page: a heading's line ends before it

/** blocksOf returns the blocks of a text that have words, in their order. It leaves out those that are too long to be quoted or are mostly links.
 *  @param above headings that a part of a text stands under, before the first heading in it */
export function blocksOf(text: string, kind: Kind, above: readonly string[] = []): readonly Block[] {
  const { prose } = KINDS[kind];
  if (prose === null) return [];
  const start = text.slice(0, MAX_TEXT);
  const all = prose === "html" ? readHtml(start, above).flatMap((part) => ("title" in part ? [] : part)) : readLines(start, prose, above);
  const says = ({ plain, linked }: Block): boolean =>
    /[\p{L}\p{N}]/u.test(plain) && linked < MAX_LINKED && !/^(?:table of )?contents:?$/i.test(plain);
  return all.filter((block) => says(block) && block.end - block.start <= MAX_BLOCK);
}

/** headingsOf returns the headings of a text of lines, whatever its length; for HTML see readHtml. */
export function headingsOf(text: string, kind: Kind): readonly Heading[] {
  const { prose } = KINDS[kind];
  if (prose === null || prose === "html") return [];
  const { text: cleared, read } = openReader(text, prose);
  const lines = linesOf(cleared, MAX_LINE);
  return lines.flatMap((line, at): Heading[] => {
    const found = read(line, at, lines);
    if (found === null || !("heading" in found)) return [];
    const last = found.under === true ? (lines[at + 1] ?? line) : line;
    const start = found.over === true ? (lines[at - 1]?.start ?? 0) : line.start;
    return [{ start, end: last.start + last.text.length, level: found.level, title: found.heading, anchor: null }];
  });
}

/** clearAsides blanks what the author has commented out of a text and what is there for a program alone, so that nobody searches, shows or quotes it. */
export function clearAsides(text: string, kind: Kind): string {
  const { prose } = KINDS[kind];
  return prose === null || prose === "html" ? text : openReader(text, prose).text;
}

/** The reader of a text, and the text without asides, of the same length. */
function openReader(text: string, prose: Exclude<Prose, "html">, above: readonly string[] = []): Opened {
  if (prose === "markdown") {
    const { text: cleared, states } = readMarkdownLines(text);
    return { text: cleared, read: readMarkdown(states) };
  }
  if (prose === "literate") return openLiterate(text);
  if (prose === "comments" || prose === "docs") {
    const { text: cleared, read } = openComments(text);
    const told = proseOfSource(text);
    return told === null ? { text: cleared, read } : openMixed(told.prose, told.form, cleared.split("\n"), read);
  }
  const cleared = prose === "latex" ? clearLatex(text) : text;
  return { text: cleared, read: READERS[prose](cleared, above) };
}

/** A text that is prose on some lines: null on the others, which another reader reads as they stand in `rest`. */
function openMixed(prose: readonly (string | null)[], form: "markdown" | "rst" | "latex", rest: readonly string[], reader: Reader): Opened {
  const { text, read } = openReader(prose.map((line, at) => line ?? " ".repeat(rest[at]?.length ?? 0)).join("\n"), form);
  const lines = linesOf(text);
  return {
    text: lines.map((line, at) => (prose[at] === null ? rest[at] : line.text)).join("\n"),
    read(line, at, all) {
      if (prose[at] === null) return reader(line, at, all);
      const found = read(lines[at] ?? line, at, lines);
      return found !== null && "from" in found ? { ...found, prose: form } : found;
    },
  };
}

function openLiterate(text: string): Opened {
  const code = codeLines(text);
  const written = text.split("\n");
  const rest = written.map((line, at) =>
    typeof code[at] === "number" ? " ".repeat(code[at]) + line.slice(code[at]) : " ".repeat(line.length),
  );
  const prose = written.map((line, at) => (code[at] === null ? line : null));
  return openMixed(prose, isTex(text) ? "latex" : "markdown", rest, ({ text: line }) => (isBlank(line) ? null : part(0, false, "code")));
}

function readLines(whole: string, prose: Exclude<Prose, "html">, above: readonly string[]): readonly Block[] {
  const { text, read } = openReader(whole, prose, above);
  const lines = linesOf(text);
  const blocks: Block[] = [];
  const path = above.map((title) => ({ level: ABOVE_LEVEL, title }));
  let term: { readonly name: string; readonly indent: number } | null = null;
  let open: { start: number; end: number; form: Form; own: Prose; goesOn: boolean } | null = null;
  const add = (start: number, end: number, form: Form, own: Prose = prose, head = "", row?: Row): void => {
    const heading = [...path.map(({ title }) => title), term?.name ?? "", head].filter((title) => title !== "");
    const before = own === "markdown" && form === "prose" && end - start <= MAX_BLOCK ? picturesBefore(text, start, end) : 0;
    if (start + before < end) blocks.push(makeBlock(text, start + before, end, own, { heading, form, row }));
  };
  const close = (): void => {
    if (open !== null) add(open.start, open.end, open.form, open.own);
    open = null;
  };
  for (const [at, line] of lines.entries()) {
    const found = read(line, at, lines);
    // A term's text stands in farther, or behind the sign of AsciiDoc that it goes on.
    const goesOn = [line, lines[at - 1]].some((one) => CONTINUES.test(one?.text ?? ""));
    const isBelow = found === null || !("opens" in found) || found.form === "code" || indent(line.text) > (term?.indent ?? 0);
    if (term !== null && !isBelow && !goesOn && open?.goesOn !== true) {
      close();
      term = null;
    }
    if (found === null || !("opens" in found)) {
      close();
      if (found === null) continue;
      if ("to" in found) add(line.start + found.from, line.start + found.to, found.form, found.prose, found.head, found.row);
      else if ("term" in found) term = { name: found.term, indent: found.indent };
      else {
        while ((path.at(-1)?.level ?? -1) >= found.level) path.pop();
        path.push({ level: found.level, title: found.heading });
        term = null;
      }
      continue;
    }
    const [goesOnWith, goesOnIn]: readonly [Form?, Prose?] = open === null ? [] : [open.form, open.own];
    const own = found.prose ?? prose;
    const isOther = goesOnIn !== own || goesOnWith !== (found.form === "prose" && goesOnWith === "item" ? "item" : found.form);
    if (found.opens || isOther) close();
    const end = line.start + line.text.trimEnd().length;
    if (open === null) open = { start: line.start + found.from, end, form: found.form, own, goesOn };
    else open.end = end;
  }
  close();
  return blocks;
}

function linesOf(text: string, limit = Infinity): readonly Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const found = { start, text: line.length > limit ? line.slice(0, limit) : line };
    start += line.length + 1;
    return found;
  });
}

/** A table as lines: the first names the columns, and of a part what stands above it. */
function readTable(whole: string, above: readonly string[]): Reader {
  const { delimiter, first } = tableDialect(whole);
  const columns = above.at(-1)?.split(", ") ?? cellsIn(whole.split("\n", first)[first - 1] ?? "", delimiter);
  const head = columns.join(" · ").slice(0, MAX_HEADING);
  return ({ text }, at) =>
    isBlank(text) || (at < first && above.length === 0) || (columns.length > 1 && isRemark(text, delimiter))
      ? null
      : { from: 0, to: text.trimEnd().length, form: "row", head, row: { columns, cells: cellsIn(text, delimiter) } };
}

/** Cells of a line, whatever signs stand in quotes. */
function cellsIn(line: string, sign: string): readonly string[] {
  const cells = line.trimEnd().matchAll(new RegExp(`(?:^|${RegExp.escape(sign)})(?:"((?:[^"]|"")*)"|([^${RegExp.escape(sign)}]*))`, "g"));
  return [...cells].map(([, quoted, bare = ""]) => (quoted?.replaceAll('""', '"') ?? bare).trim());
}

/** `term: what it means`, as a glossary has it, and settings below the names of what they belong to. */
function readYaml(): Reader {
  const open: { readonly indent: number; readonly name: string }[] = [];
  return ({ text }) => {
    const [, dash = "", key = "", said = ""] = SETTING.exec(text) ?? [];
    if (key === "") return null;
    const indent = dash.length;
    while ((open.at(-1)?.indent ?? -2) >= indent - (dash.includes("-") ? 1 : 0)) open.pop();
    const place = { from: indent, to: text.trimEnd().length };
    const head = open.map(({ name }) => name).join(" · ");
    const value = scalarIn(said);
    // A name is said above the settings beside it.
    if (value === "" || /^(?:name|id|title)$/i.test(key)) open.push({ indent: value === "" ? indent : indent - 1, name: value || key });
    if (/^[\p{L}"']/u.test(said) && said.split(" ").length >= MIN_SAID) return { ...place, form: "entry" };
    return value === "" ? null : { ...place, form: "cells", head, row: { columns: [key], cells: [value] } };
  };
}

const SETTING = /^(\s*(?:-\s+)?)["']?([\p{L}_][^:#"']*)["']?\s*:(?:\s+(.*?))?,?\s*$/u;

/** A value on one line without quotes and comments; "" for one that goes on or is made of others. */
function scalarIn(said: string): string {
  const isScalar = /^(?:"[^"]*"|'[^']*'|[^\s"'{}[\]|>&*!#][^#]*?)\s*(?:#.*)?$/.test(said);
  return isScalar ? said.replace(/\s+#.*$/, "").replaceAll(/^["']|["']$/g, "") : "";
}

/** The line under a heading, or above it; in AsciiDoc also what encloses a text that is taken as it is. */
const RULE = /^\s*([-=~^"'`#*+_.:<>])\1{2,}\s*$/;
const ENCLOSES = /^([-.+])\1{3,}\s*$/;
/** AsciiDoc is told from reStructuredText by what only it has: the sign that an entry goes on, attributes, anchors, headings behind their signs, a
 *  term above its text. */
const ASCIIDOC = /^(?:\+|\[\w+(?:,[\w -]+)*\]|\[\[[\w.-]+\]\]|={1,5} [\p{L}`].*)$|^(?!\.\.)\S.*::\r?\n[ \t]*\S/mu;
const ASCIIDOC_TITLE = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/;
/** Comments of AsciiDoc: a line, and what is between two rows. */
const ASIDE = /^\/\/(?!\/)/;
const ENCLOSES_ASIDE = /^\/{4,}\s*$/;
const CONTINUES = /^\+\s*$/;
const ITEM = /^\s*(?:[-+•]|\*{1,5}|<(?:\d{1,3}|\.)>|\.{1,3}(?=\s)|\d{1,3}[.)]|\(\d{1,2}\)|#\.)\s+/;
/** Directives of reStructuredText. The text below those of LITERAL is taken as it is, and that below those of SILENT is not read. The argument of
 *  any other is the name of the thing that is explained below it. */
const LITERAL = /^\s*\.\.\s+(?:code-block|code|sourcecode|parsed-literal|doctest|testcode|productionlist|coq|lean4?|\w+:(?:example|run))::/;
const SILENT =
  /^\s*\.\.(?:\s*$|\s+(?:toctree|index|image|figure|raw|only|math|highlight|module|sectionauthor|moduleauthor|contents)::|\s+(?![\w:-]+::))/;
const DIRECTIVE = /^\s*\.\.\s+([\w:-]+)::\s*(.*)$/;
const ADMONITION =
  /^(?:note|tip|hint|important|warning|caution|attention|danger|seealso|admonition|glossary|versionadded|versionchanged|deprecated)$/;

function readPlain(text: string, prose: "plain" | "rst" | "asciidoc" = "plain"): Reader {
  const isAsciidoc = prose === "asciidoc" || (prose === "plain" && ASCIIDOC.test(text));
  /** Lines that stand in farther than `literal` are taken as they are; those that stand in farther than `silent` are not read. */
  let [literal, silent] = [Infinity, Infinity];
  let enclosing: string | null = null;
  /** The line that may be an answer of a program. */
  let answer = 0;
  /** True for the lines below a document's title, which say who wrote it and how it is set. */
  let inHead = false;
  /** Rows that mark headings, in the order in which they first occur: it gives their levels. */
  const styles: string[] = [];
  const levelOf = (style: string): number => (styles.includes(style) ? styles.indexOf(style) : styles.push(style) - 1) + 1;
  return ({ text }, at, lines) => {
    const [before, under, below] = [lines[at - 1]?.text ?? "", lines[at + 1]?.text ?? "", lines[at + 2]?.text ?? ""];
    if (enclosing !== null) {
      if (text.trimEnd() !== enclosing) return ENCLOSES_ASIDE.test(enclosing) ? null : part(0, false, "code");
      enclosing = null;
      return null;
    }
    inHead &&= !isBlank(text);
    if (inHead || (isAsciidoc && ASIDE.test(text))) return null;
    if (isBlank(text)) return literal < Infinity && indent(under) > literal ? part(0, false, "code") : null;
    if (indent(text) > silent) return null;
    if (indent(text) > literal) return part(0, false, "code");
    [literal, silent] = [Infinity, Infinity];
    if (isAsciidoc && (ENCLOSES_ASIDE.test(text) || (ENCLOSES.test(text) && (!isPart(before) || !isTitle(before, text))))) {
      enclosing = text.trimEnd();
      return null;
    }
    if (/^\s*\.\.(?:\s|$)/.test(text)) {
      if (LITERAL.test(text)) literal = indent(text);
      else if (SILENT.test(text)) silent = indent(text);
      const [, name = "", argument = ""] = DIRECTIVE.exec(text) ?? [];
      const explains = literal === Infinity && silent === Infinity && !ADMONITION.test(name) && argument !== "";
      return explains ? { term: plainIn(argument.slice(0, MAX_HEADING), prose), indent: indent(text) } : null;
    }
    if (RULE.test(text) || CONTINUES.test(text) || /^\s*(?:\[\[?[\w.,="' -]+\]\]?|:!?[\w -]+!?:(?:\s.*)?|>>> ?)$/.test(text)) return null;
    const over = !isAsciidoc && RULE.test(before) && before.trim()[0] === under.trim()[0];
    if (RULE.test(under) && indent(under) <= indent(text) && (over || (isTitle(text, under) && (isBlank(before) || ABOVE.test(before)))))
      return {
        heading: plainIn(text.slice(0, MAX_HEADING), prose),
        level: levelOf(`${over}${under.trim()[0] ?? ""}`),
        over,
        under: true,
      };
    const [, signs = "", title = ""] = (isAsciidoc && ASCIIDOC_TITLE.exec(text)) || [];
    if (title !== "") {
      inHead = signs.length === 1;
      return { heading: plainIn(title.slice(0, MAX_HEADING), prose), level: signs.length };
    }
    if (isAsciidoc && /\S::\s*$/.test(text))
      return { term: plainIn(text.replace(/::\s*$/, "").slice(0, MAX_HEADING), prose), indent: indent(text) };
    // The answer of a program stands directly below.
    if (/^\s*>>> /.test(text)) answer = at + 1;
    if (answer > at || (answer === at && at > 0)) {
      answer = at + 1;
      return part(0, false, "code");
    }
    if (!isAsciidoc && /::\s*$/.test(text)) literal = indent(text);
    const item = ITEM.exec(text);
    // The first cell of a row that is a list in a list.
    if (item !== null) return part(item[0].length + (/^- +/.exec(text.slice(item[0].length))?.[0].length ?? 0), true, "item");
    // A term, and what it means farther in.
    if (literal === Infinity && !isPart(before) && isDefined(text, under)) return { term: plainIn(text, prose), indent: indent(text) };
    if (isAsciidoc && /^[ \t]/.test(text) && !isPart(before) && isBlank(below) && indent(under) > indent(text))
      return part(indent(text), true);
    // Columns are apart by more than the two spaces after a sentence.
    return part(indent(text), /[^\s.!?:;,"'\u201d)\]](?: {2,}|\t)\S/.test(text));
  };
}

/** Lines that may stand above an underlined heading: a row, an anchor or an attribute of AsciiDoc, a directive of reStructuredText. */
const ABOVE = /^\s*(?:\[.*\]|\.\.(?:\s.*)?|([-=~^"'`#*+_.:<>])\1{2,})\s*$/;

/** Tells whether a row of signs is long enough to underline a title: it may be two signs shorter, as people miscount. */
function isTitle(title: string, row: string): boolean {
  return /[\p{L}\p{N}]/u.test(title) && row.trim().length >= title.trim().length - 2 && !/^\s*(?:\.\.|[-*+] |\[.*\]\s*$)/.test(title);
}

function isDefined(text: string, under: string): boolean {
  return (
    !isBlank(under) && indent(under) > indent(text) && text.trim().length <= MAX_TERM && !/[.!?:;,]\s*$/.test(text) && !ITEM.test(under)
  );
}

/** The text of a printed page: nothing marks a heading in it but that its line ends before it is full and no sentence ends there. */
function readPdf(text: string): Reader {
  const width = Math.max(...text.split("\n").map(({ length }) => (length <= MAX_PRINTED ? length : 0)));
  let before = "";
  const plain = readPlain("");
  return (line, at, lines) => {
    const follows = at === 0 || isBlank(before) || /[.!?:]["\u201d\u2019)\]]*$/.test(before);
    before = line.text.trimEnd();
    const isHeading =
      follows && before.length <= SHORT_LINE * width && /[\p{L}\p{N})]$/u.test(before) && /^\s*\p{Lu}/u.test(lines[at + 1]?.text ?? "");
    return isHeading ? { heading: before.trim(), level: 1 } : plain(line, at, lines);
  };
}

const SECTIONS = ["", "part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
const SECTION = new RegExp(
  String.raw`^\s*\\(${SECTIONS.slice(1).join("|")})\*?\s*(?:\[[^\]\n]{0,200}\])?\{(.*?)\}\s*(?:\\label\{[^{}]*\}\s*)?$`,
);

/** Environments whose text is taken as it is, and those of which nothing is read: formulas, drawings, and what is not printed. */
const TAKEN = /^(?:verbatim|Verbatim|lstlisting|minted|code|spec|alltt)\*?$/;
const UNREAD =
  /^(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math|tikzpicture|pgfpicture|tikzcd|picture|forest|algorithmic|comment|filecontents)\*?$/;
const CELLS = /^(?:tabular[xy*]?|longtable|tabu|xltabular|supertabular)\*?$/;
/** A line of commands alone. */
const COMMANDS = /^ ?(?:\\(?!(?:text|emph)\w*\b)[A-Za-z@]+\*?(?: ?\[[^\]]*\]| ?\{[^{}]*\}| ?=?-?[\d.]+[a-z]{0,4})* ?)+\{? ?$/;
const FORMULA_EDGE = /^\s*(?:\\\[|\\\]|\$\$)/;

function readLatex(text: string): Reader {
  /** The environment that is taken, unread or has cells. */
  let inside: string | null = null;
  let columns = "";
  let inFormula = false;
  let inPreamble = /^[^%\n\r\u2028\u2029]*\\documentclass/m.test(text) && text.includes("\\begin{document}");
  return ({ text: line }, at, lines) => {
    const [, edge = "", name = ""] = /^\s*\\(begin|end)\s*\{([^{}]+)\}/.exec(line) ?? [];
    if (inPreamble) {
      inPreamble = !/\\begin\s*\{document\}/.test(line);
      return null;
    }
    if (inside !== null && !CELLS.test(inside)) {
      if (edge !== "end" || name !== inside) return TAKEN.test(inside) ? part(0, false, "code") : null;
      inside = null;
      return null;
    }
    if (edge === "begin" && (TAKEN.test(name) || UNREAD.test(name) || CELLS.test(name))) {
      [inside, columns] = [line.includes(`\\end{${name}}`) ? null : name, ""];
      return null;
    }
    if (edge === "end" && name === inside) inside = null;
    const isEdge = FORMULA_EDGE.test(line);
    if (isEdge || inFormula) {
      const signs = line.match(/\$\$|\\[[\]]/g)?.length ?? 0;
      if (signs % 2 === 1) inFormula = !inFormula;
      return null;
    }
    const [, command = "", heading] = SECTION.exec(line) ?? [];
    if (heading !== undefined) return { heading: plainIn(heading.slice(0, MAX_HEADING), "latex"), level: SECTIONS.indexOf(command) };
    if (
      isBlank(line) ||
      (line.length <= MAX_LINE && COMMANDS.test(line.replaceAll(/\s+/g, " "))) ||
      /^\s*(?:%|\\(?:begin|end|label|documentclass|usepackage|bibliography|author|date|maketitle|(?:re|provide)?newcommand|[gex]?def\b|title\b|item\s*$|includegraphics))/.test(
        line,
      )
    )
      return null;
    if (inside !== null && line.length <= MAX_LINE && /(?<!\\)&/.test(line)) {
      const to = line.replace(/(?:\s*\\(?:\\|[a-z]+(?:\{[^{}]*\})?))*\s*$/, "").length;
      const isHead = columns === "" && /\\(?:hline|midrule)/.test(`${line}${lines[at + 1]?.text ?? ""}`);
      if (isHead) columns = plainIn(line.slice(0, Math.min(to, MAX_HEADING)), "latex");
      return isHead || columns === "" ? { from: indent(line), to, form: "cells" } : { from: indent(line), to, form: "row", head: columns };
    }
    const item = /^\s*\\(?:item(?:\[[^\]]*\])?|bibitem(?:\[[^\]]*\])?\{[^{}]*\})\s*/.exec(line);
    return item === null ? part(indent(line)) : part(item[0].length, true, "item");
  };
}

const READERS: Readonly<
  Record<Exclude<Prose, "html" | "markdown" | "literate" | "comments" | "docs">, (text: string, above: readonly string[]) => Reader>
> = {
  plain: (text) => readPlain(text),
  rst: (text) => readRst(readPlain(text, "rst")),
  asciidoc: (text) => readAsciidoc(readPlain(text, "asciidoc")),
  org: readOrg,
  printed: readPdf,
  latex: readLatex,
  entries: readYaml,
  table: readTable,
};
