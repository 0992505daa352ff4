/** FindQuotes chooses what answers a question out of the texts that were found, and says how sure that is. The order and the decision are
 *  learnt: weights.ts has what each feature weighs, and the command that wrote it. */
import type { LocatedQuote } from "../format/citation.ts";
import type { Candidates } from "./candidates.ts";
import { type Candidate, cover, decisionFeatures, featuresOf } from "./features.ts";
import type { Found } from "./found-texts.ts";
import type { Question } from "./question.ts";
import type { Source } from "./sources.ts";
import { plainIn } from "../blocks/block.ts";
import { KINDS } from "../schema/kinds.ts";
import { sentencesIn } from "../blocks/units.ts";
import { BESIDE, DECISIONS, ORDER } from "./weights.ts";

const MAX_QUOTES = 3;

export type Finding = "answer" | "nearest" | "none";

export type Quoted = LocatedQuote & {
  readonly source: Source;
  /** As a reader sees it. */
  readonly plain: string;
  /** Of what it stands under; "" where nothing is named. */
  readonly heading: string;
};

export type Ranked = {
  readonly candidate: Candidate;
  readonly source: Source;
  readonly features: readonly number[];
  readonly score: number;
};

/** What can be quoted, best first.
 *  @param order weights of the features */
export function rankCandidates(
  question: Question,
  found: Found,
  sources: readonly Source[],
  candidates: Candidates,
  order: readonly number[] = Object.values(ORDER),
): readonly Ranked[] {
  const all = sources.flatMap((source) =>
    candidates.read(source).map((candidate) => {
      const features = featuresOf(question, candidate, found);
      return { candidate, source, features, score: dot(features, order) };
    }),
  );
  return all.sort((a, b) => b.score - a.score);
}

/** A text that does not have what the question names with a number ("SHA-1") is not quoted.
 *  @param candidates best first
 *  @param isHarmless whether a text may stand in an answer; a sentence that may not is left out */
export function findQuotes(
  question: Question,
  found: Found,
  candidates: readonly Ranked[],
  isHarmless: (text: string) => boolean,
): { readonly finding: Finding; readonly quotes: readonly Quoted[] } {
  const numbered = question.states ? [] : question.numbered;
  const isAsked = ({ source, title }: Source): boolean => numbered.every((name) => name.test(`${title}\n${source}`));
  const named = new Set([...new Set(candidates.map(({ source }) => source))].filter(isAsked));
  const ranked = candidates.filter(({ source }) => named.has(source));
  const finding = decide(question, found, ranked);
  if (finding === "none") return { finding, quotes: [] };
  const quotes: (Quoted & { readonly ranked: Ranked })[] = [];
  for (const one of ranked) {
    if (quotes.length >= MAX_QUOTES || one.score < (ranked[0]?.score ?? 0) - BESIDE) break;
    const { unit } = one.candidate;
    if (quotes.some(({ ranked, plain }) => overlaps(ranked, one) || plain.includes(unit.plain))) continue;
    if (question.states && quotes.some(({ source }) => source.key === one.source.key)) continue;
    const plain = harmlessPart(one, isHarmless);
    if (plain === null) continue;
    const heading = unit.heading.at(-1) ?? "";
    quotes.push({ ...locate(one), source: one.source, plain, heading: isHarmless(heading) ? heading : "", ranked: one });
  }
  return { finding: quotes.length === 0 ? "none" : finding, quotes };
}

/** A passage as a model is shown it: lines of its source, and what is read there. */
export type ShownPassage = { readonly source: Source; readonly text: string; readonly start_line: number; readonly end_line: number };

/** The passages in which the best candidates begin, best first, each once; a candidate in none that was found stands by itself. */
export function passagesOf(ranked: readonly Ranked[], count: number): readonly ShownPassage[] {
  const shown = new Map<string, ShownPassage>();
  for (const one of ranked) {
    if (shown.size >= count) break;
    const { source, candidate } = one;
    const { start_line, end_line, quote } = locate(one);
    const { row } = candidate.passage;
    const lines = row ?? { text: quote, start_line, end_line };
    const name = `${source.key} ${source.page ?? ""} ${lines.start_line} ${row?.n ?? `at ${candidate.unit.start}`}`;
    if (!shown.has(name)) shown.set(name, { source, text: lines.text, start_line: lines.start_line, end_line: lines.end_line });
  }
  return [...shown.values()];
}

/** How sure it is that something answers, and that the first three quotes do. */
function decide(question: Question, found: Found, ranked: readonly Ranked[]): Finding {
  const [first] = ranked;
  if (first === undefined || cover(question.topic, first.candidate.section, first.candidate.title) === 0) return "none";
  const features = decisionFeatures(question, found, ranked);
  const isSure = ({ bias, weights, enough }: (typeof DECISIONS)[keyof typeof DECISIONS]): boolean =>
    1 / (1 + Math.exp(-bias - dot(features, Object.values(weights)))) >= enough;
  if (!isSure(DECISIONS.here)) return "none";
  return isSure(DECISIONS.answered) ? "answer" : "nearest";
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

function overlaps(a: Ranked, b: Ranked): boolean {
  return a.source === b.source && a.candidate.unit.start < b.candidate.unit.end && b.candidate.unit.start < a.candidate.unit.end;
}

/** What may be shown of it: an address in a sentence takes that sentence away, and not the rest. */
function harmlessPart({ candidate: { unit }, source }: Ranked, isHarmless: (text: string) => boolean): string | null {
  const { prose } = KINDS[source.kind];
  if (isHarmless(unit.plain) || prose === null) return unit.plain;
  const parts = sentencesIn(source.source, unit.start, unit.end).map(([start, end]) => plainIn(source.source.slice(start, end), prose));
  const shown = parts.map((part) => (isHarmless(part) ? part : "\u2026"));
  return shown.every((part) => part === "\u2026")
    ? null
    : shown
        .join(" ")
        .replaceAll(/(?:\u2026 ?)+/g, "\u2026 ")
        .trim();
}

function locate({ candidate: { unit }, source: { source, start_line } }: Ranked): LocatedQuote {
  const line = (at: number): number => start_line + source.slice(0, at).split("\n").length - 1;
  return { quote: source.slice(unit.start, unit.end), start_line: line(unit.start), end_line: line(unit.end) };
}
