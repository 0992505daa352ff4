/** The words room says which words a text has: cut, folded and stemmed by its language, in servers, builds and browsers alike.
 *  It takes a text and gives words with their places.
 *  The same text has the same words wherever it is asked. */
export { isEncoded } from "./encoded.ts";
export { LATEX_DRESS, LATEX_SIGNS } from "./latex-signs.ts";
export { loadStemmers } from "./load-stemmers.ts";
export { DIGEST_START, type Operators, parseDigestStart, parseOperators } from "./operators.ts";
export { ENGLISH, isStemmed, languageMark, languagesIn, STEMMED } from "./stemmers.ts";
export { type Hit, identifierWords, openFinder, qualifiedSuffixes, rawWords, spellOtherwise, words } from "./words.ts";
