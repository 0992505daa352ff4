/** AsciiDoc as a document: Asciidoctor reads it, and its HTML becomes a tree that knows the lines. Includes are links where nobody tells their files, both
 *  branches of a condition are shown, since attributes may come from outside, and what is passed through stays text. */
import {
  AbstractBlock,
  type AbstractNode,
  type Block,
  type Document,
  Html5Converter,
  type Inline,
  List,
  load,
  NullLogger,
  type Section,
} from "@asciidoctor/core";
import type { Element, ElementContent, Root } from "hast";
import type { Body, SourceText } from "./body.ts";
import {
  codeBlock,
  element,
  Footnotes,
  image,
  isParagraph,
  type Nodes,
  type ParsedDocument,
  readDocument,
  unwrapped,
  words,
} from "./document.ts";
import { classesOf, parsePart, textOf, TooComplex } from "./html-tree.ts";
import { type PartLine, type Row, settingsIn, textIn, withParts } from "./lined.ts";
import { resolveKey, rooted } from "./links.ts";
import { linesBetween, type Others, regionsIn } from "./others.ts";

export async function readAsciidoc(source: SourceText, fallback: string): Promise<Body> {
  return await readDocument(source, { kind: "asciidoc", language: null, fallback }, async (text) => await parse(text, source));
}

const MAX_VALUE = 1000; // bytes of an attribute
const MAX_USES = 5000; // of attributes in one document
const MAX_HEADINGS = 2000; // Asciidoctor numbers ids that are the same by trying each
const MAX_RUN = 20_000; // UTF-16 units of text without a blank line: signs that stay open cost the square of it
const MAX_REPEATED = 50_000; // cells, rows and columns that numbers stand for

/** Attributes that a document cannot set: what would write words that its text does not have, and forms that pages do not show. */
const ATTRIBUTES = {
  "max-attribute-value-size": MAX_VALUE,
  relfilesuffix: ".adoc",
  experimental: "",
  // Asciidoctor would find JavaScript's own by that name.
  constructor: "{constructor}@",
  ...Object.fromEntries(
    "sectnums sectlinks sectanchors toc icons source-highlighter figure-caption table-caption example-caption listing-caption appendix-caption"
      .split(" ")
      .map((name) => [`${name}!`, ""]),
  ),
};

/** An Asking is a source that may ask for others. */
type Asking = Pick<SourceText, "key" | "others">;

async function parse(text: string, source: Asking): Promise<ParsedDocument> {
  const { rows: all, parts } = withParts(text, source.key, source.others, openIncludes());
  const rows = all.filter((row) => !/^(?:ifn?def::\S+\[\]|(?:ifeval|endif)::.*)$/.test(row.text));
  const asciidoc = textIn(rows);
  checkBounds(asciidoc);
  try {
    return { ...(await read(asciidoc, rows, source)), parts };
  } catch (error) {
    if (error instanceof RangeError || error instanceof TooComplex) throw error;
    throw new TooComplex("parts that Asciidoctor cannot read");
  }
}

