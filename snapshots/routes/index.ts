/** The face of the table of routes. */
export { EFFECT_ROWS, type EffectRouteId } from "./effect-rows.ts";
export { isGated, isOf, limitOf, type Place } from "./match.ts";
export { openapi } from "./openapi.ts";
export type { RateGroup } from "./route.ts";
