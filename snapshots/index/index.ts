/** The face of the index. */
export { copyManifests } from "./manifest.ts";
export { type IndexUpdate, openIndex, type ViewIndex } from "./open.ts";
export { type Document, documentId } from "./row.ts";
export { PASSAGES, WORDS } from "./tables.ts";
export { hasVectors } from "./vectors.ts";
