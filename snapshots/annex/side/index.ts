/** The side annex gives the library in other forms: archive, tables, citations, Markdown.
 *  It gives routes and files to the service.
 *  Each form says the same as the pages, and is made from the same models. */
export { BESIDE_HANDLERS, SIDE_HANDLERS } from "./answers.ts";
export { piecesAnswer } from "./rows-answer.ts";
export { BESIDE, SIDE_ROWS } from "./rows.ts";
