export { type CheckStatement, PREDICATE_PATH, proofCheckSchema, SAID_STATES, statementSchema } from "./statement.ts";
