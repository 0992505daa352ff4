/** An answer without a model: the sentences of the library that answer a question, or the finding that none does. What is read is the
 *  rendered text; what is quoted are the object's own bytes. */
import type { IndexKind, IndexRow } from "../snapshots/index/row.ts";
import { words } from "../snapshots/index/words.ts";
import { type Sentence, sentencesOf } from "../snapshots/query/prose.ts";
import type { LocatedQuote } from "../snapshots/format/citation.ts";
import { isHarmless } from "./harmless.ts";
import { NEGATED, type Question } from "./question.ts";
import type { Wanted } from "./quote.ts";

const MAX_QUOTE = 580; // code units of the object; what follows a sentence is quoted with it up to here
const MAX_SENTENCES = 4; // of one quote
const MAX_DOCUMENTS = 3;
/** What the best document and its best sentences must hold of the question's worth, each at most 1, together. A long question is
 *  answered by a smaller part of its words; of a short one hardly any may be missing. Measured on SciFact and MED (README). */
const enoughOf = (words: number): number => Math.max(1.9 / Math.sqrt(words), 2 - 0.18 * words);
/** Of what the best document holds: below it another one is about something else. A statement is held against more than a question. */
const BESIDE = { question: 0.75, statement: 0.4 };
const TITLE_WEIGHT = 0.3; // of the title's share in a document's rank, beside the search's own
const RUN_WEIGHT = 0.3;
const CODE_PENALTY = 0.3; // of comments in code: who asks in words wants prose first
const CODE_SHARE = 0.75; // of what they hold that counts
const ABOUT = 0.5; // of the question's worth in a title or a heading: what stands under it is about that
const LEAD_BONUS = 0.2; // of the first sentences under such a title
const HEADING_WEIGHT = 0.8; // of the words that only the heading of a sentence has, and only what stands around it
const CONTEXT_WEIGHT = 0.3;
const DEFINITION_BONUS = 0.7;
const ENTRY_BONUS = 1; // in a document's rank: who wrote a glossary meant its terms to be asked for

/** A text that a search found, with more of it than the passage when it is short. */
export type Text = Pick<IndexRow, "key" | "title" | "heading" | "sha256" | "page"> & {
  readonly kind: IndexKind;
  /** The object's own lines from `start_line` on. */
  readonly source: string;
  readonly start_line: number;
  /** Of the search; the first one has the highest. */
  readonly score: number;
};

export type Quoted<T> = LocatedQuote & { readonly text: T; readonly plain: string };

