/** The plug of the annex: the keys of sign-in in the configuration. */
export { KEYS as OIDC_KEYS } from "./keys.ts";
