/** FindQuotes chooses what answers a question out of the texts that were found, and says how sure that is. The order and the decision are
 *  learnt: weights.ts has what each feature weighs, and the command that wrote it. */
import type { LocatedQuote } from "../format/citation.ts";
import type { Candidates } from "./candidates.ts";
import { type Candidate, cover, decisionFeatures, featuresOf } from "./features.ts";
import type { Found } from "./found-texts.ts";
import type { Question } from "./question.ts";
import type { Source } from "./sources.ts";
import { plainIn } from "./block.ts";
import { KINDS } from "../schema/kinds.ts";
import { sentencesIn } from "./units.ts";
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

/** What can be quoted, best first, each no part of a better one.
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

/** @param isHarmless whether a text may stand in an answer; a sentence that may not is left out */
export function findQuotes(
  question: Question,
  found: Found,
  sources: readonly Source[],
  candidates: Candidates,
  isHarmless: (text: string) => boolean,
): { readonly finding: Finding; readonly quotes: readonly Quoted[] } {
  const asked = question.asks
    ? sources.filter(({ source, title }) => question.numbered.every((name) => name.test(`${title}\n${source}`)))
    : sources;
  const ranked = rankCandidates(question, found, asked, candidates);
  const finding = decide(question, found, ranked);
  if (finding === "none") return { finding, quotes: [] };
  const quotes: (Quoted & { readonly ranked: Ranked })[] = [];
  for (const one of ranked) {
    if (quotes.length >= MAX_QUOTES || one.score < (ranked[0]?.score ?? 0) - BESIDE) break;
    const { unit } = one.candidate;
    if (quotes.some(({ ranked, plain }) => overlaps(ranked, one) || plain.includes(unit.plain))) continue;
    const plain = harmlessPart(one, isHarmless);
    if (plain === null) continue;
    const heading = unit.heading.at(-1) ?? "";
    quotes.push({ ...locate(one), source: one.source, plain, heading: isHarmless(heading) ? heading : "", ranked: one });
  }
  return { finding: quotes.length === 0 ? "none" : finding, quotes };
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
