/** The history annex lists, compares and rolls back the snapshots of a shelf.
 *  It gives `snapshots list | diff | rollback` to the command line.
 *  A rollback moves pointers alone: no snapshot is changed or lost by it. */
export { runDiff, runList, runRollback } from "./snapshots-command.ts";
