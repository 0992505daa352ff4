/** The face of the queries; what browsers load is imported by its file. */
export { collectionsBody, cubBody, cubsBody, digestBody, proofBody, registryMetaBody, searchBody } from "./bodies.ts";
export { claimsPath, findClaims } from "./claims.ts";
export { countAll, findCubs, parseCubId, parseCubQuery, warmRecords } from "./cubs.ts";
export { formatCursor, parseCursor, positionOf, queryDigest } from "./cursor.ts";
export { parseDigest } from "./digests.ts";
export { directPath, findNamed, findObjects, type Named, type NameReason } from "./direct.ts";
export { filterValues, registryPath } from "./filters.ts";
export { findByNumber, findSnapshot, missingSnapshot } from "./history.ts";
export { list, LIST_PAGE, parsePrefix } from "./list.ts";
export { correct, findMeant, type Meant } from "./meant.ts";
export { findNearNames } from "./near-words.ts";
export type { FirstSeen, OpenSnapshot } from "./open-snapshot.ts";
export { MAX_LIMIT, MAX_QUERY } from "./params.ts";
export { parseIndexQuery } from "./parsed-query.ts";
export { findSearchProblem } from "./probe.ts";
export { type CountRow, countRecords, reconcile } from "./registry-counts.ts";
export { parseSearch, type SearchQuery } from "./search.ts";
export { DEFAULT_SEMANTIC_LIMIT, semantic } from "./semantic.ts";
