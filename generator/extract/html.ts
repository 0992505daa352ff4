/** HTML documents: the part a reader came for, sanitised, and its text with the source lines it came from. */
import type { Element, Root, RootContent } from "hast";
import type { Passage } from "#snapshots/schema";
import { EMPTY_BODY, isSummary, MAX_SHOWN, MAX_SUMMARY, type Body, type SourceText } from "./body.ts";
import { formatCode, formatCut } from "./code-view.ts";
import { noteLines, renderTree } from "./dress.ts";
import {
  type Heading,
  isWay,
  type Lines,
  openLines,
  readHtml as readBlocks,
  type Said,
  TERM_LEVEL,
  TEX_IN_HTML,
  withoutTags,
} from "#snapshots/blocks";
import { loadLanguage } from "#snapshots/highlight";
import { formula } from "./document.ts";
import { classesOf, findAll, parseDocument, textOf, TooComplex } from "./html-tree.ts";
import { readFrontMatter } from "./front-matter.ts";
import { findHeading, isTemplate } from "./first-words.ts";
import { openHeadings } from "./headings.ts";
import { tidyPaper } from "./paper-html.ts";
import { cutPassages, MAX_LENGTH, shorten } from "./passages.ts";

const DEEPEST = 6; // level of a heading that a passage stands under
/** UTF-16 units of what stands above the first heading and sums a page up: what is shorter is a site's slogan, the same on each page. */
const MIN_LEAD = 60;
/** The sign between the title of a page and the name of its site behind it. */
const SITE = /^\s+[\p{Pd}|\u00b7\u2022:\u00bb]\s/u;

export async function readHtml(source: SourceText, fallbackTitle: string): Promise<Body> {
  const front = readFrontMatter(source.text);
  // Lines stay where they are.
  const text =
    front.lines === 0
      ? source.text
      : "\n".repeat(front.lines) + source.text.slice(source.lines.start(Math.min(source.lines.count, front.lines + 1)));
  const lines = front.lines === 0 ? source.lines : openLines(text);
  const parts = readBlocks(text);
  const passages = cutParts(lines, parts);
  const heading = parts.findIndex(isHeading);
  const said = parts.map((part) => ("title" in part ? (isHeading(part) || nameOf(part) !== null ? "" : part.title) : part.plain));
  const isSaid = (one: string, at: number): boolean =>
    (at > heading || one.length >= MIN_LEAD) && /[.!?:](?:\s|$)/.test(one) && isSummary(one);
  const summary = said.find(isSaid) ?? "";
  const shown = text.length <= MAX_SHOWN ? null : Math.max(1, lines.lineAt(MAX_SHOWN) - 1);
  try {
    const tree = parseDocument(shown === null ? text : text.slice(0, Math.min(MAX_SHOWN, lines.end(shown))));
    const main = findMain(tree);
    const title =
      (front.title === null || isTemplate(front.title) ? null : front.title) ??
      findTitle(tree, main) ??
      /^([\w-]+(?:\.[\w-]+)+)\.html?$/i.exec(fallbackTitle)?.[1] ??
      null;
    const html = await renderTree(main, { key: source.key, title: title ?? fallbackTitle });
    const cut = shown === null ? "" : `\n${formatCut(source.key, shown, lines.count)}`;
    return { title, summary: shorten(summary, MAX_SUMMARY), passages, html: html + cut, notes: front.notes };
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    await loadLanguage("xml");
    return {
      ...EMPTY_BODY,
      passages,
      html: formatCode(source, "xml"),
      notes: [`This page is shown as source: it has ${error.message}.`],
    };
  }
}

/** The only `main` (or what is called so), else the only article, else the body; without navigation. */
function findMain(tree: Root): Root {
  const mains = findAll(tree, (element) => element.tagName === "main" || element.properties["role"] === "main");
  const articles = mains.length === 1 ? [] : findAll(tree, (element) => element.tagName === "article");
  const [body] = mains.length + articles.length === 1 ? [] : findAll(tree, (element) => element.tagName === "body");
  const chosen = mains.length === 1 ? mains[0] : articles.length === 1 ? articles[0] : body;
  const children: RootContent[] = chosen === undefined ? tree.children : chosen.children;
  const main: Root = { type: "root", children };
  removeNavigation(main);
  tidyPaper(main);
  setFormulas(main);
  noteLines(main);
  return main;
}

