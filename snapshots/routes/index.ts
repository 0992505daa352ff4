/** The face of the table of routes. */
export { EFFECT_ROWS } from "./effect-rows.ts";
export { isGated, limitOf, type Place } from "./match.ts";
export { openapi } from "./openapi.ts";
export type { RateGroup } from "./route.ts";
