/** The gate room decides who is let in: JSON Web Tokens, pairs of a service, and the policy over both.
 *  It takes a request and gives an identity or a refusal.
 *  It decides before anything is looked up. */
export { openClients } from "./client.ts";
export { foldEmail, forbidden, type Gate, type GateVerdict, type Identity, isAllowed, isSameDigest, openGate, refuse } from "./gate.ts";
