/** Documents in LaTeX, reStructuredText, AsciiDoc and Org: what their readers share. A reader makes a tree of elements that know their lines; from
 *  there on a document goes the way of Markdown, through the sanitiser and the dressing, and its lines are kept beside it. */
import type { Element, ElementContent, Root, RootContent } from "hast";
import type { ObjectKind } from "#snapshots/schema";
import { loadLanguage } from "#snapshots/highlight";
import { EMPTY_BODY, MAX_SHOWN, type Body, type SourceText } from "./body.ts";
import { findCut, formatCode, formatCut } from "./code-view.ts";
import { noteLines, renderTree } from "./dress.ts";
import { addHeadings, openHeadings } from "./headings.ts";
import { textOf, TooComplex } from "./html-tree.ts";
import { findSummary } from "./first-words.ts";
import { cutPassages } from "./passages.ts";

/** MAX_NESTED is how deep lists, quotations and groups may lie in one another. */
export const MAX_NESTED = 60;

export type Nodes = ElementContent[];

/** ParsedDocument is what a reader made of the text of a document. A title of null is that of its file; a summary of null is its first prose. */
export type ParsedDocument = {
  readonly blocks: Nodes;
  readonly title: string | null;
  readonly summary?: string | null;
  /** UTF-16 units of parts in files of their own that are shown. */
  readonly parts?: number;
};

/** element makes an element. @param line that it begins on; null or 0 where nobody needs to know, and in a part that lies in another file */
export function element(
  tagName: string,
  children: readonly ElementContent[] = [],
  properties: Element["properties"] = {},
  line: number | null = null,
): Element {
  const point = { line: line ?? 1, column: 1 };
  return {
    type: "element",
    tagName,
    properties,
    children: [...children],
    ...((line ?? 0) === 0 ? {} : { position: { start: point, end: point } }),
  };
}

export function words(value: string): ElementContent {
  return { type: "text", value };
}

