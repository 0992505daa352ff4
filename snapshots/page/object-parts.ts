/** A long text on several pages: how many there are follows from what the catalog says of the object, so that pages can be listed without
 *  reading it; where each begins follows from its fragment. Addresses within the text lead to the page that has their place. */
import { moveLinks, type ObjectRow, pagePath } from "#snapshots/format";
import { hasNumberedLines, type Kind, KINDS } from "#snapshots/schema";

/** Bytes of a text on one page of it, and of all that its pages show, as the extractor cuts it (MAX_SHOWN, MAX_PARSED). Each line that has a
 *  number has markup of its own; of HTML much is markup already. */
const NUMBERED = { part: 20_000, shown: 200_000 } as const;
const PROSE = { part: 28_000, shown: 2_000_000 } as const;
const HTML = { part: 34_000, shown: 2_000_000 } as const;
/** Its formulas grow to five times what their author wrote. */
const LATEX = { part: 18_000, shown: 2_000_000 } as const;
/** A table shows 500 rows, a hundred on each of five pages. */
const TABLE = { part: 4_000, shown: 20_000 } as const;
/** Pictures are a part of it, and none is cut. */
const NOTEBOOK = { part: 60_000, shown: 600_000 } as const;

type Sizes = { readonly part: number; readonly shown: number };
const inPages = (size: number, { part, shown }: Sizes): number => Math.max(1, Math.ceil(Math.min(size, shown) / part));

/** countParts counts the pages of an object, those of its source included. @param row what the catalog says of it */
export function countParts(row: Pick<ObjectRow, "kind" | "size" | "whole">): number {
  return countText(row) + (KINDS[row.kind].lines === "beside" ? inPages(row.size, NUMBERED) : 0);
}

function countText({ kind, size: own, whole: size = own }: Pick<ObjectRow, "kind" | "size" | "whole">): number {
  const { lines } = KINDS[kind];
  if (lines === null || lines === "page") return 1;
  return inPages(size, hasNumberedLines(kind) ? NUMBERED : (OTHERS[kind] ?? PROSE));
}

const OTHERS: Readonly<Partial<Record<Kind, Sizes>>> = {
  html: HTML,
  latex: LATEX,
  csv: TABLE,
  notebook: NOTEBOOK,
};

/** Lines of a cell or a page: they are counted anew in each. */
const LINES_OF_A_CELL = 1_000_000;

/** lineWithin numbers the lines of all cells or pages one after the other. @param page null where lines are those of the whole object */
export function lineWithin(page: number | null, line: number): number {
  return (page ?? 0) * LINES_OF_A_CELL + line;
}

/** The number of the line that an id is the anchor of, or null. */
function lineOf(id: string): number | null {
  const [, page, line] = /^(?:P(\d+))?L(\d+)$/.exec(id) ?? [];
  return line === undefined ? null : lineWithin(page === undefined ? null : Number(page), Number(line));
}

/** A heading is a better beginning than what stands in the midst of a section: one that is nearer by a quarter of a part is preferred to it. */
const HEADING = /^h[1-6]$/;
/** Elements that may be closed at the end of a page and opened again on the next. "ol" is none of them: it would count anew. */
const HOLDERS: ReadonlySet<string> = new Set([
  "div",
  "section",
  "article",
  "main",
  "ul",
  "dl",
  "table",
  "tbody",
  "blockquote",
  "p",
  "pre",
  "code",
]);
const BEGINS: ReadonlySet<string> = new Set(
  "h1 h2 h3 h4 h5 h6 p ul ol li dl dt div section article table tr pre blockquote figure details hr".split(" "),
);
const VOID: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "wbr", "col"]);
/** A tag, or the end of a line. Text of a fragment has no bare "<", and attributes no bare double quote. */
const TOKEN = /\n|<(\/?)([a-zA-Z][\w-]*)((?:[^"<>]|"[^"]*")*)>/g;
const ID = / id="([^"]*)"/g;
const OWN_LINK = /(?<=<a\b[^<>]*) href="#([^"]*)"/g;

type Place = { readonly at: number; readonly cost: number; readonly open: readonly Tag[] };
type Tag = { readonly name: string; readonly html: string };

/** splitFragment cuts a fragment between blocks, rows or lines into at most so many parts of about one length. Each part is whole HTML. */
export function splitFragment(html: string, parts: number): readonly string[] {
  if (parts < 2) return [html];
  const places = placesOf(html, html.length / parts / 4);
  const cuts: Place[] = [];
  for (let part = 1; part < parts; part++) {
    const wanted = (html.length * part) / parts;
    const costOf = ({ at, cost }: Place): number => Math.abs(at - wanted) + cost;
    const later = places.filter(({ at }) => at > (cuts.at(-1)?.at ?? 0));
    const [first, ...more] = later;
    if (first !== undefined) cuts.push(more.reduce((best, place) => (costOf(place) < costOf(best) ? place : best), first));
  }
  return [...cuts, null].map((cut, at) => {
    const before = cuts[at - 1];
    const opened = before?.open.map(({ html: tag }) => tag).join("") ?? "";
    const closed =
      cut?.open
        .map(({ name }) => `</${name}>`)
        .reverse()
        .join("") ?? "";
    return opened + html.slice(before?.at ?? 0, cut?.at) + closed;
  });
}

