/** HTML documents: the part a reader came for, sanitised, and its text with the source lines it came from. */
import type { Element, Root, RootContent } from "hast";
import type { Passage } from "../../snapshots/schema/index.ts";
import { EMPTY_BODY, isSummary, MAX_SHOWN, MAX_SUMMARY, type Body, type Source } from "./body.ts";
import { formatCode, formatCut } from "./code-view.ts";
import { noteLines, renderTree } from "./dress.ts";
import { type Heading, readHtml as readBlocks, TERM_LEVEL, WAYS, withoutTags } from "../../snapshots/blocks/index.ts";
import { loadLanguage } from "../../snapshots/page/highlight/highlight.ts";
import { openLines, type Lines } from "./lines.ts";
import { parseDocument, textOf, TooComplex } from "./html-tree.ts";
import { readFrontMatter } from "./front-matter.ts";
import { findHeading, isTemplate } from "./markdown.ts";
import { headingPath, MAX_LENGTH, MIN_LENGTH, shorten, TARGET_LENGTH } from "./passages.ts";

const DEEPEST = 6; // level of a heading that a passage stands under
/** UTF-16 units of what stands above the first heading and sums a page up: what is shorter is a site's slogan, the same on each page. */
const MIN_LEAD = 60;
/** What a site puts behind the titles of its pages. */
const SITE = /^\s+[\p{Pd}|\u00b7\u2022:\u00bb]\s/u;

export async function readHtml(source: Source, fallbackTitle: string): Promise<Body> {
  const front = readFrontMatter(source.text);
  // Lines stay where they are.
  const text =
    front.lines === 0
      ? source.text
      : "\n".repeat(front.lines) + source.text.slice(source.lines.start(Math.min(source.lines.count, front.lines + 1)));
  const lines = front.lines === 0 ? source.lines : openLines(text);
  const chunks = chunksOf(lines);
  const passages = packChunks(chunks);
  const heading = chunks.findIndex(({ level }) => level > 0);
  const isSaid = ({ level, name, text: said }: Chunk, at: number): boolean =>
    level === 0 && name === null && (at > heading || said.length >= MIN_LEAD) && /[.!?:](?:\s|$)/.test(said) && isSummary(said);
  const summary = chunks.find(isSaid)?.text ?? "";
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
  noteLines(main);
  return main;
}

/** The outermost ones. @param found gets them */
function findAll(node: Root | Element, matches: (element: Element) => boolean, found: Element[] = []): Element[] {
  for (const child of node.children) {
    if (child.type !== "element") continue;
    if (matches(child)) found.push(child);
    else if (child.children.length > 0) findAll(child, matches, found);
  }
  return found;
}

function isNavigation({ tagName, properties }: Element): boolean {
  const { className, id, role, summary } = properties;
  const names = [...(Array.isArray(className) ? className : []), id];
  return (
    tagName === "nav" ||
    role === "navigation" ||
    (typeof summary === "string" && /^navigation\b/i.test(summary)) ||
    names.some((name) => typeof name === "string" && WAYS.test(name))
  );
}

function removeNavigation(node: Root | Element): void {
  const keep = (child: RootContent): boolean => child.type !== "element" || !isNavigation(child);
  if (!node.children.every(keep)) node.children = node.children.filter(keep) as typeof node.children;
  for (const child of node.children) if (child.type === "element") removeNavigation(child);
}

/** The page's own title. Where it is the heading and behind it what all pages of a site have ("Futures - Python 3.11 documentation"), the heading alone. */
function findTitle(tree: Root, main: Root): string | null {
  const [title] = findAll(tree, (element) => element.tagName === "title");
  const whole = title === undefined ? "" : flat(textOf(title));
  const text = NO_TITLE.test(whole) || isTemplate(whole) ? "" : whole;
  const found = flat(findHeading(main) ?? "");
  const heading = found === "" || isTemplate(found) ? null : found;
  if (text === "" || (heading !== null && text.startsWith(heading) && SITE.test(text.slice(heading.length)))) return heading;
  return text;
}

/** What a generator writes where a document has none. */
const NO_TITLE = /^(?:<no title>|untitled(?: document)?|new page)/i;
const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** A block of a page, or a part of a long one. */
type Chunk = {
  readonly text: string;
  /** Source lines, 1-based and inclusive. */
  readonly start: number;
  readonly end: number;
  /** Of a heading; else 0. */
  readonly level: number;
  /** What an entry of a list of definitions explains, where that is a name as programs have it: `core.autocrlf`, `os.path.join`. */
  readonly name: string | null;
};

