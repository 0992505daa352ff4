/** Says what can be said of an application token before any key is touched. Everything in it is the caller's word until its signature holds
 *  (gate.ts), so this module only refuses; it never grants.
 *   What can be refused without a key is refused here, and the log is told why; jose judges the same claims again with the signature. */
import type { AccessConfig, TokenAlgorithm } from "#snapshots/schema";
import { findJsonFault } from "#snapshots/format";

/** MAX_TOKEN_BYTES is the most bytes of a compact token; real ones have one or two thousand, and a server reads 16 KiB of headers at most. */
export const MAX_TOKEN_BYTES = 8 * 1024;
const MAX_KID = 256;

const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** Header members that bring their own key, change what is signed, or demand what we do not know. */
const FORBIDDEN = ["jwk", "jku", "x5c", "x5u", "crit", "b64", "zip", "enc", "p2c", "epk"] as const;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export type ParsedToken = {
  readonly alg: TokenAlgorithm;
  readonly kid: string;
  readonly claims: Readonly<Record<string, unknown>>;
};

/** A TokenProblem is a reason why a token is refused: for logs and tests; callers are told nothing but 401. */
export type TokenProblem =
  | "malformed"
  | "too_long"
  | "duplicate_member"
  | "algorithm"
  | "kid"
  | "typ"
  | "header"
  | "issuer"
  | "audience"
  | "expired"
  | "not_yet_valid"
  | "claims"
  | "unknown_key"
  | "signature";

/** parseToken gives header and claims of a compact JWS, unverified, or why it cannot be a token of ours. */
export function parseToken(token: string, algorithms: readonly TokenAlgorithm[]): ParsedToken | TokenProblem {
  if (token.length > MAX_TOKEN_BYTES) return "too_long";
  if (!COMPACT.test(token)) return "malformed";
  const [headPart = "", claimsPart = "", signaturePart = ""] = token.split(".");
  const head = parsePart(headPart);
  if (typeof head === "string") return head;
  const alg = algorithms.find((known) => known === head["alg"]);
  if (alg === undefined) return "algorithm";
  if (FORBIDDEN.some((name) => Object.hasOwn(head, name))) return "header";
  const { kid, typ } = head;
  if (typeof kid !== "string" || kid === "" || kid.length > MAX_KID) return "kid";
  if (typ !== undefined && !(typeof typ === "string" && /^(application\/)?jwt$/i.test(typ))) return "typ";
  const claims = parsePart(claimsPart);
  if (typeof claims === "string") return claims;
  if (!isCanonical(signaturePart)) return "malformed";
  return { alg, kid, claims };
}

/** One spelling only: leftover bits of the last character would give a second text for the same bytes. */
function isCanonical(part: string): boolean {
  return Buffer.from(part, "base64url").toString("base64url") === part;
}

function parsePart(part: string): Record<string, unknown> | TokenProblem {
  if (!isCanonical(part)) return "malformed";
  const bytes = Buffer.from(part, "base64url");
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    return "malformed";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "malformed";
  // RFC 7519 §4: names within a claims set are unique. What two parsers read differently decides about no access.
  return findJsonFault(text, MAX_TOKEN_BYTES, true) === null ? (value as Record<string, unknown>) : "duplicate_member";
}

/** findClaimsProblem says what is wrong with the claims, or null. Called again for every use of a token, since time passes and policies change.
 *  @param audiences any one of them must be named
 *  @param now milliseconds since 1970 */
export function findClaimsProblem(
  claims: Readonly<Record<string, unknown>>,
  config: AccessConfig,
  audiences: readonly string[],
  now: number,
): TokenProblem | null {
  const seconds = Math.floor(now / 1000);
  const { iss, exp, nbf, iat } = claims;
  // A configuration without an issuer accepts no token at all, not every one.
  if (config.issuer === null || iss !== config.issuer) return "issuer";
  if (!namesAudience(claims, audiences)) return "audience";
  if (!isTime(exp)) return "claims";
  if (exp <= seconds) return "expired";
  if (nbf !== undefined && !isTime(nbf)) return "claims";
  if (nbf !== undefined && nbf > seconds) return "not_yet_valid";
  if (iat !== undefined && !isTime(iat)) return "claims";
  return null;
}

/** JSON can write numbers that are infinite; a token with such an end would be good for ever. */
function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** namesAudience tells whether `aud` is, or contains, one of these. An array with anything but strings in it names nobody. */
export function namesAudience(claims: Readonly<Record<string, unknown>>, audiences: readonly string[]): boolean {
  const { aud } = claims;
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return named.every((name) => typeof name === "string") && named.some((name) => audiences.includes(name as string));
}
