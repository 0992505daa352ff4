/** The blocks room divides a text into what can be quoted: paragraphs, items, tables, code, each with its place.
 *  It takes a text and its kind and gives blocks with lines.
 *  What it gives stands in the text at those lines. */
export { type Heading, TERM_LEVEL } from "./block.ts";
export { blocksOf, clearAsides, headingsOf } from "./blocks.ts";
export { type CodeLine, codeLines, proseOfSource } from "./literate.ts";
export { findFrontBlock, type FrontBlock } from "./front-block.ts";
export { isWay, readHtml, type Said } from "./html-blocks.ts";
export { type Lines, openLines } from "./lines.ts";
export { LATEX_ACCENTS, LATEX_PRINTED, pairs } from "./latex-letters.ts";
export {
  closedIn,
  EMOJI,
  emojiOf,
  ICON,
  isFormula,
  isTex,
  isUnsaid,
  namedSign,
  plainIn,
  replaceTags,
  SHORTCODE,
  shortcodeIn,
  TEX_IN_HTML,
  withoutTags,
  wordsOfIcon,
  wordsOfRole,
  WIKI,
  withoutSize,
  wordsOfWiki,
} from "./plain.ts";
export { argumentOf, boxName, boxTitle, CODED, FORMULA_NAME, SLASHED } from "./markdown-lines.ts";
export { isRemark, type TableDialect, tableDialect } from "./table-dialect.ts";
export { quotable, sentencesIn, type Unit, unitsOf } from "./units.ts";
