/** FindQuotes chooses what answers a question out of the texts that were found, and says how sure that is. The order and the decision are
 *  learnt: weights.ts has what each feature weighs, and the command that wrote it. */
import { type LocatedQuote, quoteAt } from "#snapshots/format";
import type { Candidates } from "./candidates.ts";
import { type AskedCell, findCells } from "./cells.ts";
import { type AnswerCandidate, cover, decisionFeatures, featuresOf } from "./features.ts";
import type { TextFindings } from "./found-texts.ts";
import type { IndexRow } from "#snapshots/index";
import type { Question } from "./question.ts";
import type { AnswerSource } from "./sources.ts";
import { sentencesIn } from "#snapshots/blocks";
import { words } from "#snapshots/words";
import { BESIDE, DECISIONS, ORDER } from "./weights.ts";

const MAX_QUOTES = 3;

export type QuoteFinding = "answer" | "nearest" | "none";

export type Quoted = LocatedQuote & {
  readonly source: AnswerSource;
  /** As a reader sees it. */
  readonly plain: string;
  /** Headings that it stands under; "" where there are none. */
  readonly heading: string;
  /** The cell that was asked for, of a row. */
  readonly cell?: AskedCell;
};

export type Ranked = {
  readonly candidate: AnswerCandidate;
  readonly source: AnswerSource;
  readonly features: readonly number[];
  readonly score: number;
};

/** rankCandidates ranks the texts that can be quoted, best first.
 *  @param order weights of the features */
export function rankCandidates(
  question: Question,
  found: TextFindings,
  sources: readonly AnswerSource[],
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

/** findQuotes chooses the quotes that answer a question, and says how sure that is. A text that does not have what the question names with a
 *  number ("SHA-1") is not quoted.
 *  @param candidates best first
 *  @param isHarmless whether a text may stand in an answer; a sentence that may not is left out */
export function findQuotes(
  question: Question,
  found: TextFindings,
  candidates: readonly Ranked[],
  isHarmless: (text: string) => boolean,
): { readonly finding: QuoteFinding; readonly quotes: readonly Quoted[] } {
  const numbered = question.states ? [] : question.numbered;
  const isAsked = ({ source, title }: AnswerSource): boolean => numbered.every((name) => name.test(`${title}\n${source}`));
  const named = new Set([...new Set(candidates.map(({ source }) => source))].filter(isAsked));
  const cells = quoteCells(
    question,
    candidates.filter(({ source }) => named.has(source)),
    isHarmless,
  );
  if (cells.length > 0) return { finding: "answer", quotes: cells };
  const ranked = candidates.filter(({ source, candidate }) => named.has(source) && isProse(candidate));
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
  if (quotes.length === 0) return { finding: "none", quotes };
  return {
    finding:
      finding === "answer" &&
      !saysRarest(
        question,
        quotes.map(({ ranked }) => ranked),
      )
        ? "nearest"
        : finding,
    quotes,
  };
}

const RARE = 0.9; // of the worth of the word that tells most

/** Tells whether the rarest words of a question stand in what is quoted, in its headings or in the title above it. */
function saysRarest({ topic }: Question, quoted: readonly Ranked[]): boolean {
  const most = Math.max(...topic.values());
  const said = quoted.flatMap(({ candidate: { said, title, unit } }) => [
    said.said,
    title,
    new Set(unit.heading.flatMap((text) => words(text))),
  ]);
  return [...topic].every(([word, worth]) => worth < most * RARE || said.some((set) => set.has(word)));
}

/** Settings are found by who asks for one, and say nothing beside a text. */
const isProse = ({ unit }: AnswerCandidate): boolean => unit.form !== "cells";

/** quoteCells quotes the rows whose cells are asked for, each once, as their columns stand. */
function quoteCells(question: Question, candidates: readonly Ranked[], isHarmless: (text: string) => boolean): readonly Quoted[] {
  return findCells(question, candidates)
    .filter(({ ranked, cell }) => [ranked.candidate.unit.plain, cell.column, cell.value].every(isHarmless))
    .slice(0, MAX_QUOTES)
    .map(({ ranked, cell }) => {
      const { plain, row } = ranked.candidate.unit;
      // A setting says its name itself.
      return { ...locate(ranked), source: ranked.source, plain, heading: "", ...(row?.columns.length === 1 ? {} : { cell }) };
    });
}

/** An ModelExcerpt is a passage; its `text` is what a model is shown. */
export type ModelExcerpt = Pick<IndexRow, "key" | "title" | "kind" | "sha256" | "page" | "start_line" | "end_line" | "text"> & {
  /** The object's own lines start_line to end_line: the only text that is ever quoted. */
  readonly source: string;
};

/** excerptsOf returns the passages in which the best candidates begin, best first, each once. A candidate that lies in no passage that was found
 *  stands by itself. */
export function excerptsOf(ranked: readonly Ranked[], count: number): readonly ModelExcerpt[] {
  const shown = new Map<string, ModelExcerpt>();
  for (const one of ranked.filter(({ candidate }) => isProse(candidate))) {
    if (shown.size >= count) break;
    const { key, title, kind, sha256, page, source, start_line: first } = one.source;
    const { row } = one.candidate.passage;
    const { quote, ...own } = locate(one);
    const { text, start_line, end_line } = row ?? { text: quote, ...own };
    const name = `${key} ${page ?? ""} ${start_line} ${row?.n ?? `at ${one.candidate.unit.start}`}`;
    const lines = source.split("\n").slice(start_line - first, end_line - first + 1);
    if (!shown.has(name)) shown.set(name, { key, title, kind, sha256, page, text, start_line, end_line, source: lines.join("\n") });
  }
  return [...shown.values()];
}

/** How sure it is that something answers, and that the first three quotes do. */
function decide(question: Question, found: TextFindings, ranked: readonly Ranked[]): QuoteFinding {
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

/** overlaps tells whether two candidates have bytes in common. */
export function overlaps(a: Ranked, b: Ranked): boolean {
  return a.source === b.source && a.candidate.unit.start < b.candidate.unit.end && b.candidate.unit.start < a.candidate.unit.end;
}

/** The part of a text that may be shown, or null. A sentence with an address in it is replaced by an ellipsis; the rest stays. */
function harmlessPart({ candidate: { unit }, source }: Ranked, isHarmless: (text: string) => boolean): string | null {
  if (isHarmless(unit.plain)) return unit.plain;
  const parts = sentencesIn(source.source, unit.start, unit.end).map(([start, end]) => unit.plainOf(start, end));
  const shown = parts.map((part) => (isHarmless(part) ? part : "\u2026"));
  return shown.every((part) => part === "\u2026")
    ? null
    : shown
        .join(" ")
        .replaceAll(/(?:\u2026 ?)+/g, "\u2026 ")
        .trim();
}

export function locate({ candidate: { unit }, source: { source, start_line } }: Ranked): LocatedQuote {
  return quoteAt(source, start_line, unit.start, unit.end);
}
