/** The recall annex knows which checkers of proofs have a known hole, and which acceptances rest on one.
 *  It takes advisories, the checkers that accepted a record, and the record's texts; it gives what is recalled and what is not, and why.
 *  It runs no prover. A list from elsewhere counts where a key signed it or its digest is pinned. */
export { type Accepting, type Advisory, advisoriesJsonSchema, findStrange, readAdvisories } from "./advisories.ts";
export { countRecalls, recallOf } from "./recall.ts";
export { findListProblem, isListAddress } from "./signed.ts";
export { classNames } from "./recursion.ts";
export { openSuspects, type Suspect } from "./suspects.ts";
