/** Lines of an object as its page quotes them: what a citation points at, checked again each time it is opened. */
import { MAX_CITED, MAX_QUOTE, readLines } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import type { Passage } from "#snapshots/schema";
import type { MarkedPiece } from "#snapshots/query";

export const MAX_QUOTED_BYTES = 8 * 1024 * 1024;
const MAX_LINES = 60;
const AROUND = 2;
const MAX_BESIDE = 300; // characters shown of a line before and after the quote; generated files have lines of megabytes
const ELLIPSIS = "…";

export type QuoteRange = {
  /** Page of a PDF; null where the address names none. */
  readonly page: number | null;
  readonly start: number;
  readonly end: number;
  /** "" for the lines as a whole. */
  readonly quote: string;
};

/** parseLineRange reads the lines that the address of an object's page asks for: `?lines=12-14&quote=…`, in a PDF with `page=3` before it. It
 *  returns null when the address asks for no lines. @throws ShelfError "bad_parameter" */
export function parseLineRange(params: URLSearchParams): QuoteRange | null {
  const lines = params.get("lines");
  if (lines === null) return null;
  const [, from, to] = /^([0-9]{1,9})(?:-([0-9]{1,9}))?$/.exec(lines) ?? [];
  const start = Number(from);
  const end = Number(to ?? from);
  if (!(start >= 1 && end >= start))
    throw new ShelfError("bad_parameter", 'The parameter "lines" is a line, as 12, or a range of lines, as 12-14.');
  const page = params.get("page");
  if (page !== null && !/^[1-9][0-9]{0,5}$/.test(page))
    throw new ShelfError("bad_parameter", 'The parameter "page" is the number of a page.');
  const quote = params.get("quote") ?? "";
  if (quote.length > MAX_CITED) throw new ShelfError("bad_parameter", `The parameter "quote" is longer than ${MAX_CITED} characters.`);
  return { page: page === null ? null : Number(page), start, end, quote };
}

/** pageBytes returns the text of a page of a PDF, as its extract has it. Lines of a PDF are quoted from this text. */
export function pageBytes(passages: readonly Passage[], page: number): Uint8Array {
  const lines: string[] = [];
  for (const passage of passages) {
    if (passage.page === page) for (const [at, line] of passage.text.split("\n").entries()) lines[passage.start_line - 1 + at] = line;
  }
  return new TextEncoder().encode(Array.from(lines, (line) => line ?? "").join("\n"));
}

type QuotedLine = {
  readonly number: number;
  /** False for the lines before and after. */
  readonly cited: boolean;
  readonly pieces: readonly MarkedPiece[];
};

export type QuotedLines = {
  /** Page of a PDF, whose lines are counted on each page; else null. */
  readonly page: number | null;
  readonly start: number;
  readonly end: number;
  readonly snapshot: string;
  /** Why nothing is marked, or null: the file is too large or is no text with these lines, or they do not hold the quote. */
  readonly problem: "too_large" | "no_lines" | "no_quote" | null;
  readonly lines: readonly QuotedLine[];
  readonly more: number;
};

/** quotedLines finds the lines that an address asks for, and the quote in them. @param bytes of the object, or of a page of it; null when it is
 *  too large to be read for this */
export function quotedLines(bytes: Uint8Array | null, { page, start, end, quote }: QuoteRange, snapshot: string): QuotedLines {
  const nothing = (problem: QuotedLines["problem"]): QuotedLines => ({ page, start, end, snapshot, problem, lines: [], more: 0 });
  if (bytes === null) return nothing("too_large");
  const text = readLines(bytes, start, end);
  if (text === null) return nothing("no_lines");
  // Every character counts: what is nearly a quote is none.
  const from = quote === "" ? 0 : text.indexOf(quote);
  const to = quote === "" ? text.length : from + quote.length;
  const found = from >= 0;
  const cited: QuotedLine[] = [];
  let at = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const [first, last] = [Math.max(0, from - at), Math.min(line.length, to - at)];
    const marked = found && first <= last && (first < last || line === "");
    const pieces = marked ? [line.slice(0, first), line.slice(first, last), line.slice(last)] : [line];
    cited.push({ number: start + index, cited: true, pieces: trim(pieces) });
    at += line.length + 1;
  }
  const shown = cited.slice(0, MAX_LINES);
  const around = (number: number): QuotedLine[] => {
    const line = number < 1 ? null : readLines(bytes, number, number);
    return line === null ? [] : [{ number, cited: false, pieces: trim([line]) }];
  };
  const steps = Array.from({ length: AROUND }, (_, step) => step + 1);
  return {
    page,
    start,
    end,
    snapshot,
    problem: found ? null : "no_quote",
    lines: [
      ...steps.toReversed().flatMap((step) => around(start - step)),
      ...shown,
      // A last line end is not the beginning of a line that has text.
      ...(shown.length < cited.length
        ? []
        : steps.flatMap((step) => around(end + step)).filter(({ pieces }, index, all) => index < all.length - 1 || pieces.length > 0)),
    ],
    more: cited.length - shown.length,
  };
}

/** @param pieces one that is not marked, or those before, in and after the mark */
function trim(pieces: readonly string[]): readonly MarkedPiece[] {
  const [before = "", marked = "", after = ""] = pieces.length === 1 ? ["", "", pieces[0]] : pieces;
  const head = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most).toWellFormed()}${ELLIPSIS}`);
  const tail = before.length <= MAX_BESIDE ? before : `${ELLIPSIS}${before.slice(-MAX_BESIDE).toWellFormed()}`;
  return [
    { text: tail, marked: false },
    { text: head(marked, 4 * MAX_QUOTE), marked: true },
    { text: head(after.replace(/\r$/, ""), MAX_BESIDE), marked: false },
  ].filter(({ text }) => text !== "");
}
