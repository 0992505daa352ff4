/** The shelf room keeps blobs, records, pointers and the log of a view in a directory, and reads them back checked.
 *  It gives `Shelf` to everything that reads or publishes.
 *  A file is replaced whole or not at all, and bytes are hashed before they are believed. */
export { absent, isUnreadable } from "./absent.ts";
export { openByteBudget } from "./byte-budget.ts";
export { type OpenFile, PART_BYTES, readChecked, WrongBytes } from "./checked-read.ts";
export { openDirectoryCodeStore } from "./code-store-directory.ts";
export { type BucketConfig, type CodeStorage, type CodeStore, type ListedCode, MAX_CODE_BYTES } from "./code-store.ts";
export {
  type Change,
  countChanges,
  countFiles,
  describeChanges,
  describeListed,
  diffSnapshots,
  listChanges,
  type ChangedName,
  unreadable,
} from "./diff.ts";
export { FileLock } from "./file-lock.ts";
export { openInService } from "./in-service.ts";
export {
  addSignatures,
  checkpointPath,
  describeLog,
  extendLog,
  keyOf,
  KEYS_PATH,
  type LogKeys,
  type LogSigner,
  parseLogKeys,
  proveRecord,
  readCheckpoint,
  readLogKeys,
  readRecordsOf,
} from "./log.ts";
export { makeFolder } from "./make-folder.ts";
export { CLOSED, modesUnder, OPEN } from "./modes.ts";
export { prune, type Pruned } from "./prune.ts";
export { reachable } from "./reach.ts";
export { createTreeCache, openSnapshot, readBlob, type Snapshot, streamBlob, type TreeCache } from "./read.ts";
export { findSetback, newestServed } from "./record-index.ts";
export { checkRedaction, formatRedaction, noticeIn, redactedBlobs, redactedSchema, redactionError, redactionPath } from "./redactions.ts";
export { findPartner, findServed, namedWith } from "./served.ts";
export { checkWritable, clearTemporary, DirectoryShelf, FOLLOWED, openDirectoryShelf } from "./shelf-directory.ts";
export {
  type ChangeCounts,
  type Changes,
  changesSchema,
  internalPointerSchema,
  type RecordIndex,
  type RecordLog,
  type Shelf,
  type SnapshotRecord,
  snapshotRecordSchema,
  withdrawnSchema,
} from "./shelf.ts";
export { watchPointer } from "./watch-pointer.ts";
export { writeInRoot, writeWhole } from "./write-whole.ts";