function checkBounds(text: string): void {
  const count = (sign: RegExp): number => text.match(sign)?.length ?? 0;
  if (count(/\{[\w-]/g) > MAX_USES) throw new TooComplex(`more than ${MAX_USES} attributes`);
  if (count(/^(?:={1,6}|#{1,6}) |(?<=[\p{L}\p{N}]\n)[=~^+-]{2,}$/gmu) > MAX_HEADINGS)
    throw new TooComplex(`more than ${MAX_HEADINGS} headings`);
  const repeated = text.matchAll(/(\d{3,9})[*+]/g).reduce((sum, [, times]) => sum + Number(times), 0);
  if (repeated > MAX_REPEATED) throw new TooComplex(`more than ${MAX_REPEATED} cells of a table in one`);
  if (
    proseOf(text)
      .split(/\n(?=[^\S\n]*(?:$|[|!*.-]|.{1,200}::))/m)
      .some((run) => run.length > MAX_RUN)
  )
    throw new TooComplex(`more than ${MAX_RUN} characters without a blank line`);
}

/** proseOf leaves out blocks that are shown as they stand, from a fence to the next line that closes it. */
function proseOf(text: string): string {
  const lines = text.split("\n");
  const last = new Map(lines.map((line, at) => [line, at]));
  let fence: string | null = null;
  const isProse = (line: string, at: number): boolean => {
    if (fence !== null) {
      if (line === fence) fence = null;
      return false;
    }
    const opened = /^(?:(?:-{4,}|\.{4,}|\/{4,}|\+{4,})(?=$)|```(?=\S*$))/.exec(line)?.[0];
    if (opened === undefined || (last.get(opened) ?? 0) <= at) return true;
    fence = opened;
    return false;
  };
  return lines.filter(isProse).join("\n");
}

async function read(text: string, rows: readonly Row[], source: Asking): Promise<ParsedDocument> {
  const converter = new LinedConverter(rows, source);
  const document = await load(text, { safe: "secure", sourcemap: true, converter, attributes: ATTRIBUTES, logger: new NullLogger() });
  const body = treeOf(await document.convert()).filter(isSaid);
  for (const [id, place] of Object.entries(document.getRefs()))
    source.others.offer(id, place instanceof AbstractBlock ? textOf(element("p", treeOf(place.title ?? ""))) : "");
  const notes = new Footnotes();
  for (const { text: note } of document.getFootnotes()) notes.add(treeOf(note ?? ""));
  const title = document.hasHeader() ? treeOf(document.header.title ?? "") : [];
  const above = [
    document
      .getAuthors()
      .map((author) => author.getName())
      .join(", "),
    ["revnumber", "revdate", "revremark"].flatMap((name) => document.getAttribute(name) ?? []).join(", "),
  ].filter((line) => line !== "");
  const head = [
    ...(title.length === 0 ? [] : [element("h1", title, {}, rows[(document.header.getLineNumber() ?? 1) - 1]?.line ?? 1)]),
    ...(above.length === 0
      ? []
      : [
          element(
            "div",
            above.map((line) => element("p", treeOf(line))),
          ),
        ]),
  ];
  return { blocks: [...head, ...body, ...notes.section()], title: title.length === 0 ? null : textOf(element("p", title)).trim() };
}

/** A Numbered is what Asciidoctor knows the line of. */
type Numbered = { readonly lineno: number | null };
type Table = AbstractNode & { readonly rows: { bySection(): [string, Numbered[][]][] } };

/** Elements that have the lines of a block, or of its items, terms or rows. */
const LINED: Readonly<Record<string, string>> = { ulist: "li", olist: "li", colist: "li", dlist: "dt", table: "tr", image: "div" };
const BLOCKS = String.raw`(?:p|pre|blockquote|h\d)`;

function numberedIn(node: AbstractNode): readonly (Numbered | undefined)[] {
  if (isTable(node))
    return node.rows.bySection().flatMap(([, rows]: readonly [string, readonly Numbered[][]]) => rows.map(([cell]) => cell));
  if (node instanceof List)
    return node.getItems().flatMap((item: Numbered | readonly [Numbered[], unknown]) => ("lineno" in item ? [item] : item[0]));
  return node instanceof AbstractBlock ? [node] : [];
}

const isTable = (node: AbstractNode): node is Table => node.context === "table";

/** A LinedConverter writes the lines of blocks into their HTML, formulas as their TeX, code as its author wrote it, and references as pages know them. */
class LinedConverter extends Html5Converter {
  readonly #rows: readonly Row[];
  readonly #key: string;
  readonly #others: Others;

  constructor(rows: readonly Row[], { key, others }: Asking) {
    super("html5");
    [this.#rows, this.#key, this.#others] = [rows, key, others];
  }

  override async convert(node: AbstractNode, transform: string | null = null): Promise<string> {
    const html = String((await super.convert(node, transform)) ?? "");
    const lines = numberedIn(node).map((one) => this.#lineOf(one?.lineno ?? 0));
    if (lines.length === 0) return html;
    let at = 0;
    return html.replaceAll(new RegExp(`<${LINED[node.context] ?? BLOCKS}\\b(?! data-l)`, "g"), (tag) => {
      const line = lines[at++] ?? 0;
      return line === 0 ? tag : `${tag} data-l="${line}"`;
    });
  }

  /** Code begins below its fence. */
  #lineOf(row: number): number {
    const isFence = /^(?:-{2,}|\.{4,}|\+{4,}|`{3}\S*)$/.test(this.#rows[row - 1]?.text ?? "");
    return this.#rows[isFence ? row : row - 1]?.line ?? 0;
  }

  override async convert_embedded(node: Document): Promise<string> {
    return await node.content();
  }

  override async convert_section(node: Section): Promise<string> {
    [node.caption, node.numbered] = [null, false];
    return await super.convert_section(node);
  }

  override async convert_preamble(node: Block): Promise<string> {
    return await node.content();
  }

  override async convert_toc(): Promise<string> {
    return "";
  }

  override async convert_admonition(node: Block): Promise<string> {
    const [said, label] = [await node.content(), String(node.getAttribute("textlabel"))];
    return `<div class="sidebarblock">${titled(label)}${titled(node.title)}${node.blocks.length === 0 ? `<p>${said}</p>` : said}</div>`;
  }

  override async convert_ulist(node: List): Promise<string> {
    if (node.hasOption("checklist")) node.setOption("interactive");
    return await super.convert_ulist(node);
  }

  override async convert_dlist(node: List): Promise<string> {
    if (node.style === "horizontal") node.style = "";
    return await super.convert_dlist(node);
  }

  override async convert_floating_title(node: Block): Promise<string> {
    return `<p><strong>${node.title ?? ""}</strong></p>`;
  }

  override async convert_stem(node: Block): Promise<string> {
    return `<p><code class="math-display">${await node.content()}</code></p>`;
  }

  /** HTML of its own is shown and not run. */
  override async convert_pass(node: Block): Promise<string> {
    return `<pre><code class="language-html">${escaped(node.getSource())}</code></pre>`;
  }

  override async convert_video(node: Block): Promise<string> {
    const target = String(node.getAttribute("target"));
    return `<p><a href="${target}">${target}</a></p>`;
  }

  override async convert_audio(node: Block): Promise<string> {
    return await this.convert_video(node);
  }

  override async convert_inline_callout(node: Inline): Promise<string> {
    const { guard } = node.attributes;
    return `${typeof guard === "string" ? guard : ""}&lt;${node.text}&gt;`;
  }

  override async convert_inline_quoted(node: Inline): Promise<string> {
    const isFormula = node.type === "asciimath" || node.type === "latexmath";
    return isFormula ? `<code class="math-inline">${node.text}</code>` : await super.convert_inline_quoted(node);
  }

  override async convert_inline_footnote(node: Inline): Promise<string> {
    const number = node.getAttribute("index") ?? node.text;
    return `<sup><a href="#fn-${number}"${node.type === "xref" ? "" : ` id="fnref-${number}"`}>${number}</a></sup>`;
  }

  override async convert_inline_anchor(node: Inline): Promise<string> {
    const { path, fragment, refid } = node.attributes;
    if (node.type !== "xref" || (!path && Object.hasOwn(node.document.getRefs(), refid))) return await super.convert_inline_anchor(node);
    // Antora names a page by its module.
    const target = (node.target ?? "").replace(/^(?:[\w.@-]*:)?([\w-]+):(?=[^/:])/, "/modules/$1/pages/");
    const file = path ? resolveKey(this.#key, target.replace(/#.*/, "")) : null;
    // A file that is not there is the whole that the parts make: its place lies in whichever part has it.
    const place = fragment && (file === null || this.#others.place(file) === null) ? this.#others.place(`#${fragment}`) : null;
    const said = node.text ?? escaped(place?.title ?? (path ? "" : String(refid).replaceAll("_", " ").trim()));
    if (place === null) return path ? `<a href="${target}">${said}</a>` : `<span>${said}</span>`;
    return `<a href="${escaped(`${rooted(place.key)}#${fragment}`)}">${said}</a>`;
  }
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const titled = (title: string | null): string => (title === null ? "" : `<div class="title">${title}</div>`);

/** Any tag that Asciidoctor does not write for a page is text: one that is passed through and never closed would take the rest with it. */
const STRANGE =
  /<(?!\/?(?:a|b|blockquote|br|caption|cite|code|col|colgroup|dd|del|details|div|dl|dt|em|h\d|hr|i|img|input|kbd|li|mark|ol|p|pre|s|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|u|ul)\b)/g;

/** asWritten takes back what Asciidoctor sets for a reader's eye, where the words would not be those of the source any more. */
const asWritten = (html: string): string =>
  html
    .replaceAll("&#8203;", "")
    .replaceAll("&#8201;", " ")
    .replaceAll(/(?<=[\p{L}\p{N}])&#8217;(?=\p{L})/gu, "'")
    .replaceAll(STRANGE, "&lt;");

const treeOf = (html: string): Nodes => childrenOf(parsePart(asWritten(html)));

function childrenOf(node: Root | Element): Nodes {
  return node.children.flatMap((child) => (child.type === "element" ? tidy(child) : child.type === "text" ? [child] : []));
}

const isSaid = (node: ElementContent): boolean => node.type !== "text" || node.value.trim() !== "";

/** tidy makes of an element those that the other readers make. */
function tidy(written: Element): Nodes {
  const { tagName, properties } = written;
  const { dataL, id, className, ...others } = properties;
  const [children, line, classes] = [childrenOf(written), Number(dataL ?? 0), classesOf(written)];
  const anchor = typeof id === "string" ? [element("span", [], { id })] : [];
  if (tagName === "div") return divided(classes, [...anchor, ...children.filter(isSaid)], line);
  if (tagName === "pre" && classes.includes("content")) return [element("p", verseOf(children), {}, line)];
  if (tagName === "pre")
    return [codeBlock(textOf(written).replaceAll(/^link:(\S+)\[role=include\]$/gm, "include::$1[]"), languageOf(written), line)];
  if (tagName === "img") return [image(String(properties["src"]).replaceAll("%20", " "), String(properties["alt"] ?? ""))];
  if (tagName === "a" && properties["href"] === undefined) return [element("span", children, { id })];
  if (tagName === "colgroup") return [];
  if (/^(?:li|dd|td)$/.test(tagName)) return [element(tagName, [...anchor, ...unwrapped(children.filter(isSaid))], others, line)];
  if (/^h\d$/.test(tagName)) return [element(tagName, [...anchor, ...children], {}, line)];
  const said = /^(?:[uod]l|table|t(?:head|body|foot|r)|blockquote)$/.test(tagName) ? children.filter(isSaid) : children;
  return [element(tagName, said, { ...others, id, className: tagName === "code" ? className : undefined }, line)];
}

/** The language of the code in a block, as its author names it. */
function languageOf(pre: Element): string | null {
  const [code] = pre.children;
  return (code?.type === "element" ? classesOf(code) : []).find((name) => name.startsWith("language-"))?.slice("language-".length) ?? null;
}

function divided(classes: readonly string[], children: Nodes, line: number): Nodes {
  if (classes.includes("title")) return [element("p", [element("strong", children)])];
  if (classes.includes("attribution")) return [element("p", [words(textOf(element("p", children)).trim())])];
  if (classes.includes("sidebarblock") || classes.includes("exampleblock")) return [element("aside", children)];
  if (!classes.includes("imageblock")) return children;
  const [caption] = children.filter(isParagraph);
  const shown = element(
    "p",
    children.filter((child) => child !== caption),
    {},
    line,
  );
  return [
    caption === undefined
      ? shown
      : element("figure", [
          shown,
          element(
            "figcaption",
            caption.children.flatMap((one) => ("children" in one ? one.children : [one])),
          ),
        ]),
  ];
}

/** Lines that stay lines. */
function verseOf(nodes: Nodes): Nodes {
  return nodes.flatMap((node) =>
    node.type === "text" ? node.value.split("\n").flatMap((line, at) => [...(at === 0 ? [] : [element("br")]), words(line)]) : [node],
  );
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

const ATTRIBUTE = /^:(!?)([\w][\w-]*)(!?):(?:\s+(.*))?$/;
