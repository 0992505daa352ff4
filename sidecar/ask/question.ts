/** What a question asks for: a definition, instructions, a reason, and the words that it is about. */
import { words } from "../../snapshots/index/words.ts";
import type { Wanted } from "./quote.ts";

const DEFINES =
  /^\s*(?:what|who)(?:['\u2019]s|\s+(?:is|are|was|were))\b|^\s*(?:define|explain)\b|\b(?:meaning|definition) of\b|\bwhat\b.*\bmeans?\b|^\s*what\s+(?:do|does)\b.*\bdo\b\W*$/i;
const INSTRUCTS = /\bhow\s+(?:do|does|can|could|should|to|would)\b/i;
const EXPLAINS = /\bwhy\b|\bwhat\b.*\bfor\s*\?|\breasons?\b/i;
export const NEGATED = /(?<!(?:,|\band)\s)\b(?:not|no|never|without|cannot|except|nor|neither)\b|n['\u2019]t\b/i;
const ASKS = /\?\s*$|^\s*(?:what|who|how|why|when|where|which|does|do|is|are|can)\b/i;
/** Stop words of questions: they make a question and are not what it is about. */
const STOP_WORDS = new Set(
  words(
    "need must should would could may might mean meaning definition define explain say tell happen work use make get give go call difference " +
      "differ between reason remedy still after exactly actually really possible good best thing kind form way about been between many much know " +
      "want",
  ),
);

/** "SHA-1", "RFC 6962": another number is another thing. */
const NUMBERED = /(?<![\p{L}\p{N}_-])(\p{L}{2,30})[- ]?(\d+)(?![\p{L}\p{N}_-]|[.,]\d)/gu;
const CAPITALS = /\p{Lu}.*\p{Lu}/u;

/** Of a question with single spaces. */
const SUBJECT = [
  /^(?:what|who)(?:['\u2019]s| (?:is|are|was|were)) (?:(?:an?|the) )?(.+)$/i,
  /^what (?:do|does) (?:(?:an?|the) )?(.+) (?:do|mean)$/i,
  /^(?:define|explain) (?:(?:an?|the) )?(.+)$/i,
  /^(?:what(?:['\u2019]s| is) )?the (?:meaning|definition) of (?:(?:an?|the) )?(.+)$/i,
];
const MAX_DEFINING = 200; // UTF-16 units of a question for a definition
const MAX_SUBJECT = 4; // words; what is longer is no name of a thing

/** What a question asks the definition of, as it is written there: "git stash" of "What does git stash do?"; null of another question. */
export function subjectOf(question: string): string | null {
  const spaced = question.trim().replaceAll(/\s+/g, " ");
  if (spaced.length > MAX_DEFINING) return null;
  const asked = spaced.replace(/[ ?!.]+$/, "");
  const [subject = null] = SUBJECT.toReversed().flatMap((form) => form.exec(asked)?.[1] ?? []);
  return subject === null || subject.split(" ").length > MAX_SUBJECT ? null : subject;
}

export type Question = {
  readonly defines: boolean;
  readonly instructs: boolean;
  readonly explains: boolean;
  readonly negated: boolean;
  /** And not a statement. */
  readonly asks: boolean;
  /** The words that it is about, by worth. */
  readonly wanted: Wanted;
  /** Those of them that stand side by side in it. */
  readonly neighbours: readonly (readonly [string, string])[];
  /** What has a number in its name, each as whoever writes of it may write it. */
  readonly numbered: readonly RegExp[];
};

/** @param worth how much each word of the question tells in this library */
export function readQuestion(question: string, worth: Wanted): Question {
  const asks = ASKS.test(question);
  const about = [...worth].filter(([word]) => !asks || !STOP_WORDS.has(word));
  const wanted = about.length === 0 ? worth : new Map(about);
  const order = words(question).filter((word) => wanted.has(word));
  return {
    defines: DEFINES.test(question),
    instructs: INSTRUCTS.test(question),
    explains: EXPLAINS.test(question),
    negated: NEGATED.test(question),
    asks,
    wanted,
    neighbours: order.slice(1).flatMap((word, at) => (word === order[at] ? [] : [[order[at] ?? "", word] as const])),
    numbered: [...question.matchAll(NUMBERED)].flatMap(([, name = "", number = ""]) =>
      CAPITALS.test(name) ? [new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(name)}[-_ ]?${number}(?!\\p{N})`, "iu")] : [],
    ),
  };
}
