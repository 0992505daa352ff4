/** AnswerCounted is what this folder gives: a question about the registry, the claims, the catalog or the history, counted. */
import { correct } from "../../../snapshots/query/meant.ts";
import { findNearNames } from "../../../snapshots/query/index.ts";
import { words } from "../../../snapshots/index/words.ts";
import type { AnswerCounted, Counted, CountedIn, Facts } from "../../ask/counted.ts";
import { answerAsked } from "./figures.ts";
import { knownWords } from "./names.ts";
import { readQuestions } from "./question.ts";

export const answerCounted: AnswerCounted = async (question, asked) => {
  const found = await count(question, asked);
  if (found !== null) return found;
  const mended = await mend(question, asked).catch(() => question);
  return mended === question ? null : count(mended, asked);
};

async function count(question: string, { prefix, snapshot }: CountedIn): Promise<Counted | null> {
  const data = await snapshot.data();
  const { all, rest } = readQuestions(question, data);
  const facts: Facts[] = [];
  for (const asked of all) {
    const found = await answerAsked(asked, prefix, snapshot, data);
    if (found === null) return null;
    facts.push(found);
  }
  return facts.length === 0 ? null : { facts, rest, read: question };
}

/** mend reads a word that stands nowhere in the library as the one word of a counting question that is near it. */
async function mend(question: string, { snapshot, standsNowhere }: CountedIn): Promise<string> {
  const known = knownWords(await snapshot.data());
  const near = (question.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((asked) => {
    const word = asked.toLowerCase();
    const [meant, ...others] = known.has(word) ? [] : findNearNames(word, (one) => (known.has(one) ? 1 : 0));
    return meant === undefined || others.length > 0 ? [] : [{ asked, meant }];
  });
  if (near.length === 0) return question;
  const isNowhere = await standsNowhere();
  // "Verifyed" has the stem of "verified", which does stand somewhere.
  const isSlip = (asked: string, meant: string): boolean => isNowhere(asked.toLowerCase()) || words(asked).join() === words(meant).join();
  return correct(
    question,
    near.filter(({ asked, meant }) => isSlip(asked, meant)),
  );
}
