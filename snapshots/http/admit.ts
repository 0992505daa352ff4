/** Checks of every request before anything is looked up: its method, a preflight, its parameters. */
import { ShelfError } from "#snapshots/errors";
import { checkParameters, type RoutePlace } from "#snapshots/routes";
import { type Answer, CACHE } from "./reply.ts";

/** Seconds that a browser may remember a preflight (conventions "Errors and headers": CORS). */
const MAX_AGE_S = 86_400;

/** admit checks a request. @param isHere whether this process answers what the place is of, given that its method is right
 *  @returns the answer to a preflight, else null
 *  @throws ShelfError "method_not_allowed", "not_configured", "unknown_parameter", "bad_parameter" */
export function admit(method: string, place: RoutePlace, isHere: boolean): Answer | null {
  const { match, access, mount, query } = place;
  const methods: readonly string[] = match?.route.methods ?? ["GET", "HEAD"];
  // Nothing else may be asked by pages elsewhere: every public route may be, without credentials.
  if (method === "OPTIONS" && access === "public") return preflight(methods);
  if (!methods.includes(method)) {
    throw new ShelfError("method_not_allowed", `This path takes ${methods.join(" and ")}.`, { headers: { Allow: methods.join(", ") } });
  }
  if (match === null) return null;
  const { route } = match;
  if (!isHere) {
    const path = mount === "" ? route.path : mount + (route.gatedPath ?? route.path);
    throw new ShelfError("not_configured", `This process serves files and queries; ${path} is served by the sidecar.`, {
      fixes: ["Send the request to the sidecar's address."],
    });
  }
  if ("query" in route && !route.page) checkParameters(route, query);
  return null;
}

function preflight(methods: readonly string[]): Answer {
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
