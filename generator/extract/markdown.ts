/** Markdown to a harmless fragment and passages by heading: markdown-it, HTML through parse5, the sanitiser, then what we add.
 *  Documents that would take any parser long are recognised before parsing and shown as text. */
import type { Root } from "hast";
import { parseTree } from "./markdown-parser.ts";
import { readFrontMatter } from "./front-matter.ts";
import { EMPTY_BODY, MAX_SHOWN, type Body, type SourceText } from "./body.ts";
import { findCut, formatCode, formatCut } from "./code-view.ts";
import { noteLines, renderTree } from "./dress.ts";
import { addHeadings, openHeadings } from "./headings.ts";
import { fillInLinks } from "./links.ts";
import { findHeading, findSummary, findTitle, isTemplate } from "./first-words.ts";
import { TooComplex } from "./html-tree.ts";
import { clearAsides, openLines } from "#snapshots/blocks";
import { type MarkdownParts, openParts } from "./markdown-parts.ts";
import { cutPassages } from "./passages.ts";

/** Markers (`>`, `-`, `1.`) before the text of one line. Parsers take the square of it. */
const DEEP_LINE = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){24}/m;
/** Ampersands in one document; the parser takes the square of the character references that mean nothing. */
const MAX_AMPERSANDS = 5000;
/** Cells of all tables: parsers fill short rows up with empty cells, so that "|" alone can be a long row. */
const MAX_CELLS = 60_000;

export async function readMarkdown(source: SourceText, fallbackTitle: string): Promise<Body> {
  const text = clearAsides(source.text, "markdown");
  const lines = openLines(text);
  const shown = text.length <= MAX_SHOWN ? lines.count : findCut(lines);
  const head = text.slice(0, Math.min(lines.end(shown), MAX_SHOWN));
  const problem = findProblem(head);
  const front = readFrontMatter(head);
  const parts = openParts(source.key, source.others, head.length, front.values);
  const room = parts.left;
  const tree = problem === null ? parseMarkdown(closeUp(head, source.text), front.lines, parts) : null;
  const list = openHeadings(lines);
  const named = front.title === null || isTemplate(front.title) ? null : front.title;
  const given = named ?? (tree === null ? null : findTitle(tree));
  const rendered = tree === null ? null : await renderMarkdown(tree, source, given, fallbackTitle);
  if (tree === null || rendered === null) {
    const first = addHeadings(lines, "markdown", list);
    const reason = problem ?? "it is nested too deeply or grows too large";
    return {
      ...EMPTY_BODY,
      title: named ?? first?.title ?? null,
      passages: cutPassages(lines, list.marks),
      html: formatCode(source, null),
      notes: [...front.notes, `This Markdown is shown as text: ${reason}.`],
    };
  }
  const summary = findSummary(tree);
  addHeadings(lines, "markdown", list);
  const { html, title } = rendered;
  return {
    title,
    summary,
    passages: cutPassages(lines, list.marks),
    html: head.length < lines.end(lines.count) ? `${html}\n${formatCut(source.key, shown, lines.count)}` : html,
    notes: front.notes,
    ...(parts.left === room ? {} : { whole: head.length + room - parts.left }),
  };
}

/** Moves words to where a comment began that stood before them: what stands in so far would be code. */
function closeUp(cleared: string, written: string): string {
  const before = written.split("\n");
  return cleared
    .split("\n")
    .map((line, at) => {
      const own = before[at] ?? "";
      const from = line === own ? line.length : (/^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/.exec(own)?.[0].length ?? 0);
      return line.slice(0, from) + line.slice(from).replace(/^[ \t]+/, "");
    })
    .join("\n");
}

/** parseMarkdown makes the tree of a document without asides, whose first lines are no part of it; null where it is too deep or too large.
 *  @param skipped number of lines that are left out: front matter
 *  @param parts that it may take in */
export function parseMarkdown(head: string, skipped = 0, parts?: MarkdownParts): Root | null {
  const body = head.split("\n").slice(skipped);
  try {
    return parseTree("\n".repeat(skipped) + fillInLinks(body.join("\n")), parts);
  } catch (error) {
    if (error instanceof TooComplex) return null;
    throw error;
  }
}

/** The fragment of a tree, and the title when only a nested heading gives one; null when it grows beyond our limits. */
async function renderMarkdown(
  tree: Root,
  { key, others }: SourceText,
  given: string | null,
  fallback: string,
): Promise<{ html: string; title: string | null } | null> {
  noteLines(tree);
  try {
    const title = given ?? findHeading(tree);
    return { html: await renderTree(tree, { key, title: title ?? fallback, others }), title };
  } catch (error) {
    if (error instanceof TooComplex) return null;
    throw error;
  }
}

/** findProblem tells why a document must not be parsed, or returns null. */
export function findProblem(text: string): string | null {
  if (DEEP_LINE.test(text)) return "it is nested too deeply";
  if (text.split("&").length - 1 > MAX_AMPERSANDS) return "it has too many character references";
  return countCells(text) > MAX_CELLS ? "its tables are too large" : null;
}

/** At least as many cells as a parser makes of the tables in `text`: of a row of dashes and bars, and all lines to a blank one. */
function countCells(text: string): number {
  let cells = 0;
  let columns = 0;
  for (const line of text.split("\n")) {
    if (columns > 0) cells += columns;
    if (/^[ \t>]*\r?$/.test(line)) columns = 0;
    else if (/^[ \t>|:+*\d.)-]*\|[ \t|:-]*\r?$/.test(line)) columns = Math.max(columns, line.split("|").length);
  }
  return cells;
}
