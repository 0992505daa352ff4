/** Rules of languages out of the package that has them, each a module that imports nothing. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { STEMMED, type Stemmed, useStemmers } from "./stemmers.ts";

type Rules = typeof import("@orama/stemmers/german");

const addressOf = (language: Stemmed): string => import.meta.resolve(`@orama/stemmers/${STEMMED[language][1]}`);

export function loadStemmers(languages: readonly string[]): Promise<void> {
  return useStemmers(languages, async (language) => (await import(addressOf(language))) as Rules);
}

/** The module's bytes, for browsers. */
function readStemmer(language: Stemmed): Promise<Uint8Array> {
  return readFile(fileURLToPath(addressOf(language)));
}
