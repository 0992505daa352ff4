/** The parts of a text that let a proof use a hole of its checker: words, and recursive definitions of Coq that are not plain. It errs on one side: what is
 *  doubtful is a suspect. */
import { readSentences, withoutCoqComments } from "#generator/extract";
import { openLines } from "#snapshots/blocks";
import type { Advisory } from "./advisories.ts";
import { hasIrrelevance } from "./irrelevance.ts";
import { hasOddModule } from "./modules.ts";
import { classNames, hidesCalls, isUnusual } from "./recursion.ts";

type Suspects = NonNullable<Advisory["suspects"]>;

/** Settings by which arguments are left out without a sign at the definition. */
const IMPLIES = /\b(?:Implicit\s+Arguments|Arguments)\b/;
const STRING = /"(?:[^"]|"")*"/g;

/** Suspect is a place that may use a hole: the line and the first words of the sentence; of a whole text, line 0 and no words. */
export type Suspect = { readonly line: number; readonly words: string };

const WHOLE: Suspect = { line: 0, words: "" };
const MAX_WORDS = 80; // UTF-16 units

/** openSuspects finds the first of what a text has of what an advisory names. @param isCoq comments and strings of Coq are not looked at
 *  @param classes words for classes in the development; those of the text alone by default */
export function openSuspects(text: string, isCoq: boolean, classes = classNames([text])): (suspects: Suspects) => Suspect | null {
  const { lineAt } = openLines(text);
  const parts = isCoq
    ? [...readSentences(text)].flatMap(({ comment, start, end }) =>
        comment ? [] : [{ line: lineAt(start), written: withoutCoqComments(text.slice(start, end)) }],
      )
    : [{ line: 0, written: text }];
  const sentences = parts.map(({ written }) => (isCoq ? written.replaceAll(STRING, '""') : written));
  const impliesArguments = sentences.some((sentence) => IMPLIES.test(sentence));
  const find = (isIt: (sentence: string, written: string) => boolean): Suspect | null => {
    const at = sentences.findIndex((sentence, place) => isIt(sentence, parts[place]?.written ?? ""));
    const { line = 0 } = parts[at] ?? {};
    return at < 0 ? null : line === 0 ? WHOLE : { line, words: (sentences[at] ?? "").replaceAll(/\s+/g, " ").trim().slice(0, MAX_WORDS) };
  };
  let recursion: Suspect | null | undefined;
  const findRecursion = (): Suspect | null =>
    (recursion ??= find((sentence, written) => hidesCalls(written) || isUnusual(sentence, { impliesArguments, classes })));
  return ({ words = [], recursion: asked, modules, irrelevance, letins }) =>
    (letins === true ? find(hasLetin) : null) ??
    (irrelevance === true && hasIrrelevance(text) ? WHOLE : null) ??
    (asked === true ? findRecursion() : null) ??
    (modules === true && hasOddModule(sentences) ? WHOLE : null) ??
    (words.length === 0 ? null : find((sentence) => words.some((word) => hasWord(sentence, word))));
}

const INDUCTIVE =
  /^\s*(?:#\[[^\]]*\]\s*)?(?:(?:Local|Global|Polymorphic|Monomorphic|Cumulative|NonCumulative|Private)\s+)*(?:Inductive|CoInductive|Variant|Record|Structure|Class)\b/;
const NOTATION = /^\s*(?:#\[[^\]]*\]\s*)?(?:(?:Local|Global)\s+)?(?:Notation|Infix)\b/;

/** hasLetin tells whether a constructor or a field has a local definition, or could have one by a notation or a tactic. */
function hasLetin(sentence: string): boolean {
  if (NOTATION.test(sentence)) return /\blet\b/.test(sentence);
  if (!INDUCTIVE.test(sentence)) return false;
  const body = sentence.slice(sentence.indexOf(":=") + 2).replaceAll(/\bwhere\b[^]*/g, "");
  if (/\blet\b|\bltac2?\s*:/.test(body)) return true;
  const types = (body.match(/\bwith\b/g) ?? []).length;
  return countDefinitions(body) > types;
}

/** countDefinitions counts signs of definition, but those that name arguments: a binder has one in its parenthesis, behind a constructor's name or
 *  behind forall, and before the colon that ends the binders. */
function countDefinitions(text: string): number {
  let [depth, count] = [0, 0];
  let frames = [{ depth: 0, isTyped: false }];
  for (const [token] of text.matchAll(/:=|[()|:,]|\b(?:forall|exists|fun)\b|∀/gu)) {
    const frame = frames.at(-1) as (typeof frames)[number];
    if (token === "(") depth++;
    else if (token === ")") {
      depth--;
      frames = frames.filter((one, at) => at === 0 || one.depth <= depth);
    } else if (token === ":=") count += depth === 0 || (depth === frame.depth + 1 && !frame.isTyped) ? 1 : 0;
    else if (token === "|" && depth === 0) frames = [{ depth: 0, isTyped: false }];
    else if (token === ":" && depth === frame.depth) frame.isTyped = true;
    else if (token === "," && depth === frame.depth && frames.length > 1) frames = frames.slice(0, -1);
    else if (/^(?:forall|exists|fun|∀)$/.test(token)) frames = [...frames, { depth, isTyped: false }];
  }
  return count;
}

function hasWord(text: string, word: string): boolean {
  const part = word.startsWith("-") ? /[\p{L}\p{N}_'-]/u : /[\p{L}\p{N}_']/u;
  const isPart = (sign: string | undefined): boolean => sign !== undefined && part.test(sign);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return true;
  return false;
}
