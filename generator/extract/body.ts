/** What the reader of one type gives back; extract.ts adds what all types have in common. */
import type { About, Extract } from "../../snapshots/schema/index.ts";
import type { Lines } from "./lines.ts";

export type Source = {
  readonly key: string;
  /** The whole text, a byte order mark included: passages are exact. */
  readonly text: string;
  readonly lines: Lines;
};

export type Body = Pick<Extract, "summary" | "passages" | "html" | "notes"> & {
  readonly title: string | null;
  readonly about?: About;
  readonly images?: Extract["images"];
  readonly facts?: Extract["facts"];
  readonly outline?: Extract["outline"];
};

export const EMPTY_BODY: Body = { title: null, summary: "", passages: [], html: null, notes: [] };

/** UTF-16 units of a source shown on its page; the rest is a link to the bytes. */
export const MAX_SHOWN = 200_000;
/** Lines of a source shown on its page; each has markup of its own. */
export const MAX_SHOWN_LINES = 10_000;
/** UTF-16 units of a fragment; a document that grows beyond it (footnotes, empty cells) is shown as source. */
export const MAX_FRAGMENT = 2_000_000;
export const MAX_SUMMARY = 280;

/** Whether `text` looks like prose that a summary may quote: some words, most of it letters. */
export function isProse(text: string): boolean {
  const sample = text.slice(0, 400);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return letters >= 12 && letters > sample.length * 0.55 && /\s/.test(sample.trim());
}

/** What stands above a text and is not about it: rights, people, versions, ways to other pages, notes to oneself, and code. */
const NO_SUMMARY =
  /copyright|\u00a9|\(c\) ?\d|licen[cs]ed? (?:under|as)|all rights reserved|free software foundation|@[\w-]+\.\w|e-?mail:|homepage:|^(?:institution|authors?|source code|initial (?:development|authors?)|maintainer|(?:new|changed|deprecated) in version|due to|created by|written by|contributed by)\b|^(?:fixme|todo|xxx|hack|safety|see\b|nb\b|begin hide|disabled\b|stability)|deprecated|obsolete|^[[|]|\[(?:top|contents|next|previous|up)\b|\{-#|^(?:pub|use|let|fn|idtac|import|from|void|int|const|struct|#\w+)\s.*[;{(]|[;{}]\s*$|https?:\/\/\S+\s*$/i;
/** Words that begin small in a list of names. */
const SMALL = /^(?:and|de|der|van|von|the|of|for)$/;

/** Whether a summary may be `text`. Where nothing is said it says nothing, so that what is doubtful is left out. */
export function isSummary(text: string): boolean {
  if (!isProse(text) || NO_SUMMARY.test(text.slice(0, 400))) return false;
  const words = text.trim().split(/\s+/);
  if (words.length < 3) return false;
  // A list of names, or a heading: every word of it begins with a capital, and no sentence ends.
  return words.length > 12 || /[.!?:]$/.test(text.trim()) || words.some((word) => /^\p{Ll}/u.test(word) && !SMALL.test(word));
}

/** Whether the text of a cell is a number, an amount or a date, which is read as one sign and must not be broken. */
export function isNumber(text: string): boolean {
  return (
    text.length <= 40 &&
    /^[-+\u2212±~<>≤≥]? ?\p{Sc}? ?\d[\d.,:/ _'’\u00a0\u202f×±+\-\u2013\u2212eE]*(?:%|\p{Sc}|[\p{L}°]{1,4})?$/u.test(text.trim())
  );
}
