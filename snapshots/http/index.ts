/** The http room answers requests: a function from a view and a request to a response, with its headers.
 *  It gives the views, the answers and the listening to both servers.
 *  Headers are decided with the body, and an error inherits none. */
export { type Admission, openAdmission } from "./admission.ts";
export { admit } from "./admit.ts";
export { answer } from "./answer.ts";
export { capabilities } from "./capabilities.ts";
export { contentAnswer } from "./context.ts";
export { CORE_HANDLERS } from "./core-answers.ts";
export { chooseEncoding, encode, encodeStream, isCompressed, mayEncodeStream } from "./encoding.ts";
export { fileAnswer, textContent } from "./file-answer.ts";
export { isOfProcess, listen, type Listening, originForm, partsOf, PATIENCE, viewListener } from "./listen.ts";
export { findRange, objectAnswer } from "./object-answer.ts";
export { observe, openAccessLog, type SeenRequest } from "./observe.ts";
export { findInput, keepOf, otherSpelling, PAGE_POLICY, pageAnswer, readsHtml, renderedAnswer, strayAnswer } from "./page-answer.ts";
export { continueIn, linkHeader, queryAnswer } from "./query-answer.ts";
export {
  type Answer,
  CACHE,
  type CacheClass,
  checkPreconditions,
  commonHeaders,
  formatTag,
  notModified,
  queryTag,
  redirect,
} from "./reply.ts";
export {
  type BuildOutcome,
  type BuildTally,
  type OperationsServing,
  receiveServing,
  sendToStarter,
  type ServerMessage,
  type SidecarServing,
  type SiteServing,
  type Starter,
  type StarterMessage,
  stopWithStarter,
  type TrustProxy,
} from "./serving.ts";
export { stampPage } from "./stamp.ts";
export { cutTokens, openStderr } from "./stderr.ts";
export {
  type SnapshotRequest,
  type Context,
  forEachRow,
  type Handler,
  openView,
  type Runtime,
  type Service,
  type PageStamp,
  type View,
  waitForFirst,
} from "./view.ts";
