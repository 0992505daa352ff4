/** Picks the stretch of a passage that says most about a question, as the object's own text. */
import { words } from "../snapshots/index/words.ts";
import { type LocatedQuote, locateQuote } from "../snapshots/citation.ts";
import { isHarmless } from "./harmless.ts";

/** Characters of a quote that we choose ourselves. */
const MAX_CHOSEN = 360;
/** Sentences looked at in one passage; a passage is a few hundred words. */
const MAX_SPANS = 200;

export type Excerpt = {
  readonly key: string;
  readonly title: string;
  readonly sha256: string;
  readonly start_line: number;
  readonly end_line: number;
  /** What the model is shown. */
  readonly text: string;
  /** The object's own lines start_line to end_line: the only text that is ever quoted. */
  readonly source: string;
};

/** Sentences, or lines where there are no sentences (code, lists); each at most MAX_CHOSEN characters. */
export function spansOf(text: string): readonly string[] {
  return text
    .split(/\n\s*\n|(?<=[.!?])\s+(?=\S)|\n(?=\s*(?:[-*+|#]|\d+[.)])\s)/u)
    .flatMap((part) => (part.length <= MAX_CHOSEN ? [part] : part.split("\n")))
    .map((part) => part.trim())
    .filter((part) => part !== "" && part.length <= MAX_CHOSEN)
    .slice(0, MAX_SPANS);
}

export type ChosenQuote = LocatedQuote & {
  /** Share of the wanted words that it holds, 0 to 1. */
  readonly coverage: number;
};

/** The harmless span with most of the wanted words; of equals the shorter, then the earlier.
 *  @param wanted index words (see `words`) @returns null when no span holds any of them */
export function chooseQuote(excerpt: Excerpt, wanted: ReadonlySet<string>): ChosenQuote | null {
  if (wanted.size === 0) return null;
  const ranked = spansOf(excerpt.text)
    .map((span) => ({ span, found: new Set(words(span).filter((word) => wanted.has(word))).size }))
    .filter(({ span, found }) => found > 0 && isHarmless(span) && words(span).length >= 3)
    .sort((a, b) => b.found - a.found || a.span.length - b.span.length);
  for (const { span, found } of ranked.slice(0, 8)) {
    const located = locateQuote(excerpt.source, excerpt.start_line, span);
    if (located !== null && isHarmless(located.quote)) return { ...located, coverage: found / wanted.size };
  }
  return null;
}
