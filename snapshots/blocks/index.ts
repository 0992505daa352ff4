/** The face of reading: what divides a text, what of it can be quoted, each with its place. */
export { composeAccents, type Heading, TERM_LEVEL, withoutTags } from "./block.ts";
export { blocksOf, headingsOf } from "./blocks.ts";
export { readHtml, WAYS } from "./html-blocks.ts";
export { quotable, sentencesIn } from "./units.ts";
