/** Each request of the contract, sent to a sidecar that listens, with credentials and without: every answer is one that the description has. */
import { NO_MODELS } from "../mcp/fixture.ts";
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { openDescription } from "../../snapshots/contract/contract.ts";
import { ROUTES } from "../../snapshots/service/routes.ts";
import { makeToken } from "../gate/gate-fixture.ts";
import { openMcp } from "../mcp/handler.ts";
import { openRateLimiter } from "../http/limits.ts";
import { type Running, startSidecar } from "./app-fixture.ts";
import { HEAD } from "./view-fixture.ts";
import { openReindexer } from "./reindex.ts";

let running: Running;
let check: ReturnType<typeof openDescription>;
const seen = new Map<string, Set<number>>();

before(async () => {
  running = await startSidecar({ reindexer: openReindexer({ token: "a-token-for-tests", command: null, timeout: 1_000 }) });
  check = openDescription(JSON.parse((await running.send("GET", "/api/openapi.json")).body) as Parameters<typeof openDescription>[0]);
});
after(() => stop(running));

async function stop({ listening, views }: Running): Promise<void> {
  await listening.close();
  rmSync(views.folder, { recursive: true });
}

type Headers = Readonly<Record<string, string>>;
const member: Headers = { "edge-access-token": makeToken() };
const stranger: Headers = { "edge-access-token": makeToken({ email: "who@elsewhere.example" }) };
const human: Headers = { "edge-access-token": makeToken({ aud: "library-people" }) };
const JSON_BODY: Headers = { "content-type": "application/json" };

/** Sends one request and holds its answer against the description. */
async function hold(method: string, target: string, headers: Headers = {}, body?: string, of = running): Promise<number> {
  const reply = await of.send(method, target, headers, body);
  const received = {
    status: reply.status,
    headers: new Map(Object.entries(reply.headers).map(([name, value]) => [name, String(value)])),
    body: Buffer.from(reply.body),
  };
  try {
    check({ method, target, headers }, received);
  } catch (error) {
    throw new Error(`${method} ${target} ${JSON.stringify(headers).slice(0, 60)}: ${String(error)}`, { cause: error });
  }
  const key = target.replace(/^\/internal/, "").replace(/\?.*$/, "");
  seen.set(key, (seen.get(key) ?? new Set()).add(reply.status));
  return reply.status;
}

/** What is there in the small library, for the parts of paths. */
const PARTS: Headers = {
  key: "notes/sorting.md",
  id: "CUB-0007",
  repo: "sorting",
  head: HEAD,
  path: "coq/Sort.v",
  sha256: "0".repeat(64),
  collection: "notes",
  prefix: "notes/",
};
const fill = (path: string, parts: Headers): string => path.replaceAll(/\{(\w+)(?:\.\.\.)?\}/g, (_, name: string) => parts[name] ?? "x");

test("every route answers as it is described: well asked, with an unknown parameter, by another method, of nothing, and by strangers", async () => {
  // The small views have no pages.
  for (const route of ROUTES.filter(({ file }) => file?.startsWith("pages/") !== true)) {
    const required = route.query.filter((one) => one.required).map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
    const query = required.length === 0 ? "" : `?${required.join("&")}`;
    const good = fill(route.path, PARTS);
    for (const headers of [{}, member])
      for (const method of ["GET", "POST"]) {
        const body = method === "POST" ? "{}" : undefined;
        const sent = method === "POST" ? { ...headers, ...JSON_BODY } : headers;
        await hold(method, good + query, sent, body);
        await hold(method, `${good}${query}${query === "" ? "?" : "&"}no_such=1`, sent, body);
      }
    for (const headers of [stranger, human]) await hold("GET", good + query, headers);
    await hold("PUT", good, member);
    for (const parts of [
      { ...PARTS, key: "no/such", id: "CUB-99999", path: "no/such", collection: "none", prefix: "none/" },
      { ...PARTS, id: "CUB-x", head: "!", key: "a%2Fb", sha256: "zz" },
    ])
      for (const headers of [{}, member]) await hold("GET", fill(route.path, parts) + query, headers);
    await hold("GET", good, member);
    await hold("GET", good + query, { ...member, "if-match": '"x"' });
    await hold("GET", good + query, { ...member, range: "bytes=999999-" });
  }
});

