/** Keys, tokens and an access section for tests: real signatures, made by hand so that any malformed token can be made too. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { AccessConfig } from "../../snapshots/schema/access.ts";
import { sha256 } from "../../snapshots/digest.ts";

export type Json = Readonly<Record<string, unknown>>;

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed = generateKeyPairSync("ed25519");

export const rsaPem = rsa.publicKey.export({ type: "spki", format: "pem" }) as string;
/** jwks is the public set, as text. */
export const jwks = JSON.stringify({
  keys: [
    { ...rsa.publicKey.export({ format: "jwk" }), kid: "rsa", alg: "RS256", use: "sig" },
    { ...ec.publicKey.export({ format: "jwk" }), kid: "ec", alg: "ES256", use: "sig" },
    { ...ed.publicKey.export({ format: "jwk" }), kid: "ed", alg: "EdDSA", use: "sig" },
  ],
});

const KEYS: Readonly<Record<string, KeyObject>> = { RS256: rsa.privateKey, ES256: ec.privateKey, EdDSA: ed.privateKey };
const KIDS: Readonly<Record<string, string>> = { RS256: "rsa", ES256: "ec", EdDSA: "ed" };

/** NOW is the time at which all test tokens are judged, in seconds since 1970. */
export const NOW = 1_800_000_000;
export const clock = (): number => NOW * 1000;

export const claims: Json = {
  iss: "https://gateway.example.org",
  aud: ["library"],
  sub: "person-1",
  email: "ada@example.org",
  iat: NOW - 10,
  nbf: NOW - 10,
  exp: NOW + 600,
};

export const SERVICE_SECRET = "a secret of the build machine";

export function accessConfig(change: Json = {}): AccessConfig {
  return AccessConfig.parse({
    issuer: "https://gateway.example.org",
    audience: ["library"],
    humanAudience: ["library-people"],
    jwks: "/keys.json",
    policy: { emails: ["guest@elsewhere.test"], domains: ["example.org"], serviceTokens: ["ci"] },
    serviceTokens: [
      { name: "ci", id: "ci.example", secretSha256: sha256(SERVICE_SECRET) },
      { name: "old", id: "old.example", secretSha256: sha256(SERVICE_SECRET) },
    ],
    ...change,
  });
}

export const readKeys = (): Promise<string> => Promise.resolve(jwks);

export function encodePart(value: unknown): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

/** makeToken returns a token whose signature is right for `alg`'s key, whatever its header and claims say. */
export function makeToken(change: Json = {}, header: Json | string = {}, alg: "RS256" | "ES256" | "EdDSA" = "ES256"): string {
  const head = typeof header === "string" ? header : { alg, kid: KIDS[alg], typ: "JWT", ...header };
  return signParts(encodePart(head), encodePart({ ...claims, ...change }), alg);
}

export function signParts(head: string, body: string, alg: "RS256" | "ES256" | "EdDSA" = "ES256"): string {
  const input = Buffer.from(`${head}.${body}`);
  const key = KEYS[alg] as KeyObject;
  const signature =
    alg === "ES256" ? sign("sha256", input, { key, dsaEncoding: "ieee-p1363" }) : sign(alg === "RS256" ? "sha256" : null, input, key);
  return `${head}.${body}.${signature.toString("base64url")}`;
}

/** makeHmacToken returns a token "signed" with a shared secret. */
export function makeHmacToken(secret: string, header: Json): string {
  const input = `${encodePart(header)}.${encodePart(claims)}`;
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
}

export function tokenHeaders(token: string): Headers {
  return new Headers({ "edge-access-token": token });
}

export function pairHeaders(id: string, secret: string): Headers {
  return new Headers({ "Edge-Access-Client-Id": id, "Edge-Access-Client-Secret": secret });
}
