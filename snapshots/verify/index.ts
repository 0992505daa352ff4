/** The face of the verification. */
export type { DerivedSource, Deriver } from "./derived.ts";
export { createReport, type Finding } from "./finding.ts";
export type { Since } from "./records.ts";
export type { ScannedFile } from "./scanned-file.ts";
export { MAX_FOLDERS } from "./walk.ts";
