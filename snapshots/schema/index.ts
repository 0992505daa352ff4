/** The schema room has the shapes of what is published, as zod schemas and their types.
 *  Validation, types and OpenAPI follow from them.
 *  Outside data is `unknown` until one of these has parsed it. */
export { About } from "./about.ts";
export { AccessConfig, type OwnSignIn, type TokenAlgorithm } from "./access.ts";
export {
  CHECK_ONLY,
  CHECKED_FIELDS,
  DRIFT_CAUSES,
  RecordCheck,
  RecordMeaning,
  RecordRecall,
  RecordWitness,
  RecordReview,
  RecordEdge,
  RecordGraph,
  type StatementWord,
  StatementWords,
} from "./checked.ts";
export { Claim, CLAIM_STATUSES, ClaimEvidence, ClaimsMeta, ClaimsRegistry } from "./claims.ts";
export { type CubFacet, type CubFilter, RECORD_FILTERS } from "./cub-facets.ts";
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
  CubListResponse,
  CubRecord,
  CubReproduce,
  KNOWN_VALUES,
  Formalization,
  RegistryMeta,
  SAID_FIELDS,
} from "./cubs.ts";
export { DigestMatches, Proof, PROOF_KINDS, type ProofKind } from "./evidence.ts";
export { Extract, PageImage, Passage } from "./extract.ts";
export { hasExactLines, hasNumberedLines, hasParts, type Kind, KINDS, type ObjectKind, type Prose } from "./kinds.ts";
export { CollectionInfo, Library, RegistryState } from "./library.ts";
export { MAX_PASSAGE } from "./max-passage.ts";
export {
  AiSearchResponse,
  AskRequest,
  AskResponse,
  Capabilities,
  Catalog,
  CatalogCollection,
  CatalogObject,
  Citation,
  CollectionCatalog,
  Component,
  CountedNumber,
  Health,
  LibraryObject,
  ListResponse,
  MAX_QUESTION,
  MAX_SNIPPET,
  Problem,
  Receipt,
  RECEIPT_FORMAT,
  ReindexRequest,
  ReindexSummary,
  Rejected,
  Rejection,
  SearchResponse,
  Source,
  SourceRef,
  type ViewName,
} from "./resources.ts";
export {
  CHECK_STATES,
  type CheckState,
  Count,
  DateTime,
  EVIDENCE_STATES,
  type EvidenceState,
  isWebUrl,
  licenceUrl,
  Sha256Hex,
  SnapshotId,
  STATEMENT_STATES,
  type StatementState,
} from "./scalar.ts";
export { Standing } from "./standing.ts";
export { Withdrawal, WITHDRAWAL_REASONS } from "./withdrawals.ts";
