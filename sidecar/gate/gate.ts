/** The gate: who may see the internal view and the code files (interface §5, conventions "Sidecar").
 *
 *  It reads three request headers and the configuration, and nothing else: no shelf, no index, no store. A token decides
 *  alone when it is sent; otherwise both halves of a service-token pair are needed. Who is known but outside the policy is
 *  403; everybody else is 401, always with the same words, so that a refusal teaches nothing about the check that failed. */
import { hash, timingSafeEqual } from "node:crypto";
import { jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import type { AccessConfig } from "#snapshots/schema";
import { sha256, type Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { memoize } from "#snapshots/format";
import { type KeySet, type KeySource, type KeySourceOptions, openKeySource } from "./key-set.ts";
import { findClaimsProblem, namesAudience, type ParsedToken, parseToken, type TokenProblem } from "./token.ts";

/** Verdicts on tokens that are remembered, a kilobyte or so each: a client sends one token with many requests. */
const MAX_REMEMBERED = 4_000;
/** Milliseconds for which a verdict is believed before the signature is checked again. */
const MAX_VERDICT_AGE = 60_000;
const HOUR = 3_600_000; // milliseconds

export type Identity = {
  readonly kind: "person" | "service";
  /** The email of a person, the configured name of a service. */
  readonly name: string;
  readonly email: string | null;
};

type RefusalReason =
  | TokenProblem
  | "no_credentials"
  | "half_pair"
  | "bad_pair"
  | "policy"
  | "not_human"
  | "no_keys"
  | "no_tokens"
  | "no_access";

export type GateVerdict =
  | { readonly ok: true; readonly identity: Identity }
  /** `reason` is for the log; `problem` is all that the caller may learn. */
  | { readonly ok: false; readonly problem: ShelfError; readonly reason: RefusalReason };

/** Request headers by lower-case name; a header that was sent twice is both values with a comma between. */
type Credentials = { get(name: string): string | null };

/** Help is what everybody who is refused may know. */
type Help = Pick<AccessConfig, "signIn" | "contact">;

export interface Gate {
  /** Judges a request for /internal/* or the code route. Never throws.
   *  @param only "people" for /internal/api/ask: a person with a token of the human application */
  check(headers: Credentials, only?: "people"): Promise<GateVerdict>;
  /** @param path that was asked for */
  help(path: string): Help;
}

type GateOptions = {
  /** Milliseconds since 1970: what a token's times are compared with. */
  readonly now?: () => number;
  /** Milliseconds that never go back: how old keys and verdicts are. */
  readonly monotonic?: () => number;
  readonly readKeys?: NonNullable<KeySourceOptions["read"]>;
};

type Verdict = {
  readonly good: boolean;
  readonly parsed: ParsedToken;
  /** Version of the key set that it was reached with. */
  readonly keys: number;
  readonly at: number;
};

/** openGate returns the gate of the access section.
 *  @param source the access section, or null when there is none; a function is asked on every check, so a policy that it reads again takes effect
 *  at once */
export function openGate(source: AccessConfig | null | (() => AccessConfig | null), options: GateOptions = {}): Gate {
  const now = options.now ?? Date.now;
  const monotonic = options.monotonic ?? (() => performance.now());
  const readConfig = typeof source === "function" ? source : () => source;
  // Keyed by the digest of the token, so the memory of the process holds no token; the value is bound to one key set, and each
  // configuration has its own: what was judged by another is worth nothing.
  const verdictsOf = memoize((_: AccessConfig) => new LRUCache<string, Verdict>({ max: MAX_REMEMBERED }));
  const keySources = new LRUCache<string, KeySource>({
    max: 1,
    memoMethod: (jwks) => openKeySource(jwks, { monotonic, read: options.readKeys }),
  });

  const verifyToken = async (token: string, config: AccessConfig): Promise<ParsedToken | RefusalReason> => {
    const verdicts = verdictsOf(config);
    const digest = hash("sha256", token, "base64url");
    const known = verdicts.get(digest);
    const parsed = known?.parsed ?? parseToken(token, config.algorithms);
    if (typeof parsed === "string") return parsed;
    const audience = [...config.audience, ...config.humanAudience];
    const problem = findClaimsProblem(parsed.claims, config, audience, now());
    if (problem !== null) return problem;
    if (config.issuer === null || config.jwks === null) return "no_tokens";
    const source = keySources.memo(config.jwks);
    const findKeys = (doubted?: number) => source.find(parsed.kid, config.jwksMaxAgeHours * HOUR, doubted);
    const { algorithms, issuer } = config;
    const currentDate = new Date(now());
    const isSigned = ({ choose }: KeySet): Promise<boolean> =>
      jwtVerify(token, choose, { algorithms: [...algorithms], issuer, audience, requiredClaims: ["iss", "aud", "exp"], currentDate }).then(
        () => true,
        () => false,
      );
    let keys = await findKeys();
    if (keys === null) return "no_keys";
    if (!keys.kids.has(parsed.kid)) return "unknown_key";
    if (known?.keys === keys.version && monotonic() - known.at < MAX_VERDICT_AGE) return known.good ? parsed : "signature";
    let good = await isSigned(keys);
    const newer = good ? null : await findKeys(keys.version);
    if (newer !== null && newer.version !== keys.version) {
      keys = newer;
      good = await isSigned(newer);
    }
    verdicts.set(digest, { good, parsed, keys: keys.version, at: monotonic() });
    return good ? parsed : "signature";
  };

  const check: Gate["check"] = async (headers, only) => {
    const config = readConfig();
    const human = only === "people";
    if (config === null) {
      return refuse(
        "no_access",
        new ShelfError("unauthenticated", "This library has no access section, so nobody can be let in.", {
          fixes: ["Add an access section to proofshelf.yaml: issuer, audience, jwks and policy."],
        }),
      );
    }
    const token = headers.get(config.headers.token);
    if (token === null) {
      const name = checkPair(headers, config);
      if (typeof name !== "string") return unauthenticated(name.reason, config);
      if (human) return forbidden("not_human", FOR_PEOPLE);
      if (!config.policy.serviceTokens.includes(name)) return forbidden("policy");
      return { ok: true, identity: { kind: "service", name, email: null } };
    }
    const parsed = await verifyToken(token, config);
    if (parsed === "no_keys") {
      return refuse(
        "no_keys",
        new ShelfError("keys_unavailable", "No key that could check this token has been read, or none for too long.", {
          fixes: ["Try again in a minute.", "Operators: check that access.jwks can be read."],
        }),
      );
    }
    if (typeof parsed === "string") return unauthenticated(parsed, config);
    if (human && !namesAudience(parsed.claims, config.humanAudience)) {
      return forbidden("not_human", "This route needs a token of the application for people.");
    }
    if (!human && !namesAudience(parsed.claims, config.audience)) return unauthenticated("audience", config);
    const identity = findIdentity(parsed.claims, config);
    if (identity === null) return forbidden("policy");
    if (human && identity.kind !== "person") return forbidden("not_human", FOR_PEOPLE);
    return isAllowed(identity, config) ? { ok: true, identity } : forbidden("policy");
  };

  return { check, help: () => readConfig() ?? { signIn: null, contact: null } };
}

const FOR_PEOPLE = "This route is for people; machines use /internal/library/api/ask.";

/** findIdentity finds whom a verified token speaks for: a person when it has an email, a service when it names the id of a configured one. */
function findIdentity(claims: Readonly<Record<string, unknown>>, config: AccessConfig): Identity | null {
  const { email, email_verified: emailVerified, common_name: commonName, sub } = claims;
  if (email !== undefined && email !== "") {
    if (typeof email !== "string" || !isVerified(emailVerified)) return null;
    const folded = foldEmail(email);
    return folded === null ? null : { kind: "person", name: folded, email: folded };
  }
  const id = typeof commonName === "string" && commonName !== "" ? commonName : sub;
  const service = config.serviceTokens.find((known) => known.id === id);
  return service === undefined ? null : { kind: "service", name: service.name, email: null };
}

/** Issuers that say nothing of it give verified addresses only; some write the word for the value. */
function isVerified(claim: unknown): boolean {
  return claim === undefined || claim === true || claim === "true";
}

/** foldEmail takes plain ASCII addresses only: what looks like `example.org` to a reader must be `example.org` to us. */
export function foldEmail(email: string): string | null {
  return /^[!-?A-~]{1,64}@[A-Za-z0-9.-]{1,253}$/.test(email) ? email.toLowerCase() : null;
}

export function isAllowed(identity: Identity, { policy }: Pick<AccessConfig, "policy">): boolean {
  if (identity.kind === "service") return policy.serviceTokens.includes(identity.name);
  const email = identity.name;
  const domain = email.slice(email.lastIndexOf("@") + 1);
  return (
    policy.emails.some((allowed) => allowed.toLowerCase() === email) || policy.domains.some((allowed) => allowed.toLowerCase() === domain)
  );
}

/** The name of the service whose pair was sent. Every entry is compared, in constant time, so that neither an id nor a
 *  secret can be guessed piece by piece. */
function checkPair(headers: Credentials, config: AccessConfig): string | { readonly reason: RefusalReason } {
  const id = headers.get(config.headers.clientId);
  const secret = headers.get(config.headers.clientSecret);
  if (id === null && secret === null) return { reason: "no_credentials" };
  if (id === null || secret === null || id === "" || secret === "") return { reason: "half_pair" };
  const idDigest = sha256(id);
  const secretDigest = sha256(secret);
  let found: string | null = null;
  for (const known of config.serviceTokens) {
    const sameId = isSameDigest(sha256(known.id), idDigest);
    const sameSecret = isSameDigest(known.secretSha256, secretDigest);
    if (sameId && sameSecret) found = known.name;
  }
  return found ?? { reason: "bad_pair" };
}

/** isSameDigest compares in constant time. */
export function isSameDigest(a: Sha256, b: Sha256): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function unauthenticated(reason: RefusalReason, { headers }: AccessConfig): GateVerdict {
  const message = "This route needs a valid application token or a valid service-token pair.";
  const fixes = [`Send ${headers.token}, or both ${headers.clientId} and ${headers.clientSecret}.`];
  return refuse(reason, new ShelfError("unauthenticated", message, { fixes }));
}

export function forbidden(reason: RefusalReason, message = "You are known here, but the policy does not let you in."): GateVerdict {
  return refuse(reason, new ShelfError("forbidden", message));
}

export function refuse(reason: RefusalReason, problem: ShelfError): GateVerdict {
  return { ok: false, problem, reason };
}
