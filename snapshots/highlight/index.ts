/** The highlight room knows the languages of source files and colours them.
 *  It takes a text and a language and gives marked HTML, and the table of languages.
 *  A text whose language is unknown is shown as it is. */
export { escapeHtml, highlightLines, loadLanguage } from "./highlight.ts";
export type { DeclarationRow, LanguageRow } from "./language-row.ts";
export { LANGUAGES, LEAN_COMMENTS } from "./languages.ts";
