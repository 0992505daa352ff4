/** The style room has the stylesheet of every page and the icon.
 *  It offers their addresses, which stand in the pages when these are compiled.
 *  No page has a style of its own. */
export { default as ICON } from "./icon.svg?url";
export { default as STYLESHEET } from "./page.css?url";
