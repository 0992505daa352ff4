/** The parts of a text that let a proof use a hole of its checker: words, and recursive definitions of Coq that are not plain. It errs on one side: what is
 *  doubtful is a suspect. */
import { readSentences } from "#generator/extract";
import type { Advisory } from "./advisories.ts";
import { hasIrrelevance } from "./irrelevance.ts";
import { hasOddModule } from "./modules.ts";
import { classNames, hidesCalls, isUnusual } from "./recursion.ts";

type Suspects = NonNullable<Advisory["suspects"]>;

/** Settings by which arguments are left out without a sign at the definition. */
const IMPLIES = /\b(?:Implicit\s+Arguments|Arguments)\b/;
const STRING = /"(?:[^"]|"")*"/g;

/** openSuspects tells what a text has of what an advisory names. @param isCoq comments and strings of Coq are not looked at
 *  @param classes words for classes in the development; those of the text alone by default */
export function openSuspects(text: string, isCoq: boolean, classes = classNames([text])): (suspects: Suspects) => boolean {
  const written = isCoq
    ? [...readSentences(text)].filter(({ comment }) => !comment).map(({ start, end }) => withoutComments(text.slice(start, end)))
    : [text];
  const sentences = written.map((sentence) => (isCoq ? sentence.replaceAll(STRING, '""') : sentence));
  let recursion: boolean | undefined;
  return ({ words = [], recursion: asked, modules, irrelevance }) => {
    if (irrelevance === true && hasIrrelevance(text)) return true;
    if (asked === true && (recursion ??= written.some(hidesCalls) || isRecursive(sentences, classes))) return true;
    if (modules === true && hasOddModule(sentences)) return true;
    return words.some((word) => sentences.some((sentence) => hasWord(sentence, word)));
  };
}

function isRecursive(sentences: readonly string[], classes: ReadonlySet<string>): boolean {
  const impliesArguments = sentences.some((sentence) => IMPLIES.test(sentence));
  return sentences.some((sentence) => isUnusual(sentence, { impliesArguments, classes }));
}

function withoutComments(sentence: string): string {
  return sentence.replaceAll(/("(?:[^"]|"")*")|\(\*[^]*?\*\)/g, (_, string: string | undefined) => string ?? " ");
}

function hasWord(text: string, word: string): boolean {
  const part = word.startsWith("-") ? /[\p{L}\p{N}_'-]/u : /[\p{L}\p{N}_']/u;
  const isPart = (sign: string | undefined): boolean => sign !== undefined && part.test(sign);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return true;
  return false;
}
