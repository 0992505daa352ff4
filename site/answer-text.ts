/** The form of an answer's text and of its quotes, for the page and for the script that shows it while it comes. */
import type { Citation } from "#snapshots/schema";
import { formatBlock, formatKey, formatLine } from "./format.ts";
import { titleOfField, titleOfPart, wordOfValue } from "./words.ts";

/** QuoteView is a quote as the component of that name shows it; without its digest, which is one text there and three in a script. */
export type QuoteView = {
  readonly n: string;
  readonly key: string;
  readonly title: string;
  readonly link: string | null;
  readonly where: string;
  readonly quote: string;
};

/** AnswerPiece is a piece of an answer's text: `n` of a reference to a quote, whose text is "[n]"; `href` of a number that was counted. */
export type AnswerPiece = { readonly text: string; readonly n: number | null; readonly href: string | null };

/** LinkedNumber is a counted number and where it stands, in UTF-16 code units. */
export type LinkedNumber = { readonly value: string; readonly start: number; readonly href: string };

/** parseAnswer cuts an answer into paragraphs of pieces. @param numbers of the citations; any other "[7]" is text */
export function parseAnswer(
  text: string,
  numbers: ReadonlySet<number>,
  counted: readonly LinkedNumber[],
): readonly (readonly AnswerPiece[])[] {
  const paragraphs: (readonly AnswerPiece[])[] = [];
  let at = 0;
  for (const part of text.split(/(\n{2,})/)) {
    const from = at;
    const own = counted.map((link) => ({ ...link, start: link.start - from }));
    paragraphs.push(/^\n*$/.test(part) ? [] : parseParagraph(part, numbers, own));
    at += part.length;
  }
  return paragraphs.filter((pieces) => pieces.length > 0);
}

/** keysIn finds the keys that a text names in brackets, as a refusal does with what is nearest. */
export function keysIn(text: string, sources: readonly { readonly key: string; readonly href: string }[]): readonly LinkedNumber[] {
  return sources
    .map(({ key, href }) => ({ value: key, start: text.indexOf(`(${key})`) + 1, href }))
    .filter(({ start }) => start > 0)
    .toSorted((a, b) => a.start - b.start);
}

/** tagOf gives the element of a paragraph: only code has lines. */
export function tagOf(pieces: readonly AnswerPiece[]): "p" | "pre" {
  return pieces.some(({ text }) => text.includes("\n")) ? "pre" : "p";
}

/** parseParagraph cuts a paragraph into pieces. @param counted with places in this text; those that are not there are left out */
export function parseParagraph(text: string, numbers: ReadonlySet<number>, counted: readonly LinkedNumber[]): readonly AnswerPiece[] {
  const pieces: AnswerPiece[] = [];
  let at = 0;
  for (const { value, start, href } of counted) {
    if (start < at || text.slice(start, start + value.length) !== value) continue;
    pieces.push(...parseText(text.slice(at, start), numbers), { text: value, n: null, href });
    at = start + value.length;
  }
  return [...pieces, ...parseText(text.slice(at), numbers)];
}

function parseText(text: string, numbers: ReadonlySet<number>): readonly AnswerPiece[] {
  return text
    .split(/(\[\d{1,3}\])/)
    .filter((part) => part !== "")
    .map((part) => {
      const n = Number(/^\[(\d{1,3})\]$/.exec(part)?.[1] ?? Number.NaN);
      return { text: part, n: numbers.has(n) ? n : null, href: null };
    });
}

/** queriesOf gives the lists that numbers come from, each once, in words: "Registry: in production: proof in production". */
export function queriesOf(counted: readonly LinkedNumber[]): readonly { readonly query: string; readonly href: string }[] {
  const readable = (href: string): string => {
    const [path = "", query = ""] = decodeURI(href.replace(/^(?:\/internal)?(?:\/at\/[0-9a-f]{64})?/, "")).split("?");
    const filters = [...new URLSearchParams(query)].map(
      ([name, value]) => `${titleOfField(name).toLowerCase()} ${wordOfValue(name, value)}`,
    );
    const [list = "", ...rest] = path.split("/").filter((part) => part !== "");
    const title = [list.slice(0, 1).toUpperCase() + list.slice(1), ...rest].join(" / ");
    return filters.length === 0 ? `${title}: all` : `${title}: ${filters.join(", ")}`;
  };
  return [...new Map(counted.map(({ href }) => [href, { query: readable(href), href }])).values()];
}

/** saysQuote tells whether an answer says a quote in its own words, or begins to and leaves out the rest, but for the marks and tags among them:
 *  then it need not be shown a second time. */
export function saysQuote(answer: string, quote: string): boolean {
  const fold = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
  const [said, words] = [fold(answer), fold(quote.replaceAll(/<[^<>]*>|&\w+;|&#\w+;/g, ""))];
  return words !== "" && said.includes(words.slice(0, 60)) && (said.includes(words.slice(-20)) || answer.includes("…"));
}

export function viewQuote(citation: Omit<Citation, "href">, title: string, link: string | null): QuoteView {
  const { n, key, page, start_line: from, end_line: to, quote } = citation;
  const where = `${page === undefined ? "" : `${titleOfPart(key)} ${page}, `}${from === to ? `line ${from}` : `lines ${from}–${to}`}`;
  return { n: String(n), key: formatKey(key), title: formatLine(title, 80), link, where, quote: formatBlock(quote) };
}
