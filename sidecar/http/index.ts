/** The http room of the sidecar reads bodies within their limits and counts requests by client.
 *  It gives both to whatever takes a body or costs more than a file.
 *  A limit is counted while the bytes come, whatever a header says. */
export { MAX_ASK_BYTES, MAX_MCP_BYTES, MAX_REINDEX_BYTES, parseAskBody, parseAsked, parseReindexBody } from "./body.ts";
export { noRateLimits, openRateLimiter, rateLimited, type RateLimiter, RATES } from "./limits.ts";
export { jsonResponse, problemParts, problemResponse, refusalHeaders, toResponse } from "./respond.ts";
