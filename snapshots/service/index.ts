/** The service room puts core and annexes together: all routes, all answers, all checks of `verify`.
 *  It gives `SERVICE` to servers, builds and tests.
 *  An annex is named here once, and nowhere below. */
export { ROUTER, ROUTES } from "./routes.ts";
export { PLAIN_FILES_SERVICE, SERVICE } from "./service.ts";
export { type VerifyOptions, verifyShelf } from "./verify.ts";
