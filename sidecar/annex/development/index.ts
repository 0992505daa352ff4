/** The development annex shows the internal view to the operator of this machine alone.
 *  It gives a gate to `serve --try-internal`.
 *  Its link works from loopback, for one run, and is in no log. */
export { openDevelopmentAccess } from "./development-access.ts";
