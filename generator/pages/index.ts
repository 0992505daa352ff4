/** The pages room compiles the site once, and renders a page from its model.
 *  It takes models and gives HTML, and the assets that belong to it.
 *  A page depends on its model and the compiled site alone: no clock, no network. */
export { compileSite } from "./compile-site.ts";
export { type PlannedPage, renderPages, textFiles } from "./render.ts";
export { softwareFiles } from "./software-files.ts";
