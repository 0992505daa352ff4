/** The export annex writes the public view as plain files, into a folder or a bucket, for hosts that answer no queries.
 *  It gives `export` to the command line.
 *  A folder or a bucket changes only when all of its files are there, and only what an export wrote is taken away. */
export { harmlessKey, isActive, noteFor, relink } from "./active-objects.ts";
export { runExport } from "./export-command.ts";
export { STATIC } from "./export.ts";
