/** The log annex serves the log of publications: checkpoints, tiles, and the shelf's own files.
 *  It gives routes to the service.
 *  It reads what is published, and writes nothing. */
export { LOG_HANDLERS } from "./answers.ts";
export { logCheck, type LogTrust } from "./log-check.ts";
export { LOG_ROWS } from "./rows.ts";
