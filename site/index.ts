/** The site draws pages: Astro components over models, and scripts that only add.
 *  It offers to its annexes the words, formats and inputs that their pages share; components/index.ts has the components.
 *  A page is complete without a script, and no component opens a snapshot. */
export { formatBlock, formatCount, formatDate, formatKey, formatLine, formatPlural } from "./format.ts";
export { type Href, openPage } from "./page-input.ts";
export { segmentsOf } from "./segments.ts";
export { shownSnapshot } from "./shown-snapshot.ts";
export { titleOfField, wordOfValue } from "./words.ts";
