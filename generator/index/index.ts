/** The index room of the generator writes the search index of a view, in a thread, and its vectors after the words.
 *  It takes the passages of a record set and gives a tagged version of the index.
 *  An index is searched only under the tag of the snapshot that it was made for. */
export { type EarlierSearch, indexAnew, indexEarlier, indexSnapshot, planSnapshot } from "./earlier-snapshots.ts";
export { type Embedding, embedViews } from "./embed.ts";
export { type IndexThread, openIndexThread } from "./index-thread.ts";
export type { IndexRoots } from "./index-worker.ts";
export { digestOfItem } from "./item-digest.ts";
export { type DocumentsPlan, type InternalIndex, planDocuments, planInternal } from "./plan-documents.ts";
export { trimIndex, updateIndexes } from "./update-index.ts";
