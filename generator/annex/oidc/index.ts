/** The oidc annex is what the configuration says of sign-in by an OpenID provider; the sidecar's annex of that name does it.
 *  It gives `OIDC_KEYS` to the core: keys of `access`, and what they lack.
 *  No secret stands in them. */
export { OIDC_KEYS } from "./register.ts";
