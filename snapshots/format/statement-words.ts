/** Sentences about words of a statement that do not mean what they seem to. */
import type { StatementWord } from "#snapshots/schema";

/** wordSentence says what a word is written for, and where that stands. */
export function wordSentence({ word, kind, stands_for: of, path, line }: StatementWord): string {
  const where = path === undefined ? "" : ` (${path}:${line ?? 1})`;
  switch (kind) {
    case "notation":
      return `In this source ${word} is written for ${of}${where}.`;
    case "name":
      return `In this source ${word} is ${of}${where}.`;
    case "scope":
      return `In this source ${word} is read in ${of}, which it opened.`;
    case "letters":
      return `${word} has ${of}.`;
    case "tactic":
      return `${word} stands for ${of}.`;
    default:
      return `${word} is ${of}${where}.`;
  }
}
