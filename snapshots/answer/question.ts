/** ReadQuestion tells what a question is about from what only makes it a question: frames, and words that ask. */
import { words } from "#snapshots/words";
import { findNearNames } from "#snapshots/query";

const ASKS =
  /[?？]\s*$|(?:ですか|ますか|でしょうか|ください|吗|呢)。?\s*$|^\s*(?:what|who|whose|how|why|when|where|which|does|do|is|are|can|may|should|tell)\b/i;
const ASKING = new Set("what who whose how why when where which does can could should would tell".split(" "));
const MIN_ASKING = 4; // letters of a slip; of a shorter one too many words are near
const NUMBERING = /^\s*(?:Q?\d[\d.]*[.):]?|\(\d+\))\s+/;
const LIBRARY = "(?:(?:the|this|your) )?(?:library|texts?|documents?|manuals?|books?|pages?|papers?|it|here)";
/** A frame asks for whatever is said of its subject. */
const FRAMES = [
  /^what (?:is|was|has been) (?:said|written|told|known) (?:here )?(?:about|of|on)\s+/i,
  new RegExp(`^what (?:do|does) ${LIBRARY} (?:say|tell(?: (?:me|us))?|have) (?:about|of|on)\\s+`, "i"),
  new RegExp(
    `^(?:do|does) ${LIBRARY} (?:ever )?(?:mention|discuss|cover|describe|(?:say|have|know|contain) (?:anything|something) (?:about|of|on))\\s+`,
    "i",
  ),
  /^is (?:there )?(?:anything|something) (?:said |written |here )*(?:about|on)\s+/i,
  /^(?:please )?(?:tell|show|teach) me (?:more |something |everything )?(?:about|of)\s+/i,
  /^(?:explain|describe|define)\s+(?:to me )?(?:what )?/i,
];
/** Stop words of questions: they make a question and are not what it is about. */
const STOP_WORDS = new Set(
  words(
    "need must should would could may might mean meaning definition define explain say tell happen work use make get give go call difference " +
      "differ between reason still after exactly actually really possible good best thing kind form way about been between many much know " +
      "want stand me my there any some one all out them they he she off only more most than then so but also just ever often",
  ),
);
/** "SHA-1", "RFC 6962", "Debian 12": another number is another thing. "Since 2010" names nothing. */
const NUMBERED = /(?<![\p{L}\p{N}_-])(\p{L}{2,30})[- ]?(\d+)(?![\p{L}\p{N}_-]|[.,]\d)/gu;
const NAME = /\p{Lu}.*\p{Lu}|^(?!(?:After|Before|During|From|Since|Until|With)$)\p{Lu}\p{L}{3}/u;

/** Questions that ask what something is. */
const DEFINES =
  /^\s*(?:what|who)(?:['\u2019]s|\s+(?:is|are|was|were))\b|\b(?:meaning|definition) of\b|\bwhat\b.*\bmeans?\b|^\s*what\s+(?:do|does)\b.*\b(?:do|stand for)\b\W*$|とは(?:何|なん|どう)|の略|是什么|什么是/i;
/** Questions that ask for a reason. */
const EXPLAINS = /\bwhy\b|\bwhat\b.*\bfor\s*\?|\breasons?\b|\bpoint of\b|\bcause\b|なぜ|何故|どうして|为什么/i;

export type Question = {
  readonly defines: boolean;
  readonly explains: boolean;
  /** A sentence that is held against the library: several texts may bear it out, or speak against it. */
  readonly states: boolean;
  readonly asks: boolean;
  /** All words of it. */
  readonly said: ReadonlySet<string>;
  /** The words that it is about, by worth. */
  readonly topic: ReadonlyMap<string, number>;
  /** Those of them that stand side by side in it. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Names with a number in them, each as anybody may write it. */
  readonly numbered: readonly RegExp[];
};

/** isAsking tells whether a heading is a question, as those of collections of questions are. */
export function isAsking(heading: string): boolean {
  return ASKS.test(heading.replace(NUMBERING, ""));
}

/** mendAsking mends the first word of a question. A word that stands nowhere and is near one that asks becomes that one: "wich licence", "waht
 *  is". */
export function mendAsking(question: string, standsNowhere: (word: string) => boolean): string {
  const first = /^\p{L}+/u.exec(question)?.[0] ?? "";
  const [meant] = ASKING.has(first.toLowerCase()) ? [] : findNearNames(first, (word) => (ASKING.has(word) ? 1 : 0), MIN_ASKING);
  return meant !== undefined && standsNowhere(first) ? meant + question.slice(first.length) : question;
}

/** subjectOf returns a question without the frame that asks for whatever is said of its subject. */
export function subjectOf(question: string): string {
  const spaced = question.trim().replaceAll(/\s+/g, " ");
  const frame = FRAMES.map((form) => form.exec(spaced)?.[0] ?? "").find((found) => found !== "") ?? "";
  const subject = spaced.slice(frame.length).replace(/[ ?!.]+$/, "");
  return frame === "" || words(subject).length === 0 ? question : subject;
}

/** readQuestion reads what a question asks for. @param worth how much each word that is searched for the question tells in this library */
export function readQuestion(question: string, worth: ReadonlyMap<string, number>): Question {
  const asks = ASKS.test(question);
  const about = [...worth].filter(([word]) => !asks || !STOP_WORDS.has(word));
  const topic = about.length === 0 ? worth : new Map(about);
  const order = words(question).filter((word) => topic.has(word));
  return {
    defines: DEFINES.test(question),
    explains: EXPLAINS.test(question),
    asks,
    said: new Set(words(question)),
    states: !asks && /[.。]\s*$/.test(question),
    topic,
    pairs: order.slice(1).flatMap((word, at) => (word === order[at] ? [] : [[order[at] ?? "", word] as const])),
    numbered: [...question.matchAll(NUMBERED)].flatMap(([, name = "", number = ""]) =>
      NAME.test(name) ? [new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(name)}[-_ ]?${number}(?!\\p{N})`, "iu")] : [],
    ),
  };
}
