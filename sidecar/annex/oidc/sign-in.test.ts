/** Sign-in against a real provider: what it lets in, and each way in which somebody may try to be let in without one. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { AccessConfig } from "../../../snapshots/schema/index.ts";
import { sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import type { Gate } from "../../gate/gate.ts";
import { makeToken } from "../../gate/gate-fixture.ts";
import { openRateLimiter } from "../../http/limits.ts";
import { type Running as Sidecar, startSidecar } from "../../serve/app-fixture.ts";
import { startSidecarProcess } from "../../serve/process-fixture.ts";
import { openCookies } from "./cookies.ts";
import { Browser, CLIENT, LIBRARY, type Running, startProvider } from "./provider-fixture.ts";
import { openSignIn } from "./sign-in.ts";

const GATED = "/internal/api/list";
const KEY = "a key of thirty-two or more characters";
const HOUR = 3_600_000;
const env = { OIDC_CLIENT_SECRET: CLIENT.secret, SESSION_KEY: KEY };
const people = {
  ada: { email: "ada@example.org", email_verified: true },
  eve: { email: "eve@elsewhere.test", email_verified: true },
  mallory: { email: "ada@example.org", email_verified: false },
  grace: { groups: ["readers", "others"] },
};
const allowed = { emails: [] as string[], domains: ["example.org"], groups: ["readers"] };
const reasons: string[] = [];

let provider: Running;
let other: Running;
let sidecar: Sidecar;
let access: AccessConfig;
let time: number;

function accessOf(issuer: string, { emails, domains, groups }: typeof allowed = allowed): AccessConfig {
  return AccessConfig.parse({
    issuer: null,
    audience: [],
    jwks: null,
    policy: { emails, domains, serviceTokens: ["ci"] },
    serviceTokens: [{ name: "ci", id: "ci.example", secretSha256: sha256("secret") }],
    oidc: { issuer, clientId: CLIENT.id, groups },
  });
}

const ended = mkdtempSync(join(tmpdir(), "proofshelf-ended-"));
const open = (baseUrl = LIBRARY) =>
  openSignIn(() => access, {
    baseUrl,
    env,
    ended,
    now: () => time,
    log: { warn: (entry: unknown) => void reasons.push((entry as { reason: string }).reason) },
  });

before(async () => {
  provider = await startProvider(people);
  other = await startProvider(people);
  access = accessOf(provider.issuer);
  const own = open();
  sidecar = await startSidecar({
    gate: own.gate,
    signIn: own,
    baseUrl: LIBRARY,
  });
  time = Date.now();
});
after(async () => {
  provider.stop();
  other.stop();
  await sidecar.listening.close();
  rmSync(ended, { recursive: true });
});

const newBrowser = (): Browser => new Browser(`http://127.0.0.1:${sidecar.listening.port}`);

async function signedIn(name: string): Promise<Browser> {
  const browser = newBrowser();
  await browser.ask(await browser.logIn(name));
  return browser;
}

const statusOf = async (browser: Browser, headers: Record<string, string> = {}): Promise<number> =>
  (await browser.ask(GATED, { headers })).status;

test("a person is led to the provider and back to where he wanted to be, is let in, is named in the log, and signs out", async () => {
  const browser = newBrowser();
  assert.equal(await statusOf(browser), 401);
  const { signIn } = open().gate.help(GATED);
  assert.equal(signIn, `${LIBRARY}/internal/sign-in?to=%2Finternal%2Fapi%2Flist`);
  const arrived = await browser.ask(await browser.logIn("ada", signIn ?? ""));
  assert.deepEqual([arrived.status, arrived.headers.get("location")], [303, GATED]);
  assert.equal(await statusOf(browser), 200);
  assert.equal(sidecar.log.at(-1)?.identity, "ada@example.org");
  assert.equal((await browser.ask("/internal/sign-out")).body.includes("You are signed in."), true);
  assert.equal((await browser.ask("/internal/sign-out", { form: {}, headers: { origin: LIBRARY } })).headers.get("location"), "/");
  assert.equal(await statusOf(browser), 401);
});

test("whoever kept the cookie of a session that was signed out is out", async () => {
  const browser = await signedIn("ada");
  const kept = browser.cookies().join("; ");
  assert.equal(await statusOf(newBrowser(), { cookie: kept }), 200);
  await browser.ask("/internal/sign-out", { form: {}, headers: { "sec-fetch-site": "same-origin", origin: "null" } });
  assert.equal(await statusOf(newBrowser(), { cookie: kept }), 401);
});

test("a session that was signed out stays out after a restart, and at another sidecar over the same folder", async () => {
  const gate = (): Gate => open().gate;
  const check = async (cookie: string): Promise<boolean> => (await gate().check(new Headers({ cookie }))).ok;
  for (const name of ["ada", "grace", "ada", "grace", "ada"]) {
    const [browser, stays] = [await signedIn(name), await signedIn(name)];
    const [cookie, other] = [browser.cookies().join("; "), stays.cookies().join("; ")];
    assert.equal(await check(cookie), true);
    await browser.ask("/internal/sign-out", { form: {}, headers: { origin: LIBRARY } });
    assert.deepEqual([await check(cookie), await check(other)], [false, true]);
  }
  // What is over anyway is forgotten.
  const before = readdirSync(ended).length;
  time += 13 * HOUR;
  const late = await signedIn("ada");
  await late.ask("/internal/sign-out", { form: {}, headers: { origin: LIBRARY } });
  time -= 13 * HOUR;
  assert.ok(before >= 5 && readdirSync(ended).length === 1, `${before} then ${readdirSync(ended).length}`);
});

test("a cookie that a sibling host plants neither locks anybody out nor takes anybody's place", async () => {
  const [ada, eve] = [await signedIn("ada"), await signedIn("grace")];
  const valueOf = (browser: Browser, name: string): string =>
    (browser.cookies().find((cookie) => cookie.startsWith(`${name}=`)) ?? "").slice(name.length + 1);
  const own = `proofshelf-bound=${valueOf(ada, "proofshelf-bound")}`;
  const [session, planted] = [valueOf(ada, "proofshelf"), valueOf(eve, "proofshelf")];
  for (const cookie of [
    `proofshelf=${planted}; proofshelf=${session}; ${own}`,
    `proofshelf=${session}; proofshelf=${planted}; ${own}`,
    `proofshelf=x; proofshelf=; proofshelf=${session}; ${own}`,
    `${own}; proofshelf=${"x".repeat(5000)}; proofshelf=${session}`,
    `proofshelf=${planted}; proofshelf=${planted}; proofshelf=y; proofshelf=${session}; ${own}`,
  ]) {
    assert.equal(await statusOf(newBrowser(), { cookie }), 200, cookie.slice(0, 60));
    assert.equal(sidecar.log.at(-1)?.identity, "ada@example.org");
  }
  for (const cookie of [
    `proofshelf=${planted}; ${own}`,
    `proofshelf=${planted}`,
    `proofshelf=${session}`,
    `proofshelf=${session}; proofshelf-bound=guessed`,
    `proofshelf=${session}; ${own}; proofshelf-bound=second`,
  ])
    assert.equal(await statusOf(newBrowser(), { cookie }), 401, cookie.slice(-60));
});

test("an ID token that the provider's keys did not sign signs nobody in", async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const foreign = await generateKeyPair("RS256");
  const key = { ...(await exportJWK(publicKey)), kid: "own", alg: "RS256", use: "sig" };
  let answer: (claims: JWTPayload) => Promise<string> = () => Promise.resolve("");
  let nonce = "";
  const server = createServer((request, response) => {
    const { address, port } = server.address() as AddressInfo;
    const issuer = `http://${address}:${port}`;
    const claims = { iss: issuer, aud: CLIENT.id, sub: "ada", email: "ada@example.org", email_verified: true, nonce };
    const send = (value: object): void => void response.setHeader("content-type", "application/json").end(JSON.stringify(value));
    if (request.url === "/jwks") send({ keys: [key] });
    else if (request.url === "/token") void answer(claims).then((id_token) => send({ access_token: "a", token_type: "Bearer", id_token }));
    else
      send({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ["RS256"],
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  access = accessOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const sign = (claims: JWTPayload, kid: string, by = privateKey): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).setIssuedAt().setExpirationTime("5m").sign(by);
  const changed = (token: string, change: (part: string, at: number) => string): string => token.split(".").map(change).join(".");
  try {
    for (const [name, make, status] of [
      ["its own", (claims: JWTPayload) => sign(claims, "own"), 303],
      ["another key", (claims: JWTPayload) => sign(claims, "own", foreign.privateKey), 401],
      ["an unknown key", (claims: JWTPayload) => sign(claims, "other", foreign.privateKey), 401],
      [
        "claims changed after signing",
        async (claims: JWTPayload) => {
          const eve = Buffer.from(JSON.stringify({ ...decodeJwt(await sign(claims, "own")), email: "root@example.org" })).toString(
            "base64url",
          );
          return changed(await sign(claims, "own"), (part, at) => (at === 1 ? eve : part));
        },
        401,
      ],
      ["no signature", async (claims: JWTPayload) => changed(await sign(claims, "own"), (part, at) => (at === 2 ? "" : part)), 401],
      [
        "the client's secret as key",
        (claims: JWTPayload) =>
          new SignJWT(claims)
            .setProtectedHeader({ alg: "HS256", kid: "own" })
            .setIssuedAt()
            .setExpirationTime("5m")
            .sign(Buffer.from(CLIENT.secret)),
        401,
      ],
    ] as const) {
      answer = make;
      const browser = newBrowser();
      const begun = new URL((await browser.ask("/internal/sign-in")).headers.get("location") ?? "");
      nonce = begun.searchParams.get("nonce") ?? "";
      const back = await browser.ask(`/internal/signed-in?code=c&state=${begun.searchParams.get("state")}`);
      assert.equal(back.status, status, `${name}: ${reasons.at(-1)}`);
    }
  } finally {
    access = accessOf(provider.issuer);
    server.close();
    server.closeAllConnections();
  }
});

test("sign-ins that are begun or answered count against a client, and other methods meet the gate", async (context) => {
  const own = open();
  const limited = await startSidecar({
    gate: own.gate,
    signIn: own,
    baseUrl: LIBRARY,
    limits: openRateLimiter({ rates: { "sign-in": 5 } }),
  });
  context.after(async () => {
    await limited.listening.close();
    rmSync(limited.views.folder, { recursive: true });
  });
  for (const target of [
    "/internal/sign-in",
    "/internal/sign-in?to=%2Finternal%2F",
    "/internal/signed-in?code=z&state=s",
    "/internal/sign-out",
    "/internal/sign-in",
  ])
    assert.notEqual((await limited.send("GET", target)).status, 429, target);
  for (const [method, target] of [
    ["GET", "/internal/sign-in"],
    ["GET", "/internal/signed-in?code=z"],
    ["GET", "/internal/sign-out"],
    ["POST", "/internal/sign-out"],
    ["GET", "/internal/signed-in"],
  ] as const) {
    const { status, headers } = await limited.send(method, target);
    assert.deepEqual(
      [status, headers["cache-control"], headers["ratelimit-policy"]],
      [429, "private, no-store", '"sign-in";q=5;w=60'],
      target,
    );
  }
  for (const method of ["PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"])
    assert.ok([401, 429].includes((await limited.send(method, "/internal/sign-in")).status), method);
  assert.equal((await limited.send("GET", "/internal/../internal/sign-in")).status, 401, "another spelling meets the gate");
});

test("the policy decides at every request: verified addresses and groups alone, and who is struck out is out at once", async () => {
  for (const [name, status] of [
    ["eve", 403],
    ["mallory", 403],
    ["grace", 303],
  ] as const) {
    const browser = newBrowser();
    assert.equal((await browser.ask(await browser.logIn(name))).status, status, name);
    assert.equal(await statusOf(browser), status === 303 ? 200 : 401, name);
  }
  const [ada, grace] = [await signedIn("ada"), await signedIn("grace")];
  try {
    access = accessOf(provider.issuer, { ...allowed, domains: [] });
    assert.deepEqual([await statusOf(ada), await statusOf(grace)], [403, 200]);
    access = accessOf(provider.issuer, { ...allowed, groups: ["others"] });
    assert.deepEqual([await statusOf(ada), await statusOf(grace)], [200, 403]);
    access = accessOf(other.issuer);
    assert.equal(await statusOf(ada), 401, "a session of another provider");
  } finally {
    access = accessOf(provider.issuer);
  }
});

test("machines send their pair as everywhere", async () => {
  const pair = { "edge-access-client-id": "ci.example", "edge-access-client-secret": "secret" };
  assert.equal(await statusOf(newBrowser(), pair), 200);
  assert.equal(await statusOf(await signedIn("ada"), { ...pair, "edge-access-client-secret": "guessed" }), 401);
});

test("fixation: the answer to somebody else's sign-in signs nobody in", async () => {
  const attacker = newBrowser();
  const back = await attacker.logIn("ada");
  const victim = newBrowser();
  assert.equal((await victim.ask(back)).status, 401);
  assert.deepEqual(victim.cookies(), []);
  // Nor does it in a browser that has begun one of its own.
  await victim.ask("/internal/sign-in");
  assert.equal((await victim.ask(back)).status, 401);
  assert.equal(await statusOf(victim), 401);
});

test("injection: a code of one sign-in is taken for no other", async () => {
  const [attacker, victim] = [newBrowser(), newBrowser()];
  const [stolen, own] = [await victim.logIn("ada"), await attacker.logIn("eve")];
  own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
  assert.equal((await attacker.ask(own)).status, 401);
  assert.equal(await statusOf(attacker), 401);
});

test("replay: an answer is good once, here and at another process with the same key", async () => {
  const browser = newBrowser();
  const back = await browser.logIn("ada");
  const begun = browser.cookies().find((cookie) => cookie.startsWith("proofshelf-sign-in=")) ?? "";
  assert.equal((await browser.ask(back)).status, 303);
  const again = { headers: { cookie: begun } };
  assert.equal((await newBrowser().ask(back, again)).status, 401);
  assert.equal(reasons.at(-1), "answered before");
  const second = await open().answer(new Request(back, again));
  assert.ok(second instanceof ShelfError);
  assert.deepEqual([second.status, Object.values(second.headers).some((cookie) => cookie.startsWith("proofshelf="))], [401, false]);
  assert.match(reasons.at(-1) ?? "", /invalid_grant/);
});

test("mixed-up issuers: an answer of another provider, or one that does not say whose it is, is refused", async () => {
  const begin = newBrowser();
  const question = new URL((await begin.ask("/internal/sign-in")).headers.get("location") ?? "");
  const elsewhere = new URL(question.pathname + question.search, other.issuer);
  const back = await begin.logIn("ada", elsewhere);
  assert.equal(back.searchParams.get("iss"), other.issuer);
  assert.equal((await begin.ask(back)).status, 401);
  for (const change of [(url: URL) => url.searchParams.delete("iss"), (url: URL) => url.searchParams.set("iss", other.issuer)]) {
    const browser = newBrowser();
    const changed = await browser.logIn("ada");
    change(changed);
    assert.equal((await browser.ask(changed)).status, 401);
    assert.match(reasons.at(-1) ?? "", /iss/);
  }
});

test("a changed state, an error of the provider and an answer that comes too late sign nobody in", async () => {
  for (const change of [
    (url: URL) => url.searchParams.set("state", "other"),
    (url: URL) => url.searchParams.delete("state"),
    (url: URL) => url.searchParams.append("code", "second"),
    (url: URL) => (url.search = `?error=access_denied&error_description=<script>&state=${url.searchParams.get("state")}`),
  ]) {
    const browser = newBrowser();
    const back = await browser.logIn("ada");
    change(back);
    const refused = await browser.ask(back);
    assert.deepEqual([refused.status, refused.body.includes("<script>"), browser.cookies()], [401, false, []]);
  }
  const slow = newBrowser();
  const back = await slow.logIn("ada");
  time += 601_000;
  assert.equal((await slow.ask(back)).status, 401);
  time -= 601_000;
});

test("open redirect: after signing in one is at an address of what is gated here, whatever was asked", async () => {
  for (const to of [
    "https://evil.test/internal/",
    "//evil.test/internal/",
    "/\\evil.test/internal/",
    "/internal/../../evil",
    "/browse/",
    "javascript:alert(1)",
    "/internal/sign-out",
    "\t//evil.test/",
  ]) {
    const browser = newBrowser();
    const arrived = await browser.ask(await browser.logIn("ada", `/internal/sign-in?to=${encodeURIComponent(to)}`));
    assert.equal(arrived.headers.get("location"), "/internal/", to);
  }
});

test("forged requests: what another site sends with the cookie counts as nobody's, but for a link that is followed", async () => {
  const cookie = (await signedIn("ada")).cookies().join("; ");
  const send = async (headers: Record<string, string>, method = "GET", target = GATED): Promise<number> =>
    (await sidecar.send(method, target, { cookie, ...headers })).status;
  for (const headers of [
    { origin: "https://evil.test" },
    { origin: "null" },
    { origin: "https://evil.test", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" },
    { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
  ])
    assert.equal(await send(headers), 401, JSON.stringify(headers));
  for (const headers of [
    { origin: LIBRARY },
    { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
  ])
    assert.equal(await send(headers), 200, JSON.stringify(headers));
  const navigation = { origin: "https://evil.test", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  assert.equal(await send(navigation, "POST", "/internal/sign-out"), 303);
  assert.equal(await send({}), 200, "another site ended the session");
  assert.equal(await send({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, "GET", "/internal/sign-out"), 200);
  assert.equal(await send({}), 200, "a link ended the session");
  assert.equal(await send({ origin: LIBRARY }, "POST", "/internal/sign-out"), 303);
  assert.equal(await send({}), 401);
});

test("a cookie that was not sealed here as a session, or is over, lets nobody in", async () => {
  const browser = await signedIn("ada");
  const sealed = (browser.cookies().find((cookie) => cookie.startsWith("proofshelf=")) ?? "").slice("proofshelf=".length);
  const session = { iss: provider.issuer, client: CLIENT.id, sub: "x", email: "ada@example.org", groups: [], jti: "x", bound: "b" };
  const own = openCookies(KEY, () => time);
  assert.equal(
    await statusOf(newBrowser(), { cookie: `proofshelf-bound=b; proofshelf=${await own.seal("session", session, 60)}` }),
    200,
    "this test can seal one",
  );
  for (const forged of [
    await own.seal("sign-in", session, 60),
    await openCookies(`${KEY}!`, () => time).seal("session", session, 60),
    await own.seal("session", { ...session, client: "another" }, 60),
    `${sealed.slice(0, -2)}AA`,
    Buffer.from(JSON.stringify(session)).toString("base64url"),
    "x".repeat(5000),
  ])
    assert.equal(await statusOf(newBrowser(), { cookie: `proofshelf-bound=b; proofshelf=${forged}` }), 401, forged.slice(0, 40));
  time += 12 * HOUR + 1000;
  assert.equal(await statusOf(browser), 401, "the session is over");
  time -= 12 * HOUR + 1000;
});

test("cookies are out of reach of scripts, of other sites and of what is public, and of unencrypted lines where the library has none", async () => {
  const asked = await open("https://library.example.org").answer(new Request("http://any/internal/sign-in"));
  assert.ok(asked instanceof Response);
  const [line = ""] = asked.headers.getSetCookie();
  assert.match(line, /^__Host-proofshelf-sign-in=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
  const browser = newBrowser();
  const arrived = await browser.ask(await browser.logIn("ada"));
  assert.deepEqual(
    arrived.headers.getSetCookie().map((cookie) => cookie.replace(/=[\w.-]{30,};/, "=…;")),
    [
      "proofshelf-sign-in=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
      "proofshelf-bound=…; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax",
      "proofshelf=…; Path=/internal; Max-Age=43200; HttpOnly; SameSite=Lax",
      "proofshelf=…; Path=/api/code; Max-Age=43200; HttpOnly; SameSite=Lax",
    ],
  );
  assert.throws(() => openCookies("short", () => time), /at least 32/);
});

test("a provider that is away costs a sign-in and no session", async () => {
  const browser = await signedIn("ada");
  access = accessOf("http://127.0.0.1:9");
  try {
    const away = await newBrowser().ask("/internal/sign-in");
    assert.deepEqual([away.status, /could not be reached/.test(away.body)], [503, true]);
  } finally {
    access = accessOf(provider.issuer);
  }
  assert.equal(await statusOf(browser), 200);
});

test("the process signs people in as its configuration says, believes no token then, hears a changed policy, and writes no secret", async () => {
  const start = (more: Record<string, string>) => startSidecarProcess(sidecar.views, { access, baseUrl: LIBRARY }, { ...env, ...more });
  await assert.rejects(start({ SESSION_KEY: "short" }), /SESSION_KEY has 5 characters/);
  const started = await start({});
  const browser = new Browser(started.ready.url);
  assert.equal((await browser.ask(await browser.logIn("ada"))).status, 303);
  assert.equal(await statusOf(browser), 200);
  assert.equal(await statusOf(new Browser(started.ready.url), { "edge-access-token": makeToken() }), 401);
  started.child.send({ type: "access", access: accessOf(provider.issuer, { ...allowed, domains: [] }) });
  for (let at = 0; at < 500 && !started.errors().includes("read again"); at++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(await statusOf(browser), 403);
  assert.equal((await new Browser(started.ready.url).ask("/internal/signed-in?code=x&state=y")).status, 401);
  const said = started.errors();
  for (const secret of [KEY, CLIENT.secret, ...browser.cookies().map((cookie) => cookie.split("=")[1] ?? "")])
    assert.ok(!said.includes(secret), "a secret is in the log");
  assert.equal(await started.stop(), 0);
});
