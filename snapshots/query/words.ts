/** Words of a text and of a query, for exact matching over records: case-folded, identifiers whole and in parts. */
import { ownText } from "#snapshots/own-text";

const WORD = /[\p{L}\p{M}\p{N}_.'-]+/gu;

/** foldCase returns the lower-case form under which words are compared. NFC comes first: an accent may be one code point or two. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** wholeWords returns every word of a text in order, whole; `insertionSort_perm` is one word. */
export function wholeWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const match of text.normalize("NFC").matchAll(WORD)) {
    const word = /^[.'-]|[.'-]$/.test(match[0]) ? match[0].replaceAll(/^[.'-]+|[.'-]+$/g, "") : match[0];
    if (word !== "") words.push(word);
  }
  return words;
}

/** identifierParts returns the parts of an identifier: split at `_`, `.`, `-`, `'` and between camelCase humps; case-folded. */
export function identifierParts(word: string): readonly string[] {
  return word
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[\s_.'-]+/u)
    .filter((part) => part !== "")
    .map(foldCase);
}

/** partsLine returns the parts of all words of a text as one line: an identifier's parts stand in a row in it. */
export function partsLine(text: string): string {
  return ` ${wholeWords(text).flatMap(identifierParts).join(" ")} `;
}

/** formsOf returns the forms under which a word is found. */
export function formsOf(word: string): readonly string[] {
  // A qualified name is also found by each name in it: `Lists.insert_sorted` by `insert_sorted`.
  const names = word.split(".").filter((name) => name !== "");
  return [...new Set([foldCase(word), ...names.map(foldCase), ...identifierParts(word)])].map(ownText);
}

export type WordQuery = {
  /** As they are written: the humps of an identifier show its parts. */
  readonly words: readonly string[];
  /** Folded. */
  readonly phrases: readonly string[];
};

/** parseWordQuery splits a query into words and quoted phrases. An unclosed quote opens a phrase to the end.
 *  A word that holds no letter or digit (`∀`, `<=`) is kept as a phrase, to be found as it stands. */
export function parseWordQuery(query: string): WordQuery {
  const words: string[] = [];
  const phrases: string[] = [];
  for (const [at, part] of query.split('"').entries()) {
    const text = part.trim();
    if (text === "") continue;
    if (at % 2 === 1) {
      phrases.push(foldSpaces(text));
      continue;
    }
    for (const token of text.split(/\s+/)) {
      const found = wholeWords(token);
      if (found.length === 0) phrases.push(foldSpaces(token));
      words.push(...found);
    }
  }
  return { words, phrases };
}

/** foldSpaces returns case-folded text with every run of white space as one space: the form in which phrases are looked for. */
export function foldSpaces(text: string): string {
  return foldCase(text).replaceAll(/\s+/g, " ").trim();
}
