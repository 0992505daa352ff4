/** The face of the pages. */
export { askedPage, askedWith, askForm, isAsked } from "./ask-page.ts";
export { pageBytes } from "./quoted-lines.ts";
export { CURRENT_VERSION_FILE, ICON_FILE, lazyRenderer, openRenderer, type Asset, type Renderer } from "./renderer.ts";
export { chromeOf, type Extracts, type StoredPage, storedPages } from "./stored-pages.ts";
