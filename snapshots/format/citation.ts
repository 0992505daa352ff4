/** Quotes that anyone can check: a citation is true when its bytes stand in the object at its lines, which are the object's own bytes
 *  split at "\n", numbered from 1: `sed -n '12,14p' notes/sorting.md | grep -F 'the quote'` (a quote of one line).
 *  The wanted text comes from a model or a stranger; what is cited is always the object's own text. */
import { sha256 } from "#snapshots/digest";
import type { Citation } from "#snapshots/schema";

export const MAX_QUOTE = 600; // of words that a model gives
/** MAX_CITED is how many code units of an object are cited at once: a stretch of MAX_QUOTE with its marks and tags, which an address has room for. */
export const MAX_CITED = 1_500;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export type LocatedQuote = { readonly quote: string; readonly start_line: number; readonly end_line: number };

/** findCitationProblem tells why a citation does not hold for these bytes of the object; it returns null when it holds. Bytes of null mean that
 *  there is no such object. */
export function findCitationProblem(citation: Citation, bytes: Uint8Array | null): string | null {
  if (bytes === null) return `${citation.key} is not in this snapshot`;
  if (sha256(bytes) !== citation.sha256) return `${citation.key} has another digest`;
  return findQuoteProblem(citation, bytes);
}

/** findQuoteProblem does the same for lines that are known to be the object's. @param bytes of the object, or of the text of a page of it */
export function findQuoteProblem(citation: Citation, bytes: Uint8Array): string | null {
  if (citation.quote === "") return "the quote is empty";
  const range = lineRange(bytes, citation.start_line, citation.end_line);
  if (range === null) return `${citation.key} has no lines ${citation.start_line} to ${citation.end_line}`;
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset + range[0], range[1] - range[0]);
  // Encoded, not decoded: a lone surrogate or a replacement character must not match what merely looks like it.
  if (!citation.quote.isWellFormed() || !lines.includes(Buffer.from(citation.quote, "utf8"))) {
    return `the quote does not occur in ${citation.key} at lines ${citation.start_line} to ${citation.end_line}`;
  }
  return null;
}

/** Byte offsets [from, to) of lines `start` to `end`, without the last line's "\n"; null when they are not there. */
function lineRange(bytes: Uint8Array, start: number, end: number): readonly [from: number, to: number] | null {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 1 || end < start) return null;
  let from = 0;
  for (let line = 1; line < start; line++) {
    const next = bytes.indexOf(10, from);
    if (next < 0) return null;
    from = next + 1;
  }
  let to = from;
  for (let line = start; ; line++) {
    const next = bytes.indexOf(10, to);
    if (line === end) return [from, next < 0 ? bytes.length : next];
    if (next < 0) return null;
    to = next + 1;
  }
}

/** readLines returns the text of lines `start` to `end` of an object, or null when they are not there or not UTF-8. */
export function readLines(bytes: Uint8Array, start: number, end: number): string | null {
  const range = lineRange(bytes, start, end);
  if (range === null) return null;
  try {
    return utf8.decode(bytes.subarray(range[0], range[1]));
  } catch {
    return null;
  }
}

/** locateQuote finds `wanted` in a text, with any white space and any quotation marks, and returns it as the text has it.
 *  @param firstLine number of the text's first line */
export function locateQuote(text: string, firstLine: number, wanted: string): LocatedQuote | null {
  const words = wanted
    .slice(0, MAX_QUOTE)
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return null;
  // Fixed words with white space between: the matcher never has two ways to match, so it cannot blow up.
  const match = new RegExp(words.map(wordPattern).join("\\s+"), "u").exec(text);
  if (match === null || match[0].length > MAX_QUOTE) return null;
  return quoteAt(text, firstLine, match.index, match.index + match[0].length);
}

/** quoteAt returns a stretch of a text as a quote. @param firstLine number of the text's first line */
export function quoteAt(text: string, firstLine: number, start: number, end: number): LocatedQuote {
  const quote = text.slice(start, end);
  const line = firstLine + countNewlines(text.slice(0, start));
  return { quote, start_line: line, end_line: line + countNewlines(quote) };
}

function wordPattern(word: string): string {
  return word
    .toWellFormed()
    .replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
    .replaceAll("\\-", "[-\u2010-\u2015]")
    .replaceAll(/['\u2018\u2019]/g, "['\u2018\u2019]")
    .replaceAll(/["\u201c\u201d]/g, '["\u201c\u201d]');
}

function countNewlines(text: string): number {
  return text.split("\n").length - 1;
}
