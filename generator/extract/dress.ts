/** Dresses a sanitised document: adds our links, heading ids and levels, line anchors, colours, formulas. */
import GithubSlugger from "github-slugger";
import type { Element, ElementContent, Root, RootContent } from "hast";
import { isNumber, MAX_FRAGMENT } from "./body.ts";
import { cleanTree } from "./clean.ts";
import { formatHtml } from "./format-html.ts";
import { highlightLines, loadLanguage } from "#snapshots/highlight";
import { ID_PREFIX, resolveImage, resolveKey, resolveLink, rooted, withoutSpaces } from "./links.ts";
import type { Others, Place } from "./others.ts";
import { formatMath, formatTex } from "./math.ts";
import { classesOf, findAll, startLine, textOf, TooComplex } from "./html-tree.ts";

type DressOptions = {
  readonly key: string;
  /** The title that the page shows above the document: a first heading that repeats it is left out. */
  readonly title: string;
  /** Others say the title of the place that a link without words leads to. Without them it stays as it is. */
  readonly others?: Others;
};

/** Formulas rendered in one document; what follows is shown as source. */
const MAX_FORMULAS = 1000;
const EXTERNAL = ["nofollow", "noopener", "noreferrer"] as const;
const HEADING = /^h[1-6]$/;
/** Elements that a citation may point at by the line they begin on. */
const ANCHORED = new Set(["p", "pre", "li", "table", "tr", "blockquote", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6"]);

/** renderTree makes the fragment of a tree with noted lines, sanitised and dressed. @throws TooComplex when it grows beyond MAX_FRAGMENT */
export async function renderTree(tree: Root, options: DressOptions): Promise<string> {
  return await renderClean(cleanTree(tree), options);
}

/** renderClean makes the fragment of a tree that is sanitised already, and in which all raw nodes are ours. @throws TooComplex as renderTree does */
export async function renderClean(clean: Root, options: DressOptions): Promise<string> {
  for (const language of new Set(findLanguages(clean))) await loadLanguage(language);
  dressTree(clean, options);
  const html = formatHtml(clean);
  if (html.length > MAX_FRAGMENT) throw new TooComplex(`more than ${MAX_FRAGMENT} characters when rendered`);
  return html;
}

/** noteLines writes the line on which each block begins into `dataL`, for dressTree, and forgets what the document wrote there.
 *  @param part of the document whose lines they are, where it has several */
export function noteLines(node: Root | RootContent | ElementContent, part: number | null = null): void {
  if (node.type === "element") {
    const line = ANCHORED.has(node.tagName) ? startLine(node) : null;
    if (line !== null) node.properties["dataL"] = part === null ? `L${line}` : `P${part}L${line}`;
    else if (node.properties["dataL"] !== undefined) node.properties["dataL"] = undefined;
  }
  if ("children" in node) for (const child of node.children) noteLines(child, part);
}

/** Changes a sanitised tree in place. */
function dressTree(tree: Root, { key, title, others }: DressOptions): void {
  const repeated = findTitle(tree, title);
  const headings: Element[] = [];
  /** Links to places in the document itself. */
  const own: Element[] = [];
  const ids = new Set<string>();
  const lines = new Set<string>();
  let formulas = 0;
  const math = (tex: string, display: boolean): ElementContent => ({
    type: "raw",
    value: formulas++ < MAX_FORMULAS ? formatMath(tex, display) : formatTex(tex),
  });
  visit(tree, false);
  const top = Math.min(...headings.filter((heading) => heading !== repeated?.heading).map((heading) => Number(heading.tagName[1])));
  const slugger = new GithubSlugger();
  for (const heading of headings) {
    const level = Math.min(6, Number(heading.tagName[1]) + Math.max(0, 2 - top));
    heading.tagName = `h${level}`;
    nameHeading(heading, slugger);
  }
  if (repeated !== null) leaveAnchors(repeated);
  for (const link of own) findPlace(link);

  function visit(node: Root | Element, linked: boolean): void {
    for (const [index, child] of node.children.entries()) {
      if (child.type !== "element") continue;
      const replaced = dressElement(child, linked);
      if (replaced !== child) node.children[index] = replaced;
      if (replaced.type === "element") {
        anchor(replaced);
        visit(replaced, linked || replaced.tagName === "a");
      }
    }
  }

  function dressElement(element: Element, linked: boolean): ElementContent {
    const { tagName, properties } = element;
    if (tagName === "a") {
      dressLink(element, key, others);
      if (String(properties["href"]).startsWith("#")) own.push(element);
    } else if (tagName === "img") return dressImage(element, key, linked);
    else if (tagName === "pre") {
      const code = element.children[0];
      if (element.children.length === 1 && code?.type === "element" && code.tagName === "code") {
        if (hasClass(code, "math-display")) return math(textOf(code), true);
        dressCode(element, languageOf(code) ?? languageOf(element), textOf(code));
      } else if (languageOf(element) !== null || element.children.every((part) => part.type === "text")) {
        dressCode(element, languageOf(element), textOf(element));
      }
    } else if (tagName === "code" && hasClass(element, "math-inline")) return math(textOf(element), false);
    else if (tagName === "code" && hasClass(element, "math-display")) return math(textOf(element), true);
    else if (tagName === "input")
      properties["ariaLabel"] = properties["checked"] === undefined || properties["checked"] === false ? "open" : "done";
    else if (tagName === "td" || tagName === "th") {
      const align = properties["align"];
      delete properties["align"];
      const classes = [...(align === "right" || align === "center" ? [align] : []), ...(isNumber(textOf(element)) ? ["number"] : [])];
      if (classes.length > 0) properties["className"] = classes;
      // A head without a word, as pandas writes the one above its index, heads nothing.
      if (tagName === "th" && textOf(element).trim() === "" && findAll(element, isPicture).length === 0) {
        element.tagName = "td";
        delete properties["scope"];
      }
    } else if (HEADING.test(tagName)) headings.push(element);
    else if (tagName === "details" && !element.children.some((one) => one.type === "element" && one.tagName === "summary"))
      element.children.unshift({ type: "element", tagName: "summary", properties: {}, children: [{ type: "text", value: "Details" }] });
    // Terms that nothing describes, as tables of contents have them.
    else if (tagName === "dl" && element.children.findLast((one) => one.type === "element")?.tagName === "dt")
      element.children.push({ type: "element", tagName: "dd", properties: {}, children: [] });
    return element;
  }

  /** `id="L12"` on the first block of line 12; a block that has an id of its own gets an empty anchor inside. */
  function anchor(element: Element): void {
    const { properties } = element;
    const line = properties["dataL"];
    properties["dataL"] = undefined;
    // As pages named their places before ids.
    properties["id"] ??= properties["name"];
    properties["name"] = undefined;
    if (typeof properties["id"] === "string") {
      const id = withoutSpaces(properties["id"]);
      properties["id"] = ids.has(id) ? undefined : id;
      ids.add(id);
    }
    if (typeof line !== "string" || !/^(?:P\d{1,9})?L\d{1,9}$/.test(line) || lines.has(line)) return;
    lines.add(line);
    if (properties["id"] === undefined && !HEADING.test(element.tagName)) properties["id"] = line;
    else if (element.tagName !== "table" && element.tagName !== "tr") {
      element.children.unshift({ type: "element", tagName: "span", properties: { id: line }, children: [] });
    }
  }

  /** Notebooks, and people, write the names of headings with their capitals. */
  function findPlace({ properties }: Element): void {
    const id = decodeURIComponent(String(properties["href"]).slice(1));
    if (!ids.has(id) && ids.has(id.toLowerCase())) properties["href"] = `#${encodeURIComponent(id.toLowerCase())}`;
  }

  function nameHeading(heading: Element, slugger: GithubSlugger): void {
    if (heading.properties["id"] !== undefined) return;
    const slug = ID_PREFIX + slugger.slug(namesIn(heading).slice(0, 200));
    if (slug === ID_PREFIX || ids.has(slug)) return;
    ids.add(slug);
    heading.properties["id"] = slug;
  }
}

/** The words of a heading, with the names of emoji that have one. */
function namesIn(node: ElementContent): string {
  if (node.type !== "element") return textOf(node);
  const [, name] = /^:([\w+-]+):$/.exec(String(node.properties["title"])) ?? [];
  return name ?? node.children.map(namesIn).join("");
}

type Child = { readonly parent: Root | Element; readonly heading: Element };

/** The first heading of a document where it says its title again and no text stands before it. */
function findTitle(tree: Root, title: string): Child | null {
  const same = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  const find = (parent: Root | Element, depth: number): Child | "none" | null => {
    for (const child of parent.children) {
      if (child.type === "text" && child.value.trim() !== "") return "none";
      if (child.type !== "element") continue;
      if (child.tagName === "h1") return same(textOf(child)) === same(title) ? { parent, heading: child } : "none";
      if (child.tagName === "p" || HEADING.test(child.tagName) || child.tagName === "pre") return "none";
      const found = depth < 10 ? find(child, depth + 1) : null;
      if (found !== null) return found;
    }
    return null;
  };
  const found = find(tree, 0);
  return found === "none" ? null : found;
}

/** Takes a heading out and leaves what leads to it, since its own document may. */
function leaveAnchors({ parent, heading }: Child): void {
  const idsIn = (one: ElementContent): readonly unknown[] =>
    one.type === "element" ? [one.properties["id"], ...one.children.flatMap(idsIn)] : [];
  const anchors = idsIn(heading).flatMap((id): Element[] =>
    typeof id === "string" ? [{ type: "element", tagName: "span", properties: { id }, children: [] }] : [],
  );
  const children: ElementContent[] = parent.children.flatMap((child) => (child === heading ? anchors : [child as ElementContent]));
  parent.children = children;
}

function dressLink(element: Element, key: string, others: Others | undefined): void {
  const { properties } = element;
  const written = typeof properties["href"] === "string" ? properties["href"] : null;
  const target = written === null ? null : resolveLink(key, written);
  const place =
    others !== undefined && written !== null && target?.kind === "internal" && isEmpty(element) ? placeOf(written, key, others) : null;
  if (place !== null) element.children = [{ type: "text", value: place.title }];
  // A label of another text has no page before it.
  properties["href"] =
    place !== null && written?.startsWith("#") === true ? resolveLink(key, rooted(place.key) + written)?.href : target?.href;
  if (target?.kind === "external") properties["rel"] = [...EXTERNAL];
}

const isPicture = ({ tagName }: Element): boolean => tagName === "img" || tagName === "input";

/** A link that shows nothing cannot be followed; one that is a place only has an id. */
function isEmpty(element: Element): boolean {
  return element.properties["id"] === undefined && element.children.every((child) => child.type === "text" && child.value.trim() === "");
}

/** The place that a link without words leads to, with its title: where no text has it, what is written. Null for one of its own that nothing names. */
function placeOf(written: string, key: string, others: Others): Place | null {
  const [path = "", id = null] = written.split("#");
  const target = resolveKey(key, path) ?? "";
  const names = path === "" ? [`#${id}`] : id === null ? [target] : [`${target}#${id}`, target];
  const place = names.map((name) => others.place(name)).find((one) => one !== null);
  return place ?? (path === "" ? null : { key, id, title: written });
}

/** Our own images are shown, external ones become links: showing them would tell their host who reads what. */
function dressImage(element: Element, key: string, linked: boolean): ElementContent {
  const { properties } = element;
  const target = typeof properties["src"] === "string" ? resolveImage(key, properties["src"]) : null;
  const alt = typeof properties["alt"] === "string" ? properties["alt"] : "";
  if (target === null) return { type: "text", value: alt };
  if (target.kind === "external") {
    if (linked) return { type: "text", value: alt };
    const link: Element = {
      type: "element",
      tagName: "a",
      properties: { href: target.href, rel: [...EXTERNAL] },
      children: [],
    };
    link.children.push({ type: "text", value: alt === "" ? target.href : alt });
    return link;
  }
  for (const side of ["width", "height"]) if (!/^\d{1,4}$/.test(String(properties[side] ?? ""))) delete properties[side];
  return { ...element, properties: { ...properties, src: target.href, alt, loading: "lazy" } };
}

function dressCode(pre: Element, language: string | null, text: string): void {
  pre.properties["className"] = ["code"];
  const html = highlightLines(text.replace(/\n$/, ""), language).join("\n");
  pre.children = [{ type: "raw", value: `<code>${html}</code>` }];
}

const hasClass = (element: Element, name: string): boolean => classesOf(element).includes(name);

const languageOf = (element: Element): string | null =>
  classesOf(element)
    .find((name) => name.startsWith("language-"))
    ?.slice("language-".length) ?? null;

function findLanguages(node: Root | Element): string[] {
  const found: string[] = [];
  for (const child of node.children) {
    if (child.type !== "element") continue;
    const language = child.tagName === "code" || child.tagName === "pre" ? languageOf(child) : null;
    if (language !== null) found.push(language);
    found.push(...findLanguages(child));
  }
  return found;
}
