/** A clean tree to HTML. Writes the elements and attributes of its own lists and nothing else, whatever the tree holds. */
import type { Element, ElementContent, Root, RootContent, RootContentMap } from "hast";
import { escapeHtml } from "./highlight.ts";

/** HTML that we made ourselves (highlighted code, formulas). Created after sanitising only: the sanitiser drops what a
 *  document brings of this type. The Markdown parser's types add it to those of a tree. */
export type Raw = RootContentMap["raw"];

const VOID = new Set(["br", "hr", "img", "input", "wbr"]);
/** Attributes written, by their name in hast. */
const ATTRIBUTES = new Map<string, string>([
  ["id", "id"],
  ["className", "class"],
  ["href", "href"],
  ["rel", "rel"],
  ["src", "src"],
  ["alt", "alt"],
  ["title", "title"],
  ["lang", "lang"],
  ["dir", "dir"],
  ["colSpan", "colspan"],
  ["rowSpan", "rowspan"],
  ["scope", "scope"],
  ["start", "start"],
  ["open", "open"],
  ["dateTime", "datetime"],
  ["width", "width"],
  ["height", "height"],
  ["type", "type"],
  ["checked", "checked"],
  ["disabled", "disabled"],
  ["loading", "loading"],
  ["ariaLabel", "aria-label"],
]);

/** The fragment as text. Recurses; trees are at most MAX_DEPTH deep. */
export function formatHtml(tree: Root): string {
  let html = "";
  for (const child of tree.children) html += formatNode(child);
  return html;
}

function formatNode(node: RootContent | ElementContent): string {
  if (node.type === "text") return escapeHtml(node.value);
  if (node.type === "raw") return node.value;
  if (node.type !== "element") return "";
  return formatElement(node);
}

function formatElement(element: Element): string {
  const { tagName } = element;
  let html = `<${tagName}`;
  for (const property in element.properties) {
    const name = ATTRIBUTES.get(property);
    const value = element.properties[property];
    if (name === undefined || value === undefined || value === null || value === false) continue;
    html += value === true ? ` ${name}` : ` ${name}="${escapeHtml(Array.isArray(value) ? value.join(" ") : String(value))}"`;
  }
  html += ">";
  if (VOID.has(tagName)) return html;
  const [first] = element.children;
  // A parser drops the first line break of a pre.
  if (tagName === "pre" && first?.type === "text" && first.value.startsWith("\n")) html += "\n";
  for (const child of element.children) html += formatNode(child);
  return `${html}</${tagName}>`;
}
