/** An answer without a model: the sentences of the library that answer a question, or the finding that none does. What is read is the
 *  rendered text; what is quoted are the object's own bytes. */
import type { IndexRow } from "../../snapshots/index/index.ts";
import type { Kind } from "../../snapshots/schema/kinds.ts";
import { words } from "../../snapshots/index/words.ts";
import { type Sentence, sentencesOf } from "../../snapshots/query/prose.ts";
import type { LocatedQuote } from "../../snapshots/format/index.ts";
import { isHarmless } from "./harmless.ts";
import { NEGATED, type Question } from "./question.ts";
import type { Wanted } from "./quote.ts";

const MAX_QUOTE = 580; // code units of the object; what follows a sentence is quoted with it up to here
const MAX_SENTENCES = 4; // of one quote
const MAX_QUOTES = 3;
/** What the best document and its best sentences must hold of the question's worth, each at most 1, together. A long question is
 *  answered by a smaller part of its words; of a short one hardly any may be missing. Measured on SciFact, MED, CACM and the demo (README). */
const enoughOf = (words: number): number => Math.max(1.9 / Math.sqrt(words), 2 - 0.18 * words);
/** A statement's words have to stand together too, which counts as much as either; a question's seldom do where it is answered. */
const ENOUGH = { question: 1, statement: 1.2 };
/** Of what the best document holds: below it another one is about something else. A statement is held against more than a question. */
const BESIDE = { question: 0.75, statement: 0.4 };
const TITLE_WEIGHT = 0.3; // of the title's share in a document's rank, beside the search's own
/** Of what its best sentences say. A question's are preferred for their form too, and the words of a statement are all there is. */
const RUN_WEIGHT = { question: 0.3, statement: 1 };
const NEAR = 5; // words between neighbours of the question that still belong together
const CODE_PENALTY = 0.3; // of comments in code: who asks in words wants prose first
const CODE_SHARE = 0.75; // of what they hold that counts
const ABOUT = 0.5; // of the question's worth in a title or a heading: what stands under it is about that
const LEAD_BONUS = 0.2; // of the first sentences under such a title, or the first step
const STEP_BONUS = 0.35;
const NAMED = 0.75; // of the question's worth in a title: the whole text answers
const HEADING_WEIGHT = 0.8; // of the words that only the heading of a sentence has, and only what stands around it
const CONTEXT_WEIGHT = 0.3;
const DEFINITION_BONUS = 0.7;
const ENTRY_SHARE = 1 / 3; // of the question's worth in the term of an entry: a question of several things may ask for several
const ENTRY_BONUS = 1; // in a document's rank: who wrote a glossary meant its terms to be asked for

/** A text that a search found, with more of it than the passage when it is short. */
export type Text = Pick<IndexRow, "key" | "title" | "heading" | "sha256" | "page"> & {
  readonly kind: Kind;
  /** The object's own lines from `start_line` on. */
  readonly source: string;
  /** Code units of them that were found: sentences begin there, and what is around tells where one begins and ends, and what is code. */
  readonly found: { readonly start: number; readonly end: number };
  readonly start_line: number;
  /** Of the search; the first one has the highest. */
  readonly score: number;
};

export type Quoted<T> = LocatedQuote & { readonly text: T; readonly plain: string };

const STEP = /^(?:to \w+|run|use|take|compute|write|print|check|put|add|open|compare|read|call|start|set|ask|look|first|then|you need)\b/i;
const COMMAND = /(`+)(?!`)[^`]*[a-z][^`]*\1/; // as it stands in Markdown, which the plain text does not show
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s*$/; // between a sentence and the next of a list
const OPPOSITE = /^(?:what|why|when|where|how|who|not|no|without)\b/i;
const REASON = /\b(?:because|since|so that|otherwise|therefore|hence|reason|or else|must)\b|, or\b|^(?:so|that is why)\b/i;

/** @param texts best first
 *  @returns best first; [] when nothing here answers the question */