const STEP =
  /^(?:to \w+|run|use|take|compute|write|print|check|put|add|open|compare|read|call|start|set|ask|look|first|then)\b|\bhow to\b|`[^`]+`/i;
const OPPOSITE = /^(?:what|why|when|where|how|who|not|no|without)\b/i;
const REASON = /\b(?:because|since|so that|otherwise|therefore|hence|reason|or else|must)\b|, or\b|^(?:so|that is why)\b/i;

/** @param texts best first
 *  @returns best first; [] when nothing here answers the question */
export function findQuotes<T extends Text>(question: Question, texts: readonly T[]): readonly Quoted<T>[] {
  const { wanted } = question;
  const total = [...wanted.values()].reduce((sum, worth) => sum + worth, 0);
  if (total === 0) return [];
  const top = Math.max(...texts.map(({ score }) => score), Number.MIN_VALUE);
  const cover = (held: ReadonlySet<string>): number =>
    [...wanted].reduce((sum, [word, worth]) => sum + (held.has(word) ? worth : 0), 0) / total;
  const read = texts.flatMap((text) => {
    const around = new Set(words(`${text.title} ${text.key} ${text.heading}`));
    const all = sentencesOf(text.source, text.kind).filter(
      ({ plain, start, end, term }) =>
        end - start <= MAX_QUOTE &&
        isHarmless(plain) &&
        !isTitle(plain, text) &&
        (term === "" || (question.defines && names(term, wanted))),
    );
    const title = new Set(words(text.title));
    const titled = cover(title);
    const lead = titled < ABOUT ? undefined : all.find(({ term, plain }) => term === "" && !plain.endsWith(":"));
    const bonusOf = (sentence: Sentence): number => bonus(sentence, question) + (sentence.block === lead?.block ? LEAD_BONUS : 0);
    const best = bestRun(text.source, all, cover, title, around, bonusOf);
    if (best === null) return [];
    const body = cover(new Set([...around, ...words(text.source)]));
    const isAside = question.asks && text.kind === "code";
    const held = (body + Math.max(best.covered, titled)) * (isAside ? CODE_SHARE : 1);
    const isEntry = best.run.some(({ term }) => term !== "");
    const weights = TITLE_WEIGHT * titled + RUN_WEIGHT * best.score - (isAside ? CODE_PENALTY : 0) + (isEntry ? ENTRY_BONUS : 0);
    return [{ text, ...best, held, rank: text.score / top + weights }];
  });
  const enough = enoughOf(wanted.size);
  const most = Math.max(0, ...read.map(({ held }) => held));
  if (most < enough) return [];
  return read
    .filter(({ held }) => held >= BESIDE[question.asks ? "question" : "statement"] * most)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MAX_DOCUMENTS)
    .map(({ text, run }) => ({ text, ...locate(text, run), plain: run.map(({ plain }) => plain).join(" ") }));
}

function isTitle(plain: string, { title, heading }: Text): boolean {
  const bare = (text: string): string => words(text).join(" ");
  return [title, ...heading.split(" › ")].some((other) => bare(other) === bare(plain));
}

/** Whether a term is what a question is about. */
function names(term: string, wanted: Wanted): boolean {
  const own = words(term);
  return own.length > 0 && own.every((word) => wanted.has(word));
}

/** The sentences of one paragraph that say most: at first those that hold the question's words, then what follows them.
 *  @param title words of the text's title
 *  @param around words of all that stands around it */
function bestRun(
  source: string,
  all: readonly Sentence[],
  cover: (held: ReadonlySet<string>) => number,
  title: ReadonlySet<string>,
  around: ReadonlySet<string>,
  bonusOf: (first: Sentence) => number,
): { readonly run: readonly Sentence[]; readonly score: number; readonly covered: number } | null {
  const held = all.map(({ own }) => new Set(words(own)));
  let best: { from: number; to: number; score: number } | null = null;
  let covered = 0;
  // What a text or a section is about need not be said again.
  const about = cover(title) >= ABOUT;
  for (const [from, first] of all.entries()) {
    const known = new Set<string>();
    const heading = new Set(words(first.heading)).difference(title);
    const headed = cover(heading);
    const more = bonusOf(first);
    for (let to = from; to < Math.min(all.length, from + MAX_SENTENCES); to++) {
      const last = all[to];
      if (last === undefined || last.block !== first.block || last.end - first.start > MAX_QUOTE) break;
      for (const word of held[to] ?? []) known.add(word);
      const own = cover(known);
      if (own === 0 && headed < ABOUT && !about) continue;
      const section = cover(known.union(heading));
      const context = cover(known.union(heading).union(around));
      const said = first.term === "" ? section : 1;
      covered = Math.max(covered, said);
      const score = own + HEADING_WEIGHT * (section - own) + CONTEXT_WEIGHT * (context - section) + more - 0.04 * (to - from);
      if (best === null || score > best.score + 1e-9) best = { from, to, score };
    }
  }
  if (best === null) return null;
  let { from, to } = best;
  const fits = (start: number, end: number): boolean => {
    const [first, last] = [all[start], all[end]];
    return first !== undefined && last !== undefined && first.block === last.block && last.end - first.start <= MAX_QUOTE;
  };
  while (to - from + 1 < MAX_SENTENCES && fits(from, to + 1)) to++;
  // "This makes it …" says nothing without what stands before it.
  while (
    to - from + 1 < MAX_SENTENCES &&
    (to === from || /^(?:this|these|that|those|it|they|such|here)\b/i.test(all[from]?.plain ?? "")) &&
    fits(from - 1, to)
  )
    from--;
  // What a colon announces: the items of a list.
  const [first, introduces] = [all[from], all[to]?.plain.endsWith(":")];
  while (introduces === true) {
    const [last, next] = [all[to], all[to + 1]];
    if (first === undefined || last === undefined || next === undefined || next.end - first.start > MAX_QUOTE) break;
    if (!/^\s*(?:[-*+•]|\d{1,3}[.)])\s*$/.test(source.slice(last.end, next.start))) break;
    to++;
  }
  return { run: all.slice(from, to + 1), score: best.score, covered };
}

/** How well a sentence does what the question asks for, beside its words. */
function bonus({ plain, heading, term }: Sentence, { defines, instructs, explains, negated, asks, wanted }: Question): number {
  let more = 0;
  if (term !== "") more += DEFINITION_BONUS;
  else if (defines && isDefinition(plain, wanted)) more += DEFINITION_BONUS;
  // What it announces is not among the sentences; of instructions it may be a command.
  if (!instructs && plain.endsWith(":")) more -= 0.2;
  if (instructs && (STEP.test(plain) || words(/^\S*/.exec(plain)?.[0] ?? "").some((word) => wanted.has(word)))) more += 0.35;
  if (explains && REASON.test(plain)) more += 0.3;
  if (asks) {
    // What stands under "What it does not prove" answers the opposite.
    const opposite = OPPOSITE.test(heading) && NEGATED.test(heading);
    if (opposite !== negated) more -= 0.35;
    else if (negated) more += 0.3;
    if (negated && NEGATED.test(plain)) more += 0.15;
    if (!negated && NEGATED.test(plain)) more -= 0.05;
  }
  return more;
}

/** "A digest is …", "… is called a digest". */
function isDefinition(plain: string, wanted: Wanted): boolean {
  const holds = (text: string): boolean => {
    const said = new Set(words(text));
    return said.size <= wanted.size + 2 && [...wanted.keys()].every((word) => said.has(word));
  };
  const [before = "", after] = plain.split(/\b(?:is|are|means?|denotes?|says|refers to|consists of|holds)\b/, 2);
  const [, called = ""] = /\bcalled ((?:[\w'-]+ ?){1,6})/.exec(plain) ?? [];
  return (after !== undefined && holds(before)) || (called !== "" && holds(called));
}

function locate({ source, start_line }: Text, run: readonly Sentence[]): LocatedQuote {
  const [from, to] = [run[0]?.start ?? 0, run.at(-1)?.end ?? 0];
  const line = (at: number): number => start_line + source.slice(0, at).split("\n").length - 1;
  return { quote: source.slice(from, to), start_line: line(from), end_line: line(to) };
}
