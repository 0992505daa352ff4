/** Preflights of pages elsewhere (conventions "Errors and headers": CORS). */
import { type Answer, CACHE } from "./reply.ts";

/** Seconds that a browser may remember it. */
const MAX_AGE_S = 86_400;

export function preflight(methods: readonly string[]): Answer {
  const allowed = [...methods, "OPTIONS"].join(", ");
  return {
    status: 204,
    headers: {
      Allow: allowed,
      "Access-Control-Allow-Methods": allowed,
      "Access-Control-Allow-Headers": "*",
      "Access-Control-Max-Age": String(MAX_AGE_S),
      "Cache-Control": CACHE.none,
    },
    body: null,
  };
}
