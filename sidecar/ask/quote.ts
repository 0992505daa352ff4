/** Picks the stretch of a passage that says most about a question, as the object's own text. */
import type { IndexRow } from "../../snapshots/index/index.ts";
import { words } from "../../snapshots/index/words.ts";
import { type LocatedQuote, locateQuote } from "../../snapshots/format/index.ts";
import { isHarmless } from "./harmless.ts";

const MAX_CHOSEN = 360;
const MAX_SPANS = 200;

/** A passage; its `text` is what the model is shown. */
export type Excerpt = Pick<IndexRow, "key" | "title" | "heading" | "sha256" | "page" | "start_line" | "end_line" | "text"> & {
  /** The object's own lines start_line to end_line: the only text that is ever quoted. */
  readonly source: string;
};

/** Sentences, or lines where there are no sentences (code, lists); each at most MAX_CHOSEN characters. */
function spansOf(text: string): readonly string[] {
  return text
    .split(/\n\s*\n|(?<=[.!?])\s+(?=\S)|\n(?=\s*(?:[-*+|#]|\d+[.)])\s)/u)
    .flatMap((part) => (part.length <= MAX_CHOSEN ? [part] : part.split("\n")))
    .map((part) => part.trim())
    .filter((part) => part !== "" && part.length <= MAX_CHOSEN)
    .slice(0, MAX_SPANS);
}

export type Wanted = ReadonlyMap<string, number>;

/** Share of what is wanted, by worth, that a text holds; 0 to 1. */
function coverage(text: string, wanted: Wanted): number {
  const found = new Set(words(text));
  let all = 0;
  let held = 0;
  for (const [word, worth] of wanted) {
    all += worth;
    if (found.has(word)) held += worth;
  }
  return all === 0 ? 0 : held / all;
}

/** The harmless span that covers most; of equals the shorter. Null when no span holds any of the words. */
export function chooseQuote(excerpt: Excerpt, wanted: Wanted): LocatedQuote | null {
  const ranked = candidates(excerpt)
    .map((span) => ({ span, share: coverage(span, wanted) }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share || a.span.length - b.span.length);
  return locateFirst(
    excerpt,
    ranked.map(({ span }) => span),
  );
}

const MAX_TRIED = 8;

function candidates(excerpt: Excerpt): readonly string[] {
  // A row of a table says nothing without its head.
  return spansOf(excerpt.text).filter((span) => !span.startsWith("|") && isHarmless(span) && words(span).length >= 3);
}

function locateFirst(excerpt: Excerpt, spans: readonly string[]): LocatedQuote | null {
  for (const span of spans.slice(0, MAX_TRIED)) {
    const located = locateQuote(excerpt.source, excerpt.start_line, span);
    if (located !== null && isHarmless(located.quote)) return located;
  }
  return null;
}
