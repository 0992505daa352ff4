/** `Print Assumptions` does not say everything of a check that was switched off: nothing where an inlined parameter took the place of what used it
 *  (Rocq #12155), nothing of what `abstract` made (#20550), nothing where a type alone names it (#21825). So whatever rests on a file that
 *  switches one off is called unsafe. */
import { readSentences, withoutCoqComments } from "#generator/extract";
import { memoize } from "./memoize.ts";

const STRING = /"[^"]*"/g;
const MARK = /\(\*|\*\)/;
const ODD = /"[^"]*(?:\(\*|\*\))/;
const NOTATION = /\b(?:Notation|Infix|where)\b/;
const OFF = /\b(?:Unset\s+(Guard|Positivity|Universe)\s+Checking|bypass_check)\b/;

/** readSwitch finds the first words of a text that switch a check of Coq off, whatever stands before them; null where there are none. Comments and
 *  strings are no commands. */
export function readSwitch(text: string): string | null {
  if (!/Checking|bypass_check/.test(text)) return null;
  const [found, check] = OFF.exec(withoutCoqComments(text).replaceAll(STRING, '""')) ?? [];
  return found === undefined ? null : check === undefined ? found : `Unset ${check} Checking`;
}

/** readOddSign finds a notation with a mark of comments in its sign: behind it Coq reads as commands what stands in a comment for everybody else. */
function readOddSign(text: string): string | null {
  if (!ODD.test(text)) return null;
  const bare = withoutCoqComments(text);
  for (const { start, end } of readSentences(bare)) {
    const sentence = bare.slice(start, end);
    const sign = NOTATION.test(sentence) ? sentence.match(STRING)?.find((one) => MARK.test(one)) : undefined;
    if (sign !== undefined) return sign;
  }
  return null;
}

/** openHidden tells of the files that a theorem rests on if one of them switches a check off, or hides its commands, in words for a person; null where
 *  none does.
 *  @param textOf the text of a file of the sources */
export function openHidden(textOf: (path: string) => string): (paths: readonly string[]) => string | null {
  const lookAt = memoize((path: string): string | null => {
    const text = textOf(path);
    const [off, sign] = [readSwitch(text), readOddSign(text)];
    if (off !== null) return `${path} has "${off}", and Coq does not tell of all that rests on it`;
    return sign === null ? null : `${path} has a notation ${sign}, behind which a comment may be commands`;
  });
  return (paths) => paths.map(lookAt).find((told) => told !== null) ?? null;
}
