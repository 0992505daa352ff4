/** `Print Assumptions` says nothing of a check that was switched off where an inlined parameter took the place of what used it (Rocq #12155).
 *  So whatever rests on files that have both is called unsafe. */
import { readCoqCommand, readSentences } from "#generator/extract";

const CHECKING = /^\s+(Guard|Positivity|Universe)\s+Checking\b/;
const DECLARES = /^(Parameters?|Axioms?|Conjectures?|Hypothes[ie]s|Variables?)$/;

type Found = { readonly switched: string | null; readonly inlined: string | null };

/** readSwitches finds in a text the first command that switches a check of Coq off, and the first parameter that is inlined. Comments and strings
 *  are no commands. */
export function readSwitches(text: string): Found {
  let switched: string | null = null;
  let inlined: string | null = null;
  if (!/Checking|bypass_check|Inline/.test(text)) return { switched, inlined };
  for (const sentence of readSentences(text)) {
    const command = sentence.comment ? null : readCoqCommand(text, sentence);
    if (command === null) continue;
    const rest = text.slice(command.after, sentence.end);
    const words = text.slice(sentence.start, command.after);
    const off = command.word === "Unset" ? (CHECKING.exec(rest)?.[1] ?? null) : null;
    if (off !== null) switched ??= `Unset ${off} Checking`;
    else if (/\bbypass_check\b/.test(words.replaceAll(/\(\*[\s\S]*?\*\)/g, ""))) switched ??= "bypass_check";
    if (DECLARES.test(command.word) && /^\s+Inline\b/.test(rest)) inlined ??= `${command.word} Inline`;
  }
  return { switched, inlined };
}

/** openHidden tells of the files that a theorem rests on if they have both, in words for a person; null where they have not.
 *  @param textOf the text of a file of the sources */
export function openHidden(textOf: (path: string) => string): (paths: readonly string[]) => string | null {
  const read = new Map<string, Found>();
  const lookAt = (path: string): Found => {
    const found = read.get(path) ?? readSwitches(textOf(path));
    read.set(path, found);
    return found;
  };
  return (paths) => {
    const switched = paths.find((path) => lookAt(path).switched !== null);
    const inlined = paths.find((path) => lookAt(path).inlined !== null);
    if (switched === undefined || inlined === undefined) return null;
    return `${switched} has "${lookAt(switched).switched}" and ${inlined} has "${lookAt(inlined).inlined}": what is inlined can hide that a check was off`;
  };
}
