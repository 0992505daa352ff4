/** The blocks of an HTML page, each with the place of its own bytes: one scan over the tags, whatever stands on one line. */
import { ABOVE_LEVEL, type Block, BOLD_LEVEL, CAPTION_LEVEL, type Form, type Heading, makeBlock, type Row, TERM_LEVEL } from "./block.ts";
import { ATTRIBUTES, plainIn } from "./plain.ts";

const TAG = new RegExp(String.raw`<!--[^]*?(?:-->|$)|<[!?][^<>]*>|<(\/?)([a-z][a-z0-9]*)(?=((?:\s${ATTRIBUTES})?))\3>`, "gi");
const INLINE = new Set(
  (
    "a abbr b bdi bdo big br cite code data del dfn em font i img input ins kbd label mark q s samp small span strike strong sub sup td th " +
    "time tt u var wbr math semantics annotation mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup " +
    "msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd"
  ).split(" "),
);
const SILENT = new Set(
  "audio button canvas head iframe nav noscript object select script style svg template textarea title video".split(" "),
);
/** Names that generators of manuals give to links to other pages, and to the parts that they put above and below every page; and, on the page
 *  alone, lists of contents, which say again what it says. */
const WAY =
  "nav(?:header|footer|bar|igation)?|headerlink|breadcrumbs?|related|sphinxsidebar|chlink(?:top|bot|prevnext(?:top|bot))|package-header|page-menu|footer";
const WAYS = new RegExp(`^(?:${WAY})$`);
const NAVIGATION = /\brole=["']?navigation|\bsummary=["']?navigation\b/i;
const NAMED = new RegExp(`\\b(?:class|id)=["']?(?:[\\w-]+ )*(?:${WAY}|(?:\\w+[_-])?toc|menu)(?=["'\\s>]|$)`, "i");
const MAX_FOOT = 600; // characters of what stands above or below each page of a site, and of a list of contents without links
const MIN_LINKED = 0.5; // of what leads to other pages

/** Said counts the characters of an element without white space, and those of them in links. */
export type Said = { readonly all: number; readonly linked: number; readonly hasHeading: boolean };

/** isWay tells whether an element with such a name leads elsewhere: it is mostly links, or what stands below each page. Prose in it is a text.
 *  @param names its class names and its id */
export function isWay(names: readonly string[], count: () => Said): boolean {
  return names.some((name) => WAYS.test(name)) && leads(names.join(" "), count());
}

function leads(name: string, { all, linked, hasHeading }: Said): boolean {
  return all <= 1 || linked >= all * MIN_LINKED || (/footer|package-header|toc/i.test(name) && all <= MAX_FOOT && !hasHeading);
}
const MAIN = new RegExp(String.raw`<(main|article|body|[a-z]+(?=\s[^<>]*\brole=["']?main\b))\b(?=(${ATTRIBUTES}))\2>`, "gi");
const ID = /\bid=(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))/i;
/** The caption of a table or a figure, in bold: the text after it stands under the heading before it. */
const CAPTION = /^(?:table|figure|example|listing)\s+[\d.-]+/i;
const MAX_HEADING = 200; // characters of a paragraph in bold that is one

class HtmlReader {
  readonly parts: (Block | Heading)[] = [];
  readonly #text: string;
  readonly #path: { readonly level: number; readonly title: string }[];
  #start = -1;
  #end = 0;
  /** Where the formula begins that is open: it is said as a whole. */
  #formula = -1;
  #form: Form = "prose";
  #bold = 0;
  #allBold = true;
  #anchor: string | null = null;
  /** Names of the columns of the table that is open; where the cells of its row begin, and whether each is a head. */
  #columns: readonly string[] = [];
  #cells: { readonly at: number; readonly isHead: boolean }[] = [];
  /** Elements that somebody left open: the next ones of their names are looked through too, so that nothing is read twice. */
  readonly #unclosed = new Set<string>();

  constructor(text: string, above: readonly string[]) {
    this.#text = text;
    this.#path = above.map((title) => ({ level: ABOVE_LEVEL, title }));
  }

