/** The face of the formats of a snapshot; what the site loads, and what kept work depends on, is imported by its file. */
export { ALL_COUNTED, ALL_LOOKED_UP, NO_MODEL, OF_HISTORY } from "./ask-notices.ts";
export { type LocatedQuote, locateQuote, quoteAt } from "./citation.ts";
export { claimStandings } from "./claim-standing.ts";
export { type CodeRef, parseCodeRef } from "./code-ref.ts";
export { isLost, openEvidence, recordState } from "./evidence-state.ts";
export { partsPath } from "./parts.ts";
export { PROBLEM_TYPE, problemBody, toShelfError } from "./problem.ts";
export { CLAIMS_WORDS, REGISTRY_WORDS } from "./registry-words.ts";
export { linkEnd, openSite, siteEnds } from "./site-links.ts";
export { checkSentences } from "./check-sentence.ts";
export { ACCEPTED, changedStatement, claimFell, recordFell } from "./weaker.ts";
export { isAddress, isWithdrawalError, orWithdrawn, withdrawalError } from "./withdrawn.ts";
