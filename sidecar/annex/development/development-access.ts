/** A gate for looking at one's own gated view: a key pair that lives as long as the process, and one token for it, which a link that is
 *  opened once turns into a cookie. Only `serve --try-internal` and the demo have it, and they listen on this machine alone. */
import ipaddr from "ipaddr.js";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { CACHE } from "#snapshots/http";
import { AccessConfig } from "#snapshots/schema";
import { openGate } from "#sidecar/gate";
import type { DevelopmentAccess } from "#sidecar/serve";

const ISSUER = "https://development.invalid";
const AUDIENCE = "development";
const EMAIL = "developer@development.invalid";

/** isLoopback tells whether what listens on a host is reached from this machine alone. */
function isLoopback(host: string): boolean {
  return host === "localhost" || (ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback");
}

const COOKIE = "proofshelf-try";
const DAY = 86_400; // seconds; as long as the token is good

export async function openDevelopmentAccess(host: string): Promise<DevelopmentAccess | null> {
  if (!isLoopback(host)) return null;
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const kid = "development";
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" }] });
  const token = await new SignJWT({ email: EMAIL })
    .setProtectedHeader({ alg: "ES256", kid, typ: "JWT" })
    .setIssuer(ISSUER)
    .setAudience([AUDIENCE, `${AUDIENCE}-people`])
    .setIssuedAt()
    .setExpirationTime("24h")
    .sign(privateKey);
  const access = AccessConfig.parse({
    issuer: ISSUER,
    audience: [AUDIENCE],
    humanAudience: [`${AUDIENCE}-people`],
    jwks: "development",
    policy: { emails: [EMAIL] },
  });
  const credentialsOf = (headers: Pick<Headers, "get">): Pick<Headers, "get"> => ({
    get: (name) => headers.get(name) ?? (name === access.headers.token ? cookieOf(headers.get("cookie")) : null),
  });
  const gate = openGate(access, { readKeys: () => Promise.resolve(jwks) });
  return {
    access,
    token,
    gate: { check: (headers, only) => gate.check(credentialsOf(headers), only), help: gate.help },
    addresses: [["GET", "/internal/try"]],
    answer: openLink,
  };
}

/** openLink turns the token of a link into cookies. */
function openLink({ method, url }: Request): Response | null {
  const given = new URL(url).searchParams.get("token");
  if (method !== "GET" || given === null) return null;
  const headers = new Headers({ Location: "/internal/", "Cache-Control": CACHE.private, "Referrer-Policy": "no-referrer" });
  // Any credential that is given is taken along: the gate decides.
  if (/^[\w.-]+$/.test(given))
    for (const path of ["/internal", "/api/code"])
      headers.append("Set-Cookie", `${COOKIE}=${given}; Path=${path}; Max-Age=${DAY}; HttpOnly; SameSite=Strict`);
  return new Response(null, { status: 303, headers });
}

function cookieOf(header: string | null): string | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim().split("="));
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? null;
}
