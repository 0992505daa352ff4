/** The answer room finds what a question names and what can be quoted for it, and decides whether it answers, without any model.
 *  It takes passages and blocks and gives quotes with their places.
 *  A quote is what stands in the object, byte for byte. */
export {
  type ModelExcerpt,
  excerptsOf,
  type QuoteFinding,
  findQuotes,
  locate,
  overlaps,
  type Quoted,
  rankCandidates,
  type Ranked,
} from "./best-quotes.ts";
export { Candidates } from "./candidates.ts";
export { DECISION_FEATURES, decisionFeatures, FEATURES } from "./features.ts";
export { findTexts, type TextFindings } from "./found-texts.ts";
export { mendAsking, type Question, readQuestion, subjectOf } from "./question.ts";
export { type Objects, readSources, type AnswerSource } from "./sources.ts";
export { bareAddresses, isHarmless } from "./harmless.ts";
export { lookUp, MAX_SUMMARY, sourcesOf } from "./lookup.ts";
export { type CountedFacts, type FactPart, findLastChange, findProvenance } from "./provenance.ts";
export { LEARNT_OF } from "./weights.ts";
