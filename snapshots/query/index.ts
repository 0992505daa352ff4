/** The query room answers lists, records and searches as pure functions of a view and its parameters.
 *  It gives bodies to routes, tools and answers.
 *  It reads no clock, no environment, no file and no network. */
export { findBegun, isHalf } from "./begun.ts";
export {
  collectionsBody,
  cubBody,
  cubNotFound,
  cubsBody,
  digestBody,
  parsed,
  type ParsedQuery,
  proofBody,
  QUERIES,
  registryMetaBody,
  requireRegistry,
  searchBody,
} from "./bodies.ts";
export { rowsJson } from "./catalog.ts";
export { claimsPath, findClaims } from "./claims.ts";
export { countAll, countNarrowed, type CubQuery, findCubs, findPlaces, parseCubId, parseCubQuery, warmRecords } from "./cubs.ts";
export { type Cursor, cursorOf, formatCursor, parseCursor, positionOf, queryDigest } from "./cursor.ts";
export { declarationLine, findAnchor } from "./declaration-line.ts";
export { parseDigest } from "./digests.ts";
export { directPath, findNamed, findObjects, leavesIn, listPassing, type NamedThing, type NameReason } from "./direct.ts";
export { excerpt, findWords, lineOf, type MarkedPiece } from "./excerpt.ts";
export {
  type Counts,
  filterValues,
  inOrder,
  namesOf,
  REGISTRY_SORTS,
  registryPath,
  type RegistryQuery,
  toggled,
  usesOf,
} from "./filters.ts";
export { neighbourhood } from "./graph.ts";
export { findByNumber, findSnapshot, type History, missingSnapshot, recordAt } from "./history.ts";
export { licencesOf, list, LIST_PAGE, parsePrefix, withLicences } from "./list.ts";
export { correct, findMeant, type Meant } from "./meant.ts";
export { findNearNames } from "./near-words.ts";
export { type FirstSeen, type OpenSnapshot, otherProofs } from "./open-snapshot.ts";
export { badParameter, DEFAULT_LIMIT, MAX_LIMIT, MAX_QUERY, parseLimit, single } from "./params.ts";
export { type IndexQuery, parseIndexQuery } from "./parsed-query.ts";
export { catalogPieces, collectionPieces, type Pieces, recordsPieces } from "./pieces.ts";
export { findSearchProblem } from "./probe.ts";
export { bareScore, type RankedDocument } from "./rank.ts";
export { countRecords, type CountRow, reconcile } from "./registry-counts.ts";
export { rememberRows } from "./remember.ts";
export type { SearchResult } from "./search-result.ts";
export { parseSearch, rankDistinct, searchMeant, type SearchQuery } from "./search.ts";
export { DEFAULT_SEMANTIC_LIMIT, semantic } from "./semantic.ts";
export { copiesOf, standingOf, toSource } from "./source.ts";