export function findQuotes<T extends Text>(question: Question, texts: readonly T[]): readonly Quoted<T>[] {
  const { wanted } = question;
  const form = question.asks ? "question" : "statement";
  const total = [...wanted.values()].reduce((sum, worth) => sum + worth, 0);
  if (total === 0) return [];
  const top = Math.max(...texts.map(({ score }) => score), Number.MIN_VALUE);
  const cover = (held: ReadonlySet<string>): number =>
    [...wanted].reduce((sum, [word, worth]) => sum + (held.has(word) ? worth : 0), 0) / total;
  const names = (term: string): boolean => {
    const own = words(term);
    return own.length > 0 && own.every((word) => wanted.has(word)) && cover(new Set(own)) >= ENTRY_SHARE;
  };
  const read = texts.flatMap((text) => {
    const found = text.source.slice(text.found.start, text.found.end);
    if (question.asks && !question.numbered.every((name) => name.test(`${text.title}\n${found}`))) return [];
    const around = new Set(words(`${text.title} ${text.key} ${text.heading}`));
    const all = sentencesOf(text.source, text.kind).filter(
      ({ plain, start, end, term }) =>
        start >= text.found.start &&
        start < text.found.end &&
        end - start <= MAX_QUOTE &&
        isHarmless(plain) &&
        !isTitle(plain, text) &&
        (term === "" || (question.defines && !question.negated && names(term))),
    );
    const title = new Set(words(text.title));
    const titled = cover(title);
    // A text that is named for what is to be done has its commands in its sentences; in others they are in passing.
    const steps = question.instructs && titled >= NAMED;
    const leads = (sentence: Sentence): boolean => (steps ? isStep(sentence, text) : sentence.term === "" && !sentence.plain.endsWith(":"));
    const lead = titled < ABOUT ? undefined : all.find(leads);
    const bonusOf = (sentence: Sentence): number =>
      bonus(sentence, question) +
      (steps && isStep(sentence, text) ? STEP_BONUS : 0) +
      ((steps ? sentence === lead : sentence.block === lead?.block) ? LEAD_BONUS : 0);
    const best = bestRun(text, all, cover, title, around, bonusOf, steps);
    if (best === null) return [];
    const said = words(found);
    const body = cover(around.union(new Set(said)));
    const together = question.asks ? 0 : (holdTogether(said, question) ?? body);
    const isAside = question.asks && text.kind === "code";
    const held = (body + Math.max(best.covered, titled) + together) * (isAside ? CODE_SHARE : 1);
    const isEntry = best.run.some(({ term }) => term !== "");
    const weights = TITLE_WEIGHT * titled + RUN_WEIGHT[form] * best.score - (isAside ? CODE_PENALTY : 0) + (isEntry ? ENTRY_BONUS : 0);
    const runs = steps ? [best.run, ...stepsAfter(best.run, text, all)] : [best.run];
    return [{ text, runs, held, covered: Math.max(best.covered, titled), denies: deniesOf(best.run), rank: text.score / top + weights }];
  });
  const enough = ENOUGH[form] * enoughOf(wanted.size);
  const most = Math.max(0, ...read.map(({ held }) => held));
  if (most < enough) return [];
  const kept = read.filter(({ held }) => held >= BESIDE[form] * most);
  const [covered, denies] = [Math.max(...kept.map((one) => one.covered)), Math.max(...kept.map((one) => one.denies))];
  return kept
    .filter((one) => one.covered >= BESIDE[form] * covered && (!(question.asks && question.negated) || one.denies === denies))
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ text, runs }, at) => ({ text, runs: at === 0 ? runs : runs.slice(0, 1) }))
    .flatMap(({ text, runs }) => runs.map((run) => ({ text, ...locate(text, run), plain: run.map(({ plain }) => plain).join(" ") })))
    .filter(({ plain }, at, quotes) => !quotes.slice(0, at).some((better) => isSaidIn(plain, better.plain)))
    .slice(0, MAX_QUOTES);
}

/** Whether one quote says no more than another: of a page that lies here as a text and as HTML. */
function isSaidIn(plain: string, other: string): boolean {
  return new Set(words(plain)).isSubsetOf(new Set(words(other))) && NEGATED.test(plain) === NEGATED.test(other);
}

function isTitle(plain: string, { title, heading }: Text): boolean {
  const bare = (text: string): string => words(text).join(" ");
  return [title, ...heading.split(" › ")].some((other) => bare(other) === bare(plain));
}

/** Share of a question's neighbours, by the worth of the commoner of each two, that a text has near each other; null where it has none. */
function holdTogether(said: readonly string[], { neighbours, wanted }: Question): number | null {
  const last = new Map<string, number>();
  const open = new Map(neighbours.map((pair) => [pair, Math.min(...pair.map((word) => wanted.get(word) ?? 0))]));
  const total = [...open.values()].reduce((sum, worth) => sum + worth, 0);
  let held = 0;
  for (const [at, word] of said.entries()) {
    if (!wanted.has(word)) continue;
    last.set(word, at);
    for (const [pair, worth] of open) {
      const [one, other] = pair;
      const before = word === one ? last.get(other) : word === other ? last.get(one) : undefined;
      if (before === undefined || at - before > NEAR) continue;
      held += worth;
      open.delete(pair);
    }
  }
  return total === 0 ? null : held / total;
}

/** The sentences of one paragraph that say most: at first those that hold the question's words, then what follows them.
 *  @param title words of the text's title
 *  @param around words of all that stands around it */
