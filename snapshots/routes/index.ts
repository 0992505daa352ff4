/** The face of the table of routes. */
export { type EffectRouteId, findRoute } from "./all.ts";
export { beginsOthers, findPlace, isGated, isOf, limitOf, matchPath, type Place } from "./match.ts";
export { openapi } from "./openapi.ts";
export type { RateGroup } from "./route.ts";
