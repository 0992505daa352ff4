export { type CheckStatement, PREDICATE_PATH, SAID_STATES, statementSchema } from "./statement.ts";
export { formatGraphDot, formatGraphNdjson } from "./record-graph.ts";
