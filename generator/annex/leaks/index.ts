/** The leaks annex holds that nothing gated is in a public byte, of this snapshot or of an earlier one.
 *  It gives `LEAKS` to the core: what stands there is all of it.
 *  A build that would publish something gated publishes nothing and says where it stands. */
export { findExposure, forgetRedacted, LEAK_KEYS, LEAKS } from "./register.ts";
