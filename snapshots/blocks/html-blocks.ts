/** The blocks of an HTML page, each with the place of its own bytes: one scan over the tags, whatever stands on one line. */
import { type Block, type Form, makeBlock } from "./block.ts";

const TAG = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9]*)((?:\s[^<>]*)?)>/gi;
const INLINE = new Set(
  (
    "a abbr b bdi bdo big br cite code data del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup td th " +
    "time tt u var wbr"
  ).split(" "),
);
const SILENT = new Set("button head iframe nav noscript object select script style svg template textarea title".split(" "));
/** What leads elsewhere by its role or class, as generators of documentation mark it. */
const NAVIGATION = /\brole="?navigation|\bclass=["']?(?:[\w-]+ )*(?:(?:\w+[_-])?toc|nav(?:header|footer)|headerlink|menu)(?=["'\s>]|$)/i;
const MAIN = /<(?:main\b|[a-z]+\s[^<>]*\brole="?main\b|body\b)[^<>]*>/gi;
/** Of a table or a figure in bold: what follows stands under the heading before it. */
const CAPTION = /^(?:table|figure|example|listing)\s+[\d.-]+/i;
const MAX_HEADING = 200; // characters of a paragraph in bold that is one
const [BOLD_LEVEL, TERM_LEVEL] = [7, 8];

class HtmlReader {
  readonly blocks: Block[] = [];
  readonly #text: string;
  #path: { readonly level: number; readonly title: string }[] = [];
  #start = -1;
  #end = 0;
  #form: Form = "prose";
  #bold = 0;
  #allBold = true;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly Block[] {
    const text = this.#text;
    const mains = [...text.matchAll(MAIN)];
    const main = mains.find(([tag]) => !/^<body/i.test(tag)) ?? mains[0];
    let at = main === undefined ? 0 : main.index + main[0].length;
    const tags = new RegExp(TAG);
    tags.lastIndex = at;
    for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
      this.#take(at, tag.index);
      const [, slash, name = "", attributes = ""] = tag;
      at = tags.lastIndex;
      if (name === "") continue;
      const element = name.toLowerCase();
      const closes = slash === "/";
      if (!closes && (SILENT.has(element) || NAVIGATION.test(attributes))) {
        if (!INLINE.has(element)) this.#close();
        at = this.#skip(element, at);
        tags.lastIndex = at;
      } else if (INLINE.has(element)) {
        if (element === "b" || element === "strong") this.#bold = Math.max(0, this.#bold + (closes ? -1 : 1));
      } else this.#cross(element, closes);
    }
    this.#take(at, text.length);
    this.#close();
    return this.blocks;
  }

  /** Goes over the beginning or the end of an element that stands alone. */
  #cross(element: string, closes: boolean): void {
    const level = Number(/^h([1-6])$/.exec(element)?.[1] ?? 0) || (element === "dt" ? TERM_LEVEL : 0);
    this.#close(closes ? level : 0);
    if (element === "dl" && closes) this.#leave(TERM_LEVEL);
    if (element === "pre") this.#form = closes ? "prose" : "code";
    else if (element === "li") this.#form = closes ? "prose" : "item";
    else if (element === "tr") this.#form = closes ? "prose" : "entry";
  }

  #take(from: number, to: number): void {
    const piece = this.#text.slice(from, to);
    const first = piece.search(/\S/);
    if (first < 0) return;
    if (this.#start < 0) {
      this.#start = from + first;
      this.#allBold = true;
    }
    this.#allBold &&= this.#bold > 0;
    this.#end = from + piece.trimEnd().length;
  }

  #close(level = 0): void {
    if (this.#start < 0) return;
    const block = makeBlock(this.#text, this.#start, this.#end, "html", {
      heading: this.#path.map(({ title }) => title),
      form: this.#form,
    });
    this.#start = -1;
    if (this.#form === "item") this.#form = "prose";
    const isTitle = level > 0 || (this.#allBold && this.#form === "prose" && block.plain.length <= MAX_HEADING);
    if (!isTitle) this.blocks.push(block);
    else if (level > 0 || !CAPTION.test(block.plain)) {
      this.#leave(level || BOLD_LEVEL);
      this.#path.push({ level: level || BOLD_LEVEL, title: block.plain });
    }
  }

  #leave(level: number): void {
    while ((this.#path.at(-1)?.level ?? 0) >= level) this.#path.pop();
  }

  /** @returns where the element ends, with those of its name that stand in it */
  #skip(element: string, from: number): number {
    const tags = new RegExp(`<(/?)${element}\\b[^<>]*>`, "gi");
    tags.lastIndex = from;
    let depth = 1;
    for (let tag = tags.exec(this.#text); tag !== null; tag = tags.exec(this.#text)) {
      depth += tag[1] === "/" ? -1 : 1;
      if (depth === 0) return tags.lastIndex;
    }
    return from;
  }
}

export function readHtml(text: string): readonly Block[] {
  return new HtmlReader(text).read();
}