/** codeBlock makes a block of code. @param language as its author names it; null for none */
export function codeBlock(code: string, language: string | null, line: number): Element {
  const [name = ""] = /^[\w+#.-]{1,40}/.exec(language ?? "") ?? [];
  const className = name === "" ? {} : { className: [`language-${name.toLowerCase()}`] };
  return element("pre", [element("code", [words(code)], className)], {}, line);
}

/** formula makes a formula in TeX, which the dressing sets. */
export function formula(tex: string, display: boolean): Element {
  return element("code", [words(tex.trim())], { className: [`math-${display ? "display" : "inline"}`] });
}

/** box makes what stands apart from the text, below its title. */
export function box(title: Nodes, children: Nodes, line: number): Element {
  return element("aside", [...(title.length === 0 ? [] : [element("p", [element("strong", title)])]), ...children], {}, line);
}

/** image makes a picture, or a link to one of a form that pages do not show. @param alt "" where nothing is said of it */
export function image(path: string, alt: string): Element {
  if (/\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(path) || /^https?:/.test(path)) return element("img", [], { src: encodeURI(path), alt });
  return element("a", [words(alt || path)], { href: encodeURI(path) });
}

/** cellOf makes a cell of a table. */
export function cellOf(
  children: readonly ElementContent[],
  { colSpan = 1, rowSpan = 1, line = null }: { readonly colSpan?: number; readonly rowSpan?: number; readonly line?: number | null },
): Element {
  return element("td", children, { ...(colSpan > 1 ? { colSpan } : {}), ...(rowSpan > 1 ? { rowSpan } : {}) }, line);
}

/** tableOf makes a table of cells. @param heads number of rows at the top that name the columns */
export function tableOf(rows: readonly (readonly Element[])[], heads: number, line: number, caption: Nodes = []): Element {
  const shown = rows.map((cells, at) =>
    element("tr", at < heads ? cells.map((cell) => ({ ...cell, tagName: "th" })) : cells, {}, cells[0]?.position?.start.line),
  );
  const parts = [
    ...(caption.length === 0 ? [] : [element("caption", caption)]),
    ...(heads === 0 ? [] : [element("thead", shown.slice(0, heads))]),
    element("tbody", shown.slice(heads)),
  ];
  return element("table", parts, {}, line);
}

/** isAnchor tells whether a node is the place of a label, which shows nothing. */
export const isAnchor = (node: ElementContent): boolean => node.type === "element" && node.tagName === "span" && node.children.length === 0;

export const isParagraph = (node: ElementContent | undefined): node is Element => node?.type === "element" && node.tagName === "p";

/** unwrapped gives the words of an item's only paragraph in its place. */
export function unwrapped(blocks: Nodes): Nodes {
  const isOne = blocks.filter(isParagraph).length === 1 && blocks.findIndex(isParagraph) === blocks.findIndex((one) => !isAnchor(one));
  return isOne ? blocks.flatMap((one) => (isParagraph(one) ? one.children : [one])) : blocks;
}

/** Footnotes collects the notes of a document, which stand at its end. */
export class Footnotes {
  readonly #notes: Nodes[] = [];

  /** Adds a note. @returns the sign that leads to it */
  add(note: Nodes): Element {
    const number = this.#notes.push(note);
    return element("sup", [element("a", [words(String(number))], { href: `#fn-${number}`, id: `fnref-${number}` })]);
  }

  /** Empty where there are none. */
  section(): Nodes {
    if (this.#notes.length === 0) return [];
    const items = this.#notes.map((note, at) => element("li", [element("p", note)], { id: `fn-${at + 1}` }));
    return [
      element("section", [element("h9", [words("Footnotes")], { className: ["sr-only"] }), element("ol", items)], {
        className: ["footnotes"],
      }),
    ];
  }
}

/** readDocument reads a document and renders it. One that cannot be read is shown as code.
 *  @param parse makes its blocks; it is given the part that is shown
 *  @param language of its lines as code */
export async function readDocument(
  source: SourceText,
  { kind, language, fallback }: { readonly kind: ObjectKind; readonly language: string | null; readonly fallback: string },
  parse: (text: string) => ParsedDocument | Promise<ParsedDocument>,
): Promise<Body> {
  await loadLanguage(language);
  const { key, text, lines, others } = source;
  const list = openHeadings(lines);
  const first = addHeadings(lines, kind, list);
  const passages = cutPassages(lines, list.marks);
  const written = formatCode(source, language);
  const shown = text.length <= MAX_SHOWN ? lines.count : findCut(lines);
  try {
    const {
      blocks,
      parts = 0,
      ...said
    } = await parse(text.slice(text.startsWith("\ufeff") ? 1 : 0, Math.min(lines.end(shown), MAX_SHOWN)).replaceAll("\r", ""));
    const tree: Root = { type: "root", children: blocks as RootContent[] };
    const title = said.title ?? first?.title ?? null;
    const summary = said.summary ?? findSummary(tree);
    if (textOf(tree).trim() === "") return { ...EMPTY_BODY, title, passages, html: written };
    rankHeadings(tree);
    noteLines(tree);
    const html = await renderTree(tree, { key, title: title ?? fallback, others });
    const cut = shown < lines.count ? `\n${formatCut(key, shown, lines.count)}` : "";
    const whole = parts === 0 ? {} : { whole: Math.min(text.length, MAX_SHOWN) + parts };
    return { title, summary, passages, html: html + cut, written, notes: [], ...whole };
  } catch (error) {
    if (!(error instanceof TooComplex || error instanceof RangeError)) throw error;
    const reason = error instanceof TooComplex ? error.message : "parts too deep in one another";
    return {
      ...EMPTY_BODY,
      title: first?.title ?? null,
      passages,
      html: written,
      notes: [`This document is shown as source: it has ${reason}.`],
    };
  }
}

/** Gives headings the levels of a page, from 2 on and none left out: authors begin at any. A title alone above all others has level 1. */
function rankHeadings(tree: Root): void {
  const found: { readonly heading: Element; readonly level: number }[] = [];
  const visit = (node: Root | Element): void => {
    for (const child of node.children) {
      if (child.type !== "element") continue;
      const [, digit] = /^h(\d)$/.exec(child.tagName) ?? [];
      if (digit === undefined) visit(child);
      else if (child.properties["className"] === undefined) found.push({ heading: child, level: Number(digit) });
      else child.tagName = "h2";
    }
  };
  visit(tree);
  const levels = [...new Set(found.map(({ level }) => level))].sort((a, b) => a - b);
  const top = found.filter(({ level }) => level === levels[0]);
  const isTitle = found.length > 1 && top.length === 1 && top[0] === found[0] && tree.children[0] === found[0]?.heading;
  for (const { heading, level } of found) heading.tagName = `h${Math.min(6, levels.indexOf(level) + (isTitle ? 1 : 2))}`;
}
