/** The face of the index. */
export { copyManifests } from "./manifest.ts";
export { openIndex } from "./open.ts";
export { type Document, documentId } from "./row.ts";
export { findShared, shareTag } from "./shared.ts";
export { PASSAGES, WORDS } from "./tables.ts";
export { hasVectors } from "./vectors.ts";
export type { IndexUpdate, ViewIndex } from "./view-index.ts";
