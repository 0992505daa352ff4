/** reStructuredText as a document, with the directives and roles of Sphinx. A directive that nobody knows shows its argument and its content. */
import { slug } from "github-slugger";
import type { Element, ElementContent } from "hast";
import { plainIn, wordsOfRole } from "#snapshots/blocks";
import type { Body, SourceText } from "./body.ts";
import {
  box,
  cellOf,
  codeBlock,
  element,
  formula,
  image,
  isParagraph,
  type Nodes,
  type ParsedDocument,
  readDocument,
  tableOf,
  unwrapped,
  words,
} from "./document.ts";
import { recordsIn } from "./csv.ts";
import { cutColumns, type DrawnTable, GRID, readGrid } from "./drawn-tables.ts";
import { formatHtml } from "./format-html.ts";
import { startLine, textOf } from "./html-tree.ts";
import { dedent, indentOf, isBlank, type PartLine, type Row, rowsOf, type Rule, takeIndented, textIn } from "./lined.ts";
import { MarkupReader } from "./markup-reader.ts";
import { resolveKey, rooted } from "./links.ts";
import { chosenLines } from "./others.ts";
import { docHref, entriesOf, settingsOf } from "./sphinx.ts";

export async function readRst(source: SourceText, fallback: string): Promise<Body> {
  return await readDocument(source, { kind: "rst", language: null, fallback }, (text) => new RstReader(text, source).parse());
}

/** formatRst makes HTML of reStructuredText that stands in another text. @param line above it */
export function formatRst(text: string, source: Pick<SourceText, "key" | "others">, line: number): string {
  const { blocks } = new RstReader("\n".repeat(line) + text, source).parse();
  const note = (node: ElementContent): void => {
    if (node.type !== "element") return;
    const own = startLine(node);
    if (own !== null) node.properties["dataOwnLine"] = String(own);
    for (const child of node.children) note(child);
  };
  for (const block of blocks) note(block);
  return formatHtml({ type: "root", children: blocks });
}

const UNDERLINE = /^([!-/:-@[-`{-~])\1+$/;
const BULLET = /^([-*+•‣])(?:\s+|$)/;
const NUMBERED = /^(?:\(?(?:\d{1,4}|[a-zA-Z]|#|[ivxlcdmIVXLCDM]{1,6})[.)])\s+/;
const FIELD = /^:((?:[^:\\\n]|\\.|:(?!\s|$)){1,100}):(?:\s+|$)/;
const OPTION = /^(?:-{1,2}|\/)[\w?][\w-]*(?:[ =](?:<[^>]*>|[\w[\]]+))?(?:, (?:-{1,2}|\/)[\w-]+(?:[ =](?:<[^>]*>|[\w[\]]+))?)*(?:\s{2,}|$)/;
const EXPLICIT = /^\.\.(?:\s+|$)/;
const DIRECTIVE = /^([\w:+.-]+?)\s?::(?:\s+(.*))?$/;
const CODE =
  /^(?:code|code-block|code-tab|sourcecode|highlight-block|prompt|parsed-literal|literal-block|doctest|testcode|testoutput|testsetup|testcleanup|productionlist|ipython|plot|graphviz|digraph|uml|mermaid|raw|cli|program-output|jupyter-execute|tikz|coqtop|lean|\w+:(?:example|run))$/;
const BOXES =
  /^(?:note|tip|hint|important|warning|caution|attention|danger|error|seealso|todo|admonition|topic|sidebar|dropdown|tab|tab-item|card|grid-item-card|details|theorem|proof|exercise|question|example|collapse)$/;
const SILENT =
  /^(?:contents|index|highlight|default-role|currentmodule|meta|sectionauthor|codeauthor|moduleauthor|tabularcolumns|title|sectnum|section-numbering|role|default-domain|testsetup|target-notes|header|footer|py:currentmodule|pagebreak)$/;
const THROUGH =
  /^(?:container|class|rst-class|only|hlist|compound|tabs|tab-set|grid|grid-item|glossary|cssclass|table-wrapper|centered-block|ifconfig|versionnote)$/;
const TITLES: Readonly<Record<string, string>> = {
  seealso: "See also",
  versionadded: "New in version",
  versionchanged: "Changed in version",
  deprecated: "Deprecated since version",
  versionremoved: "Removed in version",
};
const CODE_ROLES =
  /^(?:code|literal|samp|file|kbd|command|program|option|envvar|makevar|mimetype|regexp|guilabel|menuselection|token|keyword|option|dfn)$/;
const NAME_ROLES =
  /^(?:func|meth|class|mod|attr|data|exc|obj|const|type|macro|member|var|enum|enumerator|struct|union|confval|dir|role|option|keyword|envvar|source|issue|cmd|tacn|thm|lean|js|expr|texpr)$/;
const MATCHING = 500; // UTF-16 units within one pair of signs
const span = (open: string, close: string): string =>
  `${open}(?=\\S)((?:[^\\\\]|\\\\[^]){1,${MATCHING}}?)(?<=\\S)${close}(?![\\p{L}\\p{N}])`;
const sign = (source: string): RegExp => new RegExp(source, "uy");
const REFERENCE =
  /(?<![\w`])([A-Za-z0-9](?:[\w.+-]{0,80}[A-Za-z0-9])?)__?(?=$|[\s\-/'")\]}>.,:;!?\\])|(https?:\/\/[^\s<>"`]{1,1000}[^\s<>"`.,:;!?')\]}])/g;

