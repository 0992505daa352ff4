/** The trust annex copies and checks libraries of others: keys of the log, cosignatures, mirrors and audits.
 *  It gives `keygen`, `cosigned`, `mirror` and `audit` to the command line.
 *  Nothing that a server says is believed before it has been verified. */
export { runAudit } from "./audit-command.ts";
export { runCosigned, runKeygen } from "./log-command.ts";
export { runMirror } from "./mirror-command.ts";
