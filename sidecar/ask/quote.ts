/** Picks the sentence of a passage that says most about another one, as the object's own text. */
import { quotable, sentencesIn } from "../../snapshots/blocks/index.ts";
import type { LocatedQuote } from "../../snapshots/format/index.ts";
import type { IndexRow } from "../../snapshots/index/index.ts";
import { words } from "../../snapshots/index/words.ts";
import { isHarmless } from "./harmless.ts";

const MAX_CHOSEN = 360; // characters
const MIN_WORDS = 3;

/** A passage; its `text` is what the model is shown. */
export type Excerpt = Pick<IndexRow, "key" | "title" | "kind" | "sha256" | "page" | "start_line" | "end_line" | "text"> & {
  /** The object's own lines start_line to end_line: the only text that is ever quoted. */
  readonly source: string;
};

/** ChooseQuote returns the harmless sentence that has most of the words; of equals the shorter, null when none has any. */
export function chooseQuote({ source, kind, start_line }: Excerpt, wanted: ReadonlySet<string>): LocatedQuote | null {
  const ranked = quotable(source, kind)
    .flatMap(({ start, end }) => sentencesIn(source, start, end))
    .map(([start, end]) => ({ start, end, quote: source.slice(start, end), said: words(source.slice(start, end)) }))
    .filter(({ quote, said }) => quote.length <= MAX_CHOSEN && said.length >= MIN_WORDS && isHarmless(quote))
    .map((one) => ({ ...one, held: wanted.intersection(new Set(one.said)).size }))
    .sort((a, b) => b.held - a.held || a.quote.length - b.quote.length);
  const [best] = ranked;
  if (best === undefined || best.held === 0) return null;
  const line = (at: number): number => start_line + source.slice(0, at).split("\n").length - 1;
  return { quote: best.quote, start_line: line(best.start), end_line: line(best.end) };
}