/** Brings a name that something is referred to by into one spelling. */
const nameOf = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, " ").trim();
const idOf = (text: string): string =>
  nameOf(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");

class RstReader extends MarkupReader {
  protected override readonly starts = STARTS;
  readonly #styles: string[] = [];
  /** Addresses by the name of their target; "" for a place in the text. */
  readonly #targets = new Map<string, string>();
  readonly #replaced = new Map<string, string>();
  readonly #footnotes = new Map<string, { readonly rows: readonly Row[]; sign: Element | null }>();
  readonly #titles = new Map<string, string>();
  #anonymous: string[] = [];
  /** Places that labels name which stand above what comes next. */
  #labels: Nodes = [];
  #automatic = 0;
  #isSet = false;

  constructor(text: string, source: Pick<SourceText, "key" | "others">) {
    super(text, source, readInclude);
    this.#findTargets();
  }

  parse(): ParsedDocument {
    const blocks = this.blocks(this.rows);
    return this.document([...blocks, ...this.#labels]);
  }

  /** Finds what is referred to before it is defined. */
  #findTargets(): void {
    for (const [at, row] of this.rows.entries()) {
      const { text } = row;
      const explicit = text.trimStart();
      if (explicit.startsWith("__ ")) this.#anonymous.push(explicit.slice(3).trim());
      if (UNDERLINE.test(text) && at > 0 && !isBlank(this.rows[at - 1]) && !UNDERLINE.test(this.rows[at - 1]?.text ?? ""))
        this.#targets.set(nameOf(this.rows[at - 1]?.text ?? ""), "#");
      if (!explicit.startsWith(".. ")) continue;
      const rest = explicit.slice(3);
      const [, quoted, bare, address = ""] = /^_(?:`([^`]{1,200})`|((?:[^:\\]|\\.|:(?!\s|$)){1,200})):(?:\s+(.*))?$/.exec(rest) ?? [];
      const name = quoted ?? bare;
      if (name === "_") this.#anonymous.push(address.trim());
      else if (name !== undefined) this.#addTarget(name.replaceAll("\\", ""), address.trim(), at);
      this.#addSubstitution(rest, this.rows[at + 1]);
      const [, note] = /^\[([^\]\s]{1,80})\](?:\s|$)/.exec(rest) ?? [];
      if (note !== undefined) {
        const end = takeIndented(this.rows, at + 1, indentOf(row) + 1);
        const first = { text: rest.replace(/^\[[^\]]+\]\s*/, ""), line: row.line };
        this.#footnotes.set(note.startsWith("#") && note.length === 1 ? `#${this.#automatic++}` : note, {
          rows: [first, ...dedent(this.rows.slice(at + 1, end))],
          sign: null,
        });
      }
    }
    this.#automatic = 0;
  }

  #addSubstitution(rest: string, below: Row | undefined): void {
    const [, name, what, value = ""] = /^\|([^|]{1,100})\|\s+([\w-]+)::\s*(.*)$/.exec(rest) ?? [];
    if (name !== undefined)
      this.#replaced.set(
        nameOf(name),
        what === "image" ? `\u0000${value}` : what === "unicode" ? charactersIn(value) : value || (below?.text.trim() ?? ""),
      );
  }

  /** Takes over what the settings of its site say for all of its texts. */
  #addSettings(): void {
    this.#isSet = true;
    const { values, texts } = settingsOf(this.others.part(this.key, "conf.py")?.text ?? "");
    for (const [name, value] of values) if (!this.#replaced.has(name)) this.#replaced.set(name, value);
    for (const rows of texts.map(rowsOf))
      for (const [at, { text }] of rows.entries()) if (text.startsWith(".. |")) this.#addSubstitution(text.slice(3), rows[at + 1]);
  }

  #addTarget(name: string, address: string, at: number): void {
    let next = at + 1;
    while (isBlank(this.rows[next]) && next < this.rows.length && next < at + 5) next++;
    const below = UNDERLINE.test(this.rows[next]?.text ?? "") ? this.rows[next + 1] : this.rows[next];
    if (address === "" && below !== undefined) {
      const title = plainIn(below.text, "rst").trim();
      const isTitle = below !== this.rows[next] || UNDERLINE.test(this.rows[next + 1]?.text ?? "");
      this.#titles.set(nameOf(name), title);
      this.others.offer(nameOf(name), isTitle ? title : "");
    }
    this.#targets.set(nameOf(name), address);
  }

  #push(blocks: Nodes, node: Element): void {
    if (this.#labels.length > 0 && /^(?:p|h\d)$/.test(node.tagName)) node.children.unshift(...this.#labels);
    else blocks.push(...this.#labels);
    this.#labels = [];
    blocks.push(node);
  }

  /** Reads one block. @returns where the next one begins */
  protected override block(rows: readonly Row[], at: number, blocks: Nodes): number {
    const row = rows[at] ?? { text: "", line: 1 };
    const { text, line } = row;
    const [under, below] = [rows[at + 1]?.text ?? "", rows[at + 2]?.text ?? ""];
    if (indentOf(row) > 0) {
      const end = takeIndented(rows, at, 1);
      this.#push(blocks, element("blockquote", this.blocks(dedent(rows.slice(at, end))), {}, line));
      return end;
    }
    if (UNDERLINE.test(text) && text.length > 1 && under.trim() !== "" && below !== "" && UNDERLINE.test(below) && below[0] === text[0])
      return this.#heading(under.trim(), `${text[0]}${text[0]}`, rows[at + 1]?.line ?? line, blocks, at + 3);
    if (
      UNDERLINE.test(under) &&
      !UNDERLINE.test(text) &&
      under.length >= Math.min(text.length - 2, 60) &&
      (under.length > 2 || text.length <= under.length)
    )
      return this.#heading(text.trim(), under[0] ?? "", line, blocks, at + 2);
    if (/^([!-/:-@[-`{-~])\1{3,}$/.test(text) && isBlank(rows[at + 1])) {
      this.#push(blocks, element("hr"));
      return at + 1;
    }
    if (EXPLICIT.test(text) || text.startsWith("__ ")) return this.#explicit(rows, at, blocks);
    if (text.startsWith(">>> ")) {
      let end = at;
      while (!isBlank(rows[end])) end++;
      this.#push(blocks, codeBlock(textIn(rows.slice(at, end)), "python", line));
      return end;
    }
    if (GRID.test(text)) return this.#gridTable(rows, at, blocks);
    if (/^=+(?: +=+)+$/.test(text)) return this.#simpleTable(rows, at, blocks);
    if (/^\|(?:\s|$)/.test(text)) return this.#lineBlock(rows, at, blocks);
    const item = BULLET.exec(text) ?? NUMBERED.exec(text);
    if (item !== null && (BULLET.test(text) || indentOf(rows[at + 1]) > 0 || isBlank(rows[at + 1]) || NUMBERED.test(under)))
      return this.#list(rows, at, blocks);
    for (const form of [FIELD, OPTION])
      if (form.test(text))
        return this.#terms(rows, at, blocks, (next) => {
          const [whole, name] = form.exec(rows[next]?.text ?? "") ?? [];
          if (whole === undefined) return null;
          return [form === FIELD ? this.inline(name ?? "") : [element("code", [words(whole.trim())])], whole.length];
        });
    const isTerm = (next: number): boolean =>
      !isBlank(rows[next]) && indentOf(rows[next]) === 0 && !isBlank(rows[next + 1]) && indentOf(rows[next + 1]) > 0;
    if (isTerm(at) && !text.endsWith("::"))
      return this.#terms(rows, at, blocks, (next) => {
        const term = rows[next]?.text ?? "";
        return isTerm(next) && !EXPLICIT.test(term) ? [this.inline(term), term.length] : null;
      });
    return this.#paragraph(rows, at, blocks);
  }

  #heading(title: string, style: string, line: number, blocks: Nodes, next: number): number {
    if (!this.#styles.includes(style)) this.#styles.push(style);
    const level = Math.min(9, this.#styles.indexOf(style) + 1);
    const nodes = this.inline(title);
    const heading = element(`h${level}`, nodes, {}, line);
    this.title ??= textOf(heading).trim() || null;
    const id = idOf(textOf(heading));
    if (id !== "" && id !== slug(textOf(heading))) this.#labels.push(element("span", [], { id }));
    this.#push(blocks, heading);
    return next;
  }

  #paragraph(rows: readonly Row[], at: number, blocks: Nodes): number {
    let end = at;
    while (!isBlank(rows[end]) && (end === at || !EXPLICIT.test(rows[end]?.text ?? ""))) end++;
    const said = textIn(rows.slice(at, end));
    const literal = said.endsWith("::");
    const shown = literal ? said.replace(/(?:^|\s)::$|:$/, "") : said;
    if (shown.trim() !== "") this.#push(blocks, element("p", this.inline(shown), {}, rows[at]?.line ?? null));
    if (!literal) return end;
    let from = end;
    while (from < rows.length && isBlank(rows[from])) from++;
    const indented = takeIndented(rows, from, 1);
    let to = indented;
    if (to === from)
      while (!isBlank(rows[to]) && /^[!-/:-@[-`{-~]/.test(rows[to]?.text ?? "") && rows[to]?.text[0] === rows[from]?.text[0]) to++;
    if (to > from) this.#push(blocks, codeBlock(textIn(dedent(rows.slice(from, to))), null, rows[from]?.line ?? 1));
    return to > from ? to : end;
  }

  #list(rows: readonly Row[], at: number, blocks: Nodes): number {
    const isBullet = BULLET.test(rows[at]?.text ?? "");
    const marker = isBullet ? BULLET : NUMBERED;
    const items: Element[] = [];
    const [line, first] = [rows[at]?.line ?? 1, /\d+/.exec(marker.exec(rows[at]?.text ?? "")?.[0] ?? "")?.[0]];
    const labels = this.#labels.splice(0);
    let next = at;
    while (next < rows.length) {
      const found = marker.exec(rows[next]?.text ?? "");
      if (found === null || (isBullet && found[1] !== rows[at]?.text[0])) break;
      const [content, end] = this.#itemAt(rows, next, found[0].length);
      items.push(element("li", unwrapped(this.blocks(content)), {}, rows[next]?.line ?? null));
      next = end;
      while (next < rows.length && isBlank(rows[next])) next++;
    }
    blocks.push(
      ...labels,
      element(isBullet ? "ul" : "ol", items, !isBullet && first !== undefined && first !== "1" ? { start: Number(first) } : {}, line),
    );
    return next;
  }

  /** The rows of an item, without its sign. */
  #itemAt(rows: readonly Row[], at: number, width: number): readonly [content: readonly Row[], end: number] {
    const row = rows[at] ?? { text: "", line: 1 };
    const inner = indentOf(rows[at + 1]) > 0 && !isBlank(rows[at + 1]) ? Math.min(width, indentOf(rows[at + 1])) : width;
    const end = takeIndented(rows, at + 1, Math.max(1, Math.min(inner, width)));
    const rest = rows.slice(at + 1, end);
    const margin = Math.min(width, ...rest.filter((one) => !isBlank(one)).map(indentOf));
    return [
      [{ text: row.text.slice(width), line: row.line }, ...rest.map((one) => ({ text: one.text.slice(margin), line: one.line }))],
      end,
    ];
  }

  /** Fields, options and definitions: a term, and what is said of it behind it and below. @param read gives the term of a row, and how long it is */
  #terms(rows: readonly Row[], at: number, blocks: Nodes, read: (at: number) => readonly [term: Nodes, length: number] | null): number {
    const parts: Element[] = [];
    let next = at;
    for (let found = read(next); found !== null && next < rows.length; found = read(next)) {
      const { text, line } = rows[next] ?? { text: "", line: 1 };
      const end = takeIndented(rows, next + 1, 1);
      const said = [{ text: text.slice(found[1]), line }, ...dedent(rows.slice(next + 1, end))];
      parts.push(element("dt", found[0], {}, line), element("dd", unwrapped(this.blocks(said))));
      next = end;
      while (next < rows.length && isBlank(rows[next])) next++;
    }
    if (next === at) return this.#paragraph(rows, at, blocks);
    this.#push(blocks, element("dl", parts, {}, rows[at]?.line ?? null));
    return next;
  }

  #lineBlock(rows: readonly Row[], at: number, blocks: Nodes): number {
    const lines: string[] = [];
    let end = at;
    for (; !isBlank(rows[end]) && /^(?:\|(?:\s|$)|\s)/.test(rows[end]?.text ?? ""); end++) {
      const text = (rows[end]?.text ?? "").replace(/^\|/, "").trim();
      // A line that stands in goes on with the one above.
      if (rows[end]?.text.startsWith("|") === true) lines.push(text);
      else lines.push(`${lines.pop() ?? ""} ${text}`);
    }
    this.#push(blocks, element("p", this.verse(lines), {}, rows[at]?.line ?? null));
    return end;
  }

  #gridTable(rows: readonly Row[], at: number, blocks: Nodes): number {
    let end = at;
    while (end < rows.length && /^[+|]/.test(rows[end]?.text ?? "")) end++;
    return this.#table(readGrid(rows.slice(at, end)), rows[at]?.line ?? 1, blocks, end);
  }

  #table({ rows, heads }: DrawnTable, line: number, blocks: Nodes, next: number): number {
    const made = rows.map((cells) =>
      cells.map((cell) => cellOf(unwrapped(this.blocks(dedent(cell.rows))), { ...cell, line: cell.rows[0]?.line ?? line })),
    );
    this.#push(blocks, tableOf(made, heads, line));
    return next;
  }

  #simpleTable(rows: readonly Row[], at: number, blocks: Nodes): number {
    const border = /^=+(?: +=+)*$/;
    const borders = [at];
    for (let end = at + 1; end < rows.length && (borders.length < 2 || !isBlank(rows[(borders.at(-1) ?? at) + 1])); end++)
      if (border.test(rows[end]?.text ?? "")) borders.push(end);
    const last = borders.at(-1) ?? at;
    if (last === at) return this.#paragraph(rows, at, blocks);
    const columns = rows[at]?.text ?? "";
    const [, second = columns.length] = Array.from(columns.matchAll(/=+/g), ({ index }) => index);
    const made: Row[][] = [];
    let heads = 0;
    for (const row of rows.slice(at + 1, last)) {
      if (border.test(row.text)) heads = made.length;
      else if (/^[- ]*$/.test(row.text)) continue;
      // A row without a first cell goes on with the row above.
      else if (made.length > heads && isBlank({ ...row, text: row.text.slice(0, second) })) made.at(-1)?.push(row);
      else made.push([row]);
    }
    return this.#table({ rows: made.map((own) => cutColumns(own, columns)), heads }, rows[at]?.line ?? 1, blocks, last + 1);
  }

  #explicit(rows: readonly Row[], at: number, blocks: Nodes): number {
    const row = rows[at] ?? { text: "", line: 1 };
    const end = takeIndented(rows, at + 1, 1);
    const rest = row.text.replace(EXPLICIT, "");
    const [, quoted, bare, address = ""] = /^_(?:`([^`]{1,200})`|((?:[^:\\]|\\.|:(?!\s|$)){1,200})):(?:\s+(.*))?$/.exec(rest) ?? [];
    const name = quoted ?? bare;
    if (row.text.startsWith("__ ")) return at + 1;
    if (name !== undefined) {
      if (address === "" && name !== "_") this.#labels.push(element("span", [], { id: idOf(name.replaceAll("\\", "")) }));
      return Math.max(at + 1, address === "" ? at + 1 : end);
    }
    if (/^\|[^|]+\|\s+[\w-]+::/.test(rest) || /^\[[^\]\s]{1,80}\](?:\s|$)/.test(rest)) return this.#note(rest, rows, at, end, blocks);
    const [, directive, argument = ""] = DIRECTIVE.exec(rest) ?? [];
    // Anything else is a comment.
    if (directive !== undefined) this.#directive(directive.toLowerCase(), argument, row.line, rows.slice(at + 1, end), blocks);
    return Math.max(at + 1, end);
  }

  /** A footnote is shown where it is referred to; a citation, or a note that nobody refers to, where it stands. */
  #note(rest: string, rows: readonly Row[], at: number, end: number, blocks: Nodes): number {
    const [, label] = /^\[([^\]\s]{1,80})\]/.exec(rest) ?? [];
    if (label !== undefined && !/^(?:\d+|[#*].*)$/.test(label)) {
      const said = [{ text: rest.replace(/^\[[^\]]+\]\s*/, ""), line: rows[at]?.line ?? 1 }, ...dedent(rows.slice(at + 1, end))];
      this.#push(
        blocks,
        element("dl", [
          element("dt", [words(`[${label}]`)], { id: idOf(label) }, rows[at]?.line ?? null),
          element("dd", unwrapped(this.blocks(said))),
        ]),
      );
    }
    return Math.max(at + 1, end);
  }

  #directive(name: string, argument: string, line: number, below: readonly Row[], blocks: Nodes): void {
    const body = dedent(below);
    const options = new Map<string, string>();
    let from = 0;
    let more = argument;
    const hasHead = !isBlank(below[0]);
    const first = body.findIndex((one) => FIELD.test(one.text));
    const isOption = (at: number): boolean => !isBlank(body[at]) && FIELD.test(body[at]?.text ?? "");
    // An argument may go on below; options follow it.
    if (hasHead && argument !== "" && first > 0 && body.slice(0, first).every((one) => !isBlank(one)) && !BOXES.test(name))
      while (from < first) more += ` ${body[from++]?.text ?? ""}`;
    for (; hasHead && isOption(from); from++) {
      const [whole = "", option = ""] = FIELD.exec(body[from]?.text ?? "") ?? [];
      options.set(option.toLowerCase(), (body[from]?.text ?? "").slice(whole.length));
    }
    const content = dedent(body.slice(from));
    const label = options.get("name");
    if (label !== undefined) this.#labels.push(element("span", [], { id: idOf(label) }));
    for (const node of this.#meaning(name, more.trim(), options, content, line)) this.#push(blocks, node);
  }

  #meaning(name: string, argument: string, options: ReadonlyMap<string, string>, content: readonly Row[], line: number): Element[] {
    const blocksOf = (rows: readonly Row[] = content): Nodes => this.blocks(rows);
    const first = content[0]?.line ?? line;
    if (SILENT.test(name)) return [];
    if (CODE.test(name)) {
      const caption = options.get("caption");
      const language =
        name === "raw" || /^code|^source/.test(name) ? argument : /^(?:doctest|testcode|ipython|plot)$/.test(name) ? "python" : null;
      const code = content.length === 0 && name !== "raw" ? [{ text: argument, line }] : content;
      return [
        ...(caption === undefined ? [] : [element("p", [element("em", this.inline(caption))], {}, line)]),
        codeBlock(textIn(code), language, content.length === 0 ? line : first),
      ];
    }
    if (name === "math") {
      const parts = [argument, ...textIn(content).split(/\n\s*\n/)].filter((tex) => tex.trim() !== "");
      const label = options.get("label");
      return parts.map((tex, at) =>
        element(
          "p",
          [
            ...(at === 0 && label !== undefined ? [element("span", [], { id: `equation-${idOf(label)}` })] : []),
            formula(/\\\\|&/.test(tex) && !tex.includes("\\begin") ? `\\begin{aligned}${tex}\\end{aligned}` : tex, true),
          ],
          {},
          line,
        ),
      );
    }
    if (name === "image" || name === "figure") return [this.#figure(argument, options, content, line)];
    if (name === "toctree") return this.#contents(options, content, line);
    if (name === "include" || name === "literalinclude" || name === "download")
      return [element("p", [element("a", [words(argument)], { href: encodeURI(argument) })], {}, line)];
    if (name === "list-table" || name === "csv-table" || name === "table") return this.#tables(name, argument, options, content, line);
    if (BOXES.test(name)) {
      const title =
        /^(?:admonition|topic|sidebar|dropdown|tab|tab-item|card|grid-item-card|details|theorem|example|collapse)$/.test(name) &&
        argument !== ""
          ? argument
          : (TITLES[name] ?? name.charAt(0).toUpperCase() + name.slice(1));
      const inside = title === argument || argument === "" ? content : [{ text: argument, line }, ...content];
      return [box(this.inline(title), blocksOf(inside), line)];
    }
    if (TITLES[name] !== undefined) {
      const [version = "", ...rest] = argument.split(/\s+/);
      const said = blocksOf([...(rest.length === 0 ? [] : [{ text: rest.join(" "), line }]), ...content]);
      const [first] = said;
      const head = element("em", [words(`${TITLES[name]} ${version}${said.length === 0 ? "." : ": "}`)]);
      if (isParagraph(first)) return [element("div", [{ ...first, children: [head, ...first.children] }, ...said.slice(1)])];
      return [element("div", [element("p", [head], {}, line), ...said])];
    }
    if (name === "rubric" || name === "centered") return [element("p", [element("strong", this.inline(argument))], {}, line)];
    if (/^(?:epigraph|pull-quote|highlights)$/.test(name)) return [element("blockquote", blocksOf(), {}, line)];
    if (THROUGH.test(name))
      return [
        element(
          "div",
          blocksOf(
            name === "container" || name === "only" || /^\d+(?: \d+)*$/.test(argument) || argument === "" || /^(?:rst-)?class$/.test(name)
              ? content
              : [{ text: argument, line }, ...content],
          ),
        ),
      ];
    // The name of a thing, and what is said of it.
    const said = argument.replaceAll(/\\(.)/g, "$1");
    return [
      element("dl", [
        ...(said === ""
          ? []
          : [
              element("dt", [element("code", [words(said)])], /^[\w.:]+(?:\(|$)/.test(said) ? { id: said.replace(/\(.*/s, "") } : {}, line),
            ]),
        element("dd", blocksOf()),
      ]),
    ];
  }

  #figure(argument: string, options: ReadonlyMap<string, string>, content: readonly Row[], line: number): Element {
    // Sphinx takes whichever form of a picture suits what it writes.
    const [place] = argument.endsWith(".*") ? this.others.places(resolveKey(this.key, encodeURI(argument)) ?? "") : [];
    const picture = image(place === undefined ? argument : `/${place.key}`, options.get("alt") ?? "");
    const target = options.get("target");
    const shown =
      target === undefined ? picture : element("a", [picture], { href: this.#targets.get(nameOf(target.replace(/_$/, ""))) || target });
    if (content.length === 0) return element("p", [shown], {}, line);
    return element("figure", [element("p", [shown], {}, line), element("figcaption", this.blocks(content))]);
  }

  #contents(options: ReadonlyMap<string, string>, content: readonly Row[], line: number): Element[] {
    const caption = options.get("caption");
    const items = content.flatMap(({ text, line: own }) =>
      entriesOf(text, this.key, this.others).map(({ href, title }) =>
        element("li", [element("a", title === "" ? [] : [words(title)], { href })], {}, own),
      ),
    );
    const head = caption === undefined ? [] : [element("p", [element("strong", this.inline(caption))], {}, line)];
    return items.length === 0 ? [] : [...head, element("ul", items, {}, line)];
  }

  #tables(name: string, argument: string, options: ReadonlyMap<string, string>, content: readonly Row[], line: number): Element[] {
    const caption = argument === "" ? [] : this.inline(argument);
    const heads = Number(options.get("header-rows") ?? 0) || 0;
    if (name === "table") {
      const inside = this.blocks(content);
      const table = inside.find((node) => node.type === "element" && node.tagName === "table");
      if (table?.type === "element" && caption.length > 0) table.children.unshift(element("caption", caption));
      return inside.filter((node) => node.type === "element");
    }
    if (name === "list-table") {
      const [list] = this.blocks(content);
      const made = list?.type === "element" ? list.children.flatMap((item) => (item.type === "element" ? [cellsIn(item)] : [])) : [];
      return [tableOf(made, heads, line, caption)];
    }
    const named = options.get("header");
    const file = options.get("file");
    const taken = file === undefined ? [] : rowsOf(this.others.part(this.key, file)?.text ?? "").map((row) => ({ ...row, line: 0 }));
    const written = options.get("delim") ?? ",";
    const delimiter = { tab: "\t", space: " " }[written] ?? (written || ",");
    const head = named === undefined ? [] : recordsIn([{ text: named, line }], ",");
    const made = [...head, ...recordsIn([...content, ...taken], delimiter)].map(({ cells, line: own }) =>
      cells.map((cell) => cellOf(this.inline(cell), { line: own })),
    );
    return [tableOf(made, heads + head.length, line, caption)];
  }

  /** Names of targets and bare addresses in a text without other markup. */
  protected override plain(text: string): Nodes {
    const nodes: Nodes = [];
    let from = 0;
    for (const found of text.matchAll(REFERENCE)) {
      const [whole, name, url] = found;
      const href = url ?? (name === undefined ? undefined : this.#hrefOf(name, whole.endsWith("__")));
      if (href === undefined) continue;
      nodes.push(words(text.slice(from, found.index)), element("a", [words(name ?? url ?? "")], { href }));
      from = found.index + whole.length;
    }
    return [...nodes, words(text.slice(from))].filter((node) => node.type !== "text" || node.value !== "");
  }

  #hrefOf(name: string, isAnonymous: boolean): string | undefined {
    if (isAnonymous) return this.#anonymous.shift();
    let address = this.#targets.get(nameOf(name));
    for (let turns = 0; turns < 5 && address?.endsWith("_") === true && address.length > 1; turns++)
      address = this.#targets.get(nameOf(address.slice(0, -1).replaceAll("`", "")));
    return address === "" || address === "#" ? `#${idOf(name)}` : address;
  }

  protected override rules(depth: number): readonly Rule[] {
    const inside = (text: string): Nodes => this.inline(text, depth + 1);
    return [
      [sign(String.raw`\\([^])`), ([, one = ""]) => [words(/\s/.test(one) ? "" : one)]],
      [sign("``(?=\\S)([^]{1,500}?)(?<=\\S)``(?!`)"), ([, code = ""]) => [element("code", [words(code)])]],
      [
        sign(`:([a-zA-Z][\\w:.+-]{0,60}):\`((?:[^\`\\\\]|\\\\[^]){1,${MATCHING}})\``),
        ([, role = "", inner = ""]) => this.#role(role, inner),
      ],
      [sign(`_\`([^\`]{1,${MATCHING}})\``), ([, inner = ""]) => [element("span", inside(inner), { id: idOf(inner) })]],
      [
        sign(`(?<!\`)\`(?=\\S)((?:[^\`\\\\]|\\\\[^]){1,${MATCHING}})(?<=\\S)\`(__?|:([a-zA-Z][\\w:.+-]{0,60}):)?`),
        ([, inner = "", end = "", role]) =>
          role !== undefined ? this.#role(role, inner) : end === "" ? [element("em", inside(inner))] : this.#phrase(inner, end),
      ],
      [sign(span("\\*\\*", "\\*\\*")), ([, inner = ""]) => [element("strong", inside(inner))]],
      [sign(span("\\*(?!\\*)", "(?<!\\*)\\*(?!\\*)")), ([, inner = ""]) => [element("em", inside(inner))]],
      [sign(String.raw`\|(?=\S)([^|]{1,100})(?<=\S)\|(_{0,2})`), ([, name = "", end = ""]) => this.#substituted(name, end, depth)],
      [sign(String.raw`\[([^\]\s]{1,80})\]_(?!\w)`), ([, label = ""]) => this.#noted(label)],
    ];
  }

  #role(name: string, inner: string): Nodes {
    const role = name.replace(/^(?:rst|std|py|c|cpp|js|ref)?:/, "").toLowerCase();
    const text = inner.replaceAll(/\\([^])/g, role === "math" ? "\\$1" : "$1");
    if (role === "math") return [formula(text, false)];
    if (/^(?:sub|subscript|sup|superscript)$/.test(role)) return [element(role.slice(0, 3), [words(text)])];
    if (role === "strong" || role === "emphasis") return [element(role === "strong" ? "strong" : "em", [words(text)])];
    const [, title, target] = /^([^]*?)\s*<([^<>]+)>$/.exec(text) ?? [null, null, text];
    const shown = title ?? text;
    if (role === "doc") return [element("a", title === null ? [] : [words(title)], { href: docHref(target ?? text) })];
    if (role === "download") return [element("a", [words(shown)], { href: encodeURI(target ?? text) })];
    if (/^(?:ref|numref|any|eq|keyword)$/.test(role)) {
      const known = this.#targets.has(nameOf(target ?? "")) || role === "eq";
      const place = known ? null : this.others.place(`#${nameOf(target ?? "")}`);
      const said = title ?? place?.title ?? this.#titles.get(nameOf(text)) ?? text;
      const href = `${place === null ? "" : rooted(place.key)}#${role === "eq" ? "equation-" : ""}${idOf(target ?? "")}`;
      return known || place !== null ? [element("a", [words(said)], { href })] : [element("em", [words(said)])];
    }
    if (role === "pep" || role === "rfc")
      return [
        element("a", [words(`${role.toUpperCase()} ${shown}`)], {
          href:
            role === "pep" ? `https://peps.python.org/pep-${shown.padStart(4, "0")}/` : `https://datatracker.ietf.org/doc/html/rfc${shown}`,
        }),
      ];
    if (/^(?:term|abbr|dfn|title-reference|title|t)$/.test(role)) return [element("em", [words(shown)])];
    if (!CODE_ROLES.test(role) && !NAME_ROLES.test(role) && !name.includes(":")) return [words(shown)];
    return [element("code", [words(CODE_ROLES.test(role) ? shown : wordsOfRole(role, text))])];
  }

  #phrase(inner: string, end: string): Nodes {
    const [, title, address] = /^([^]*?)\s*(?<!\\)<([^<>]+)(?<!\\)>$/.exec(inner) ?? [];
    const name = (title ?? inner).replaceAll(/\\([^])/g, "$1").trim();
    const written = address?.replaceAll(/\s+/g, "");
    if (written !== undefined && title !== "")
      this.#targets.set(nameOf(name), written.endsWith("_") ? (this.#hrefOf(written.slice(0, -1), false) ?? written) : written);
    const href =
      written === undefined
        ? this.#hrefOf(name, end === "__")
        : written.endsWith("_")
          ? this.#hrefOf(written.slice(0, -1), false)
          : written;
    return [href === undefined ? words(name) : element("a", [words(name || (written ?? ""))], { href })];
  }

  #substituted(name: string, end: string, depth: number): Nodes | null {
    if (!this.#replaced.has(nameOf(name)) && !this.#isSet) this.#addSettings();
    const value = this.#replaced.get(nameOf(name)) ?? name;
    const shown = value.startsWith("\u0000") ? [image(value.slice(1), name)] : this.inline(value, depth + 1);
    const href = end === "" ? undefined : this.#hrefOf(name, end === "__");
    return href === undefined ? shown : [element("a", shown, { href })];
  }

  #noted(label: string): Nodes | null {
    if (!/^(?:\d+|[#*].*)$/.test(label)) return [element("a", [words(`[${label}]`)], { href: `#${idOf(label)}` })];
    const note = this.#footnotes.get(label === "#" ? `#${this.#automatic++}` : label);
    if (note === undefined) return null;
    note.sign ??= this.notes.add(unwrapped(this.blocks(note.rows)));
    return [note.sign];
  }
}

const STARTS = /[\\`:*|[_]/;

/** Characters by their numbers, and other words as they are. */
const charactersIn = (text: string): string =>
  text.replace(/\s+\.\. .*$/, "").replaceAll(/(?:U\+|0x|\\x|\\u|&#x)([\dA-F]{1,6});?\s*/gi, (whole, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code > 0x10ffff || code < 32 ? whole : String.fromCodePoint(code).toWellFormed();
  });

/** A part that is taken in, with its options below: as it is written, or as code, in the indentation of its line. */
function readInclude(line: string, below: readonly Row[]): PartLine | null {
  const [, indent = "", name, path = ""] = /^(\s*)\.\. (include|literalinclude)::\s+(\S+)\s*$/.exec(line) ?? [];
  if (name === undefined) return null;
  const options = new Map<string, string>();
  for (const { text } of below) {
    const [, option, value = ""] = /^\s+:([\w-]+):\s*(.*)$/.exec(text) ?? [];
    if (option === undefined) break;
    options.set(option, value);
  }
  const language = options.get("language") ?? options.get("code");
  const isCode = name === "literalinclude" || options.has("literal") || options.has("code");
  const caption = options.get("caption");
  const head = isCode ? [`.. code-block:: ${language ?? ""}`, ...(caption === undefined ? [] : [`   :caption: ${caption}`]), ""] : [];
  const take = (lines: readonly string[]): readonly string[] =>
    [...head, ...chosenLines(lines, options).map((one) => (isCode ? `   ${one}` : one)), ""].map((one) => indent + one);
  return { path, take, below: options.size };
}

/** The cells of a row that is a list in a list. */
function cellsIn(item: Element): Element[] {
  const [list] = item.children.filter((node) => node.type === "element" && node.tagName === "ul");
  return list?.type === "element"
    ? list.children.flatMap((cell) => (cell.type === "element" ? [{ ...cell, tagName: "td" }] : []))
    : [{ ...item, tagName: "td" }];
}
