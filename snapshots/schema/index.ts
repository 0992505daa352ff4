/** The face of the shapes of what is published; those that pages need are imported by their files. */
export {
  CHECK_ONLY,
  CHECKED_FIELDS,
  type DRIFT_CAUSES,
  RecordCheck,
  type RecordEdge,
  type RecordGraph,
  type StatementWord,
  StatementWords,
} from "./checked.ts";
export { About } from "./about.ts";
export { AccessConfig, type OwnSignIn, type TokenAlgorithm } from "./access.ts";
export {
  CLOSED_FIELDS,
  CUB_FIELDS,
  CUB_ID_PATTERN,
  CUB_SUMMARY,
  CubCode,
  CubCodeFile,
  type CubField,
  CubFiles,
  CubId,
  CubLinks,
  CubRecord,
  CubReproduce,
  KNOWN_VALUES,
  RegistryMeta,
  SAID_FIELDS,
} from "./cubs.ts";
export { Extract, PageImage, Passage } from "./extract.ts";
export {
  AiSearchResponse,
  AskRequest,
  AskResponse,
  Catalog,
  Citation,
  Component,
  CountedNumber,
  MAX_QUESTION,
  Receipt,
  ReindexRequest,
  ReindexSummary,
  Rejection,
  SearchResponse,
  Source,
  SourceRef,
} from "./resources.ts";
export { Withdrawal, WITHDRAWAL_REASONS } from "./withdrawals.ts";
