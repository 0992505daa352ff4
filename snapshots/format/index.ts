/** The format room is the snapshot's format: trees, paths, records, standings, citations and problems.
 *  It takes and gives values and bytes; it opens nothing.
 *  The same values make the same bytes. */
export { ALL_COUNTED, ALL_LOOKED_UP, NO_MODEL, OF_HISTORY, readerNotice, sayNoQuotes } from "./ask-notices.ts";
export { checkSentence, checkSentences, shownState } from "./check-sentence.ts";
export {
  findCitationProblem,
  findQuoteProblem,
  type LocatedQuote,
  locateQuote,
  MAX_CITED,
  MAX_QUOTE,
  quoteAt,
  readLines,
} from "./citation.ts";
export { claimStandings, findLost, findRecalled, judgedClaim } from "./claim-standing.ts";
export { openResting, recalledAmong, restingWords } from "./resting.ts";
export { CODE_HEAD_PATTERN, CODE_REPO_PATTERN, type CodeRef, findCodePathProblem, parseCodeRef } from "./code-ref.ts";
export { cutText, nameSome } from "./cut-text.ts";
export { leadLinks, linkTargets, MAX_LINKS, moveLinks } from "./document-links.ts";
export { isLost, openEvidence, recordState } from "./evidence-state.ts";
export { linkPattern, restoreLinks } from "./exported.ts";
export { hitFolder } from "./hit-folder.ts";
export { findJsonFault, skipString } from "./json-text.ts";
export {
  blobPath,
  CITATION_FILES,
  exportFile,
  findKeyProblem,
  formatKeyPath,
  formatSlug,
  hasTwin,
  isPagePath,
  LATER_PART,
  listPath,
  MAX_KEY_BYTES,
  objectPath,
  pageFile,
  pageImageFile,
  pageImagePath,
  pageImagesOf,
  pagePath,
  parseDiffPath,
  parseKeyPath,
  parseListPath,
  parsePart,
  parseRevisionsPath,
  parseSlug,
  relativeHref,
} from "./layout.ts";
export { cutParts, partName, partsPath } from "./parts.ts";
export { PROBLEM_TYPE, problemBody, toShelfError } from "./problem.ts";
export { CLAIMS_WORDS, REGISTRY_WORDS, registryUnavailable } from "./registry-words.ts";
export {
  collect,
  type Folder,
  groupByCollection,
  lazily,
  leadingPrefixes,
  licenceOf,
  memoize,
  parentPrefix,
  relateClaims,
  relationsOf,
  type Totals,
  totalsOf,
} from "./relations.ts";
export { type LeadsTo, linkEnd, openSite, README, siteEnds } from "./site-links.ts";
export { countOf, formatBytes } from "./size.ts";
export { isStamped, PLAIN_FILES } from "./stamped.ts";
export { accepts, CLAIM_STANDINGS, LOST, RECORD_STANDINGS, recordStanding, SAID, standingWord, USE_WORDS } from "./standing.ts";
export { wordSentence } from "./statement-words.ts";
export {
  type BlobEntry,
  buildSubtrees,
  compareNames,
  diffTrees,
  type EntryProof,
  type TreeEntry,
  type FileEntry,
  joinSubtrees,
  mountSubtrees,
  parseTree,
  proveEntry,
  type Subtrees,
  type Tree,
  type TreeChange,
} from "./tree.ts";
export {
  absoluteHref,
  type CollectionInfo,
  findCollection,
  formatEtag,
  isGatedKey,
  type Library,
  lowerBound,
  mountPath,
  newest,
  type ObjectRow,
  prefixRange,
  type RegistryState,
  type ViewData,
} from "./view-data.ts";
export { authorWords, formalizationSentence, kindWords, splitNote, withNote } from "./author-words.ts";
export {
  judgedRecord,
  judgedWords,
  meaningSentence,
  recallSentences,
  reviewMarks,
  reviewSentences,
  witnessSentence,
} from "./recall-sentence.ts";
export { ACCEPTED, changedStatement, claimFell, evidenceFell, recallReason, recordFell, wordsOf } from "./weaker.ts";
export { isAddress, isWithdrawalError, orWithdrawn, replacementHref, withdrawalAt, withdrawalError } from "./withdrawn.ts";
