/** The face of the pages and feeds of the history. */
export { FEED_FILES, feedPages } from "./format-feed.ts";
export { countSnapshotsParts } from "./snapshots-page.ts";