/** placesOf finds where a page may begin, in order. @param aside what it costs to begin at no heading */
function placesOf(html: string, aside: number): readonly Place[] {
  const places: Place[] = [];
  const open: Tag[] = [];
  let heldBy = 0;
  const offer = (at: number, cost: number): void => {
    if (heldBy === open.length && at > 0) places.push({ at, cost, open: [...open] });
  };
  for (const { 0: token, 1: slash, 2: tag = "", 3: attributes = "", index } of html.matchAll(TOKEN)) {
    const name = tag.toLowerCase();
    const inLines = open.some(({ name: holder }) => holder === "pre");
    if (token === "\n") {
      if (inLines) offer(index + 1, aside);
    } else if (slash === "/") {
      open.pop();
      heldBy = Math.min(heldBy, open.length);
      const table = open.at(-1);
      // The rows of the next page have the same names above them.
      if (name === "thead" && table !== undefined) {
        const from = html.lastIndexOf("<thead", index);
        open[open.length - 1] = { ...table, html: table.html + html.slice(from, index + token.length) };
      }
    } else {
      if (BEGINS.has(name) && !inLines) offer(index, HEADING.test(name) ? 0 : aside);
      // A paragraph that is long is cut between its lines.
      if (name === "br" && open.at(-1)?.name === "p" && heldBy === open.length) offer(index + token.length, 2 * aside);
      if (VOID.has(name)) continue;
      if (heldBy === open.length && HOLDERS.has(name)) heldBy++;
      open.push({ name, html: `<${name}${attributes.replace(ID, "")}>` });
    }
  }
  return places;
}

/** numberRows says of each part of a table which of its rows it has. */
function numberRows(parts: readonly string[]): readonly string[] {
  const [caption] = /(?<=^<table class="data"[^<>]*><caption>).*?(?=<\/caption>)/s.exec(parts[0] ?? "") ?? [];
  if (caption === undefined || parts.length < 2) return parts;
  let row = 0;
  return parts.map((part) => {
    const first = row + 1;
    row += part.match(/<tr id="/g)?.length ?? 0;
    const told = `<caption>Rows ${first} to ${row} of ${caption}</caption>`;
    return part.replace(/^(<table[^<>]*>)(?:<caption>.*?<\/caption>)?/s, (_, table: string) => table + told);
  });
}

export type Parted = {
  /** HTML of the part that is shown. */
  readonly html: string;
  readonly part: number;
  readonly parts: number;
  /** The number of the first part of what is shown: 1 for the text, another for its source. */
  readonly first: number;
  /** The number of the first part of its source; null where the text is its source. */
  readonly linesFrom: number | null;
  /** The first line with an anchor of each part of what is shown; null where there is none. */
  readonly firstLines: readonly (number | null)[];
  /** Where a line is, or the heading above it: an anchor and its part; null where it is not shown. */
  placeOf(line: number): { readonly id: string; readonly part: number } | null;
};

/** An anchor of a line, or of a heading, which is above the first line of its section. */
const ANCHOR = /<(h[1-6]\b)?[^<>]* id="([^"]*)"/g;

/** anchorsOf lists the lines that have an anchor, each with that of the heading right above it where there is one. */
function anchorsOf(html: string): readonly { readonly line: number; readonly id: string }[] {
  const anchors: { line: number; id: string }[] = [];
  let heading: string | null = null;
  for (const [, tag, id = ""] of html.matchAll(ANCHOR)) {
    const line = lineOf(id);
    if (line !== null) anchors.push({ line, id: heading ?? id });
    heading = line === null && (tag !== undefined || heading === null) ? (tag === undefined ? null : id) : null;
  }
  return anchors;
}

/** openParts cuts a fragment for all of its pages at once. @returns a function that gives one part as it stands on the page at `path`; `wanted` is
 *  a number, or a line that the part has
 *  @param written its lines, which follow the parts of the text */
export function openParts(
  row: Pick<ObjectRow, "key" | "kind" | "size" | "whole">,
  html: string,
  written?: string,
): (wanted: number | { readonly line: number }, path: string) => Parted {
  const count = countText(row);
  const most = row.kind === "notebook" ? Math.ceil(html.length / NOTEBOOK.part) : Number.POSITIVE_INFINITY;
  const parts = numberRows(splitFragment(html, Math.min(count, most)));
  const sources = written === undefined ? [] : splitFragment(written, countParts(row) - count);
  const firstLineOf = (text: string): number | null => lineOf(/ id="((?:P\d+)?L\d+)"/.exec(text)?.[1] ?? "");
  const places = new Map(parts.flatMap((text, at) => Array.from(text.matchAll(ID), ([, id = ""]) => [id, at + 1] as const)));
  const firstLines = parts.map(firstLineOf);
  const anchors = anchorsOf(html);
  const placeOf = (line: number): { readonly id: string; readonly part: number } | null => {
    const id = anchors.find((anchor) => anchor.line >= line)?.id;
    return id === undefined ? null : { id, part: places.get(id) ?? 1 };
  };
  const first = written === undefined ? null : count + 1;
  return (wanted, path) => {
    if (typeof wanted === "number" && wanted > count)
      return {
        html: sources[wanted - count - 1] ?? "",
        part: wanted,
        parts: Math.max(wanted - count, sources.length),
        first: count + 1,
        linesFrom: first,
        firstLines: sources.map(firstLineOf),
        placeOf,
      };
    const part =
      typeof wanted === "number" ? wanted : Math.max(1, firstLines.findLastIndex((line) => line !== null && line <= wanted.line) + 1);
    const shown = parts[part - 1] ?? "";
    const linked = shown.replaceAll(OWN_LINK, (_, id: string) => ` href="${pagePath.objectPart(row.key, places.get(id) ?? 1)}#${id}"`);
    return {
      html: parts.length < 2 ? html : moveLinks(linked, pagePath.object(row.key), path),
      part,
      // A text that cannot be cut, as one long paragraph, has fewer than its length lets one expect.
      parts: Math.max(part, parts.length),
      first: 1,
      linesFrom: first,
      firstLines,
      placeOf,
    };
  };
}
