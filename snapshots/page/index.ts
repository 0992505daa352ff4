/** The page room makes the models of pages out of a snapshot.
 *  It gives plain values to the site, to the annexes and to the API's files.
 *  A model holds all that its page says, in the order of the page. */
export { mcpDescription } from "./agents-page.ts";
export { apiFiles, type DerivedFile, JSON_TYPE, objectParts, otherApiFiles } from "./api-files.ts";
export { askedPage, askedWith, askForm, isAsked } from "./ask-page.ts";
export { countBy, countStandings, type Crumb, type ValueCount } from "./cards.ts";
export { type Difference, difference, type DifferentLine } from "./difference.ts";
export { browseQuery, type BrowseSort, type Facet, tellsApart } from "./facets.ts";
export type { Jump } from "./jumps.ts";
export type {
  Axioms,
  BrowsePage,
  Chrome,
  CitedBy,
  ClaimCard,
  DashboardPage,
  EvidenceRow,
  GoneThing,
  Model,
  ObjectCard,
  ObjectPage,
  PageInput,
  PageModel,
  RecordCard,
  ReferenceOperation,
  TheoremShelf,
  VerifiedCounts,
  WithdrawalRow,
} from "./model.ts";
export { pageBytes, type QuotedLines } from "./quoted-lines.ts";
export type { CodeFileRow, RecordSide } from "./record-sides.ts";
export { meaningPlaces } from "./registry-pages.ts";
export { CURRENT_VERSION_FILE, ICON_FILE, lazyRenderer, openRenderer, type Renderer } from "./renderer.ts";
export { type PageMaker, type PageRequest, REQUEST_PAGES, requested, requestPage, type RequestPage } from "./request-pages.ts";
export { partsOfStatement, type StatementParts } from "./statement.ts";
export { chromeOf, type Extracts, findStoredPage, type PageAt, type StoredPage, storedPages } from "./stored-pages.ts";
export {
  countSitemaps,
  escapeXml,
  flat,
  isInSitemap,
  llmsText,
  robotsText,
  SECURITY_PATH,
  securityText,
  sitemapFiles,
} from "./text-files.ts";
export {
  findLinked,
  LIBRARY,
  type LinkedThing,
  linkedClaim,
  linkedObject,
  linkedRecord,
  type TypedLink,
  typedLinks,
} from "./typed-links.ts";
