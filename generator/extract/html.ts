/** HTML documents: the part a reader came for, sanitised, and its text with the source lines it came from. */
import type { Element, Root, RootContent } from "hast";
import type { Passage } from "../../snapshots/schema/index.ts";
import { EMPTY_BODY, isSummary, MAX_SHOWN, MAX_SUMMARY, type Body, type Source } from "./body.ts";
import { formatCode, formatCut } from "./code-view.ts";
import { noteLines, renderTree } from "./dress.ts";
import { loadLanguage } from "../../snapshots/page/highlight/highlight.ts";
import { readCrudeText, readHtmlText, type Chunk } from "./html-text.ts";
import { parseDocument, textOf, TooComplex } from "./html-tree.ts";
import { readFrontMatter } from "./front-matter.ts";
import { findHeading, isTemplate } from "./markdown.ts";
import { headingPath, MAX_LENGTH, MIN_LENGTH, shorten, TARGET_LENGTH } from "./passages.ts";

/** UTF-16 units parsed for passages; tags are merely removed from what follows. */
const MAX_PARSED = 2_000_000;
/** UTF-16 units of what stands above the first heading and sums a page up: what is shorter is a site's slogan, the same on each page. */
const MIN_LEAD = 60;
/** What a site puts behind the titles of its pages. */
const SITE = /^\s+[\p{Pd}|\u00b7\u2022:\u00bb]\s/u;

export async function readHtml(source: Source, fallbackTitle: string): Promise<Body> {
  const { lines } = source;
  const front = readFrontMatter(source.text);
  // Lines stay where they are.
  const text =
    front.lines === 0 ? source.text : "\n".repeat(front.lines) + source.text.slice(lines.start(Math.min(lines.count, front.lines + 1)));
  try {
    const cut = text.length <= MAX_PARSED ? text.length : Math.min(MAX_PARSED, lines.end(Math.max(1, lines.lineAt(MAX_PARSED) - 1)));
    const tree = parseDocument(text.slice(0, cut));
    const main = findMain(tree);
    const chunks = readHtmlText(main);
    if (cut < text.length) chunks.push(...readCrudeText(lines, cut));
    const title =
      (front.title === null || isTemplate(front.title) ? null : front.title) ??
      findTitle(tree, main) ??
      /^([\w-]+(?:\.[\w-]+)+)\.html?$/i.exec(fallbackTitle)?.[1] ??
      null;
    const heading = chunks.findIndex(({ level }) => level > 0);
    const summary =
      chunks.find(
        (chunk, at) =>
          chunk.level === 0 &&
          chunk.name === null &&
          (at > heading || chunk.text.length >= MIN_LEAD) &&
          /[.!?:](?:\s|$)/.test(chunk.text) &&
          isSummary(chunk.text),
      )?.text ?? "";
    const passages = packChunks(chunks);
    let html: string;
    if (text.length <= MAX_SHOWN) html = await renderTree(main, { key: source.key, title: title ?? fallbackTitle });
    else {
      const shown = Math.max(1, lines.lineAt(MAX_SHOWN) - 1);
      const part = parseDocument(text.slice(0, Math.min(MAX_SHOWN, lines.end(shown))));
      html = `${await renderTree(findMain(part), { key: source.key, title: title ?? fallbackTitle })}\n${formatCut(source.key, shown, lines.count)}`;
    }
    return { title, summary: shorten(summary, MAX_SUMMARY), passages, html, notes: front.notes };
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    await loadLanguage("xml");
    return {
      ...EMPTY_BODY,
      passages: packChunks(readCrudeText(lines, 0)),
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

/** What generators of manuals call the ways to other pages, and what they put above and below every page. */
const WAYS =
  /^(?:nav(?:header|footer|bar|igation)?|headerlink|breadcrumbs?|related|sphinxsidebar|chlink(?:top|bot|prevnext(?:top|bot))|package-header|page-menu|footer)$/;

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
