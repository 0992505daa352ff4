/** The face of reading: what of a text can be quoted, with its place. */
export { quotable, sentencesIn } from "./units.ts";