function chunksOf(lines: Lines): readonly Chunk[] {
  const { text } = lines;
  return readBlocks(text).flatMap((part): readonly Chunk[] => {
    const isTitle = "title" in part;
    const chunk = (said: string, start: number, end: number): Chunk => {
      const name = isTitle && part.level === TERM_LEVEL && start === part.start ? nameOf(part) : null;
      return { text: said, start: lines.lineAt(start), end: lines.lineAt(end - 1), level: 0, name };
    };
    if (isTitle && part.level <= DEEPEST) return [{ ...chunk(part.title, part.start, part.end), level: part.level }];
    if (isTitle && part.title.length <= MAX_LENGTH) return [chunk(part.title, part.start, part.end)];
    if (!isTitle && part.form !== "code" && part.plain.length <= MAX_LENGTH) return [chunk(part.plain, part.start, part.end)];
    return piecesOf(text, part.start, part.end).flatMap(([start, end]) => {
      const said = withoutTags(text.slice(start, end)).replace(/^\s*\n|\s+$/g, "");
      return said.trim() === "" ? [] : [chunk(isTitle || part.form !== "code" ? said.replaceAll(/\s+/g, " ").trim() : said, start, end)];
    });
  });
}

/** Parts of a stretch that a passage has room for, cut at white space outside tags. */
function piecesOf(text: string, start: number, end: number): readonly (readonly [start: number, end: number])[] {
  const pieces: (readonly [number, number])[] = [];
  let from = start;
  let length = 0;
  for (const { 0: token, index } of text.slice(start, end).matchAll(/<[^<>]*>|\s+|[^\s<]{1,900}|</gu)) {
    const room = token.startsWith("<") && token.endsWith(">") ? 1 : token.length;
    if (length > 0 && length + room > TARGET_LENGTH + (/^\s/.test(token) ? 0 : MAX_LENGTH - TARGET_LENGTH)) {
      pieces.push([from, start + index]);
      from = start + index;
      length = 0;
    }
    length += room;
  }
  return from < end ? [...pieces, [from, end]] : pieces;
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

type Open = { readonly start: number; readonly end: number; readonly text: string; readonly titled: boolean; readonly name: string | null };

function packChunks(chunks: readonly Chunk[]): Passage[] {
  const passages: Passage[] = [];
  const path: { level: number; title: string }[] = [];
  let open = null as Open | null;
  const flush = (): void => {
    if (open !== null) {
      const heading = headingPath(path.map((part) => part.title));
      passages.push({ heading, name: open.name, page: null, start_line: open.start, end_line: open.end, text: open.text });
    }
    open = null;
  };
  for (const chunk of chunks) {
    const current: Open | null = open;
    if (chunk.level > 0) {
      const deeper = current?.titled === true && chunk.level > (path.at(-1)?.level ?? 0);
      if (!deeper) flush();
      while ((path.at(-1)?.level ?? 0) >= chunk.level) path.pop();
      path.push({ level: chunk.level, title: chunk.text });
      const before = deeper && current !== null ? `${current.text}\n\n` : "";
      open = {
        start: before === "" || current === null ? chunk.start : current.start,
        end: chunk.end,
        text: before + chunk.text.slice(0, 400),
        titled: true,
        name: null,
      };
      continue;
    }
    // An entry is a passage of its own, found by its name and shown at its line; the heading above it stands in its path.
    if (chunk.name !== null) {
      if (current?.titled !== true) flush();
      open = { start: chunk.start, end: chunk.end, text: chunk.text, titled: false, name: chunk.name };
      continue;
    }
    const limit =
      current !== null && (current.text.length < MIN_LENGTH || chunk.text.length < MIN_LENGTH)
        ? (TARGET_LENGTH + MAX_LENGTH) / 2
        : TARGET_LENGTH;
    if (current !== null && current.text.length + chunk.text.length <= limit) {
      open = {
        start: current.start,
        end: Math.max(current.end, chunk.end),
        text: `${current.text}\n\n${chunk.text}`,
        titled: false,
        name: current.name,
      };
    } else {
      flush();
      open = { start: chunk.start, end: chunk.end, text: chunk.text, titled: false, name: null };
    }
  }
  flush();
  return passages;
}
