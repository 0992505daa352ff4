/** The index room opens the search index of a view at a snapshot's tag: words, vectors, names.
 *  It gives rows with scores to the queries.
 *  What is not in the snapshot cannot be found in its index. */
export { copyManifests } from "./manifest.ts";
export { openIndex } from "./open.ts";
export type { RowCandidate, FoundRow, IndexReader } from "./reader.ts";
export { type Document, documentId, exactMark, type IndexRow, nameMark, normalizeExact } from "./row.ts";
export { findShared, shareTag } from "./shared.ts";
export type { Statistics } from "./statistics.ts";
export { PASSAGES, WORDS } from "./tables.ts";
export { withinLimit } from "./time-limit.ts";
export { hasVectors } from "./vectors.ts";
export type { IndexUpdate, ViewIndex } from "./view-index.ts";
