/** HTML text to a tree, within limits: parse5 builds hast nodes through the adapter below. The tree holds whatever the document
 *  does: only the sanitiser (clean.ts) says what of it may be shown. */
import type { Comment, Element, ElementContent, Root, RootContent, Text } from "hast";
import { html as spec, parse, parseFragment, type Token, type TreeAdapter } from "parse5";
import { find, html } from "property-information";

/** Nodes of one document; a page that misuses formatting elements grows with the square of its length. */
const MAX_NODES = 300_000;
/** Nesting; everything after the parser recurses. Real documents stay below 60. */
const MAX_DEPTH = 200;

/** A document that would cost too much to show. Not a ShelfError: it never leaves this folder. */
export class TooComplex extends Error {
  override readonly name = "TooComplex";
}

type Parent = Root | Element;
type Child = Comment | Element | Text;
export function startLine(node: Element | Text): number | null {
  return node.position?.start.line ?? (node as Located).location?.startLine ?? null;
}

type Located = { location?: Token.ElementLocation | undefined; parent?: Parent | undefined };

type Map5 = {
  node: Parent | Child;
  parentNode: Parent;
  childNode: Child;
  document: Root;
  documentFragment: Root;
  element: Element;
  commentNode: Comment;
  textNode: Text;
  template: Element;
  documentType: Comment;
};

/** The tree of an HTML document, with positions. @throws TooComplex beyond MAX_NODES or MAX_DEPTH */
export function parseDocument(text: string): Root {
  const tree = parse(text, { treeAdapter: openAdapter(), sourceCodeLocationInfo: true, scriptingEnabled: false });
  checkDepth(tree);
  return tree;
}

/** The tree of an HTML fragment, without positions. @throws TooComplex beyond MAX_NODES or MAX_DEPTH */
export function parsePart(text: string): Root {
  const tree = parseFragment(text, { treeAdapter: openAdapter(), scriptingEnabled: false });
  checkDepth(tree);
  return tree;
}

/** @throws TooComplex when `tree` is nested more deeply than MAX_DEPTH */
export function checkDepth(tree: Root): void {
  let level: readonly (Root | Element)[] = [tree];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new TooComplex(`elements nested more than ${MAX_DEPTH} levels deep`);
    const next: Element[] = [];
    for (const node of level)
      for (const child of node.children) if (child.type === "element" && child.children.length > 0) next.push(child);
    level = next;
  }
}

export function textOf(node: Root | RootContent | ElementContent): string {
  if (node.type === "text") return node.value;
  if (!("children" in node)) return "";
  let text = "";
  for (const child of node.children) text += textOf(child);
  return text;
}

function openAdapter(): TreeAdapter<Map5> {
  let nodes = 0;
  const count = (): void => {
    if (++nodes > MAX_NODES) throw new TooComplex(`more than ${MAX_NODES} nodes`);
  };
  const located = (node: Parent | Child): Located => node as Located;
  const add = (parent: Parent, child: Child, at = -1): void => {
    located(child).parent = parent;
    if (at < 0) parent.children.push(child);
    else parent.children.splice(at, 0, child);
  };
  const namespaces = new WeakMap<Element, spec.NS>();
  const attributes = new WeakMap<Element, Token.Attribute[]>();
  const contents = new WeakMap<Element, Root>();
  const text = (value: string): Text => {
    count();
    return { type: "text", value };
  };
  return {
    createDocument: () => ({ type: "root", children: [] }),
    createDocumentFragment: () => ({ type: "root", children: [] }),
    createElement(tagName, namespace, list) {
      count();
      const element: Element = { type: "element", tagName, properties: readProperties(list), children: [] };
      if (namespace !== spec.NS.HTML) namespaces.set(element, namespace);
      if (list.length > 0) attributes.set(element, list);
      return element;
    },
    createCommentNode: (data) => ({ type: "comment", value: data }),
    createTextNode: text,
    appendChild: (parent, child) => add(parent, child),
    insertBefore: (parent, child, reference) => add(parent, child, (parent.children as Child[]).indexOf(reference)),
    setTemplateContent: (template, content) => void contents.set(template, content),
    getTemplateContent: (template) => contents.get(template) ?? { type: "root", children: [] },
    setDocumentType: () => undefined,
    setDocumentMode: () => undefined,
    getDocumentMode: () => spec.DOCUMENT_MODE.NO_QUIRKS,
    detachNode(node) {
      const parent = located(node).parent;
      if (parent === undefined) return;
      const at = (parent.children as Child[]).indexOf(node);
      if (at >= 0) parent.children.splice(at, 1);
      located(node).parent = undefined;
    },
    insertText(parent, value) {
      const last = parent.children.at(-1);
      if (last?.type === "text") last.value += value;
      else add(parent, text(value));
    },
    insertTextBefore(parent, value, reference) {
      const at = (parent.children as Child[]).indexOf(reference);
      const before = parent.children[at - 1];
      if (before?.type === "text") before.value += value;
      else add(parent, text(value), at);
    },
    adoptAttributes: () => undefined,
    getFirstChild: (node) => (node.children[0] as Child | undefined) ?? null,
    getChildNodes: (node) => node.children as Child[],
    getParentNode: (node) => located(node).parent ?? null,
    getAttrList: (element) => attributes.get(element) ?? [],
    getTagName: (element) => element.tagName,
    getNamespaceURI: (element) => namespaces.get(element) ?? spec.NS.HTML,
    getTextNodeContent: (node) => node.value,
    getCommentNodeContent: (node) => node.value,
    getDocumentTypeNodeName: () => "html",
    getDocumentTypeNodePublicId: () => "",
    getDocumentTypeNodeSystemId: () => "",
    isTextNode: (node): node is Text => node.type === "text",
    isCommentNode: (node): node is Comment => node.type === "comment",
    isDocumentTypeNode: (_node): _node is Comment => false,
    isElementNode: (node): node is Element => node.type === "element",
    setNodeSourceCodeLocation(node, location) {
      located(node).location = location ?? undefined;
    },
    getNodeSourceCodeLocation: (node) => located(node).location ?? null,
    updateNodeSourceCodeLocation(node, end) {
      const { location } = located(node);
      if (location !== undefined && end.endLine !== undefined) location.endLine = end.endLine;
    },
  };
}

/** The attributes that HTML has, under their names in hast; which of them stay is for the sanitiser to say. */
function readProperties(list: readonly Token.Attribute[]): Element["properties"] {
  const properties: Element["properties"] = {};
  for (const { name, value } of list) {
    // Its own members only: a document may write an attribute `constructor`.
    if (!Object.hasOwn(html.normal, name) && name !== "data-l") continue;
    const { property, boolean, spaceSeparated } = find(html, name);
    if (name === "style" && /text-align:\s*(?:right|center)/.test(value)) {
      properties["align"] = value.includes("right") ? "right" : "center";
    }
    properties[property] = boolean ? true : spaceSeparated ? value.split(/[\t\n\f\r ]+/).filter((part) => part !== "") : value;
  }
  return properties;
}
