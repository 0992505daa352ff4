/** HTML text to a tree, within limits: parse5 reads it, and hast-util-from-parse5 makes hast of it. The tree holds whatever the document
 *  does: only the sanitiser (clean.ts) says what of it may be shown. */
import type { Element, ElementContent, Literal, Root, RootContent, Text } from "hast";
import { fromParse5, type Options } from "hast-util-from-parse5";
import { defaultTreeAdapter, type DefaultTreeAdapterMap, parse, parseFragment, type TreeAdapter } from "parse5";

declare module "hast" {
  /** HTML of ours, which is written as it stands. */
  interface Raw extends Literal {
    type: "raw";
  }
  interface ElementContentMap {
    raw: Raw;
  }
  interface RootContentMap {
    raw: Raw;
  }
}

/** Elements and comments of one document, between which all texts lie; a page that misuses formatting elements grows with the square of its length. */
const MAX_NODES = 150_000;
/** Nesting; everything after the parser recurses. Real documents stay below 60. */
const MAX_DEPTH = 200;

/** TooComplex says that a document would cost too much to show. It is no ShelfError: it never leaves this folder. */
export class TooComplex extends Error {
  override readonly name = "TooComplex";
}

type Node5 = DefaultTreeAdapterMap["node"];

export function startLine(node: Element | Text): number | null {
  return node.position?.start.line ?? null;
}

/** parseDocument makes the tree of an HTML document, with positions. @throws TooComplex beyond MAX_NODES or MAX_DEPTH */
export function parseDocument(text: string): Root {
  return treeOf(parse(text, { treeAdapter: openAdapter(), sourceCodeLocationInfo: true, scriptingEnabled: false }), text);
}

/** parsePart makes the tree of an HTML fragment, without positions. @throws TooComplex beyond MAX_NODES or MAX_DEPTH */
export function parsePart(text: string): Root {
  return treeOf(parseFragment(text, { treeAdapter: openAdapter(), scriptingEnabled: false }), null);
}

/** @throws TooComplex for a tree that is nested more deeply than MAX_DEPTH */
function checkDepth(tree: Node5): void {
  let level: readonly Node5[] = [tree];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new TooComplex(`elements nested more than ${MAX_DEPTH} levels deep`);
    level = level.flatMap(childrenOf);
  }
}

export function textOf(node: Root | RootContent | ElementContent): string {
  if (node.type === "text") return node.value;
  if (!("children" in node)) return "";
  let text = "";
  for (const child of node.children) text += textOf(child);
  return text;
}

export const classesOf = ({ properties: { className } }: Element): readonly string[] =>
  Array.isArray(className) ? className.filter((name) => typeof name === "string") : [];

/** findAll finds the outermost elements that match. @param found gets them */
export function findAll(node: Root | Element, matches: (element: Element) => boolean, found: Element[] = []): Element[] {
  for (const child of node.children) {
    if (child.type !== "element") continue;
    if (matches(child)) found.push(child);
    else if (child.children.length > 0) findAll(child, matches, found);
  }
  return found;
}

/** Letters that a paragraph needs before a formula, to be told without what follows. */
const MIN_OPENING = 20;

/** openingOf returns the text of a paragraph as far as its first formula with commands in it, which nobody can read as text. */
export function openingOf(paragraph: Element): string {
  let text = "";
  const isRead = (node: ElementContent): boolean => {
    if (node.type !== "element") {
      text += textOf(node);
      return true;
    }
    const isFormula = classesOf(node).some((name) => name === "math-inline" || name === "math-display");
    return !(isFormula && /[\\^_{]/.test(textOf(node))) && node.children.every(isRead);
  };
  return paragraph.children.every(isRead) || text.trim().length < MIN_OPENING ? textOf(paragraph) : `${text.trimEnd()} …`;
}

/** openAdapter is parse5's own adapter, with a counter. */
function openAdapter(): TreeAdapter<DefaultTreeAdapterMap> {
  let nodes = 0;
  const count = (): void => {
    if (++nodes > MAX_NODES) throw new TooComplex(`more than ${MAX_NODES} nodes`);
  };
  return {
    ...defaultTreeAdapter,
    createElement(tagName, namespace, attributes) {
      count();
      // The sanitiser lets no style pass: an alignment is an attribute.
      const [, align] = /text-align:\s*(right|center)/.exec(attributes.find(({ name }) => name === "style")?.value ?? "") ?? [];
      const all = align === undefined ? attributes : [...attributes, { name: "align", value: align }];
      return defaultTreeAdapter.createElement(tagName, namespace, all);
    },
    createCommentNode(text) {
      count();
      return defaultTreeAdapter.createCommentNode(text);
    },
  };
}

/** treeOf makes hast of what was parsed. @param text where positions are wanted */
function treeOf(parsed: DefaultTreeAdapterMap["document"] | DefaultTreeAdapterMap["documentFragment"], text: string | null): Root {
  checkDepth(parsed);
  // fromParse5 takes only the text out of its file.
  const file = text as unknown as Options["file"];
  return fromParse5(parsed, { file }) as Root;
}

function childrenOf(node: Node5): readonly Node5[] {
  // The content of a template hangs on it, and is not among its children.
  if ("content" in node) return [node.content];
  return "childNodes" in node
    ? node.childNodes.filter((child) => "childNodes" in child && (child.childNodes.length > 0 || "content" in child))
    : [];
}
