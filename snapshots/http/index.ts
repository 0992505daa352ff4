/** The face of the answers of a server. */
export { admit } from "./admit.ts";
export { answer } from "./answer.ts";
export { capabilities, describeCache } from "./capabilities.ts";
export { encode, isCompressed } from "./encoding.ts";
export { isOfProcess, listen, originForm, partsOf, PATIENCE, viewListener } from "./listen.ts";
export { observe, openAccessLog, type Seen } from "./observe.ts";
export { PAGE_POLICY, readsHtml, renderedAnswer, strayAnswer } from "./page-answer.ts";
export { type Answer, CACHE } from "./reply.ts";
export {
  type BlobAnswer,
  type BlobQuestion,
  type Blobs,
  type BuildOutcome,
  type CacheNote,
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
export { openAdmission, type Admission } from "./admission.ts";
export { openView, type Runtime, type View, waitForFirst } from "./view.ts";
