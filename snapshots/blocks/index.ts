/** The face of reading: what divides a text, what of it can be quoted, each with its place. */
export { type Heading, plainIn, TERM_LEVEL, withoutTags } from "./block.ts";
export { blocksOf, headingsOf } from "./blocks.ts";
export { type Lines, openLines } from "./lines.ts";
export { readHtml, WAYS } from "./html-blocks.ts";
export { quotable, sentencesIn } from "./units.ts";
