/** The repair annex sets damaged blobs of a shelf aside and brings them back where a whole copy is.
 *  It gives `repair` to the command line.
 *  It says what is lost, and never takes a blob that is whole. */
export { runRepair } from "./repair-command.ts";
