/** The proofs annex shows how records rest on one another, and proves that a snapshot has something or has not.
 *  It gives routes for graphs and inclusion proofs to the service.
 *  An edge says where it is known from. */
export { PROOF_HANDLERS } from "./answers.ts";
export { formatGraphDot, formatGraphNdjson } from "./record-graph.ts";
export { PROOF_ROWS } from "./rows.ts";
export { type CheckStatement, PREDICATE_PATH, SAID_STATES, statementSchema } from "./statement.ts";
