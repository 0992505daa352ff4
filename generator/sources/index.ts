/** The sources room reads the outside world: objects, registry, claims, code, git and withdrawals.
 *  It gives each with its digest, and the last good copy where a source is down.
 *  Bytes and names from here are strangers': they are bounded, checked and never executed. */
export { checkClaims, checkEvidence, checkRecords, explainLost, type Located, type SourceProblems } from "./check-sources.ts";
export { type Claims, MAX_CLAIMS_BYTES, NO_CLAIMS, parseClaims, readClaims } from "./claims.ts";
export { openCheckout, SAFE_GIT, safeGitEnvironment } from "./git-checkout.ts";
export { knownListing } from "./known-listing.ts";
export type { LastGoodOptions } from "./last-good.ts";
export { listChanged, type ListedSince, listingRules, listObjects } from "./list-objects.ts";
export { findLoss } from "./loss-rule.ts";
export type { ObjectStore, ReadObject, StoredObject } from "./object-store.ts";
export { openDirectoryStore } from "./object-store-directory.ts";
export { openObjectStore, type StoreAnnexes } from "./open-object-store.ts";
export { checkRegistry, lookAtRegistry, openKeptRegistry, readRegistry, type RegistryRead, type RegistrySaid } from "./read-registry.ts";
export { describeFindings, describeUnknownClaims, type RegistryFinding } from "./registry-findings.ts";
export { MAX_REGISTRY_BYTES, pullUrl, type RegistryAnnexes } from "./registry-pull.ts";
export { type ParsedRegistry, parseRegistry, textsOf } from "./registry.ts";
export { findShownEvidence, locateShown, refuseShown } from "./shown-evidence.ts";
export { readSourceFile } from "./source-file.ts";
export { claimsJsonSchema, registryJsonSchema } from "./source-schemas.ts";
export { type HeldStatement, type HoldStatement, openKeptStatements, type StatementAnnexes } from "./statements.ts";
export { readWithdrawals, withdrawalsJsonSchema } from "./withdrawals.ts";
export { keepWithdrawals, leaveOut, redactedBytes, standingWithdrawals, type Withdrawals } from "./withdrawn.ts";
