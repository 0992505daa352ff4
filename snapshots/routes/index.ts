/** The routes room is the table of addresses: path, parameters, answers, limits, in one row each.
 *  HTTP, OpenAPI, tools and the reference page follow from it.
 *  What has no row has no address. */
export { EFFECT_ROWS, type EffectRouteId } from "./effect-rows.ts";
export {
  fillParts,
  isGated,
  isOf,
  limitOf,
  type RouteMatch,
  openRouter,
  type RoutePlace,
  type Router,
  splitTarget,
} from "./match.ts";
export { INTERFACE_VERSION, openapi } from "./openapi.ts";
export { PAGE_ROWS, type PageId } from "./page-rows.ts";
export { checkParameters, explainUnknown } from "./parameters.ts";
export { describedRoutes, errorStatuses, type RateGroup, type Route, type RouteRow } from "./route.ts";
export { CORE_ROWS } from "./routes.ts";
export { anyObject, cursor, json, key, limit, pageRow, parameter, row, text, type WrittenPage, type WrittenRow } from "./row.ts";
