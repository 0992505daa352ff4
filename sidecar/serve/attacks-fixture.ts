/** Attacks on the gate over HTTP: all of them, or a sample that has each kind of each. */
import assert from "node:assert/strict";
import { sha256 } from "../../snapshots/digest.ts";
import { ROUTES } from "../../snapshots/service/routes.ts";
import { Problem } from "../../snapshots/schema/resources.ts";
import type { Reply, Running } from "./app-fixture.ts";
import { makeHmacToken, makeToken, NOW, rsaPem, SERVICE_SECRET } from "../gate/gate-fixture.ts";
import { CODE_TEXT, GATED_KEY, HEAD } from "./view-fixture.ts";

export const CODE = `/api/code/sorting/${HEAD}/coq/Sort.v`;

/** examplePath returns a path that fits a route's pattern. */
export function examplePath(path: string): string {
  return path
    .replace("{repo}", "sorting")
    .replace("{head}", HEAD)
    .replace("{path...}", "coq/Sort.v")
    .replace("{key...}", encodeURI(GATED_KEY))
    .replace("{prefix...}", "drafts/")
    .replace("{id}", "CUB-0007");
}

const bad: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nothing: {},
  "half a pair": { "edge-access-client-id": "ci.example" },
  "the other half": { "edge-access-client-secret": SERVICE_SECRET },
  "a wrong secret": { "edge-access-client-id": "ci.example", "edge-access-client-secret": "wrong" },
  "an expired token": { "edge-access-token": makeToken({ exp: NOW - 1 }) },
  "a token for others": { "edge-access-token": makeToken({ aud: "others" }) },
  "a token of others": { "edge-access-token": makeToken({ iss: "https://evil.example" }) },
  "an unsigned token": { "edge-access-token": `${makeToken().split(".").slice(0, 2).join(".")}.` },
  "a token with the public key as secret": { "edge-access-token": makeHmacToken(rsaPem, { alg: "HS256", kid: "rsa" }) },
  "a bearer": { authorization: `Bearer ${makeToken()}` },
  "a cookie": { cookie: `edge-access-token=${makeToken()}` },
  "a good pair beside a bad token": {
    "edge-access-client-id": "ci.example",
    "edge-access-client-secret": SERVICE_SECRET,
    "edge-access-token": "x",
  },
};

/** tryCredentials sends bad credentials with every method to every gated route; in a sample each time another kind of them. */
export async function tryCredentials(running: Running, all: boolean): Promise<void> {
  const gatedRoutes = ROUTES.filter(({ access }) => access === "gated" || access === "person");
  assert.ok(gatedRoutes.length >= 13);
  running.takeCalls();
  let tried = 0;
  let turn = 0;
  for (const route of gatedRoutes) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      const kinds = Object.entries(bad);
      const chosen = kinds[turn++ % kinds.length];
      for (const [kind, headers] of all ? kinds : kinds.filter((one) => one === chosen)) {
        const reply = await running.send(method, examplePath(route.path), headers, method === "POST" ? '{"question":"x"}' : undefined);
        assert.equal(reply.status, 401, `${method} ${route.path} with ${kind}`);
        assert.equal(reply.headers["cache-control"], "private, no-store");
        assert.match(reply.headers["www-authenticate"] ?? "", /^Bearer/);
        assert.equal(reply.headers["access-control-allow-origin"], undefined);
        if (method !== "HEAD") assert.equal(Problem.parse(JSON.parse(reply.body)).code, "unauthenticated");
        tried++;
      }
      const stranger = await running.send(method, examplePath(route.path), { "edge-access-token": makeToken({ email: "eve@evil.test" }) });
      assert.equal(stranger.status, 403);
      assert.equal(stranger.headers["cache-control"], "private, no-store");
    }
  }
  assert.ok(tried >= (all ? 1_000 : 200));
  assert.equal(running.takeCalls(), 0);
}

/** trySpellings asks for gated things under addresses that look like theirs. In a sample by GET alone. */
export async function trySpellings(running: Running, all: boolean): Promise<void> {
  const targets = [
    "/internal/api/catalog",
    "/internal/objects/drafts/secret.md",
    "/internal/llms.txt",
    "/internal/browse/drafts/",
    "/internal/api/search?q=sleeps",
    CODE,
  ];
  const tricks: ((target: string) => string)[] = [
    (target) => `/${target}`,
    (target) => `//${target}`,
    (target) => target.toUpperCase(),
    (target) => target.replace("/i", "/I"),
    (target) => target.replace("/i", "/%69"),
    (target) => target.replace("/a", "/%61"),
    (target) => target.replace("internal/", "internal%2f"),
    (target) => target.replace("internal/", "internal%2F"),
    (target) => target.replace("internal/", "internal;/"),
    (target) => target.replace("internal", "internal;x=y"),
    (target) => `/x/..${target}`,
    (target) => `/x/%2e%2e${target}`,
    (target) => `/.${target}`,
    (target) => `/%2e${target}`,
    (target) => target.replace("internal", "internal/."),
    (target) => target.replace("internal/", "internal\\"),
    (target) => target.replace("internal/", "internal//"),
    (target) => `${target}.css`,
    (target) => `${target};.css`,
    (target) => `${target}/x.css`,
    (target) => `${target}%3f.css`,
    (target) => `${target}%23`,
    (target) => `${target}%00`,
    (target) => `${target}?x.css`,
    (target) => `${target}/`,
    (target) => `/internal/..${target}`,
    (target) => `/objects/..${target}`,
    (target) => `/at/x${target}`,
    (target) => `http://evil.example${target}`,
    (target) => `http://127.0.0.1${target}`,
    (target) => target.replace("internal", "internal%20"),
    (target) => target.replace("internal", "%2569nternal"),
    (target) => target.replace("internal", "\u0131nternal"),
    (target) => target.slice(1),
    (target) => target.replace("/internal", ""),
    (target) => `/internal${target}`,
    (target) => target.replace("/internal", "/internal/internal"),
    (target) => `${target}#/public`,
  ];
  const overrides = {
    "x-original-url": "/internal/api/catalog",
    "x-rewrite-url": "/internal/api/catalog",
    "x-forwarded-prefix": "/internal",
    "x-http-method-override": "GET",
    host: "internal",
    "x-forwarded-user": "ada@example.org",
  };
  const trySend = async (method: string, target: string, headers = {}): Promise<Reply | null> =>
    running.send(method, target, headers).catch(() => null);
  let answered = 0;
  for (const target of targets) {
    for (const trick of tricks) {
      for (const method of all ? ["GET", "HEAD", "POST"] : ["GET"]) {
        for (const headers of [{}, overrides]) {
          const reply = await trySend(method, encodeURI(trick(target)).replaceAll("%25", "%"), headers);
          if (reply === null) continue;
          answered++;
          assert.doesNotMatch(
            reply.body + JSON.stringify(reply.headers),
            /canary-of|"Drafts?"|insert_keeps_sorted : True/,
            `${method} ${trick(target)}`,
          );
          assert.notEqual(reply.headers["x-cub-sha256"], sha256(CODE_TEXT));
        }
      }
    }
  }
  assert.ok(answered > (all ? 1_000 : 300), `${answered} requests were answered`);
}
