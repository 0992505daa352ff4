/** Lines of a PDF's pages, as a reader takes them: without what stands above and below every page, with words in one piece. */

/** A Line is what stands beside each other on a page. */
export type Line = {
  readonly text: string;
  /** Points from the foot of the page. */
  readonly y: number;
  /** Points of its type; 0 when it is not known. */
  readonly height: number;
  /** Where it begins and how wide a sign is, points, when all of it is in a type whose signs are equally wide; else null. */
  readonly grid: { readonly x: number; readonly advance: number } | null;
};

/** A gap between two lines this many times their usual distance begins a paragraph. */
const PARAGRAPH_GAP = 1.35;
/** Pages that begin or end with the same line, at the same place, before it is taken for one that belongs to none of them. */
const RUNNING_PAGES = 3;
/** Type this many times as large as that of most text is a heading's. */
const LARGE = 1.15;
const MAX_HEADING = 120; // characters

/** longer returns the lines of a page as the one or the other program reads them: letters that one cannot tell are missing. */
export function longer(lines: readonly Line[], others: readonly string[]): readonly Line[] {
  const read = others
    .map((text) => composeAccents(text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim()))
    .flatMap((text, at): Line[] => (text === "" ? [] : [{ text, y: -at, height: 0, grid: null }]));
  const lettersOf = (some: readonly Line[]): number => some.reduce((sum, { text }) => sum + text.replaceAll(" ", "").length, 0);
  return lettersOf(read) > lettersOf(lines) ? read : lines;
}

type Styles = Readonly<Record<string, { readonly fontFamily: string }>>;

/** readLines joins runs of text to lines: a run that says so, or one on another height, ends a line.
 *  @param styles name of a type → its kind */
export function readLines(items: readonly object[], styles: Styles): Line[] {
  const lines: Line[] = [];
  let text = "";
  let y: number | null = null;
  let height = 0;
  let grid: Line["grid"] = null;
  let isEven = true;
  const flush = (): void => {
    const folded = composeAccents(text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim());
    if (folded !== "") lines.push({ text: folded, y: y ?? 0, height, grid: isEven ? grid : null });
    text = "";
    y = null;
    height = 0;
    grid = null;
    isEven = true;
  };
  for (const item of items) {
    if (!("str" in item) || typeof item.str !== "string") continue;
    const transform: unknown = "transform" in item ? item.transform : null;
    const [x, at] = [4, 5].map((place) => (Array.isArray(transform) && typeof transform[place] === "number" ? transform[place] : null));
    const size = "height" in item && typeof item.height === "number" ? item.height : 0;
    if (y !== null && at !== null && at !== undefined && item.str.trim() !== "" && Math.abs(at - y) > Math.max(height, size, 1) * 0.6)
      flush();
    text += item.str;
    if (item.str.trim() !== "") {
      y ??= at ?? null;
      height = Math.max(height, size);
      isEven &&= "fontName" in item && styles[String(item.fontName)]?.fontFamily === "monospace";
      const width = "width" in item && typeof item.width === "number" ? item.width : 0;
      grid ??= { x: x ?? 0, advance: width / item.str.length };
    }
    if ("hasEOL" in item && item.hasEOL === true) flush();
  }
  flush();
  return lines;
}

/** Accents that older fonts set as signs of their own, in front of their letter. */
const ACCENTS: Readonly<Record<string, string>> = {
  "\u00b4": "\u0301",
  "\u00a8": "\u0308",
  "\u02c6": "\u0302",
  "\u02dc": "\u0303",
  "\u02c7": "\u030c",
  "\u02da": "\u030a",
};

/** "M\u00a8oller" is "M\u00f6ller"; what makes no letter of a word stays as it is. */
function composeAccents(text: string): string {
  return text.replaceAll(/([\u00b4\u00a8\u02c6\u02dc\u02c7\u02da])(\p{Script=Latin})/gu, (whole, accent: string, letter: string) => {
    const base = letter === "\u0131" ? "i" : letter;
    const made = (base + (ACCENTS[accent] ?? "")).normalize("NFC");
    return made.length === 1 ? made : whole;
  });
}

/** tidyPages leaves out what stands above or below many pages, but where it stands first, and puts words in one piece that lines cut. */
export function tidyPages<P extends { readonly lines: readonly Line[] }>(pages: readonly P[]): P[] {
  const compounds = new Set(pages.flatMap(({ lines }) => lines.flatMap(({ text }) => text.toLowerCase().match(COMPOUND) ?? [])));
  return dropRunning(pages).map((page) => ({ ...page, lines: joinWords(page.lines.map(asProse), compounds) }));
}

