/** The verify room derives again what was derived, hashes again what was hashed, and compares.
 *  It takes both roots of a shelf and gives findings with their places.
 *  It is silent only about what it has looked at. */
export { changesCheck } from "./changes.ts";
export type { Audit, Check } from "./check.ts";
export { derivedCheck, type DerivedSource, type Deriver } from "./derived.ts";
export { extractsCheck } from "./extracts.ts";
export { createReport, type Finding, reasonOf, type RootName } from "./finding.ts";
export { type FindIndexProblems, indexCheck } from "./index-check.ts";
export { inventoryCheck } from "./inventory.ts";
export { pagesCheck } from "./pages.ts";
export { checkRecordProof, formatRecordProof } from "./record-proof.ts";
export { checkReceipt, makeReceipt, parseReceipt } from "./receipt.ts";
export type { Since } from "./records.ts";
export { runChecks, type RunOptions } from "./run-checks.ts";
export type { ScannedFile } from "./scanned-file.ts";
export { MAX_DEPTH, MAX_FOLDERS } from "./walk.ts";
