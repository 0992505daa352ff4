/** The face of the shelf. */
export { absent, isUnreadable } from "./absent.ts";
export { openCachedShelf } from "./cached-shelf.ts";
export { type OpenFile, readChecked, WrongBytes } from "./checked-read.ts";
export type { CodeStore } from "./code-store.ts";
export { FileLock } from "./file-lock.ts";
export {
  addSignatures,
  checkpointPath,
  extendLog,
  keyOf,
  KEYS_PATH,
  type LogKeys,
  type LogSigner,
  parseLogKeys,
  readCheckpoint,
  readLogKeys,
} from "./log.ts";
export { unpacked } from "./packs.ts";
export { prune, type Pruned } from "./prune.ts";
export { reachable } from "./reach.ts";
export { findSetback, newestServed } from "./record-index.ts";
export { checkRedaction, formatRedaction, noticeIn, redactedBlobs, redactedSchema, redactionPath } from "./redactions.ts";
export { findPartner, findServed, namedWith } from "./served.ts";
export {
  type ChangeCounts,
  type Changes,
  changesSchema,
  internalPointerSchema,
  overriding,
  type RecordLog,
  type Shelf,
  type SnapshotRecord,
  snapshotRecordSchema,
  withdrawnSchema,
} from "./shelf.ts";
export { watchPointer } from "./watch-pointer.ts";
export { type Directory, END_BYTES, findDirectory, MAX_PACKED, type Packed, parseDirectory } from "./zip.ts";
