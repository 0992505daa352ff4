/** FeaturesOf says in numbers what speaks for a stretch of a text as the answer to a question. The weights are learnt (weights.ts). */
import { words } from "#snapshots/words";
import type { TextFindings, FoundPassage, FoundText } from "./found-texts.ts";
import { isAsking, type Question } from "./question.ts";
import type { Unit } from "#snapshots/blocks";
import { USUAL } from "./weights.ts";

const REASON = /\b(?:because|since|so that|otherwise|therefore|hence|reason|or else|must)\b|, or\b|^(?:so|that is why)\b/i;

/** FEATURES are the names of the features, in the order of the weights. */
export const FEATURES = [
  "share of the topic's words said",
  "likeness of the heading",
  "nearness to the heading",
  "neighbours of the question said",
  "text: share of the best score",
  "text: nearness to the first",
  "passage: share of the best score",
  "passage: nearness of meaning, within the answer",
  "definition, where one is asked for",
  "reason, where one is asked for",
  "stands under a question",
  "length",
] as const;

/** TextWords are the words of a text, read once: as a set and in their order. */
export type TextWords = { readonly said: ReadonlySet<string>; readonly order: readonly string[] };

export function wordsIn(text: string): TextWords {
  const order = words(text);
  return { order, said: new Set(order) };
}

export type AnswerCandidate = {
  readonly unit: Unit;
  readonly text: FoundText;
  readonly passage: Pick<FoundPassage, "words" | "near"> & { readonly row: FoundPassage["row"] | null };
  readonly said: TextWords;
  readonly heading: ReadonlySet<string>;
  readonly title: ReadonlySet<string>;
  /** Words of all text under the same headings, and of the headings. */
  readonly section: ReadonlySet<string>;
};

/** cover returns the share of the topic, by worth, that the sets hold. */
export function cover(topic: Question["topic"], ...sets: readonly ReadonlySet<string>[]): number {
  let [all, held] = [0, 0];
  for (const [word, worth] of topic) {
    all += worth;
    if (sets.some((set) => set.has(word))) held += worth;
  }
  return all === 0 ? 0 : held / all;
}

export function featuresOf(
  question: Question,
  { unit, text, passage, said, heading }: AnswerCandidate,
  { near: { high, low } }: TextFindings,
): readonly number[] {
  const { topic } = question;
  const flag = (test: boolean): number => (test ? 1 : 0);
  return [
    cover(topic, said.said),
    likeness(topic, heading),
    1 / (1 + unit.below),
    pairsIn(question, said.order),
    text.share,
    text.rank === 0 ? 0 : 1 / text.rank,
    passage.words,
    high > low ? (passage.near - low) / (high - low) : 0,
    flag(question.defines && isDefinition(unit.plain, question, heading)),
    flag(question.explains && REASON.test(unit.plain)),
    flag(isAsking(unit.heading.at(-1) ?? "")),
    Math.log2(1 + unit.plain.length / 100),
  ];
}

/** likeness is 1 for a heading of the topic's words and no others, as Dice has it. One that has them among many is about something else. */
function likeness(topic: Question["topic"], heading: ReadonlySet<string>): number {
  const [held, said] = [cover(topic, heading), [...heading].filter((word) => topic.has(word)).length / Math.max(1, heading.size)];
  return held === 0 ? 0 : (2 * held * said) / (held + said);
}

const NEAR = 4; // words between neighbours of the question that still belong together

/** Share of the question's neighbours that stand near each other. */
function pairsIn({ pairs, topic }: Question, order: readonly string[]): number {
  if (pairs.length === 0) return 0;
  const at = new Map<string, number[]>();
  for (const [place, word] of order.entries()) if (topic.has(word)) at.set(word, [...(at.get(word) ?? []), place]);
  const held = pairs.filter(([one, other]) => at.get(one)?.some((a) => at.get(other)?.some((b) => Math.abs(a - b) <= NEAR)));
  return held.length / pairs.length;
}

/** "A digest is …", "… is called a digest", "digest - …" as manual pages begin, and what stands under the term. */
function isDefinition(plain: string, { topic }: Question, heading: ReadonlySet<string>): boolean {
  const holds = (text: string | undefined, more: number): boolean => {
    const said = new Set(words(text ?? ""));
    return said.size > 0 && said.size <= topic.size + more && [...topic.keys()].every((word) => said.has(word));
  };
  if (heading.size > 0 && heading.size <= topic.size && [...heading].every((word) => topic.has(word))) return true;
  // "In a tree, this is …" says what this is, and "in a forest, a tree is …" what a tree is.
  const [before, after] = plain
    .replace(/^(?:in|within|on|for|with|under|by|at|from)\b[^,]*,\s+/i, "")
    .split(/\b(?:is|are|means?|denotes?|says|refers to|consists of|holds)\b|\s[-\u2013\u2014]{1,2}\s|:\s/, 2);
  return (after !== undefined && holds(before, 2)) || holds(/\bcalled ((?:[\w'-]+ ?){1,6})/.exec(plain)?.[1], 2);
}

/** DECISION_FEATURES are the names of the features that decide whether there is an answer, in the order of its weights. */
export const DECISION_FEATURES = [
  "share of the topic's words said",
  "share of them in the section or the title",
  "neighbours of the question said",
  "most of them in one section",
  "search: the best score, by their worth",
  "nearness of the nearest passage",
  "nearness of the first quote's passage",
  "few words",
  "score of the first quote",
  "lead over the next text",
] as const;

const LOOKED_AT = 10; // candidates whose sections are looked at

/** decisionFeatures measures the features that decide whether there is an answer. @param ranked best first, at least one */
export function decisionFeatures(
  { topic }: Question,
  found: TextFindings,
  ranked: readonly { readonly candidate: AnswerCandidate; readonly features: readonly number[]; readonly score: number }[],
): readonly number[] {
  const [first] = ranked;
  if (first === undefined) return [];
  const { candidate, features, score } = first;
  const valueOf = (name: (typeof FEATURES)[number]): number => features[FEATURES.indexOf(name)] ?? 0;
  const worth = [...topic.values()].reduce((sum, one) => sum + one, 0);
  const next = ranked.find((one) => one.candidate.text !== candidate.text);
  return [
    valueOf("share of the topic's words said"),
    cover(topic, candidate.section, candidate.title),
    valueOf("neighbours of the question said"),
    Math.max(...ranked.slice(0, LOOKED_AT).map((one) => cover(topic, one.candidate.section))),
    worth === 0 ? 0 : found.score / worth,
    // Without a model of meaning nothing speaks for or against.
    found.near.high || USUAL.nearest,
    candidate.passage.near || USUAL.first,
    1 / Math.sqrt(Math.max(1, topic.size)),
    score,
    next === undefined ? 0 : score - next.score,
  ];
}
