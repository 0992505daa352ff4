/** The OIDC annex signs people in with an OpenID provider of the operator's choice.
 *  It gives sign-in addresses and a gate to the sidecar.
 *  A session is an encrypted cookie that ends by itself, at sign-out, and by the policy. */
export { openSignIn } from "./sign-in.ts";
