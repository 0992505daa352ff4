/** The extract room reads strangers' files into titles, passages with lines, harmless HTML and pictures.
 *  It takes bytes and gives an `Extract`, by a process without rights whose every word is checked.
 *  One broken file costs its own text and never the build. */
export { NO_ABOUT } from "./about.ts";
export { compileWorker, WORKER } from "./compile-worker.ts";
export {
  type CoqCommand,
  type CoqItem,
  readCoqCommand,
  readCoqCommands,
  readSentences,
  skipCoqComment,
  withoutCoqComments,
} from "./coq-sentences.ts";
export { type Extracted, parseExtract } from "./extract-json.ts";
export { findLeanMarks, type LeanCommand } from "./lean.ts";
export { isCitationFile, isLicenceFile } from "./licence-files.ts";
export { mediaTypeOfName } from "./media-type.ts";
export type { Asked } from "./others.ts";
export { type ExtractPool, type ExtractPoolOptions, openExtractPool } from "./pool.ts";
export { skipComment } from "./skip.ts";
export { asks, findTellings, type Teller, type Telling, toldOf } from "./tell-others.ts";
export type { UnreadFiles } from "./unread.ts";