/** Makes formulas of what a script of the page would set. */
function setFormulas(node: Root | Element): void {
  const children = node.children.flatMap((child): RootContent[] => {
    if (child.type === "text") {
      if (!/\\[([]|\$\$/.test(child.value)) return [child];
      const parts = child.value.split(TEX_IN_HTML);
      // Between the texts stand the three forms, of which one is there.
      return parts.flatMap((part, at): RootContent[] => {
        if (at % 4 === 0) return part === "" ? [] : [{ type: "text", value: part }];
        return part === undefined ? [] : [formula(part, at % 4 > 1)];
      });
    }
    const type = child.type === "element" && child.tagName === "script" ? String(child.properties["type"] ?? "") : "";
    if (child.type === "element" && type.startsWith("math/tex")) return [formula(textOf(child), type.includes("display"))];
    if (
      child.type === "element" &&
      !/^(?:pre|code|script|style|math|svg|textarea)$/.test(child.tagName) &&
      !classesOf(child).includes("math")
    )
      setFormulas(child);
    return [child];
  });
  node.children = children as typeof node.children;
}

function isNavigation(element: Element): boolean {
  const { tagName, properties } = element;
  const { id, role, summary } = properties;
  const names = [...classesOf(element), ...(typeof id === "string" ? [id] : [])];
  return (
    tagName === "nav" ||
    role === "navigation" ||
    (typeof summary === "string" && /^navigation\b/i.test(summary)) ||
    isWay(names, () => countSaid(element))
  );
}

/** Counts the characters of an element without white space, and those in links. */
function countSaid(element: Element): Said {
  const count = (elements: readonly (Root | Element)[]): number =>
    elements.reduce((sum, one) => sum + textOf(one).replaceAll(/\s/g, "").length, 0);
  const links = element.tagName === "a" ? [element] : findAll(element, ({ tagName }) => tagName === "a");
  const headings = findAll(element, ({ tagName }) => /^h[1-6]$/.test(tagName));
  return { all: count([element]), linked: count(links), hasHeading: headings.length > 0 };
}

function removeNavigation(node: Root | Element): void {
  const keep = (child: RootContent): boolean => child.type !== "element" || !isNavigation(child);
  if (!node.children.every(keep)) node.children = node.children.filter(keep) as typeof node.children;
  for (const child of node.children) if (child.type === "element") removeNavigation(child);
}

/** The page's own title. Where it is the heading and behind it what all pages of a site have ("Futures - Python 3.11 documentation"), the heading alone. */
function findTitle(tree: Root, main: Root): string | null {
  const [title] = findAll(tree, ({ tagName }) => /^(?:title|svg)$/.test(tagName)).filter(({ tagName }) => tagName === "title");
  // arXiv writes the number of a paper before its title.
  const whole = title === undefined ? "" : flat(textOf(title)).replace(/^\[\d{4}\.\d{4,5}(?:v\d+)?\] /, "");
  const text = NO_TITLE.test(whole) || isTemplate(whole) ? "" : whole;
  const found = flat(findHeading(main) ?? "");
  const heading = found === "" || isTemplate(found) ? null : found;
  if (text === "" || (heading !== null && text.startsWith(heading) && SITE.test(text.slice(heading.length)))) return heading;
  return text;
}

/** Titles that a generator writes where a document has none. */
const NO_TITLE = /^(?:<no title>|untitled(?: document)?|new page)/i;
const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

type Part = ReturnType<typeof readBlocks>[number];

function isHeading(part: Part): boolean {
  return "title" in part && part.level <= DEEPEST;
}

/** cutParts writes a page as lines of plain text, a blank one between its blocks, and cuts that into passages as any other text; each has the lines
 *  of the page that it is read from. An entry of a list of definitions is a passage of its own, found by its name. */
function cutParts(page: Lines, parts: readonly Part[]): Passage[] {
  const rows: string[] = [];
  const places: { readonly start: number; readonly end: number }[] = [];
  const starts = parts.map((part) => {
    const [start, end] = [page.lineAt(part.start), page.lineAt(part.end - 1)];
    const own = rowsOf(page.text, part);
    const place = (at: number) => ({ start: Math.min(end, start + at), end: at === own.length - 1 ? end : Math.min(end, start + at) });
    places.push(...own.map((_, at) => place(at)), { start: end, end });
    return rows.push(...own, "") - own.length;
  });
  const lines = openLines(rows.join("\n"));
  const list = openHeadings(lines);
  let entry: string | null = null;
  for (const [at, part] of parts.entries()) {
    const line = starts[at] ?? 1;
    const isTitle = "title" in part;
    const name = isTitle && part.level === TERM_LEVEL ? nameOf(part) : null;
    const isOver: boolean = entry !== null && (isTitle ? part.level <= TERM_LEVEL : !part.heading.includes(entry));
    if (isTitle && isHeading(part)) list.add(line, line, part.level, part.title);
    else if (name !== null || isOver) list.marks.push({ line, heading: list.marks.at(-1)?.heading ?? [], name });
    if (name !== null && isTitle) entry = part.title;
    else if (isOver) entry = null;
  }
  return cutPassages(lines, list.marks).map((passage) => ({
    ...passage,
    start_line: places[passage.start_line - 1]?.start ?? 1,
    end_line: places[passage.end_line - 1]?.end ?? 1,
  }));
}

/** A block in one row; code in its own, and what is too long for a passage as it is written. */
function rowsOf(text: string, part: Part): readonly string[] {
  if ("title" in part) return [part.title];
  if (part.form !== "code" && part.plain.length <= MAX_LENGTH) return [part.plain];
  const written = withoutTags(text.slice(part.start, part.end)).split("\n");
  return written.map((row) => (part.form === "code" ? row.trimEnd() : row.replaceAll(/\s+/g, " ").trim()));
}

const QUALIFIED = /^[\p{L}_][\p{L}\p{N}_]*(?:(?:\.|::|-)[\p{L}\p{N}_]+)+$/u;
const MAX_NAME = 80; // UTF-16 units

/** By its anchor where that has the name in it, as generators of reference pages write it, else by itself. A common word names nothing: a list
 *  of commands has "add". */
function nameOf({ anchor, title }: Heading): string | null {
  const isName = (name: string | null): name is string => name !== null && name.length <= MAX_NAME && QUALIFIED.test(name);
  if (isName(anchor) && /[._]|::/.test(anchor) && title.includes(anchor.split(/\.|::/).at(-1) ?? anchor)) return anchor;
  return isName(title) ? title : null;
}
