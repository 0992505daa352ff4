/** The kept room remembers between builds what need not be made again, under the digests that it was made from.
 *  It gives state, journal and caches to the pipeline.
 *  What cannot be read, or was made by other code, is made again and never believed. */
export { areDecisionsDamaged, type Decision, type Decisions, DECISIONS, openDecisions } from "./decisions.ts";
export { clearJournal, countJournal, type Journal, openJournal, readJournal } from "./journal.ts";
export {
  type BuildState,
  clearHalfFiles,
  EMPTY_STATE,
  forgetState,
  formatState,
  type KnownFile,
  type KnownObject,
  type ReadRow,
  readState,
  type SaidOfObjects,
  timesOf,
  type ViewState,
  writeState,
} from "./state.ts";
export { openUnread } from "./unread.ts";
export type { Why } from "./why.ts";
