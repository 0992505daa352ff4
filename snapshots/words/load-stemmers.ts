/** Rules of languages out of the package that has them, each a module that imports nothing. */
import { STEMMED, type Stemmed, useStemmers } from "./stemmers.ts";

type Rules = typeof import("@orama/stemmers/german");

/** loadStemmers loads the rules of the languages, of those that have any. */
export function loadStemmers(languages: readonly string[]): Promise<void> {
  return useStemmers(languages, async (language: Stemmed) => (await import(`@orama/stemmers/${STEMMED[language][1]}`)) as Rules);
}
