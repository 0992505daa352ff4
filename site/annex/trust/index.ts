/** The trust annex checks a page in the reader's browser, against the log of publications.
 *  It offers the address of its script; site/annexes.ts hands that to the pages.
 *  It believes nothing that the server says of itself. */
export { default as VERIFY_SCRIPT } from "./verify.ts?worker&url";
