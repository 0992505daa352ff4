/** The text of an HTML tree in reading order, block by block, with the source lines it came from. */
import type { Element, ElementContent, Root, RootContent } from "hast";
import { endLine, startLine } from "./html-tree.ts";
import type { Lines } from "./lines.ts";
import { MAX_LENGTH, TARGET_LENGTH } from "./passages.ts";

export type Chunk = {
  readonly text: string;
  /** Source lines, 1-based and inclusive. */
  readonly start: number;
  readonly end: number;
  /** Of a heading; else 0. */
  readonly level: number;
  /** What an entry of a list of definitions explains, where that is a name as programs have it: `core.autocrlf`, `os.path.join`. */
  readonly name: string | null;
};

const SILENT = new Set(
  "script style template noscript head svg math select button textarea iframe object audio video canvas title".split(" "),
);
const INLINE = new Set(
  (
    "a abbr b bdi bdo cite code data del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup time tt u " +
    "var wbr input td th"
  ).split(" "),
);

/** The blocks of a tree with positions. None is longer than MAX_LENGTH. */
export function readHtmlText(tree: Root): Chunk[] {
  const chunks: Chunk[] = [];
  let text = "";
  let start = 0;
  let end = 0;
  let pre = 0;
  const flush = (level = 0, name: string | null = null): void => {
    const folded = pre > 0 ? text.replace(/^\n+|\s+$/g, "") : text.replaceAll(/\s+/g, " ").trim();
    // Without a line there was nothing but signs between cells, as where a cell holds paragraphs.
    if (folded !== "" && start > 0) pushChunk(chunks, folded, start, end, level, name);
    text = "";
    start = 0;
  };
  const visit = (node: RootContent | ElementContent): void => {
    if (node.type === "text") {
      if (node.value === "") return;
      const first = startLine(node);
      if (first !== null && (pre > 0 || /\S/.test(node.value))) {
        if (start === 0) start = first + leadingBreaks(node.value, pre > 0);
        end = Math.max(start, (endLine(node) ?? first) - trailingBreaks(node.value));
      }
      text += node.value;
      return;
    }
    if (node.type !== "element" || SILENT.has(node.tagName)) return;
    if (node.tagName === "br") text += "\n";
    else if (node.tagName === "td" || node.tagName === "th") text += text === "" ? "" : " | ";
    if (INLINE.has(node.tagName) || node.tagName === "br") {
      for (const child of node.children) visit(child);
      return;
    }
    flush();
    if (node.tagName === "pre") pre++;
    for (const child of node.children) visit(child);
    flush(headingLevel(node), node.tagName === "dt" ? nameOf(node, text.trim()) : null);
    if (node.tagName === "pre") pre--;
  };
  for (const child of tree.children) visit(child);
  flush();
  return chunks;
}

/** The text from an offset on with every tag removed, without building a tree: for what is too long or too deep for one. */
export function readCrudeText(lines: Lines, from: number): Chunk[] {
  const chunks: Chunk[] = [];
  const { text } = lines;
  let at = from;
  let block = "";
  let start = lines.lineAt(from);
  let line = start;
  const flush = (): void => {
    const folded = block
      .replaceAll(/[^\S\n]+/g, " ")
      .replaceAll(/\s*\n\s*/g, "\n")
      .trim();
    if (folded !== "") pushChunk(chunks, folded, start, line, 0, null);
    block = "";
  };
  while (at < text.length) {
    const open = text.indexOf("<", at);
    const stop = open < 0 ? text.length : open;
    for (let piece = at; piece < stop; ) {
      const to = Math.min(stop, piece + TARGET_LENGTH);
      if (block.trim() === "") {
        block = "";
        start = lines.lineAt(piece);
      }
      block += text.slice(piece, to);
      line = lines.lineAt(Math.max(piece, to - 1));
      if (block.length >= TARGET_LENGTH) flush();
      piece = to;
    }
    if (open < 0) break;
    const silent = /^<(script|style)\b/i.exec(text.slice(open, open + 8));
    const closing = silent === null ? ">" : `</${silent[1] ?? ""}`;
    const close = text.indexOf(closing, open + 1);
    block += " ";
    if (close < 0) break;
    at = close + (silent === null ? 1 : 0);
  }
  flush();
  return chunks;
}

function pushChunk(chunks: Chunk[], text: string, start: number, end: number, level: number, name: string | null): void {
  // Positions of a long block are spread over its parts by their own line breaks, which is exact for preformatted text.
  let line = start;
  for (let at = 0; at < text.length; ) {
    let to = Math.min(text.length, at + MAX_LENGTH);
    if (to < text.length) {
      // Within the part only: looking back over all of the text would take the square of its length.
      const part = text.slice(at + MAX_LENGTH / 4, to);
      const cut = Math.max(part.lastIndexOf("\n"), part.lastIndexOf(" "));
      if (cut >= 0) to = at + MAX_LENGTH / 4 + cut + 1;
      else if ((text.charCodeAt(to) & 0xfc00) === 0xdc00) to--;
    }
    const part = text.slice(at, to);
    const whole = at === 0 && to === text.length;
    const breaks = part.split("\n").length - 1;
    const last = whole || to === text.length || breaks === 0 ? end : Math.min(end, line + breaks);
    chunks.push({ text: part.trimEnd(), start: Math.min(line, last), end: last, level, name: at === 0 ? name : null });
    if (breaks > 0) line = Math.min(end, line + breaks);
    at = to;
  }
}

const QUALIFIED = /^[\p{L}_][\p{L}\p{N}_]*(?:(?:\.|::|-)[\p{L}\p{N}_]+)+$/u;
const MAX_NAME = 80; // UTF-16 units

/** By its anchor where that has the name in it, as generators of reference pages write it, else by itself. A common word names nothing: a list
 *  of commands has "add". */
function nameOf({ properties }: Element, text: string): string | null {
  const id = properties["id"];
  const isName = (name: unknown): name is string => typeof name === "string" && name.length <= MAX_NAME;
  if (isName(id) && /[._]|::/.test(id) && QUALIFIED.test(id) && text.includes(id.split(/\.|::/).at(-1) ?? id)) return id;
  return isName(text) && QUALIFIED.test(text) ? text : null;
}

function headingLevel(element: Element): number {
  return /^h[1-6]$/.test(element.tagName) ? Number(element.tagName[1]) : 0;
}

function leadingBreaks(value: string, pre: boolean): number {
  if (pre) return 0;
  let breaks = 0;
  for (let at = 0; at < value.length && value.charCodeAt(at) <= 32; at++) if (value.charCodeAt(at) === 10) breaks++;
  return breaks;
}

function trailingBreaks(value: string): number {
  let breaks = 0;
  for (let at = value.length - 1; at >= 0 && value.charCodeAt(at) <= 32; at--) if (value.charCodeAt(at) === 10) breaks++;
  return breaks;
}