  read(): readonly (Block | Heading)[] {
    const text = this.#text;
    let [at, end] = this.#findMain();
    const tags = new RegExp(TAG);
    tags.lastIndex = at;
    for (let tag = tags.exec(text); tag !== null && tag.index < end; tag = tags.exec(text)) {
      this.#take(at, tag.index);
      const [, slash, name = "", attributes = ""] = tag;
      at = tags.lastIndex;
      if (name === "") continue;
      const element = name.toLowerCase();
      const closes = slash === "/";
      const isMath = element === "script" && (closes || /\btype=["']?math\/tex/.test(attributes));
      if (!closes && !isMath && (SILENT.has(element) || NAVIGATION.test(attributes) || this.#leads(element, attributes, at))) {
        if (!INLINE.has(element)) this.#close();
        at = this.#skip(element, at);
        tags.lastIndex = at;
      } else if (isMath || INLINE.has(element)) {
        if (!closes && /^t[dh]$/.test(element)) this.#cells.push({ at, isHead: element === "th" });
        if (element === "math") {
          this.#formula = closes ? -1 : tag.index;
          if (closes && this.#start >= 0) this.#end = at;
        }
        if (element === "b" || element === "strong") this.#bold = Math.max(0, this.#bold + (closes ? -1 : 1));
      } else {
        this.#cross(element, closes);
        if (!closes)
          this.#anchor =
            ID.exec(attributes)
              ?.slice(1)
              .find((id) => id !== undefined) ?? null;
      }
    }
    this.#take(at, end);
    this.#close();
    return this.parts;
  }

  /** Tells whether an element is no text by its name and by what it holds. */
  #leads(element: string, attributes: string, from: number): boolean {
    const [name = ""] = NAMED.exec(attributes) ?? [];
    const end = name === "" ? from : this.#skip(element, from);
    return end > from && (element === "a" || leads(name, countSaid(this.#text.slice(from, end))));
  }

  /** Where the only element begins and ends that is called the main one, else the only article, else the body. */
  #findMain(): [start: number, end: number] {
    const all = [...this.#text.matchAll(MAIN)];
    const isNamed = (name: string) => (tag: RegExpExecArray) => tag[1]?.toLowerCase() === name;
    const mains = all.filter(({ 1: name = "", 2: attributes = "" }) => /^main$/i.test(name) || /\brole=["']?main\b/i.test(attributes));
    const articles = all.filter(isNamed("article"));
    const only = mains.length === 1 ? mains[0] : articles.length === 1 ? articles[0] : undefined;
    const found = only ?? all.find(isNamed("body"));
    if (found === undefined) return [0, this.#text.length];
    const start = found.index + found[0].length;
    const end = only === undefined ? start : this.#skip((found[1] ?? "").toLowerCase(), start);
    return [start, end > start ? end : this.#text.length];
  }

  /** Goes over the beginning or the end of an element that stands alone. */
  #cross(element: string, closes: boolean): void {
    const level = Number(/^h([1-6])$/.exec(element)?.[1] ?? 0) || (element === "dt" ? TERM_LEVEL : 0);
    this.#close(closes ? level : 0);
    if (element === "dl" && closes) this.#leave(TERM_LEVEL);
    if (element === "pre") this.#form = closes ? "prose" : "code";
    else if (element === "li") this.#form = closes ? "prose" : "item";
    else if (element === "tr") this.#form = closes ? "prose" : "entry";
    if (element === "table") this.#columns = [];
    if (element === "tr" || element === "table") this.#cells = [];
  }

  /** The row that ends; the first one of heads alone names the columns. */
  #row(): { readonly form: Form; readonly row?: Row } {
    const ends = [...this.#cells.slice(1).map(({ at }) => at), this.#end];
    const cells = this.#cells.map(({ at }, index) =>
      plainIn(this.#text.slice(at, Math.max(at, ends[index] ?? at)).replace(/<t[dh]\b[^<>]*>?$/i, ""), "html"),
    );
    if (this.#columns.length > 0) return { form: "entry", row: { columns: this.#columns, cells } };
    if (cells.length < 2 || !this.#cells.every(({ isHead }) => isHead)) return { form: "entry" };
    this.#columns = cells;
    return { form: "cells" };
  }

  #take(from: number, to: number): void {
    if (from >= to) return;
    const piece = this.#text.slice(from, to);
    // How far the first line of code stands in belongs to it.
    const first = piece.search(this.#form === "code" ? /^[^\S\n]*\S/m : /\S/);
    if (first < 0) return;
    if (this.#start < 0) {
      this.#start = this.#formula < 0 ? from + first : this.#formula;
      this.#allBold = true;
    }
    this.#allBold &&= this.#bold > 0;
    this.#end = from + piece.trimEnd().length;
  }

  #close(level = 0): void {
    if (this.#start < 0) return;
    const block = makeBlock(this.#text, this.#start, this.#end, "html", {
      heading: this.#path.map(({ title }) => title),
      ...(this.#form === "entry" ? this.#row() : { form: this.#form }),
    });
    this.#start = -1;
    if (this.#form === "item") this.#form = "prose";
    const isTitle = level > 0 || (this.#allBold && this.#form === "prose" && block.plain.length <= MAX_HEADING);
    if (!isTitle) {
      this.parts.push(block);
      return;
    }
    const [depth, title] = [level || (CAPTION.test(block.plain) ? CAPTION_LEVEL : BOLD_LEVEL), block.plain];
    this.parts.push({ start: block.start, end: block.end, level: depth, title, anchor: level > 0 ? this.#anchor : null });
    if (depth === CAPTION_LEVEL) return;
    this.#leave(depth);
    this.#path.push({ level: depth, title });
  }

  #leave(level: number): void {
    while ((this.#path.at(-1)?.level ?? 0) >= level) this.#path.pop();
  }

  /** @returns where the element ends, with those of its name that stand in it */
  #skip(element: string, from: number): number {
    if (this.#unclosed.has(element)) return from;
    const tags = new RegExp(`<(/?)${element}\\b(?=(${ATTRIBUTES}))\\2>`, "gi");
    tags.lastIndex = from;
    let depth = 1;
    for (let tag = tags.exec(this.#text); tag !== null; tag = tags.exec(this.#text)) {
      depth += tag[1] === "/" ? -1 : 1;
      if (depth === 0) return tags.lastIndex;
    }
    this.#unclosed.add(element);
    return from;
  }
}

/** Counts characters of HTML without white space, and those in links. */
function countSaid(html: string): Said {
  let [all, linked, at, inLink, hasHeading] = [0, 0, 0, false, false];
  for (const tag of html.matchAll(TAG)) {
    const said = html.slice(at, tag.index).replaceAll(/\s/g, "").length;
    [all, linked, at] = [all + said, linked + (inLink ? said : 0), tag.index + tag[0].length];
    if (/^a$/i.test(tag[2] ?? "")) inLink = tag[1] === "";
    hasHeading ||= /^h[1-6]$/i.test(tag[2] ?? "");
  }
  return { all, linked, hasHeading };
}

/** readHtml returns the blocks and headings of a page, in their order.
 *  @param above headings that a part of a page stands under, before the first heading in it */
export function readHtml(text: string, above: readonly string[] = []): readonly (Block | Heading)[] {
  return new HtmlReader(text, above).read();
}