/** Code has more than one line; a name that stands alone in its type goes on with what is around it. */
function asProse(line: Line, at: number, lines: readonly Line[]): Line {
  return (lines[at - 1]?.grid ?? lines[at + 1]?.grid ?? null) === null ? { ...line, grid: null } : line;
}

const COMPOUND = /\p{L}+-\p{L}+/gu;
const CUT_WORD = /(\p{L}{2,})[-\u00ad\u2010]$/u;
const REST = /^(\p{Ll}{2,})([^\s-]*)(?:\s|$)/u;

/** A line that ends within a word takes the rest of it from the next. A hyphen stays where the document writes the word with one. */
function joinWords(lines: readonly Line[], compounds: ReadonlySet<string>): Line[] {
  const joined = [...lines];
  for (let at = 0; at + 1 < joined.length; at++) {
    const [line, next] = [joined[at] as Line, joined[at + 1] as Line];
    const [, first] = CUT_WORD.exec(line.text) ?? [];
    const [whole = "", second = "", signs = ""] = REST.exec(next.text) ?? [];
    // Code stays where it stands.
    if (first === undefined || second === "" || line.grid !== null) continue;
    const isCompound = compounds.has(`${first}-${second}`.toLowerCase());
    joined[at] = { ...line, text: `${line.text.slice(0, isCompound ? undefined : -1)}${second}${signs}` };
    const rest = next.text.slice(whole.length);
    joined.splice(at + 1, 1, ...(rest === "" ? [] : [{ ...next, text: rest }]));
  }
  return joined;
}

const NUMBERS = /\d+|\b[ivxlc]+\b/gu;
const MAX_NUMBERS = 2; // "3 of 30"

/** A line is known again by its place and its words, whatever the number of its page; one of more numbers is a row of a table. */
function nameOf({ text, y }: Line): string {
  const isCounted = (text.match(NUMBERS) ?? []).length <= MAX_NUMBERS;
  return `${Math.round(y / 3)} ${isCounted ? text.replaceAll(NUMBERS, "#") : text}`;
}

function dropRunning<P extends { readonly lines: readonly Line[] }>(pages: readonly P[]): P[] {
  const edgesOf = ({ lines }: P): readonly Line[] => {
    const places = lines.map(({ y }) => y);
    const [top, foot] = [places.reduce((a, b) => Math.max(a, b), -Infinity), places.reduce((a, b) => Math.min(a, b), Infinity)];
    return lines.filter(({ y }) => y > top - 2 || y < foot + 2);
  };
  const counts = new Map<string, number>();
  for (const page of pages) for (const name of new Set(edgesOf(page).map(nameOf))) counts.set(name, (counts.get(name) ?? 0) + 1);
  const told = new Set<string>();
  return pages.map((page) => {
    const edges = new Set(edgesOf(page));
    const lines = page.lines.filter((line) => {
      const name = nameOf(line);
      if (!edges.has(line) || (counts.get(name) ?? 0) < RUNNING_PAGES) return true;
      const isFirst = !told.has(name) && /\p{L}{2}/u.test(line.text);
      told.add(name);
      return isFirst;
    });
    // A page that has nothing else keeps it.
    return lines.length === 0 ? page : { ...page, lines };
  });
}

/** usualHeight returns the height of the type in which most of the text is set. */
export function usualHeight(pages: readonly { readonly lines: readonly Line[] }[]): number {
  const counts = new Map<number, number>();
  for (const { lines } of pages) for (const { text, height } of lines) counts.set(height, (counts.get(height) ?? 0) + text.length);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0])[0];
}

/** isHeading tells whether a line is set in larger type than most of the text. */
export function isHeading({ text, height }: Line, usual: number): boolean {
  return usual > 0 && height >= usual * LARGE && text.length <= MAX_HEADING && /\p{L}{2}/u.test(text);
}

/** findParagraphs finds the lines that begin a paragraph: those further below the one before than usual, or in another type. */
export function findParagraphs(lines: readonly Line[], usualType: number): boolean[] {
  const gaps = lines
    .slice(1)
    .map((line, index) => Math.abs((lines[index]?.y ?? 0) - line.y))
    .filter((gap) => gap > 0.5)
    .sort((a, b) => a - b);
  const usual = gaps[Math.floor(gaps.length / 2)] ?? 0;
  return lines.map((line, index) => {
    const before = lines[index - 1];
    if (before === undefined) return true;
    const isTitle = isHeading(line, usualType);
    // Large type has large gaps.
    const gap = isTitle ? Math.max(usual * PARAGRAPH_GAP, line.height * PARAGRAPH_GAP) : usual * PARAGRAPH_GAP;
    return (
      Math.abs(before.y - line.y) > gap ||
      Math.abs(before.height - line.height) > before.height * 0.25 ||
      isHeading(before, usualType) !== isTitle ||
      (before.grid === null) !== (line.grid === null)
    );
  });
}
