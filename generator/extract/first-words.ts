/** The title of a document, and its first prose. */
import type { Element, Root } from "hast";
import { isProse, MAX_SUMMARY } from "./body.ts";
import { classesOf, openingOf, textOf } from "./html-tree.ts";
import { shorten } from "./passages.ts";

/** Commands to a wiki's program, in front of a paragraph. */
const DIRECTIVES = /^(?:\s*\[\[![^\]]*\]\])+\s*/;

/** LEADS_ON is the end of a line that leads to what follows, and says nothing alone. */
export const LEADS_ON = /[:：]\s*$/;

export function findTitle(tree: Root): string | null {
  for (const child of tree.children) {
    const title = child.type === "element" && /^h[1-6]$/.test(child.tagName) ? textOf(child).trim() : "";
    if (title !== "" && !isTemplate(title)) return title;
  }
  return null;
}

/** isTemplate tells whether a generator of sites would write something else in the place of a title. */
export function isTemplate(title: string): boolean {
  return /\{\{.*\}\}|\{%.*%\}|\[\[!.*\]\]/.test(title);
}

export function findHeading(node: Root | Element): string | null {
  for (const child of node.children) {
    if (child.type !== "element" || classesOf(child).includes("footnotes")) continue;
    const title = /^h[1-6]$/.test(child.tagName) ? textOf(child).trim() || null : findHeading(child);
    if (title !== null) return title;
  }
  return null;
}

/** findSummary finds the first paragraph of prose. Where paragraphs are commands, the texts quoted or listed beside them explain them. */
export function findSummary(tree: Root): string {
  const outer = elementsOf(tree);
  const commands = outer.some(isCommand);
  const inner = outer.filter(({ tagName }) => tagName === "blockquote" || (commands && tagName === "ul")).flatMap(elementsOf);
  const prose =
    outer
      .filter((element) => element.tagName === "p" && !isCommand(element) && !isWays(element))
      .map((element) => openingOf(element).replace(DIRECTIVES, ""))
      .find((text) => isProse(text) && !LEADS_ON.test(text)) ??
    // A line that leads to a web page says nothing here.
    inner.map((element) => textOf(element).replaceAll(/^[^\n]*https?:\/\/[^\n]*$/gm, "")).find(isProse);
  return shorten(prose ?? "", MAX_SUMMARY);
}

function elementsOf(node: Root | Element): Element[] {
  return node.children.flatMap((child) => (child.type === "element" ? [child] : []));
}

/** A paragraph that is links, with signs between them. */
function isWays(element: Element): boolean {
  const inLinks = (node: Element): number =>
    elementsOf(node).reduce((sum, one) => sum + (one.tagName === "a" ? textOf(one).trim().length : inLinks(one)), 0);
  const rest = textOf(element).replaceAll(/[^\p{L}\p{N}]/gu, "").length;
  return rest > 0 && elementsOf(element).filter(({ tagName }) => tagName === "a").length > 1 && inLinks(element) >= rest;
}

/** A paragraph that is code and nothing else. */
function isCommand(element: Element): boolean {
  return element.tagName === "p" && element.children.length === 1 && elementsOf(element)[0]?.tagName === "code";
}
