/** The browser room has the scripts that pages load; each adds to a page that is complete without it.
 *  It offers their addresses, which stand in the pages when these are compiled.
 *  Scripts do not import this face: it names files that are made of them. */
export { default as AGENTS_SCRIPT } from "./agents.ts?worker&url";
export { default as ASK_SCRIPT } from "./ask.ts?worker&url";
export { default as EARLIER_SCRIPT } from "./earlier.ts?worker&url";
export { default as GATED_CODE_SCRIPT } from "./gated-code.ts?worker&url";
export { default as KEPT_SCRIPT } from "./kept.ts?worker&url";
export { default as LINES_SCRIPT } from "./lines.ts?worker&url";
export { default as LIVE_SCRIPT } from "./live.ts?worker&url";
export { default as ON_FILES_SCRIPT } from "./on-files.ts?worker&url";
export { default as PAGE_SCRIPT } from "./page.ts?worker&url";
export { default as PDF_SCRIPT } from "./pdf.ts?worker&url";
export { default as SEARCH_SCRIPT } from "./search.ts?worker&url";
