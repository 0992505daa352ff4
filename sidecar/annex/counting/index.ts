/** The counting annex answers questions that count or list a set with values of its facets.
 *  It gives `COUNTING` to the sidecar's answers.
 *  A count is the query of the API that its link leads to, never a guess. */
export { counting } from "./answer-counted.ts";
