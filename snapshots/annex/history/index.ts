/** The history annex shows what changed: pages, diffs, feeds, revisions, and any snapshot by its time.
 *  It gives routes and models to the service.
 *  What was taken back is named with its reason, and its bytes are not shown. */
export { HISTORY_HANDLERS, MEMENTO } from "./answers.ts";
export type { Move } from "./diff-story.ts";
export { FEED_FILES, feedPages } from "./format-feed.ts";
export { HISTORY_REQUEST_PAGES } from "./pages.ts";
export { HISTORY_PAGES, HISTORY_ROWS } from "./rows.ts";
export { countSnapshotsParts, snapshotRow } from "./snapshots-page.ts";
export { HISTORY_STAMPS } from "./stamps.ts";
export type { StatesAt } from "./states-over-time.ts";
