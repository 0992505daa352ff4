/** From what a model wrote to what may be said. The model's text is a stranger's, and so are the excerpts that it may have obeyed. A
 *  sentence stays only if it names an excerpt, a quote of that excerpt is found in the object's own lines, its words are the
 *  quote's words (or the question's), nothing in it could become a link, an image or markup, and it names no address, however bare,
 *  that its quotes have not. The rest is dropped, never repaired. */
import { quotable, sentencesIn } from "#snapshots/blocks";
import { words } from "#snapshots/words";
import { type LocatedQuote, locateQuote, quoteAt } from "#snapshots/format";
import { bareAddresses, isHarmless, type ModelExcerpt } from "#snapshots/answer";

const MAX_SENTENCE = 600; // characters; longer ones are no sentences
const MIN_QUOTE_WORDS = 3; // index words; a shorter quote supports nothing: "the" occurs everywhere
const MIN_SUPPORT = 0.6; // share of a sentence's own words that its quotes, or the excerpt around them, must hold
const MAX_MARKS = 4;
const MAX_CHOSEN = 360; // characters of a sentence that is quoted where a model names an excerpt alone

/** `[2 "exact words"]`, `[2: “exact words”]` or `[2]`, as models write it. */
const MARK = /\[\s*(\d{1,2})\s*(?:[:,]?\s*["“](.{1,900}?)["”]\s*)?\]/gsu;
/** Stands in for a mark while sentences are split; isHarmless keeps it out of everything else. */
const SLOT = /\u0001(\d+)\u0001/g;

type Mark = { readonly n: number; readonly quote: string | null };

type Claimed = { readonly text: string; readonly marks: readonly Mark[] };

/** Lines of an object, the only text that is ever quoted. */
type Quotable = Pick<ModelExcerpt, "key" | "sha256" | "page" | "start_line" | "source">;

export type Grounded = {
  readonly text: string;
  readonly quotes: readonly (LocatedQuote & { readonly excerpt: Quotable })[];
};

export function parseSentences(line: string): readonly Claimed[] {
  const marks: Mark[] = [];
  const slotted = line.replaceAll("\u0001", "").replaceAll(MARK, (_, n: string, quote: string | undefined) => {
    marks.push({ n: Number(n), quote: quote ?? null });
    return `\u0001${marks.length - 1}\u0001`;
  });
  // A sentence ends at its full stop and the marks behind it.
  return slotted
    .split(/(?<=[.!?]["”’)]?(?:\s*\u0001\d+\u0001)*)\s+(?![\s\u0001])/u)
    .map((part) => ({
      text: part
        .replaceAll(SLOT, "")
        .replace(/^\s*(?:[-*+•]|\d+[.)]|#+|>)\s+/u, "")
        .replaceAll("**", "")
        .replaceAll(/\s+/g, " ")
        .replace(/\s+([.,;:!?])/g, "$1")
        .trim(),
      marks: [...part.matchAll(SLOT)].flatMap((match) => marks[Number(match[1])] ?? []).slice(0, MAX_MARKS),
    }))
    .filter(({ text }) => text !== "");
}

/** ground returns the sentence with the quotes that bear it, or null when nothing does. @param excerpts as they were numbered for the model, from 1 */
export function ground({ text, marks }: Claimed, excerpts: readonly ModelExcerpt[], question: string): Grounded | null {
  if (marks.length === 0 || text.length > MAX_SENTENCE || !isHarmless(text) || /\[\d*\]/.test(text)) return null;
  const asked = new Set(words(question));
  const said = new Set(words(text));
  // Words of the question prove nothing; a sentence made of them alone has to be borne out whole.
  const own = new Set([...said].filter((word) => !asked.has(word)));
  const needed = own.size === 0 ? said : own;
  if (needed.size === 0) return null;

  const quotes = marks.flatMap(({ n, quote }) => {
    const excerpt = excerpts[n - 1];
    if (excerpt === undefined) return [];
    const located = quote === null ? chooseQuote(excerpt, said) : locateQuote(excerpt.source, excerpt.start_line, quote);
    if (located === null || words(located.quote).length < MIN_QUOTE_WORDS || !isHarmless(located.quote)) return [];
    const { quote: exact, start_line, end_line } = located;
    return [{ quote: exact, start_line, end_line, excerpt }];
  });
  if (quotes.length === 0) return null;

  // An address is never the model's own word.
  const quoted = new Set(quotes.flatMap(({ quote }) => bareAddresses(quote)));
  if (bareAddresses(text).some((address) => !quoted.has(address))) return null;
  const near = new Set(quotes.flatMap(({ quote }) => words(quote)));
  const sources = new Set(quotes.flatMap(({ excerpt }) => words(`${excerpt.title} ${excerpt.source}`)));
  const around = sources.union(near);
  const share = (known: ReadonlySet<string>): number => [...needed].filter((word) => known.has(word)).length / needed.size;
  if (share(around) < MIN_SUPPORT || share(near) < MIN_SUPPORT / 2) return null;
  // A number or an identifier that no source has is an invention, however well the rest fits.
  return exactWords(text).some((word) => !sources.has(word) && !asked.has(word)) ? null : { text, quotes };
}

/** exactWords returns the index words of everything with a digit, an underscore or a capital inside. */
function exactWords(text: string): readonly string[] {
  return (text.match(/[\p{L}\p{N}_.]*(?:\p{N}|_|\p{Ll}\p{Lu})[\p{L}\p{N}_]*/gu) ?? []).flatMap((token) => words(token).slice(0, 1));
}

/** chooseQuote returns the harmless sentence that has most of the words; of equals the shorter, null when none has any. */
function chooseQuote({ source, kind, start_line }: ModelExcerpt, wanted: ReadonlySet<string>): LocatedQuote | null {
  const ranked = quotable(source, kind)
    .flatMap(({ start, end }) => sentencesIn(source, start, end))
    .map(([start, end]) => ({ start, end, quote: source.slice(start, end), said: words(source.slice(start, end)) }))
    .filter(({ quote, said }) => quote.length <= MAX_CHOSEN && said.length >= MIN_QUOTE_WORDS && isHarmless(quote))
    .map((one) => ({ ...one, held: wanted.intersection(new Set(one.said)).size }))
    .sort((a, b) => b.held - a.held || a.quote.length - b.quote.length);
  const [best] = ranked;
  if (best === undefined || best.held === 0) return null;
  return quoteAt(source, start_line, best.start, best.end);
}
