/** `Print Assumptions` does not say everything of a check that was switched off: nothing where an inlined parameter took the place of what used it
 *  (Rocq #12155), nothing of what `abstract` made (#20550), nothing where a type alone names it (#21825). So whatever rests on a file that
 *  switches one off is called unsafe. */
import { readCoqCommands } from "#generator/extract";
import { memoize } from "./memoize.ts";

const CHECKING = /^\s+(Guard|Positivity|Universe)\s+Checking\b/;
const COMMENT = /\(\*[^]*?\*\)/g;

/** readSwitch finds the first command of a text that switches a check of Coq off; null where none does. Comments and strings are no commands. */
export function readSwitch(text: string): string | null {
  if (!/Checking|bypass_check/.test(text)) return null;
  for (const { sentence, command, rest } of readCoqCommands(text)) {
    const off = command.word === "Unset" ? CHECKING.exec(rest.replaceAll(COMMENT, " "))?.[1] : undefined;
    if (off !== undefined) return `Unset ${off} Checking`;
    if (/\bbypass_check\b/.test(text.slice(sentence.start, command.after).replaceAll(COMMENT, " "))) return "bypass_check";
  }
  return null;
}

/** openHidden tells of the files that a theorem rests on if one of them switches a check off, in words for a person; null where none does.
 *  @param textOf the text of a file of the sources */
export function openHidden(textOf: (path: string) => string): (paths: readonly string[]) => string | null {
  const lookAt = memoize((path: string) => readSwitch(textOf(path)));
  return (paths) => {
    const path = paths.find((one) => lookAt(one) !== null);
    return path === undefined ? null : `${path} has "${lookAt(path)}", and Coq does not tell of all that rests on it`;
  };
}
