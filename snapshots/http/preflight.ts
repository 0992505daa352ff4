/** Preflights of pages elsewhere: every public route may be read from anywhere, without credentials (conventions "Errors and
 *  headers": CORS). */
import { ShelfError } from "../errors.ts";
import type { Route } from "../routes/route.ts";
import { type Answer, CACHE } from "./reply.ts";

/** Seconds that a browser may remember it. */
const MAX_AGE_S = 86_400;

/** @param route null for a page
 *  @throws ShelfError "method_not_allowed" for a route that pages elsewhere may not call */
export function preflight(route: Route | null): Answer {
  const methods = route?.methods ?? ["GET", "HEAD"];
  if (route !== null && route.access !== "public") {
    throw new ShelfError("method_not_allowed", `This path takes ${methods.join(" and ")}.`, { headers: { Allow: methods.join(", ") } });
  }
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