test("values that a route does not take, cursors of other snapshots and kept addresses answer as described", async () => {
  const cursor = Buffer.from(JSON.stringify({ s: "0".repeat(64), q: "0".repeat(16), n: 1 })).toString("base64url");
  for (const mount of ["", "/internal"])
    for (const target of [
      "/api/list",
      "/api/cubs",
      "/api/changes",
      "/api/search?q=x&limit=501",
      "/api/cubs?limit=-1",
      "/api/cubs?deployable=perhaps",
      "/api/list?prefix=%00",
    ])
      for (const more of ["", `cursor=${cursor}`, "cursor=x"])
        await hold("GET", `${mount}${target}${target.includes("?") ? "&" : "?"}${more}`, member);
  for (const target of ["/api/claims", "/objects/notes/sorting.md", "/api/cubs/CUB-0007", "/api/ai-search?q=x"])
    await hold("GET", `/at/${"0".repeat(64)}${target}`);
});

test("bodies that are wrong, long or of another kind answer as described on every route that takes one", async () => {
  const asks = ["/api/ask", "/internal/library/api/ask", "/internal/api/ask"];
  const bodies = [
    "",
    "{",
    "[]",
    "{}",
    '{"question":1}',
    '{"question":"x","more":1}',
    `{"question":"${"x".repeat(501)}"}`,
    `{"question":"${"x".repeat(9000)}"}`,
  ];
  for (const target of asks)
    for (const headers of [{}, member, human]) {
      for (const body of bodies) await hold("POST", target, { ...headers, ...JSON_BODY }, body);
      assert.ok(
        [200, 401, 403].includes(await hold("POST", target, { ...headers, ...JSON_BODY }, '{"question":"Is insertion sort stable?"}')),
      );
      await hold("POST", target, { ...headers, ...JSON_BODY }, '{"question":"x","snapshot":"999"}');
      assert.ok([400, 401, 403].includes(await hold("POST", `${target}?x=1`, { ...headers, ...JSON_BODY }, '{"question":"x"}')));
    }
  for (const snapshot of [0, 1.5, -1, "zz", "0", 99_999_999, null]) {
    const { status, body } = await running.send("POST", "/api/ask", JSON_BODY, JSON.stringify({ question: "x", snapshot }));
    assert.deepEqual(
      [status, (JSON.parse(body) as { detail: string }).detail],
      [400, "snapshot is neither a snapshot's number nor its id."],
    );
  }
  for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "Bearer a-token-for-tests" }])
    for (const body of ["", "{", '{"keys":1}', `{"keys":["${"x".repeat(70_000)}"]}`])
      await hold("POST", "/api/reindex", { ...headers, ...JSON_BODY }, body);
  assert.ok(seen.get("/api/ask")?.has(404) && seen.get("/api/ask")?.has(413));
});

test("an endpoint of agents answers as described, refusals of the transport included", async (t) => {
  const views = running.views;
  const endpoint = (view: typeof views.publicView) => openMcp({ ...NO_MODELS, view, onError: () => undefined });
  const agents = await startSidecar({
    mcp: { public: endpoint(views.publicView), internal: endpoint(views.internalView) },
    limits: openRateLimiter({ rates: { mcp: 40 } }),
  });
  t.after(() => stop(agents));
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const tries: readonly (readonly [Headers, string])[] = [
    [JSON_BODY, list],
    [JSON_BODY, '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    [JSON_BODY, "{"],
    [JSON_BODY, "[]"],
    [JSON_BODY, "1"],
    [{ "content-type": "text/plain" }, list],
    [{ ...JSON_BODY, origin: "https://evil.example" }, list],
    [JSON_BODY, `{"x":"${"x".repeat(70_000)}"}`],
  ];
  for (const target of ["/mcp", "/internal/mcp", "/mcp?x=1"])
    for (const who of [{}, member, stranger])
      for (const [headers, body] of tries) await hold("POST", target, { ...who, ...headers }, body, agents);
  for (let at = 0; at < 45; at++) await hold("POST", "/mcp", JSON_BODY, list, agents);
  const statuses = [...(seen.get("/mcp") ?? [])].sort((a, b) => a - b);
  for (const status of [200, 202, 400, 401, 403, 413, 415, 429]) assert.ok(statuses.includes(status), `${status} of ${statuses.join()}`);
});

test("before the first publication every route answers as described", async (t) => {
  const empty = await startSidecar({}, false);
  t.after(() => stop(empty));
  for (const route of ROUTES)
    for (const headers of [{}, member])
      for (const method of route.methods)
        await hold(method, fill(route.path, PARTS), { ...headers, ...JSON_BODY }, method === "POST" ? "{}" : undefined, empty);
});
