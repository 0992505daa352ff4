/** An answer without a model: the sentences of the library that answer a question, or the finding that none does. What is read is the
 *  rendered text; what is quoted are the object's own bytes. */
import type { IndexKind, IndexRow } from "../snapshots/index/row.ts";
import { words } from "../snapshots/index/words.ts";
import { type Sentence, sentencesOf } from "../snapshots/query/prose.ts";
import type { LocatedQuote } from "../snapshots/format/citation.ts";
import { isHarmless } from "./harmless.ts";
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
const LEAD_BONUS = 0.2; // of the first sentence under a title that is what the question is about

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

const DEFINES =
  /^\s*(?:what|who)(?:['\u2019]s|\s+(?:is|are|was|were))\b|^\s*(?:define|explain)\b|\b(?:meaning|definition) of\b|\bwhat\b.*\bmeans?\b/i;
const INSTRUCTS = /\bhow\s+(?:do|does|can|could|should|to|would)\b/i;
const NEGATED = /\b(?:not|no|never|without|cannot|except|nor|neither)\b|n['\u2019]t\b/i;
const STEP = /^(?:to \w+|run|use|take|compute|write|print|check|put|add|open|compare|read|call|start|set|ask|look|first|then)\b|`[^`]+`/i;

/** @param texts best first
 *  @returns best first; [] when nothing here answers the question */
export function findQuotes<T extends Text>(question: string, wanted: Wanted, texts: readonly T[]): readonly Quoted<T>[] {
  const total = [...wanted.values()].reduce((sum, worth) => sum + worth, 0);
  if (total === 0) return [];
  const top = Math.max(...texts.map(({ score }) => score), Number.MIN_VALUE);
  const cover = (held: ReadonlySet<string>): number =>
    [...wanted].reduce((sum, [word, worth]) => sum + (held.has(word) ? worth : 0), 0) / total;
  const asked = {
    defines: DEFINES.test(question),
    instructs: INSTRUCTS.test(question),
    negated: NEGATED.test(question),
    isQuestion: /\?\s*$|^\s*(?:what|who|how|why|when|where|which|does|do|is|are|can)\b/i.test(question),
  };
  const read = texts.flatMap((text) => {
    const around = new Set(words(`${text.title} ${text.key} ${text.heading}`));
    const all = sentencesOf(text.source, text.kind).filter(
      ({ plain, start, end }) => end - start <= MAX_QUOTE && isHarmless(plain) && !isTitle(plain, text),
    );
    const titled = cover(new Set(words(text.title)));
    const lead = titled >= 0.5 ? LEAD_BONUS : 0;
    const best = bestRun(all, cover, around, (sentence) => bonus(sentence, wanted, asked) + (sentence === all[0] ? lead : 0));
    if (best === null) return [];
    const body = cover(new Set([...around, ...words(text.source)]));
    const isAside = asked.isQuestion && text.kind === "code";
    const held = (body + Math.max(best.covered, titled)) * (isAside ? CODE_SHARE : 1);
    const weights = TITLE_WEIGHT * titled + RUN_WEIGHT * best.score - (isAside ? CODE_PENALTY : 0);
    return [{ text, ...best, held, rank: text.score / top + weights }];
  });
  const enough = enoughOf(wanted.size);
  const most = Math.max(0, ...read.map(({ held }) => held));
  if (most < enough) return [];
  return read
    .filter(({ held }) => held >= BESIDE[asked.isQuestion ? "question" : "statement"] * most)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MAX_DOCUMENTS)
    .map(({ text, run }) => ({ text, ...locate(text, run), plain: run.map(({ plain }) => plain).join(" ") }));
}

function isTitle(plain: string, { title, heading }: Text): boolean {
  const bare = (text: string): string => words(text).join(" ");
  return [title, ...heading.split(" › ")].some((other) => bare(other) === bare(plain));
}

type AskedFor = { readonly defines: boolean; readonly instructs: boolean; readonly negated: boolean; readonly isQuestion: boolean };

/** The sentences of one paragraph that say most: at first those that hold the question's words, then what follows them. */
function bestRun(
  all: readonly Sentence[],
  cover: (held: ReadonlySet<string>) => number,
  around: ReadonlySet<string>,
  bonusOf: (first: Sentence) => number,
): { readonly run: readonly Sentence[]; readonly score: number; readonly covered: number } | null {
  const held = all.map(({ own }) => new Set(words(own)));
  let best: { from: number; to: number; score: number; covered: number } | null = null;
  for (const [from, first] of all.entries()) {
    const known = new Set<string>();
    for (let to = from; to < Math.min(all.length, from + MAX_SENTENCES); to++) {
      const last = all[to];
      if (last === undefined || last.block !== first.block || last.end - first.start > MAX_QUOTE) break;
      for (const word of held[to] ?? []) known.add(word);
      const covered = cover(known);
      if (covered === 0) continue;
      const context = new Set([...around, ...words(first.heading)].filter((word) => !known.has(word)));
      const score = covered + 0.3 * cover(context) + bonusOf(first) - 0.04 * (to - from);
      if (best === null || score > best.score + 1e-9) best = { from, to, score, covered };
    }
  }
  if (best === null) return null;
  let { from, to } = best;
  const fits = (start: number, end: number): boolean => {
    const [first, last] = [all[start], all[end]];
    return (
      first !== undefined &&
      last !== undefined &&
      first.block === last.block &&
      end - start < MAX_SENTENCES &&
      last.end - first.start <= MAX_QUOTE
    );
  };
  while (fits(from, to + 1)) to++;
  // "This makes it …" says nothing without what stands before it.
  while ((to === from || /^(?:this|these|that|those|it|they|such|here)\b/i.test(all[from]?.plain ?? "")) && fits(from - 1, to)) from--;
  return { run: all.slice(from, to + 1), score: best.score, covered: best.covered };
}

function bonus({ plain, heading }: Sentence, wanted: Wanted, { defines, instructs, negated, isQuestion }: AskedFor): number {
  let more = 0;
  if (defines) {
    const [subject = "", rest] = plain.split(/\b(?:is|are|means?|denotes?|says|refers to|consists of|holds)\b/, 2);
    const said = new Set(words(subject));
    if (rest !== undefined && said.size <= wanted.size + 2 && [...wanted.keys()].every((word) => said.has(word))) more += 0.5;
  }
  if (instructs && STEP.test(plain)) more += 0.15;
  if (isQuestion) {
    // What stands under "What it does not prove" answers the opposite.
    if (NEGATED.test(heading) !== negated) more -= 0.35;
    else if (negated) more += 0.3;
    if (negated && NEGATED.test(plain)) more += 0.15;
    if (!negated && NEGATED.test(plain)) more -= 0.05;
  }
  return more;
}

function locate({ source, start_line }: Text, run: readonly Sentence[]): LocatedQuote {
  const [from, to] = [run[0]?.start ?? 0, run.at(-1)?.end ?? 0];
  const line = (at: number): number => start_line + source.slice(0, at).split("\n").length - 1;
  return { quote: source.slice(from, to), start_line: line(from), end_line: line(to) };
}
