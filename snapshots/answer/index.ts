/** The face of answers without a model: what is found for a question, and what of it is quoted. */
export {
  type Excerpt,
  excerptsOf,
  findQuotes,
  type Finding,
  locate,
  overlaps,
  type Quoted,
  rankCandidates,
  type Ranked,
} from "./best-quotes.ts";
export { Candidates } from "./candidates.ts";
export { DECISION_FEATURES, decisionFeatures, FEATURES } from "./features.ts";
export { findTexts, type Found } from "./found-texts.ts";
export { mendAsking, type Question, readQuestion, subjectOf } from "./question.ts";
export { type Objects, readSources, type Source } from "./sources.ts";
export { LEARNT_OF } from "./weights.ts";