function bestRun(
  { source }: Text,
  all: readonly Sentence[],
  cover: (held: ReadonlySet<string>) => number,
  title: ReadonlySet<string>,
  around: ReadonlySet<string>,
  bonusOf: (first: Sentence) => number,
  steps: boolean,
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
    ((to === from && !steps) || /^(?:this|these|that|those|it|they|such|here)\b/i.test(all[from]?.plain ?? "")) &&
    fits(from - 1, to)
  )
    from--;
  const spans = (start: number, end: number): boolean => (all[end]?.end ?? Infinity) - (all[start]?.start ?? 0) <= MAX_QUOTE;
  const opening = (at: number): number => all.findIndex(({ block }) => block === all[at]?.block);
  const isNextItem = (at: number): boolean => {
    const [one, next] = [all[at], all[at + 1]];
    return one !== undefined && next !== undefined && one.heading === next.heading && ITEM.test(source.slice(one.end, next.start));
  };
  // The list under a heading that is the question, and what a colon announces, answer as a whole.
  const heading = new Set(words(all[from]?.heading ?? ""));
  const isAnswer = cover(heading) > 0 && cover(heading.union(title)) >= NAMED;
  while (isAnswer && isNextItem(opening(from) - 1) && spans(opening(opening(from) - 1), to)) from = opening(opening(from) - 1);
  let listed = false;
  while ((isAnswer || listed || all[to]?.plain.endsWith(":") === true) && spans(from, to + 1)) {
    if (!isNextItem(to) && !(listed && all[to]?.block === all[to + 1]?.block)) break;
    listed = true;
    to++;
  }
  return { run: all.slice(from, to + 1), score: best.score, covered };
}

/** How plainly sentences say no: 2 under a heading that does, 1 by themselves. */
function deniesOf(run: readonly Sentence[]): number {
  if (run.some(({ heading }) => NEGATED.test(heading))) return 2;
  return run.some(({ plain }) => NEGATED.test(plain)) ? 1 : 0;
}

/** The steps in the paragraphs below one, each with what follows it. */
function stepsAfter(run: readonly Sentence[], text: Text, all: readonly Sentence[]): readonly (readonly Sentence[])[] {
  const below = all.filter(({ block, plain, term }) => block > (run.at(-1)?.block ?? 0) && term === "" && !plain.endsWith(":"));
  return [...Map.groupBy(below, ({ block }) => block).values()].flatMap((sentences) => {
    const from = sentences.findIndex((sentence) => isStep(sentence, text));
    const start = sentences[from]?.start ?? 0;
    return from < 0 ? [] : [sentences.slice(from, from + MAX_SENTENCES).filter(({ end }) => end - start <= MAX_QUOTE)];
  });
}

function isStep({ plain, start, end }: Sentence, { source, kind }: Text): boolean {
  return STEP.test(plain) || (kind === "markdown" && COMMAND.test(source.slice(start, end)));
}

/** How well a sentence does what the question asks for, beside its words. */
function bonus({ plain, heading, term }: Sentence, { defines, instructs, explains, negated, asks, wanted }: Question): number {
  let more = 0;
  if (term !== "") more += DEFINITION_BONUS;
  else if (defines && isDefinition(plain, wanted)) more += DEFINITION_BONUS;
  // What it announces is not among the sentences; of instructions it may be a command.
  if (!instructs && plain.endsWith(":")) more -= 0.2;
  if (instructs && (STEP.test(plain) || /\bhow to\b/i.test(plain) || words(/^\S*/.exec(plain)?.[0] ?? "").some((word) => wanted.has(word))))
    more += STEP_BONUS;
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

/** "A digest is …", "… is called a digest", "digest - …" as manual pages begin. */
function isDefinition(plain: string, wanted: Wanted): boolean {
  const holds = (text: string, more: number): boolean => {
    const said = new Set(words(text));
    return said.size <= wanted.size + more && [...wanted.keys()].every((word) => said.has(word));
  };
  // "In a tree, this is …" says what this is, and "in a forest, a tree is …" what a tree is.
  const [before = "", after] = plain
    .replace(/^(?:in|within|on|for|with|under|by|at|from)\b[^,]*,\s+/i, "")
    .split(/\b(?:is|are|means?|denotes?|says|refers to|consists of|holds)\b/, 2);
  const [, called = ""] = /\bcalled ((?:[\w'-]+ ?){1,6})/.exec(plain) ?? [];
  const [name = "", summary] = plain.split(/\s[-\u2013\u2014]{1,2}\s/, 2);
  return (after !== undefined && holds(before, 2)) || (called !== "" && holds(called, 2)) || (summary !== undefined && holds(name, 1));
}

function locate({ source, start_line }: Text, run: readonly Sentence[]): LocatedQuote {
  const [from, to] = [run[0]?.start ?? 0, run.at(-1)?.end ?? 0];
  const line = (at: number): number => start_line + source.slice(0, at).split("\n").length - 1;
  return { quote: source.slice(from, to), start_line: line(from), end_line: line(to) };
}
