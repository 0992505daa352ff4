/** The face of the pages and feeds of the history. */
export { FEED_FILES, feedPages } from "./format-feed.ts";
export { countSnapshotsParts, type snapshotRow } from "./snapshots-page.ts";
export type { StatesAt } from "./states-over-time.ts";
