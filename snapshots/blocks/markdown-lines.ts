/** ReadMarkdownLines tells of each line of Markdown whether it is text, code, the edge of code, or an aside that no reader sees: a comment, or what MDX
 *  has for a program. The page, the passages and the answers all follow it, so none says what another leaves out. */
import { findFrontBlock, isMyst } from "./front-block.ts";

/** LineState is the part that a line plays. `edge` is a fence, or a line of front matter. */
export type LineState = "text" | "code" | "edge";

const MAX_LINES = 200; // of a formula, a component or a module: what looks for an end looks no farther
const MAX_TAG = 4000; // code units of a component's tag
const MAX_INLINE = 2000; // code units of a comment or of code within a paragraph

/** The signs of quotations and items that stand before the text of a line. */
const HOLDERS = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/;
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
/** SLASHED finds a line that opens or ends a block of pymdown-extensions. */
export const SLASHED = /^\/{3,}(?:[ \t]+[\w-]+[ \t]*(?:\|.*)?)?$/;
/** Names of boxes, as sites write them. */
const BOXES = new Set(
  (
    "abstract admonition attention bug caution check cite danger definition details done error example fail failure faq help hint important info " +
    "lemma missing note proof question quote remark seealso success summary theorem tip tldr todo versionadded versionchanged deprecated warning"
  ).split(" "),
);
/** The name of a fenced box: `note`, `note Title`, `note[Title]`, `{note} Title`, `{.callout-tip title="Q"}`. */
const BOX_NAME = /^\{?[ \t]*(?:#[\w-]+[ \t]+)?[.]?([A-Za-z][\w:-]*)/;
/** Settings below the fence of a directive of MyST: they are no part of what it holds. */
const SETTING = /^(?:[ \t>]*:[\w-]+:.*| {4}[\w-]+:[ \t].*)$/;
/** Lines whose box is what stands in by four below them: MkDocs. */
const INDENTED_BOX = /^(?:(?:!!!|\?\?\?\+?)[ \t]+[\w-]|===[!+]?[ \t]+")/;
/** Attributes of a component whose words its readers see. */
const CAPTION = /\s(?:caption|label|title|summary|header|heading)=(?:"([^"\n*]{1,300}\S)"|'([^'\n*]{1,300}\S)')/;
const IMPORT = /^import\s+(?:type\s+)?(?:[\w$*{}\s,]{1,2000}?\sfrom\s+)?(?:"[^"\n]+"|'[^'\n]+')[ \t]*;?[ \t]*$/my;
const EXPORT =
  /^export\s+(?:(?:const|let|var)\s+[\w${},\s]{1,200}?=|default\s+(?:async\s|function\b|class\b|[({[]|[\w.$]+;?[ \t]*$)|(?:async\s+)?function\b|class\s|[{*])/my;
/** FORMULA_NAME finds the name of a formula behind the sign that closes it, as Quarto and MyST write it. */
export const FORMULA_NAME = /(?<=\$\$|\\\])[ \t]*(?:\{#([\w:.-]+)\}|\(([\w:.-]{1,100})\))\s*$/;
const ENVIRONMENT = /^\\begin\{((?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math)\*?)\}/;
/** A target that leads nowhere: its title is a remark of the author. */
const NAMELESS = /^\[[^\]\n]{1,100}\]:[ \t]*(?:#|<>)[ \t]+(?:\(.*\)|"[^"]*"|'[^']*')[ \t]*$/;
/** Elements of whose content a page shows nothing. */
const UNSEEN = /^<(script|style|template)\b/i;
const ASIDES: readonly (readonly [open: string, close: string])[] = [
  ["<!--", "-->"],
  ["<?", "?>"],
  ["<![CDATA[", "]]>"],
  ["{/*", "*/}"],
  ["%%", "%%"],
];
/** Code, which is kept, and comments within a line or over lines of one paragraph. */
const INLINE = new RegExp(
  String.raw`(?<!${"`"})(${"`"}+)(?!${"`"})[\s\S]{1,${MAX_INLINE}}?(?<!${"`"})\1(?!${"`"})|(?<!\\)<(?:!--[\s\S]{0,${MAX_INLINE}}?--|\?[^>]{0,${MAX_INLINE}}\?|!\[CDATA\[[\s\S]{0,${MAX_INLINE}}?\]\])>|(?<!\S)%%[^%\n]{1,500}%%|\{\/\*[\s\S]{0,${MAX_INLINE}}?\*\/\}`,
  "g",
);

/** Directives of MyST that are no boxes, and hold text. */
const TEXTUAL =
  /^(?:figure|figure-md|image|list-table|card|grid|grid-item|grid-item-card|tab|tab-set|tab-item|dropdown|toggle|table|glossary|div|container|only|aside|margin|sidebar|topic|epigraph|pull-quote|blockquote|hlist|rubric|proof:[a-z]+|prf:[a-z]+|exercise|solution)$/;
/** CODED finds directives between colons that hold no Markdown. */
export const CODED = /^:{3,}[ \t]*\{(?:code|code-block|code-cell|sourcecode|math|mermaid|raw|literalinclude|eval-rst|toctree)\}/;

/** boxName returns the name behind a fence, in small letters, whether it is a box's, and whether text stands in it. */
export function boxName(info: string): { readonly name: string; readonly isBox: boolean; readonly holdsText: boolean } {
  const name = BOX_NAME.exec(info)?.[1]?.toLowerCase() ?? "";
  const isBox = BOXES.has(name) || name.startsWith("callout-");
  return { name, isBox, holdsText: isBox || TEXTUAL.test(name) };
}

/** Directives whose argument says nothing to a reader. */
const UNSAID =
  /^(?:[:`~]{3,}[ \t]*)?\{(?:code|code-block|code-cell|sourcecode|raw|mermaid|math|eval-rst|index|only|container|div|class|rst-class|contents|toc|table-of-contents|grid|grid-item|tab-set|hlist|include|bibliography|show-index|(?:py:)?currentmodule|highlight|tableofcontents|[a-z]+-(?:start|end))\}/;

/** Directives whose argument is an address. */
const ADDRESSED = /^[:`~]{3,}[ \t]*\{(?:figure|figure-md|image|embed|iframe|literalinclude|anywidget|download)\}/;

/** argumentOf reads the argument of a directive of MyST that says something, and whether it is an address; null where there is none. */
export function argumentOf(info: string): { readonly argument: string; readonly isAddress: boolean } | null {
  const [, argument] = (UNSAID.test(info) ? null : /^\{[a-z][\w:.-]*\}[ \t]+(\S.*)$/i.exec(info)) ?? [];
  if (argument === undefined) return null;
  return { argument, isAddress: /^(?:https?:\/\/|#)\S+$|^[\w./-]+\.[a-z]\w{0,5}$/i.test(argument) };
}

/** The title of a box: in quotes, in brackets, or all that follows its name. */
const BOX_TITLES = [
  /^(?:!!!|\?\?\?\+?)[ \t]+[\w -]*"([^"\n]+)"/d,
  /^===[!+]?[ \t]+"([^"\n]+)"/d,
  /^(?::{3,}|`{3,}|~{3,}).*\btitle=(?:"([^"]*)"|'([^']*)')/d,
  /^(?::{3,}|`{3,}|~{3,})[ \t]*[^[\s{]*\[([^\]]+)\]/d,
  /^\/{3,}[ \t]+[\w-]+[ \t]*\|[ \t]*(\S.*?)[ \t]*$/d,
  /^(?::{3,}|`{3,}|~{3,})[ \t]*(?:\{[^}]*\}|[\w:-]+)[ \t]+(?![{])(\S.*?)[ \t]*:*[ \t]*$/d,
];

/** boxTitle finds the title in a line that opens a box, without what the line is indented by. @returns where it stands; null where there is none */
export function boxTitle(line: string): readonly [from: number, to: number] | null {
  if (UNSAID.test(line) || ADDRESSED.test(line)) return null;
  const found = BOX_TITLES.map((form) =>
    form
      .exec(line)
      ?.indices?.slice(1)
      .find((place) => place !== undefined),
  ).find((place) => place !== undefined);
  return found ?? null;
}

export const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ");
const isBlank = (text: string): boolean => text.trim() === "";
const quotesOf = (text: string): number => /^[ \t>]*/.exec(text)?.[0].replaceAll(/[^>]/g, "").length ?? 0;
/** How far the text of a line stands in, behind the signs of quotations. */
const indentOf = (text: string): number =>
  /^[ \t>]*/
    .exec(text)?.[0]
    .replaceAll("\t", "    ")
    .replaceAll(/^.*> ?/g, "").length ?? 0;

type Fence = {
  readonly sign: string;
  readonly quotes: number;
  readonly indent: number;
  readonly item: number;
  readonly state: LineState;
  readonly isLiquid: boolean;
};

class LineReader {
  readonly lines: string[];
  readonly states: LineState[] = [];
  #fence: Fence | null = null;
  /** Lines up to it, not included, are a formula. */
  #formula = 0;
  /** How far the texts of the items stand in that are open, outermost first. */
  readonly #items: number[] = [];
  /** Elements that nothing closes: nobody looks for their ends again. */
  readonly #unclosed = new Set<string>();
  #isText = false;
  /** Rows that close the boxes which are open. */
  readonly #boxes: string[] = [];
  /** True below the fence of a directive, as long as its settings last. */
  #inSettings = false;

  readonly #text: string;
  #isMyst: boolean | null = null;

  constructor(text: string) {
    this.#text = text;
    this.lines = text.split("\n");
    const front = findFrontBlock(text)?.lines ?? 0;
    for (let at = 0; at < this.lines.length; at++) {
      const state = at < front ? "edge" : this.#read(at);
      this.states[at] = state;
      this.#isText = state === "text" && !/^(?:[\s>]*| {0,3}#{1,6}(?:\s.*)?)$/.test(this.lines[at] ?? "");
    }
    this.#clearInline();
  }

  #read(at: number): LineState {
    if (this.#fence?.isLiquid === true && /^[ \t>]*\{%-?[ \t]*end/.test(this.lines[at] ?? "")) this.#clearLiquid(at, this.#fence.indent);
    const before = this.lines[at] ?? "";
    if (this.#inSettings && SETTING.test(before)) return "edge";
    this.#inSettings = false;
    const inside = this.#insideFence(before);
    if (inside !== null) return inside;
    if (at < this.#formula) return /^[\s>]*(?:\$\$|\\\])\s*$/.test(before.replace(FORMULA_NAME, "")) ? "edge" : "code";
    const holders = this.#enter(before);
    if (holders === null) return "code";
    this.#clearAside(at, holders.length);
    const text = this.lines[at] ?? "";
    const own = text.slice(holders.length);
    const [, ticks, waves] = FENCE.exec(own) ?? [];
    const sign = ticks ?? waves ?? (CODED.test(own) ? /^:+/.exec(own)?.[0] : undefined);
    if (SLASHED.test(own) || /^:{3,}[ \t]*\{/.test(own)) this.#inSettings = true;
    if (INDENTED_BOX.test(own)) this.#items.push(indentOf(blank(holders)) + 4);
    if (sign !== undefined) {
      const info = own.slice(sign.length).trim();
      if (info === "" && this.#boxes.at(-1) === sign) {
        this.#boxes.pop();
        return "edge";
      }
      this.#inSettings = info.startsWith("{");
      if (info.startsWith("{") && boxName(info).holdsText) {
        this.#boxes.push(sign);
        return "text";
      }
      // The names of pages in a contents are no code.
      const state = info.startsWith("{toctree}") ? "edge" : "code";
      this.#fence = {
        sign,
        quotes: quotesOf(text),
        indent: indentOf(blank(holders.replaceAll(">", " "))),
        item: this.#items.at(-1) ?? 0,
        state,
        isLiquid: before.slice(holders.length).startsWith("{%"),
      };
      return "edge";
    }
    if (!this.#openFormula(at, own)) return "text";
    return /^(?:\$\$|\\\[)\s*$/.test(own) ? "edge" : "code";
  }

  /** A fence ends at a row like it with nothing behind, or where the quotation or the item ends that it stands in. */
  #insideFence(text: string): LineState | null {
    if (this.#fence === null) return null;
    const { sign, quotes, indent, item, state } = this.#fence;
    const isOut = quotesOf(text) < quotes || (!isBlank(text) && quotes === 0 && indentOf(text) < item);
    const row = /^[ \t>]*(`+|~+|:+)[ \t\r]*$/.exec(text)?.[1] ?? "";
    const closes = row.startsWith(sign) && indentOf(text) <= indent + 3;
    if (isOut || closes) this.#fence = null;
    return isOut ? null : closes ? "edge" : state;
  }

  /** Follows the items of lists. @returns the signs before the text of the line; null for code by its indentation, whatever it begins with */
  #enter(text: string): string | null {
    if (isBlank(text)) return text;
    const holders = HOLDERS.exec(text)?.[0] ?? "";
    const indent = indentOf(text);
    const isItem = /[-*+.)]/.test(holders);
    if (isItem || !this.#isText) while ((this.#items.at(-1) ?? 0) > indent) this.#items.pop();
    if (!this.#isText && indent - (this.#items.at(-1) ?? 0) >= 4) return null;
    if (isItem) this.#items.push(indentOf(holders.replaceAll(/[-*+.)\d]/g, " ")));
    return holders;
  }

  /** Blanks what begins behind `from` and is for no reader, over as many lines as it has. */
  #clearAside(at: number, from: number): void {
    const text = this.lines[at] ?? "";
    const own = text.slice(from);
    const [open, close = ""] = ASIDES.find(([sign]) => own.startsWith(sign)) ?? [];
    const [, element = ""] = UNSEEN.exec(own) ?? [];
    const isRemark =
      (!this.#isText && NAMELESS.test(own)) ||
      (own.startsWith("%") && ((!this.#isText && /^%(?:\s|$)/.test(own)) || (this.#isMyst ??= isMyst(this.#text))));
    if (isRemark) this.#clear(at, from, at, Infinity);
    else if (own.startsWith("{%")) this.#clearLiquid(at, from);
    else if (own.startsWith("#. ")) this.#write(at, from, "1.", 2);
    else if (open === "%%") this.#clearUntil(at, from, close, false);
    else if (close !== "") this.#clearUntil(at, from, close, true);
    else if (element !== "") this.#clearUntil(at, from, `</${element.toLowerCase()}>`, false);
    else if (from === 0 && !this.#isText && /^(?:import|export)\s/.test(own)) this.#clearModule(at);
    else if (/^<\/?[A-Z]\w*[a-z]/.test(own)) this.#clearComponent(at, from);
  }

  #clearUntil(at: number, from: number, close: string, toTheEnd: boolean): void {
    if (this.#unclosed.has(close)) return;
    for (let line = at; line < this.lines.length; line++) {
      // The sign that opens a remark of Obsidian is the one that closes it.
      const end = (this.lines[line] ?? "").toLowerCase().indexOf(close, line === at ? from + (close === "%%" ? 2 : 0) : 0);
      if (end < 0) continue;
      this.#clear(at, from, line, end + close.length);
      return;
    }
    this.#unclosed.add(close);
    if (toTheEnd) this.#clear(at, from, this.lines.length - 1, Infinity);
  }

  #clear(first: number, from: number, last: number, to: number): void {
    for (let line = first; line <= last; line++) {
      const text = this.lines[line] ?? "";
      const [start, end] = [line === first ? from : 0, line === last ? Math.min(to, text.length) : text.length];
      this.lines[line] = text.slice(0, start) + blank(text.slice(start, end)) + text.slice(end);
    }
  }

  /** A tag of Liquid alone on its line: around code it is a fence, and of others the title or the address is said. */
  #clearLiquid(at: number, from: number): void {
    const [tag, name = "", rest = ""] = /^\{%-?[ \t]*([\w-]+)((?:(?!%\}).)*?)-?%\}[ \t\r]*$/.exec(this.lines[at]?.slice(from) ?? "") ?? [];
    if (tag === undefined) return;
    const [, title, url] = /\b(?:title="([^"\n*]{1,300})"|url="(https?:[^"\s<>]{1,300})")/.exec(rest) ?? [];
    const [, language = ""] = /^[ \t]*([\w+#-]*)/.exec(rest) ?? [];
    const said = /^(?:end)?highlight$/.test(name) ? `\`\`\`${language}` : title === undefined ? url && `<${url}>` : `**${title}**`;
    this.#write(at, from, said ?? "", tag.length);
  }

  /** Writes something into the place of so many signs, which it fits into. */
  #write(at: number, from: number, said: string, length: number): void {
    const text = this.lines[at] ?? "";
    this.lines[at] = text.slice(0, from) + said.padEnd(length) + text.slice(from + length);
  }

  /** A statement ends where its brackets are closed. */
  #clearModule(at: number): void {
    const near = this.lines.slice(at, at + MAX_LINES);
    const text = near.join("\n");
    if (this.#unclosed.has("module") || ![IMPORT, EXPORT].some((form) => new RegExp(form).test(text))) return;
    let depth = 0;
    for (const [line, own] of near.entries()) {
      depth += own.replaceAll(/[^([{]/g, "").length - own.replaceAll(/[^)\]}]/g, "").length;
      if (depth <= 0) return this.#clear(at, 0, at + line, Infinity);
    }
    this.#unclosed.add("module");
  }

  /** A tag of a component that stands alone on its lines; what it holds is Markdown. */
  #clearComponent(at: number, from: number): void {
    const text = this.lines
      .slice(at, at + MAX_LINES)
      .join("\n")
      .slice(from, from + MAX_TAG);
    let end = 0;
    while (/^[ \t]*<\/?[A-Z]\w*[a-z]/.test(text.slice(end, end + 80))) {
      const next = endOfTag(text, text.indexOf("<", end));
      if (next === null) return;
      end = next;
    }
    if (!/^[ \t\r]*(?:\n|$)/.test(text.slice(end))) return;
    const lines = text.slice(0, end).split("\n");
    this.#clear(at, from, at + lines.length - 1, Infinity);
    for (const [line, own] of lines.entries()) {
      // It is shorter than its attribute, so that no sign moves.
      const said = CAPTION.exec(own)
        ?.slice(1)
        .find((one) => one !== undefined);
      if (said !== undefined) this.#write(at + line, line === 0 ? from : 0, `**${said}**`, said.length + 4);
    }
  }

  /** Formulas over several lines, between their signs or as environments. */
  #openFormula(at: number, own: string): boolean {
    const [, name] = ENVIRONMENT.exec(own) ?? [];
    const close = name !== undefined ? `\\end{${name}}` : own.startsWith("$$") ? "$$" : own.startsWith("\\[") ? "\\]" : null;
    if (close === null) return false;
    if (name === undefined && own.slice(2).includes(close)) return false;
    const near = this.lines.slice(at + (name === undefined ? 1 : 0), at + MAX_LINES);
    const end = near.findIndex((line) => line.replace(FORMULA_NAME, "").trimEnd().endsWith(close));
    if (end < 0) return false;
    this.#formula = at + end + (name === undefined ? 2 : 1);
    return true;
  }

  #clearInline(): void {
    for (let at = 0; at < this.lines.length; at++) {
      const from = at;
      while (this.states[at] === "text" && !isBlank(this.lines[at] ?? "")) at++;
      const text = this.lines.slice(from, at).join("\n");
      if (!ASIDES.some(([open]) => text.includes(open))) continue;
      const cleared = text.replaceAll(INLINE, (whole) => (whole.startsWith("`") ? whole : blank(whole)));
      this.lines.splice(from, at - from, ...cleared.split("\n"));
    }
  }
}

/** @returns where a tag ends that begins at `from`, attributes in quotes and braces over; null where it does not */
function endOfTag(text: string, from: number): number | null {
  let [depth, quote] = [0, ""];
  for (let at = from; at < text.length; at++) {
    const sign = text.charAt(at);
    if (quote !== "") {
      if (sign === quote) quote = "";
    } else if (/["'`]/.test(sign)) quote = sign;
    else if (sign === "{") depth++;
    else if (sign === "}") depth--;
    else if (sign === ">" && depth === 0) return at + 1;
  }
  return null;
}

/** readMarkdownLines reads the lines of a text. @returns the text of the same length, in which asides are blank, and the state of each line */
export function readMarkdownLines(text: string): { readonly text: string; readonly states: readonly LineState[] } {
  const { lines, states } = new LineReader(text);
  return { text: lines.join("\n"), states };
}
