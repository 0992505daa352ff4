/** MAX_PASSAGE is how many characters a passage of an extract has at most. This stands apart from `extract.ts`, since the process that reads
 *  strangers' files loads no library of schemas. */
export const MAX_PASSAGE = 2000;
