/** How good answers without a model are where each question has a passage that answers it, which a pattern tells: whether the right passage
 *  is quoted, and what is said where none answers. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AnsweredQuestion } from "./library.ts";
import { type PassageQuestion, readerText } from "./collection.ts";
import { percentile } from "./metrics.ts";

const FIRST = 3; // quotes that a reader looks at
const LINES_AROUND = 3; // of a quote, in which the answer may stand
const MAX_AROUND = 240; // characters of each side; some pages are one line

/** Shown is a quote, or the first passage that search finds. */
export type Shown = { readonly key: string; readonly quote: string; readonly start_line: number; readonly end_line: number };

export type Judged = {
  readonly question: PassageQuestion;
  readonly quotes: readonly Shown[];
  readonly finding: AnsweredQuestion["finding"] | null;
  /** For each quote whether it, or it and what is around it, is right. */
  readonly right: readonly { readonly around: boolean; readonly itself: boolean }[];
  /** Keys that search finds, best first. */
  readonly found: readonly string[];
  /** True when what search shows of the first result is right. */
  readonly passage: boolean;
  readonly ms: number;
};

/** holdsAnswer tells whether what search shows of a result holds the answer. */
export function holdsAnswer({ answers }: PassageQuestion, result: { readonly key: string; readonly snippet: string } | undefined): boolean {
  return answers.some(({ file, must }) => file === result?.key && new RegExp(must, "i").test(readerText(result.snippet)));
}

/** judgeQuote judges a quote.
 *  @param library folder of the files */
export async function judgeQuote(library: string, { answers }: PassageQuestion, shown: Shown): Promise<Judged["right"][number]> {
  const matching = answers.filter(({ file }) => file === shown.key);
  const tests = (text: string): boolean => matching.some(({ must }) => new RegExp(must, "i").test(readerText(text)));
  if (matching.length === 0) return { around: false, itself: false };
  const lines = (await readFile(join(library, shown.key), "utf8")).split("\n");
  const whole = lines.slice(shown.start_line - 1, shown.end_line).join("\n");
  const at = Math.max(0, whole.indexOf(shown.quote));
  const before = `${lines.slice(Math.max(0, shown.start_line - 1 - LINES_AROUND), shown.start_line - 1).join("\n")}\n${whole.slice(0, at)}`;
  const after = `${whole.slice(at + shown.quote.length)}\n${lines.slice(shown.end_line, shown.end_line + LINES_AROUND).join("\n")}`;
  return {
    itself: tests(shown.quote),
    around: tests(`${readerText(before).slice(-MAX_AROUND)}${shown.quote}${readerText(after).slice(0, MAX_AROUND)}`),
  };
}

export function countJudged(all: readonly Judged[]): Readonly<Record<string, number | string>> {
  const answered = all.filter(({ question }) => question.answers.length > 0);
  const of = (kind: PassageQuestion["kind"], hasAnswer: boolean): readonly Judged[] =>
    all.filter(({ question }) => question.kind === kind && question.answers.length > 0 === hasAnswer);
  const share = (whole: readonly Judged[], test: (one: Judged) => boolean): string =>
    whole.length === 0 ? "-" : `${(whole.filter(test).length / whole.length).toFixed(3)} (${whole.filter(test).length} of ${whole.length})`;
  const isRight = ({ right }: Judged): boolean => right[0]?.around === true;
  const isSilent = ({ quotes }: Judged): boolean => quotes.length === 0;
  const isHeldBack = (one: Judged): boolean => isSilent(one) || one.finding === "nearest";
  const cites = (depth: number) => (one: Judged) =>
    one.quotes.slice(0, depth).some(({ key }) => one.question.answers.some(({ file }) => file === key));
  const finds = (depth: number) => (one: Judged) =>
    one.found.slice(0, depth).some((key) => one.question.answers.some(({ file }) => file === key));
  const [near, far, frames] = [of("near", false), of("far", false), of("frame", true)];
  const said = all.filter((one) => one.finding !== "nearest" && !isSilent(one));
  const held = all.filter((one) => one.finding === "nearest");
  const none = all.filter(isSilent);
  return {
    "search: right file first": share(answered, finds(1)),
    "search: right file in three": share(answered, finds(FIRST)),
    "search: right file in five": share(answered, finds(5)),
    "search: right passage first": share(answered, ({ passage }) => passage),
    "right passage first": share(answered, isRight),
    "right in the quote itself": share(answered, ({ right }) => right[0]?.itself === true),
    "right passage in three": share(answered, ({ right }) => right.slice(0, FIRST).some(({ around }) => around)),
    "right file cited first": share(answered, cites(1)),
    "right file cited in three": share(answered, cites(FIRST)),
    "silent although answered": share(answered, isSilent),
    "near: nearest or refused": share(near, isHeldBack),
    "near: refused": share(near, isSilent),
    "far: refused": share(far, isSilent),
    "frames: right first": share(frames, isRight),
    "frames: right in three": share(frames, ({ right }) => right.slice(0, FIRST).some(({ around }) => around)),
    "frames without an answer: nearest or refused": share(of("frame", false), isHeldBack),
    "said to be answered: right in three": share(said, ({ right }) => right.slice(0, FIRST).some(({ around }) => around)),
    "said to be nearest: no right one in three": share(held, ({ right }) => !right.slice(0, FIRST).some(({ around }) => around)),
    "said not to be here: no answer": share(none, ({ question }) => question.answers.length === 0),
    "quotes per answer": (all.reduce((sum, { quotes }) => sum + quotes.length, 0) / Math.max(1, all.length - none.length)).toFixed(2),
    "ms, median": percentile(
      all.map(({ ms }) => ms),
      0.5,
    ).toFixed(0),
    "ms, 95 %": percentile(
      all.map(({ ms }) => ms),
      0.95,
    ).toFixed(0),
  };
}
