/** Endings of words, by the language that a text is written in. The rules are loaded of a library's own languages alone: by load-stemmers.ts, and
 *  in a browser from files that the library has for it. English is not here: words.ts has its rules, and what is unknown counts as English. */

/** A Stemmer takes the ending off a word in lower case, with its accents. */
export type Stemmer = (word: string) => string;

/** STEMMED maps the first part of a language's tag to its three letters of ISO 639-3, and what the package calls it. */
export const STEMMED = {
  da: ["dan", "danish"],
  de: ["deu", "german"],
  es: ["spa", "spanish"],
  fi: ["fin", "finnish"],
  fr: ["fra", "french"],
  it: ["ita", "italian"],
  nl: ["nld", "dutch"],
  no: ["nob", "norwegian"],
  pt: ["por", "portuguese"],
  ru: ["rus", "russian"],
  sv: ["swe", "swedish"],
} as const;
export type Stemmed = keyof typeof STEMMED;

/** ENGLISH stands for a text whose language nothing tells. */
export const ENGLISH: readonly string[] = ["en"];

/** languageMark returns a word that no text can contain. It stands in the first row of a document and says that its language is among those of the
 *  library. */
export const languageMark = (language: string): string => `lang:${language}`;

export const isStemmed = (language: string | undefined): language is Stemmed => language !== undefined && Object.hasOwn(STEMMED, language);

/** languagesIn returns English, and those of the others that a library has: a query may be in any of them. */
export function languagesIn(has: (language: Stemmed) => boolean): readonly string[] {
  return [...ENGLISH, ...Object.keys(STEMMED).filter(isStemmed).filter(has)];
}

const loaded = new Map<string, Stemmer>();

/** useStemmers loads the rules for words of these languages; a language that has none gets nothing. */
export async function useStemmers(
  languages: readonly string[],
  load: (language: Stemmed) => Promise<{ readonly stemmer: Stemmer }>,
): Promise<void> {
  for (const language of languages) if (isStemmed(language) && !loaded.has(language)) loaded.set(language, (await load(language)).stemmer);
}

/** stemIn takes the ending off a word. @returns null where the language has no rules or they are not loaded */
export function stemIn(language: string, word: string): string | null {
  return loaded.get(language)?.(word) ?? null;
}
