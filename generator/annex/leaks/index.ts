/** The leaks annex holds that nothing gated is in a public byte, of this snapshot or of an earlier one.
 *  It gives `STEPS` to the order of a build, and `LEAKS` to whoever publishes.
 *  A build that would publish something gated publishes nothing and says where it stands. */
export { findExposure } from "./gating.ts";
export { forgetRedacted } from "./redact.ts";
export { LEAKS, STEPS } from "./register.ts";
