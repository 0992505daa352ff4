/** The testing room has what tests need, and what packing shares with them: the reader of imports. */
export { findImports, openSources, readLock } from "./import-closure.ts";
