/** AsciiDoc as a document. Includes are links, conditions hold for attributes that the document sets, and a macro that nobody knows shows its text. */
import type { Element } from "hast";
import { readReferences } from "#snapshots/blocks";
import type { Body, SourceText } from "./body.ts";
import {
  box,
  cellOf,
  codeBlock,
  element,
  formula,
  image,
  type Nodes,
  type ParsedDocument,
  readDocument,
  tableOf,
  unwrapped,
  words,
} from "./document.ts";
import { recordsIn } from "./csv.ts";
import { textOf } from "./html-tree.ts";
import { dedent, isBlank, type PartLine, type Row, type Rule, settingsIn, textIn } from "./lined.ts";
import { pairs } from "./latex-tokens.ts";
import { MarkupReader } from "./markup-reader.ts";
import { rooted } from "./links.ts";
import { linesBetween, regionsIn } from "./others.ts";

export async function readAsciidoc(source: SourceText, fallback: string): Promise<Body> {
  return await readDocument(source, { kind: "asciidoc", language: null, fallback }, (text) =>
    new AsciidocReader(text, source, openIncludes()).parse(),
  );
}

const ATTRIBUTE = /^:(!?)([\w][\w-]*)(!?):(?:\s+(.*))?$/;
const SETTINGS = /^\[(?![[\]])([^\]]*|.*)\]$/;
const ANCHOR = /^\[\[([^\],]+)(?:,[^\]]*)?\]\]$/;
const TITLE = /^\.(?![.\s])(.+)$/;
const HEADING = /^(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?$/;
const SETEXT = /^([=\-~^+])\1{3,}$/;
const FENCE = /^(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|\/{4,}|--|`{3,}.*|[|,:!]={3,})$/;
const ITEM = /^\s*(\*{1,5}|-|\.{1,5}|\d{1,4}\.|[a-zA-Z]\.|<(?:\d{1,3}|\.)>)\s+(?=\S)/;
const TERM = /^\s*((?:(?!::|;;).){1,300}?)(:{2,4}|;;)(?:\s+(.*))?$/;
const BLOCK_MACRO = /^(image|video|audio|include|toc|stem|ifdef|ifndef|ifeval|endif|[a-z][\w-]*)::([^[\]]*)\[(.*)\]$/;
const ADMONITION = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+/;
const KINDS = /^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/;
const STEM = /^(?:stem|latexmath|asciimath)$/;
const VERBATIM = /^(?:source|listing|literal)$/;
const MAX_VALUE = 2000; // UTF-16 units that attributes in one paragraph become
const SPAN = 500; // UTF-16 units within one pair of signs
const STARTS =
  /[*_`+^~#[<({\\"'&:]|(?:https?|link|mailto|xref|image|footnote|stem|latexmath|asciimath|kbd|btn|menu|pass|icon|anchor|indexterm2?|ftp):|-- |--(?=\w)|\.\.\.| \+$/m;

type Settings = {
  readonly style: string;
  readonly words: readonly string[];
  readonly named: ReadonlyMap<string, string>;
  readonly title: string;
  readonly ids: readonly string[];
  readonly options: string;
};
const NONE: Settings = { style: "", words: [], named: new Map(), title: "", ids: [], options: "" };

class AsciidocReader extends MarkupReader {
  protected override readonly starts = STARTS;
  readonly #attributes = new Map<string, string>([
    ..."nbsp amp lt gt apos quot ldquo rdquo lsquo rsquo deg".split(" ").map((name) => [name, readReferences(`&${name};`)] as const),
    ...pairs("plus=+ cpp=C++ startsb=[ endsb=] vbar=| caret=^ asterisk=* tilde=~ backslash=\\ backtick=` two-colons=:: two-semicolons=;;"),
    ["empty", ""],
    ["sp", " "],
    ["zwsp", ""],
  ]);
  readonly #named = new Map<string, Element>();
  /** Titles by the ids that lead to them. */
  readonly #titles = new Map<string, string>();

  parse(): ParsedDocument {
    const head: Nodes = [];
    const from = this.#head(head);
    this.#findTitles();
    const blocks = this.blocks(this.rows, from);
    const [title, ...said] = head;
    const lead = title === undefined ? [] : [title, ...(said.length === 0 ? [] : [element("div", said)])];
    return this.document([...lead, ...blocks]);
  }

  /** The title, the authors and the attributes above the first blank line. @returns where the body begins */
  #head(head: Nodes): number {
    let at = 0;
    const rows = this.rows;
    while (at < rows.length && (isBlank(rows[at]) || rows[at]?.text.startsWith("//") === true || this.#attribute(rows[at]?.text ?? "")))
      at++;
    const [, title] = /^[=#]\s+(\S.*)$/.exec(rows[at]?.text ?? "") ?? [];
    if (title === undefined) return at;
    const nodes = this.inline(title);
    this.title = textOf(element("p", nodes)).trim();
    const line = rows[at]?.line ?? 1;
    head.push(element("h1", nodes, {}, line));
    for (at++; at < rows.length && !isBlank(rows[at]); at++) {
      const { text } = rows[at] ?? { text: "" };
      if (!this.#attribute(text) && !text.startsWith("//") && !/^(?:ifn?def|endif|include)::/.test(text))
        head.push(element("p", this.inline(text.replaceAll(";", ", ")), {}, rows[at]?.line ?? null));
    }
    return at;
  }

  #attribute(text: string): boolean {
    const [, before, name = "", after, value = ""] = ATTRIBUTE.exec(text) ?? [];
    if (name === "") return false;
    if (before === "!" || after === "!") this.#attributes.delete(name.toLowerCase());
    else if (this.#attributes.size < 1000) this.#attributes.set(name.toLowerCase(), this.#filled(value).slice(0, MAX_VALUE));
    return true;
  }

  /** With the values of attributes, within bounds. */
  #filled(text: string): string {
    if (!text.includes("{")) return text;
    let left = MAX_VALUE;
    return text.replaceAll(/\\?\{([\w][\w-]{0,80})\}/g, (whole, name: string) => {
      const value = whole.startsWith("\\") ? whole.slice(1) : (this.#attributes.get(name.toLowerCase()) ?? whole);
      left -= value.length;
      return left < 0 ? whole : value;
    });
  }

  #findTitles(): void {
    let anchor: string | null = null;
    for (const { text } of this.rows) {
      for (const [, id = ""] of text.matchAll(/\[\[([^\],\n]{1,200})/g)) if (!this.#titles.has(id)) this.#titles.set(id, "");
      const [, , title = ""] = HEADING.exec(text) ?? [];
      if (title !== "") {
        const plain = title.replaceAll(/[*_`]|\[\[[^\]]*\]\]/g, "").trim();
        if (anchor !== null) this.#titles.set(anchor, plain);
        this.#titles.set(idOf(plain), plain);
      }
      const own = ANCHOR.exec(text)?.[1] ?? /^\[(?:[^\]]*,)?\w*#([\w:.-]+)/.exec(text)?.[1];
      if (own !== undefined && !this.#titles.has(own)) this.#titles.set(own, "");
      if (own !== undefined) anchor = own;
      else if (text !== "") anchor = null;
    }
    for (const [id, title] of this.#titles) if (title !== "") this.others.offer(id, title);
  }

  /** Reads one block with what stands above it. @returns where the next one begins */
  protected override block(rows: readonly Row[], start: number, blocks: Nodes): number {
    let at = start;
    let settings = NONE;
    for (; at < rows.length; at++) {
      const { text } = rows[at] ?? { text: "" };
      const [, anchor] = ANCHOR.exec(text) ?? [];
      const [, title] = TITLE.exec(text) ?? [];
      const [, set] = SETTINGS.exec(text) ?? [];
      if (anchor !== undefined) settings = { ...settings, ids: [...settings.ids, anchor] };
      else if (title !== undefined && !ITEM.test(text)) settings = { ...settings, title };
      else if (set !== undefined && !/^\[.*\]\(/.test(text)) settings = this.#settings(set, settings);
      else if (isBlank(rows[at]) && settings === NONE) continue;
      else if (
        (text.startsWith("//") && !/^\/{4,}$/.test(text) && !text.startsWith("///")) ||
        this.#attribute(text) ||
        /^(?:<<<|\+|toc::\[\]|=)$/.test(text)
      )
        continue;
      else break;
    }
    if (at >= rows.length) return at;
    const ids = settings.ids.map((id) => element("span", [], { id }));
    const made: Nodes = [];
    const next = isBlank(rows[at]) ? at + 1 : this.#content(rows, at, settings, made);
    const [first] = made;
    if (first?.type === "element" && /^(?:p|h\d)$/.test(first.tagName)) first.children.unshift(...ids);
    else made.unshift(...ids);
    if (isBlank(rows[at]) && settings.title !== "") made.push(element("p", [element("strong", this.inline(settings.title))]));
    blocks.push(...made);
    return next;
  }

  #settings(text: string, before: Settings): Settings {
    const named = new Map(before.named);
    const list: string[] = [];
    for (const [, name, quoted, bare = ""] of this.#filled(text).matchAll(/(?:^|,)\s*(?:([\w-]+)\s*=\s*)?(?:"([^"]*)"|([^,]*))/g)) {
      const value = (quoted ?? bare).trim();
      if (name !== undefined) named.set(name, value);
      else list.push(value);
    }
    const [, style = "", marks = ""] = /^([^#.%]*)(.*)$/.exec(list[0] ?? "") ?? [];
    const own = [named.get("id"), ...Array.from(marks.matchAll(/#([\w:.-]+)/g), ([, id]) => id)].filter((id) => id !== undefined);
    const options = `${before.options} ${marks} ${named.get("options") ?? ""} ${named.get("opts") ?? ""}`;
    return {
      ...before,
      style: style || before.style,
      words: list.length > 1 || before.words.length === 0 ? list : before.words,
      named,
      ids: [...before.ids, ...own],
      options,
    };
  }

  #content(rows: readonly Row[], at: number, settings: Settings, made: Nodes): number {
    const { text, line } = rows[at] ?? { text: "", line: 1 };
    const under = rows[at + 1]?.text ?? "";
    const title = settings.title === "" ? [] : [element("p", [element("strong", this.inline(settings.title))])];
    const [, signs = "", heading = ""] = HEADING.exec(text) ?? [];
    if (FENCE.test(text)) return this.#fenced(rows, at, settings, made);
    if (signs !== "" && settings.style !== "discrete") return this.#heading(signs.length, heading, line, made, at + 1);
    if (signs !== "") {
      made.push(element("p", [element("strong", this.inline(heading))], {}, line));
      return at + 1;
    }
    if (SETEXT.test(under) && /[\p{L}\p{N}]/u.test(text) && Math.abs(under.length - text.length) < 3) {
      const level = "=-~^+".indexOf(under[0] ?? "=") + 1;
      if (level === 1) this.title ??= text.trim();
      return this.#heading(level, text, line, made, at + 2);
    }
    if (/^(?:'{3,}|-{3}|\*{3})$/.test(text)) {
      made.push(element("hr"));
      return at + 1;
    }
    const macro = BLOCK_MACRO.exec(text);
    if (macro !== null) return this.#macro(macro, rows, at, settings, made);
    if (ITEM.test(text) && settings.style !== "verse") {
      made.push(...title);
      return this.#list(rows, at, made, /\bchecklist\b/.test(settings.options));
    }
    if (TERM.test(text) && !/^\w+::\S*\[/.test(text)) {
      made.push(...title);
      return this.#terms(rows, at, made, settings.style === "qanda");
    }
    let end = at;
    while (
      end < rows.length &&
      !isBlank(rows[end]) &&
      !(
        end > at &&
        (FENCE.test(rows[end]?.text ?? "") ||
          ANCHOR.test(rows[end]?.text ?? "") ||
          /^\[(?:source|NOTE|TIP|quote|cols)/.test(rows[end]?.text ?? "") ||
          rows[end]?.text === "+")
      )
    )
      end++;
    const said = rows.slice(at, end).filter((row) => !/^(?:\/\/(?!\/)|(?:ifn?def|ifeval|endif)::)/.test(row.text));
    this.#paragraph(said, settings, title, made);
    return end;
  }

  #paragraph(said: readonly Row[], settings: Settings, title: Nodes, made: Nodes): void {
    const [line, text] = [said[0]?.line ?? 1, textIn(said)];
    const [mark = "", kind] = ADMONITION.exec(text) ?? [];
    const own = /^\s/.test(text) && settings.style === "" ? "literal" : settings.style;
    const style = VERBATIM.test(own) ? own : (kind ?? own);
    if (said.length > 0)
      made.push(...this.#styled(said, { ...settings, style }, title, () => [element("p", this.inline(text.slice(mark.length)), {}, line)]));
  }

  /** Reads rows as their style wants them. @param content reads them where it is none of its own */
  #styled(rows: readonly Row[], settings: Settings, title: Nodes, content: () => Nodes): Nodes {
    const { style } = settings;
    const line = rows[0]?.line ?? 1;
    if (style === "comment") return [];
    if (STEM.test(style)) return [element("p", [formula(textIn(rows), true)], {}, line)];
    if (VERBATIM.test(style)) return [...title, codeBlock(textIn(rows), style === "source" ? this.#language(settings) : null, line)];
    if (KINDS.test(style)) return [box([words(capital(style))], [...title, ...content()], line)];
    if (style === "quote") return [this.#quote(settings, content(), title, line)];
    if (style === "verse") return [this.#quote(settings, [element("p", this.verse(rows.map(({ text }) => text)), {}, line)], title, line)];
    return [...title, ...content()];
  }

  #language({ words: list, named }: Settings): string | null {
    return list[1] ?? named.get("language") ?? this.#attributes.get("source-language") ?? null;
  }

  #quote(settings: Settings, children: Nodes, title: Nodes, line: number): Element {
    const by = settings.words.slice(1).filter((one) => one !== "");
    return element(
      "blockquote",
      [...title, ...children, ...(by.length === 0 ? [] : [element("p", [words("— "), ...this.inline(by.join(", "))])])],
      {},
      line,
    );
  }

  #heading(level: number, text: string, line: number, made: Nodes, next: number): number {
    const nodes = this.inline(text);
    const heading = element(`h${level}`, nodes, {}, line);
    const id = idOf(textOf(heading));
    heading.children.unshift(element("span", [], { id }));
    made.push(heading);
    return next;
  }

  /** Where a fence is closed, or the end of the rows. */
  #closeOf(rows: readonly Row[], at: number): number {
    const open = (rows[at]?.text ?? "").replace(/^(`{3,}).*$/, "$1");
    for (let end = at + 1; end < rows.length; end++) if (rows[end]?.text === open) return end;
    return rows.length;
  }

  #fenced(rows: readonly Row[], at: number, settings: Settings, made: Nodes): number {
    const { text, line } = rows[at] ?? { text: "", line: 1 };
    const close = this.#closeOf(rows, at);
    const inside = rows.slice(at + 1, close);
    const sign = text[0] ?? "";
    const first = inside[0]?.line ?? line;
    const title = settings.title === "" ? [] : [element("p", [element("strong", this.inline(settings.title))], {}, line)];
    const { style } = settings;
    if (sign === "/") return close + 1;
    const isOwn = STEM.test(style) || VERBATIM.test(style) || KINDS.test(style) || /^(?:quote|verse|comment)$/.test(style);
    if (/=/.test(text) && /^[|,:!]/.test(text)) made.push(this.#table(inside, settings, text, line));
    else if (sign === "+" && !STEM.test(style)) made.push(codeBlock(textIn(inside), "html", first));
    else if ((/^[`.]/.test(text) || (sign === "-" && text !== "--")) && !STEM.test(style) && style !== "comment") {
      const named = style === "" || VERBATIM.test(style) ? this.#language(settings) : style;
      made.push(...title, codeBlock(textIn(inside), sign === "`" ? text.slice(3) : named, first));
    } else if ((sign === "=" || sign === "*" || style === "abstract") && !isOwn) {
      const name = style === "abstract" && settings.title === "" ? "Abstract" : settings.title;
      made.push(box(name === "" ? [] : this.inline(name), this.blocks(inside), line));
    } else {
      const said = sign === "_" && style !== "verse" ? { ...settings, style: "quote" } : settings;
      made.push(...this.#styled(inside, said, title, () => this.blocks(inside)));
    }
    return close + 1;
  }

  #macro(
    [, name = "", target = "", inner = ""]: RegExpExecArray,
    rows: readonly Row[],
    at: number,
    settings: Settings,
    made: Nodes,
  ): number {
    const line = rows[at]?.line ?? 1;
    const said = this.#settings(inner, NONE);
    const path = this.#filled(target);
    if (name === "ifdef" || name === "ifndef") {
      const isSet = path.split(/[,+]/).some((one) => this.#attributes.has(one.toLowerCase()));
      const holds = (name === "ifdef") === isSet;
      if (inner !== "") made.push(...(holds ? [element("p", this.inline(inner), {}, line)] : []));
      // Another branch is shown as well: attributes may come from outside.
      return at + 1;
    }
    if (/^(?:endif|ifeval|toc)$/.test(name)) return at + 1;
    if (name === "image") {
      const picture = image((/^https?:|^\//.test(path) ? "" : this.#folder()) + path, said.words[0] ?? said.named.get("alt") ?? "");
      const link = said.named.get("link") ?? settings.named.get("link");
      const shown = element("p", [link === undefined ? picture : element("a", [picture], { href: link })], {}, line);
      made.push(settings.title === "" ? shown : element("figure", [shown, element("figcaption", this.inline(settings.title))]));
    } else if (name === "stem") made.push(element("p", [formula(inner, true)], {}, line));
    else if (/^(?:include|video|audio)$/.test(name))
      made.push(element("p", [element("a", [words(path)], { href: name === "include" ? encodeURI(path) : path })], {}, line));
    else made.push(element("p", this.inline([path, inner].filter((one) => one !== "").join(" ")), {}, line));
    return at + 1;
  }

  #folder(): string {
    const folder = this.#attributes.get("imagesdir") ?? "";
    return folder === "" || folder.endsWith("/") ? folder : `${folder}/`;
  }

  /** A list: deeper ones have longer signs. Blocks that belong to an item follow a plus. */
  #list(rows: readonly Row[], at: number, made: Nodes, isCheck: boolean, depth = 0): number {
    const kindOf = (index: number): string =>
      (ITEM.exec(rows[index]?.text ?? "")?.[1] ?? "").replace(/\d+|[a-zA-Z](?=\.)/, "1").replace(/<.*>/, "<1>");
    const kind = kindOf(at);
    const items: Element[] = [];
    let next = at;
    while (next < rows.length) {
      let probe = next;
      while (probe < rows.length && (isBlank(rows[probe]) || /^\/\/(?!\/)/.test(rows[probe]?.text ?? ""))) probe++;
      if (probe >= rows.length || !ITEM.test(rows[probe]?.text ?? "")) break;
      const here = kindOf(probe);
      if (here === kind) {
        const children: Nodes = [];
        const [sign = ""] = ITEM.exec(rows[probe]?.text ?? "") ?? [];
        next = this.#item(rows, probe, sign.length, children);
        items.push(element("li", unwrapped(children), {}, rows[probe]?.line ?? null));
      } else if (depth < 8 && items.length > 0 && !this.#open.includes(here)) {
        this.#open.push(kind);
        const below: Nodes = [];
        next = this.#list(rows, probe, below, isCheck, depth + 1);
        this.#open.pop();
        items.at(-1)?.children.push(...below);
      } else break;
    }
    made.push(element(/^[*-]/.test(kind) ? "ul" : "ol", items, {}, rows[at]?.line ?? null));
    return next;
  }

  /** Signs of the lists that are open around one. */
  readonly #open: string[] = [];

  #item(rows: readonly Row[], at: number, width: number, children: Nodes): number {
    const row = rows[at] ?? { text: "", line: 1 };
    const [check = "", mark] = /^\[([ xX*])\]\s+/.exec(row.text.slice(width)) ?? [];
    const said: Row[] = [{ text: row.text.slice(width + check.length), line: row.line }];
    let next = at + 1;
    while (next < rows.length && goesOn(rows[next]) && !SETTINGS.test(rows[next]?.text ?? "")) said.push(rows[next++] ?? row);
    const nodes = this.inline(
      textIn(said.map((one) => ({ ...one, text: one.text.trimStart() })).filter((one) => !one.text.startsWith("//"))),
    );
    children.push(
      element(
        "p",
        [
          ...(mark === undefined
            ? []
            : [element("input", [], { type: "checkbox", disabled: true, ...(mark === " " ? {} : { checked: true }) }), words(" ")]),
          ...nodes,
        ],
        {},
        row.line,
      ),
    );
    return this.#attached(rows, next, children);
  }

  #attached(rows: readonly Row[], at: number, children: Nodes): number {
    let next = at;
    while (next < rows.length) {
      let plus = next;
      while (plus < rows.length && isBlank(rows[plus]) && plus < next + 2) plus++;
      if (rows[plus]?.text === "+") next = this.block(rows, plus + 1, children);
      else if (plus === next && FENCE.test(rows[plus]?.text ?? "") && !/^[|]/.test(rows[plus]?.text ?? ""))
        next = this.block(rows, plus, children);
      else if (
        plus > next &&
        /^\s+\S/.test(rows[plus]?.text ?? "") &&
        !ITEM.test(rows[plus]?.text ?? "") &&
        !TERM.test(rows[plus]?.text ?? "")
      )
        next = this.block(rows, plus, children);
      else break;
    }
    return next;
  }

  #terms(rows: readonly Row[], at: number, made: Nodes, isQuestion: boolean): number {
    const parts: Element[] = [];
    const sign = TERM.exec(rows[at]?.text ?? "")?.[2];
    let next = at;
    while (next < rows.length) {
      let probe = next;
      while (probe < rows.length && isBlank(rows[probe])) probe++;
      const [, term = "", own, said = ""] = TERM.exec(rows[probe]?.text ?? "") ?? [];
      if (own !== sign || term === "") break;
      const line = rows[probe]?.line ?? null;
      const children: Nodes = [];
      next = probe + 1;
      while (said === "" && next < rows.length && isBlank(rows[next])) next++;
      const first = said === "" ? (rows[next]?.text ?? "") : said;
      parts.push(element("dt", isQuestion ? [element("em", this.inline(term))] : this.inline(term), {}, line));
      if (
        said !== "" ||
        !(ITEM.test(first) || TERM.test(first) || FENCE.test(first) || SETTINGS.test(first) || first === "+" || HEADING.test(first))
      ) {
        const text: string[] = said === "" ? [] : [said];
        const from = said === "" ? (rows[next]?.line ?? line) : line;
        while (next < rows.length && goesOn(rows[next])) text.push((rows[next++]?.text ?? "").trim());
        if (text.join("").trim() !== "") children.push(element("p", this.inline(text.join("\n")), {}, from));
      }
      let item = next;
      while (item < rows.length && isBlank(rows[item])) item++;
      if (ITEM.test(rows[item]?.text ?? "") && rows[item]?.text.startsWith("<") === false) next = this.#list(rows, item, children, false);
      next = this.#attached(rows, next, children);
      parts.push(element("dd", unwrapped(children)));
    }
    made.push(element("dl", parts, {}, rows[at]?.line ?? null));
    return Math.max(next, at + 1);
  }

  #table(inside: readonly Row[], settings: Settings, fence: string, line: number): Element {
    const format = settings.named.get("format") ?? (fence.startsWith(",") ? "csv" : fence.startsWith(":") ? "dsv" : "psv");
    const caption = settings.title === "" ? [] : this.inline(settings.title);
    const separator = settings.named.get("separator") ?? { csv: ",", tsv: "\t", dsv: ":" }[format] ?? (fence.startsWith("!") ? "!" : "|");
    const at = inside.findIndex((row) => !isBlank(row));
    const rows = format === "psv" ? this.#cells(inside, separator, settings, inside[at]?.line ?? 0) : this.#records(inside, separator);
    const isHead =
      /\bheader\b/.test(settings.options) || (at === 0 && isBlank(inside[1]) && inside.length > 2 && !/noheader/.test(settings.options));
    return tableOf(rows, isHead && rows.length > 1 ? 1 : 0, line, caption);
  }

  #records(inside: readonly Row[], separator: string): Element[][] {
    return recordsIn(inside, separator).map(({ cells, line }) => cells.map((cell) => cellOf(this.inline(cell), { line })));
  }

  /** Cells in their rows: one may take several columns or rows, and the table says how many columns there are, or its first line. */
  #cells(inside: readonly Row[], separator: string, settings: Settings, first: number): Element[][] {
    const styles = columnsIn(settings.named.get("cols") ?? "");
    const found = specifiedIn(inside, separator);
    const count = styles.length || found.filter(({ line }) => line === first).reduce((sum, { times, colSpan }) => sum + times * colSpan, 0);
    const rows: Element[][] = [[]];
    const taken: number[] = []; // rows from this one on in which something above stands, by column
    let column = 0;
    const skip = (): void => {
      while ((taken[column] ?? 0) > 0 && column < count) column++;
      if (column < Math.max(1, count)) return;
      for (let at = 0; at < count; at++) taken[at] = Math.max(0, (taken[at] ?? 0) - 1);
      rows.push([]);
      column = 0;
    };
    for (const cell of found)
      for (let time = 0; time < cell.times; time++) {
        for (let at = 0; at <= MAX_SPAN && (taken[column] ?? 0) > 0; at++) skip();
        rows.at(-1)?.push(this.#cell(cell, cell.style || (styles[column] ?? "")));
        for (let at = 0; at < cell.colSpan; at++) taken[column + at] = cell.rowSpan;
        column += cell.colSpan;
        skip();
      }
    return rows.filter((row) => row.length > 0);
  }

  #cell({ rows, ...cell }: Specified, style: string): Element {
    const text = textIn(rows).trim();
    const paragraphs = (): Nodes => text.split(/\n\s*\n/).flatMap((one, n) => [...(n === 0 ? [] : [element("br")]), ...this.inline(one)]);
    const children = style === "a" ? this.blocks(dedent(rows)) : style === "l" ? [codeBlock(text, null, cell.line)] : paragraphs();
    const made = cellOf(style === "m" ? [element("code", children)] : children, cell);
    return style === "h" ? { ...made, tagName: "th" } : made;
  }

  protected override inline(text: string, depth = 0): Nodes {
    return super.inline(depth === 0 ? this.#filled(text) : text, depth);
  }

  protected override rules(depth: number): readonly Rule[] {
    const inside = (text: string): Nodes => this.inline(text, depth + 1);
    const wrap =
      (tagName: string) =>
      (found: RegExpExecArray): Nodes => [element(tagName, inside(found[1] ?? ""))];
    const code = ([, text = ""]: RegExpExecArray): Nodes => [
      element("code", [words(/^\+.+\+$/s.test(text) ? text.replaceAll(/^\++|\++$/g, "") : textOf(element("p", inside(text))))]),
    ];
    return [
      [sign("\\\\(?=[*_`+^~#[<({\"'])([^])"), ([, one = ""]) => [words(one)]],
      [sign(`\\+\\+\\+([^]{1,${SPAN}}?)\\+\\+\\+`), ([, raw = ""]) => [words(raw.replaceAll(/<[^>]*>/g, ""))]],
      [sign(String.raw`pass:[a-z,]{0,10}\[([^\]]{0,500})\]`), ([, raw = ""]) => [words(raw)]],
      [sign(`"\`([^]{1,${SPAN}}?)\`"`), ([, said = ""]) => [words("“"), ...inside(said), words("”")]],
      [sign(`'\`([^]{1,${SPAN}}?)\`'`), ([, said = ""]) => [words("‘"), ...inside(said), words("’")]],
      [sign(`\`\`(?=\\S)([^]{1,${SPAN}}?)(?<=\\S)\`\``), code],
      [sign(`(?<![\\w\`])\`(?=[^\\s\`])([^\`]{0,${SPAN}}?[^\\s\`])\`(?!\\w)`), code],
      [sign(`\\+\\+([^]{1,${SPAN}}?)\\+\\+`), ([, raw = ""]) => [words(raw)]],
      [sign(`(?<![\\w+])\\+(?=[^\\s+])([^+]{1,${SPAN}}?)(?<=\\S)\\+(?!\\w)`), ([, raw = ""]) => [words(raw)]],
      [sign(`\\*\\*(?=\\S)([^]{1,${SPAN}}?)\\*\\*`), wrap("strong")],
      [sign(`(?<![\\w*])\\*(?=[^\\s*])([^]{1,${SPAN}}?)(?<=\\S)\\*(?![\\w*])`), wrap("strong")],
      [sign(`__(?=\\S)([^]{1,${SPAN}}?)__`), wrap("em")],
      [sign(`(?<![\\w_])_(?=[^\\s_])([^]{1,${SPAN}}?)(?<=\\S)_(?![\\w_])`), wrap("em")],
      [sign(`(?:\\[[^\\]\\n]{0,80}\\])?(?<![\\w#&])#(?=[^\\s#])([^#]{1,${SPAN}}?)(?<=\\S)#(?!\\w)`), wrap("mark")],
      [sign(`\\^([^\\s^]{1,100})\\^`), wrap("sup")],
      [sign(`~([^\\s~]{1,100})~`), wrap("sub")],
      [
        sign(String.raw`\[\[([^\],\n]{1,200})(?:,[^\]\n]*)?\]\]|anchor:([^\s[]{1,200})\[[^\]]{0,200}\]`),
        ([, id, other]) => [element("span", [], { id: id ?? other ?? "" })],
      ],
      [
        sign(String.raw`<<([^<>,\n]{1,300})(?:,\s*([^<>]{1,500}))?>>`),
        ([, id = "", said]) => [this.#reference(id.replace(/^#/, ""), said === undefined ? null : inside(said))],
      ],
      [
        sign(String.raw`xref:([^\s[\]]{1,500})\[([^\]]{0,500})\]`),
        ([, id = "", said = ""]) => [this.#reference(id, said === "" ? null : inside(said))],
      ],
      [sign(String.raw`footnote(?:ref)?:([\w-]{0,80})\[([^\]]{0,2000})\]`), ([, id = "", said = ""]) => [this.#footnote(id, said)]],
      [
        sign(String.raw`(?:stem|latexmath|asciimath):\[((?:[^\]\\]|\\[^]){1,2000})\]`),
        ([, tex = ""]) => [formula(tex.replaceAll("\\]", "]"), false)],
      ],
      [sign(String.raw`(?:kbd|btn):\[([^\]]{1,200})\]`), ([, key = ""]) => [element("kbd", [words(key)])]],
      [
        sign(String.raw`menu:([^[\]]{1,200})\[([^\]]{0,200})\]`),
        ([, menu = "", item = ""]) => [element("kbd", [words([menu, item].filter((one) => one !== "").join(" › "))])],
      ],
      [
        sign(String.raw`(?:image|icon):([^:\s[\]][^\s[\]]{0,500})\[([^\]]{0,500})\]`),
        ([, path = "", alt = ""]) => [image((/^https?:/.test(path) ? "" : this.#folder()) + path, alt.replace(/,.*/s, ""))],
      ],
      [
        sign(String.raw`(?:(link:|mailto:)|(?=(?:https?|ftp):\/\/))([^\s[\]<>"]{1,1000})\[((?:[^\]\\]|\\[^]){0,500})\]`),
        ([, kind, target = "", said = ""]) => [this.#link(kind ?? "", target, said, inside)],
      ],
      [
        sign(String.raw`<?((?:https?):\/\/[^\s<>[\]"]{1,1000}[^\s<>[\]".,;:!?')])>?`),
        ([, url = ""]) => [element("a", [words(url)], { href: url })],
      ],
      [sign(String.raw`\(\(\([^()]{1,300}\)\)\)|indexterm:\[[^\]]{0,300}\]`), () => []],
      [sign(String.raw`\(\(([^()]{1,300})\)\)|indexterm2:\[([^\]]{1,300})\]`), ([, term, other = ""]) => inside(term ?? other)],
      [sign(String.raw`\((C|R|TM)\)`), ([, one = ""]) => [words({ C: "©", R: "®", TM: "™" }[one] ?? one)]],
      [sign(String.raw`&(#\d{1,7}|#x[\da-f]{1,6}|\w{2,8});`), ([whole]) => [words(readReferences(whole))]],
      [sign(String.raw`(?<!\S)--(?=\s|$)|(?<=\w)--(?=\w)`), () => [words("—")]],
      [sign(String.raw`\.\.\.`), () => [words("…")]],
      [sign(String.raw` \+$`), () => [element("br")]],
    ];
  }

  #reference(id: string, said: Nodes | null): Element {
    const [written = "", fragment = ""] = id.split("#");
    // Antora names a page by its module.
    const path = written.replace(/^(?:[\w.@-]*:)?([\w-]+):(?=[^/:])/, "/modules/$1/pages/");
    const isFile = id.includes("#") || /\.(?:adoc|asc|asciidoc|html)$/.test(id);
    const own = !this.#titles.has(id) && this.#titles.has(idOf(id)) ? idOf(id) : id;
    const href = isFile ? `${path}${fragment === "" ? "" : `#${fragment}`}` : `#${own}`;
    // A document named without its ending is the whole that the parts make: its place lies in whichever part has it.
    const label = fragment || id;
    const name = label.replaceAll("_", " ").trim();
    const place = /\.\w+$/.test(path) || (!isFile && this.#titles.has(own)) ? null : this.others.place(`#${label}`);
    if (place !== null) return element("a", said ?? [words(place.title)], { href: `${rooted(place.key)}#${label}` });
    if (!isFile && !this.#titles.has(own)) return element("span", said ?? [words(name)]);
    return element("a", said ?? (isFile ? [] : [words(this.#titles.get(own) || name)]), { href });
  }

  #footnote(id: string, text: string): Element {
    const known = this.#named.get(id);
    if (id !== "" && known !== undefined) return known;
    const mark = this.notes.add(this.inline(text, 1));
    if (id !== "") this.#named.set(id, mark);
    return mark;
  }

  #link(kind: string, target: string, said: string, inside: (text: string) => Nodes): Element {
    const label = said
      .replace(/(?:,\s*(?:role|window|opts|id|title)=.*|\^)$/s, "")
      .replaceAll(/^"|"$/g, "")
      .replace(/,.*$/s, (rest) => (kind === "mailto:" ? "" : rest));
    return element("a", label === "" ? [words(target)] : inside(label), { href: kind === "mailto:" ? `mailto:${target}` : target });
  }
}

/** openIncludes reads the lines that take in parts, in order, with the attributes that were set above them. */
function openIncludes(): (line: string) => PartLine | null {
  const set = new Map<string, string>();
  return (line) => {
    const [, , own, , value = ""] = ATTRIBUTE.exec(line) ?? [];
    const fill = (text: string): string => text.replaceAll(/\{([\w-]{1,80})\}/g, (whole, name: string) => set.get(name) ?? whole);
    if (own !== undefined && set.size < 1000) set.set(own, fill(value).slice(0, MAX_VALUE));
    const [, path, inner = ""] = /^include::([^[\]]+)\[(.*)\]$/.exec(line) ?? [];
    if (path === undefined || /^\w+:\/\//.test(path)) return null;
    const settings = settingsIn(inner);
    const deeper = "=".repeat(Math.min(5, Math.max(0, Number(settings.get("leveloffset") ?? 0) || 0)));
    const tags = (settings.get("tags") ?? settings.get("tag"))?.split(/[;,]/).map((tag) => tag.trim());
    const take = (lines: readonly string[]): readonly string[] => {
      const chosen = settings.has("lines") ? linesBetween(lines, settings.get("lines") ?? "") : regionsIn(lines, tags ?? []);
      return deeper === "" ? chosen : chosen.map((one) => (/^=+ \S/.test(one) ? deeper + one : one));
    };
    return { path: fill(path), take };
  };
}

const sign = (source: string): RegExp => new RegExp(source, "muy");
const capital = (word: string): string => word.charAt(0) + word.slice(1).toLowerCase();

/** The id that Asciidoctor gives a section. */
const idOf = (title: string): string =>
  `_${title
    .toLowerCase()
    .replaceAll(/<[^>]*>|&[^;\s]+;|[^\p{L}\p{N}\s_.-]/gu, "")
    .replaceAll(/[\s.-]+/g, "_")
    .replace(/_+$/, "")}`;

/** goesOn tells whether a row goes on with the text of an item: it is not blank, and begins nothing of its own. */
function goesOn(row: Row | undefined): boolean {
  const text = row?.text ?? "";
  return !isBlank(row) && !ITEM.test(text) && !TERM.test(text) && text !== "+" && !FENCE.test(text);
}

/** The styles of the columns that `3*`, `1,2a` and the like describe: "" where a column has none. */
function columnsIn(written: string): readonly string[] {
  if (written === "") return [];
  return written.split(/[,;]/).flatMap((one) => {
    const [, times = "1", style = ""] = /^\s*(?:(\d{1,3})\*)?.*?([adehlmsv]?)\s*$/.exec(one) ?? [];
    return Array.from({ length: Math.min(MAX_SPAN, Number(times)) }, () => style);
  });
}

/** A Specified is a cell with what stands before its sign: how often it is there, how many columns and rows it takes, its style. */
type Specified = {
  readonly rows: Row[];
  readonly line: number;
  readonly times: number;
  readonly colSpan: number;
  readonly rowSpan: number;
  readonly style: string;
};
const MAX_SPAN = 100; // columns or rows

const SPECIFIED = /(?<=^|\s)(?:(\d{0,3})(?:\.(\d{1,3}))?([+*]))?[<^>.]{0,4}([adehlmsv]?)$/;

/** The cells of a table: what stands before a separator that is not escaped says how the cell behind it is set. */
function specifiedIn(inside: readonly Row[], separator: string): readonly Specified[] {
  const found: Specified[] = [];
  const divides = new RegExp(`(?<!\\\\)${RegExp.escape(separator)}`);
  for (const { text: whole, line } of inside) {
    const parts = whole.split(divides).map((part) => part.replaceAll(`\\${separator}`, separator));
    for (const [n, part] of parts.entries()) {
      const spec = n < parts.length - 1 ? SPECIFIED.exec(part) : null;
      const text = spec === null ? part : part.slice(0, spec.index);
      found.at(-1)?.rows.push({ text: n > 0 ? text.trim() : text, line });
      if (n === parts.length - 1) continue;
      const [, across = "", down = "1", sign, style = ""] = spec ?? [];
      const count = Math.min(MAX_SPAN, Number(across) || 1);
      const spans =
        sign === "*" ? { times: count, colSpan: 1, rowSpan: 1 } : { times: 1, colSpan: count, rowSpan: Math.min(MAX_SPAN, Number(down)) };
      found.push({ rows: [], line, style, ...spans });
    }
  }
  return found;
}
