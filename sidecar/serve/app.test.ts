import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { findCitationProblem } from "../../snapshots/format/citation.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { EFFECT_ROWS } from "../../snapshots/routes/effect-rows.ts";
import { ROUTES } from "../../snapshots/service/routes.ts";
import { AskResponse, Problem } from "../../snapshots/schema/resources.ts";
import { createApp } from "./app.ts";
import { makeParts, type Reply, type Running, startSidecar } from "./app-fixture.ts";
import { CODE, examplePath, tryCredentials, trySpellings } from "./attacks-fixture.ts";
import { accessConfig, clock, makeToken, readKeys, SERVICE_SECRET } from "../gate/gate-fixture.ts";
import { openClients } from "../gate/client.ts";
import { openGate } from "../gate/gate.ts";
import { openRateLimiter } from "../http/limits.ts";
import { openReindexer } from "./reindex.ts";
import { CANARY, CODE_TEXT, GATED, GATED_KEY, HEAD } from "./view-fixture.ts";

let running: Running;
before(async () => {
  running = await startSidecar();
});
after(async () => {
  await running.listening.close();
  rmSync(running.views.folder, { recursive: true });
});

const EFFECTS: ReadonlySet<string> = new Set(Object.keys(EFFECT_ROWS));
const member = { "edge-access-token": makeToken() };

test("the map and the table of routes name the same effects, and each gated one stands behind the gate", () => {
  const { routes } = createApp(makeParts(running.views, []));
  const isWild = (path: string): boolean => path.endsWith("*");
  const named = new Set(
    routes.filter(({ method, path }) => method !== "ALL" && path !== "*").map(({ method, path }) => `${method} ${path}`),
  );
  const described = ROUTES.filter(({ id }) => EFFECTS.has(id.replace(/^internal-/, "")));
  const told = new Set(
    described.flatMap(({ path, methods, at }) => {
      const own = path.replace(/^(\/api\/code)\/.*/, "$1/*");
      const kept = at === "kept" ? [own, own.replace(/^(\/internal)?/, "$1/at/:at")] : [own];
      return methods.filter((method) => method !== "HEAD").flatMap((method) => kept.map((one) => `${method} ${one}`));
    }),
  );
  const pages = ["GET /ask/", "GET /internal/ask/"];
  // MCP has words of its own for the methods that it does not take.
  const mcp = [...named].filter((one) => one.endsWith("/mcp") && !one.startsWith("POST"));
  assert.deepEqual([...named].sort(), [...told, ...pages, ...mcp].sort());
  const gates = routes.filter(({ method, path }) => method === "ALL" && isWild(path) && path !== "*").map(({ path }) => path.slice(0, -1));
  for (const { access, path } of described)
    if (access === "gated" || access === "person")
      assert.ok(
        gates.some((start) => path.startsWith(start)),
        path,
      );
});

test("gated routes refuse bad credentials before anything is looked up, whatever the method", () => tryCredentials(running, false));

test("no spelling of a gated path gives a stranger a gated byte", () => trySpellings(running, false));

test("two header lines of one credential are no credential", async () => {
  const raw = (lines: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(running.listening.port, "127.0.0.1", () =>
        socket.write(`GET /internal/api/catalog HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join("\r\n")}\r\n\r\n`),
      );
      let text = "";
      socket
        .setEncoding("utf8")
        .on("data", (chunk: string) => (text += chunk))
        .on("end", () => resolve(text))
        .on("error", reject);
    });
  const token = makeToken();
  assert.match(await raw([`Edge-Access-Token: ${token}`]), /^HTTP\/1\.1 200/);
  assert.match(await raw([`edge-access-token: ${token}`, `edge-access-token: ${token}`]), /^HTTP\/1\.1 401/);
  assert.match(
    await raw(["edge-access-client-id: ci.example", "edge-access-client-id: ci.example", `edge-access-client-secret: ${SERVICE_SECRET}`]),
    /^HTTP\/1\.1 401/,
  );
});

test("members see the internal view on every route, privately, and the public routes stay public", async () => {
  for (const [path, pattern] of [
    ["/internal/api/catalog", /drafts\/secret\.md/],
    ["/internal/api/list?prefix=drafts%2F", /secret\.md/],
    ["/internal/api/search?q=canary", new RegExp(CANARY)],
    ["/internal/api/claims", /claim-stable/],
    ["/internal/api/capabilities", /internal/],
    ["/internal/api/openapi.json", /3\.1/],
    [`/internal/objects/${GATED_KEY}`, new RegExp(CANARY)],
    ["/internal/llms.txt", /Drafts/],
    ["/internal/api/ai-search?q=canary", /"unavailable"/],
  ] as const) {
    const reply = await running.send("GET", path, member);
    assert.equal(reply.status, 200, path);
    assert.match(reply.body, pattern, path);
    assert.equal(reply.headers["cache-control"], "private, no-store", path);
    assert.equal(reply.headers["access-control-allow-origin"], undefined);
    const head = await running.send("HEAD", path, member);
    assert.deepEqual([head.status, head.body], [200, ""]);
    if (reply.headers.etag !== undefined && !path.includes("capabilities")) {
      const again = await running.send("GET", path, { ...member, "if-none-match": reply.headers.etag });
      assert.deepEqual([again.status, again.headers["cache-control"]], [304, "private, no-store"], path);
    }
  }
  const pair = { "Edge-Access-Client-Id": "ci.example", "Edge-Access-Client-Secret": SERVICE_SECRET };
  assert.equal((await running.send("GET", "/internal/api/catalog", pair)).status, 200);
  const open = await running.send("GET", "/api/catalog", member);
  assert.doesNotMatch(open.body, /drafts/);
  assert.match(open.headers["cache-control"] ?? "", /^public/);
  assert.equal((await running.send("GET", `/objects/${GATED_KEY}`, member)).status, 404);
  assert.deepEqual(JSON.parse((await running.send("GET", "/api/list?prefix=drafts%2F", member)).body).objects, []);
});

test("code is sent to members with its digest, and a wrong method is 405 behind the gate", async () => {
  const reply = await running.send("GET", CODE, member);
  assert.deepEqual(
    [reply.status, reply.body, reply.headers["x-cub-sha256"], reply.headers["cache-control"]],
    [200, CODE_TEXT, sha256(CODE_TEXT), "private, no-store"],
  );
  const head = await running.send("HEAD", CODE, member);
  assert.deepEqual([head.status, head.body, head.headers["content-length"]], [200, "", String(CODE_TEXT.length)]);
  const post = await running.send("POST", CODE, member, "x");
  assert.deepEqual([post.status, post.headers.allow, post.headers["cache-control"]], [405, "GET, HEAD", "private, no-store"]);
  for (const [path, status] of [
    [`/api/code/sorting/main/x`, 400],
    [`/api/code/sorting/${HEAD}/none`, 404],
    [`/api/code/sorting/${HEAD}/%2e%2e/x`, 400],
  ] as const) {
    const refused = await running.send("GET", path, member);
    assert.deepEqual([refused.status, refused.headers["cache-control"]], [status, "private, no-store"]);
  }
});

test("bad bodies of ask are 400 or 413 with a reason, on every ask route", async () => {
  const nested = `${"[".repeat(4_000)}${"]".repeat(4_000)}`;
  const human = { "edge-access-token": makeToken({ aud: "library-people" }) };
  for (const [path, headers] of [
    ["/api/ask", {}],
    ["/internal/library/api/ask", member],
    ["/internal/api/ask", human],
  ] as const) {
    for (const body of [
      "",
      "{",
      "[]",
      "null",
      "1",
      '"x"',
      "{}",
      '{"question":1}',
      '{"question":""}',
      '{"question":"  "}',
      '{"question":null}',
      `{"question":"${"x".repeat(501)}"}`,
      '{"question":"x","prefix":1}',
      nested.slice(0, 8_000),
      "\ufeff",
      '{"question":["x"]}',
      `{"q":"x"}`,
      '{"question":"x","prefx":"notes/"}',
      '{"question":"x","snapshot":1.5}',
      '{"question":"x","snapshot":null}',
      '{"question":"x","snapshot":"latest"}',
    ]) {
      const reply = await running.send("POST", path, { ...headers, "content-type": "application/json" }, body);
      assert.equal(reply.status, 400, `${path} ${body.slice(0, 40)}`);
      assert.equal(Problem.parse(JSON.parse(reply.body)).code, "bad_json");
    }
    assert.match(
      (await running.send("POST", path, headers, '{"question":"x","prefx":"notes/"}')).body,
      /prefx is unknown; did you mean \\"prefix\\"\?"/,
    );
    for (const number of ['"9999"', "9999"])
      assert.equal((await running.send("POST", path, headers, `{"question":"x","snapshot":${number}}`)).status, 404);
    assert.equal((await running.send("POST", path, headers, `{"question":"x","snapshot":"${"0".repeat(64)}"}`)).status, 404);
    assert.equal((await running.send("POST", path, headers, new Uint8Array([0x7b, 0xff, 0x7d]))).status, 400);
    const large = await running.send("POST", path, headers, `{"question":"${"x".repeat(9_000)}"}`);
    assert.equal(large.status, 413);
    assert.match(large.body, /8192 bytes/);
    assert.equal((await running.send("GET", path, headers)).status, 405);
  }
  const fits = `{"question":"${"\ud83e\udd80".repeat(500)}"}`;
  assert.equal((await running.send("POST", "/api/ask", {}, fits)).status, 200);
});

test("a body without an announced length is counted while it streams", async () => {
  const short = await running.send("POST", "/api/ask", { "transfer-encoding": "chunked" }, '{"question":"zebra"}');
  assert.equal(short.status, 200);
  const reply = await running
    .send("POST", "/api/ask", { "transfer-encoding": "chunked" }, "x".repeat(100_000))
    .catch((error: NodeJS.ErrnoException) => error.code);
  if (typeof reply === "object") assert.equal(reply.status, 413);
  else assert.match(String(reply), /ECONNRESET|EPIPE/);
});

test("ask answers from its own view, with citations that hold", async () => {
  const question = JSON.stringify({ question: `Where does the ${CANARY} sleep?` });
  const open = await running.send("POST", "/api/ask", {}, question);
  assert.equal(open.status, 200);
  assert.doesNotMatch(open.body.replace(JSON.parse(question).question, ""), /sleeps|drafts/);
  const answer = AskResponse.parse(JSON.parse((await running.send("POST", "/internal/library/api/ask", member, question)).body));
  assert.match(answer.answer, /sleeps in the drafts/);
  for (const citation of answer.citations) assert.equal(findCitationProblem(citation, Buffer.from(GATED[citation.key] ?? "")), null);
  const person = await running.send("POST", "/internal/api/ask", { "edge-access-token": makeToken({ aud: "library-people" }) }, question);
  assert.equal(person.status, 200);
  const pair = { "Edge-Access-Client-Id": "ci.example", "Edge-Access-Client-Secret": SERVICE_SECRET };
  for (const headers of [member, pair]) assert.equal((await running.send("POST", "/internal/api/ask", headers, question)).status, 403);
});

test("HEAD says of effects and of refusals what GET says, the length included", async () => {
  for (const [target, headers] of [
    ["/api/ai-search?q=stable", {}],
    ["/api/ai-search", {}],
    ["/internal/api/ai-search?q=stable", member],
    ["/internal/api/catalog", {}],
    [CODE, {}],
    [`/api/code/sorting/${HEAD}/none`, member],
  ] as const) {
    const [got, headed] = [await running.send("GET", target, headers), await running.send("HEAD", target, headers)];
    assert.deepEqual(
      [headed.status, headed.body, headed.headers["content-length"], headed.headers["content-type"]],
      [got.status, "", String(Buffer.byteLength(got.body)), got.headers["content-type"]],
      target,
    );
  }
});

test("with Accept: text/event-stream the same answer streams", async () => {
  const body = JSON.stringify({ question: "Why is insertion sort stable?" });
  const plain = JSON.parse((await running.send("POST", "/api/ask", {}, body)).body);
  const reply = await running.send("POST", "/api/ask", { accept: "text/event-stream" }, body);
  assert.match(reply.headers["content-type"] ?? "", /^text\/event-stream/);
  const events = [...reply.body.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, type, data]) => ({
    type,
    data: JSON.parse(data ?? ""),
  }));
  assert.deepEqual([events[0]?.type, events.at(-1)?.type], ["sources", "answer"]);
  assert.equal(events.flatMap(({ type, data }) => (type === "text" ? [data.text] : [])).join(""), plain.answer);
  assert.deepEqual(events.at(-1)?.data, plain);
});

test("ai-search checks its parameters and says that it is not configured", async () => {
  assert.equal((await running.send("GET", "/api/ai-search")).status, 400);
  assert.equal((await running.send("GET", "/api/ai-search?q=")).status, 400);
  for (const limit of ["501", "-1", "", "x", "1&limit=2", "1&q=x"])
    assert.equal((await running.send("GET", `/api/ai-search?q=x&limit=${limit}`)).status, 400, limit);
  assert.equal((await running.send("GET", "/api/ai-search?q=x&limit=1")).status, 200);
  assert.equal((await running.send("GET", "/api/ai-search?q=x&cursor=1")).status, 400);
  const reply = await running.send("GET", "/api/ai-search?q=x%20y&prefix=notes/");
  assert.equal(reply.status, 200);
  const { mode, notice, results, query, prefix } = JSON.parse(reply.body);
  assert.deepEqual([mode, results, query, prefix], ["unavailable", [], "x y", "notes/"]);
  assert.match(notice, /embeddings/);
});

test("the log has the route and the reason, and no query, credential or body", async () => {
  running.log.length = 0;
  await running.send("GET", "/internal/api/search?q=log-canary", member);
  await running.send("GET", "/internal/api/search?q=log-canary", { "edge-access-token": "token-canary" });
  await running.send("POST", "/api/ask", {}, '{"question":"body-canary"}');
  const text = JSON.stringify(running.log);
  assert.doesNotMatch(text, /canary|eyJ/);
  assert.deepEqual(
    running.log.map(({ path, status, identity, reason }) => [path, status, identity, reason]),
    [
      ["/internal/api/search", 200, "ada@example.org", null],
      ["/internal/api/search", 401, null, "malformed"],
      ["/api/ask", 200, null, null],
    ],
  );
});

test("what nobody foresaw is 500 with a request id and nothing else, and the log has the stack under that id", async () => {
  const broken = await startSidecar({
    ask: () => {
      throw new Error("canary-of-the-stack");
    },
  });
  const { status, body } = await broken.send("POST", "/api/ask", {}, '{"question":"x"}');
  const { request_id: id } = Problem.parse(JSON.parse(body));
  assert.equal(status, 500);
  assert.doesNotMatch(body, /canary|\.ts/);
  assert.match(broken.log.at(-1)?.reason ?? "", new RegExp(`^request ${id}: .*canary-of-the-stack[^]*\\n +at `));
  await broken.listening.close();
  rmSync(broken.views.folder, { recursive: true });
});

test("without an access section every gated route is 401 and says what to configure; nothing else changes", async () => {
  const closed = await startSidecar({ gate: openGate(null) });
  for (const route of ROUTES) {
    const gatedRoute = route.access === "gated" || route.access === "person";
    const reply = await closed.send(
      route.methods[0] ?? "GET",
      examplePath(route.path),
      member,
      route.methods[0] === "POST" ? '{"question":"x"}' : undefined,
    );
    if (!gatedRoute) continue;
    assert.equal(reply.status, 401, route.path);
    assert.equal(Problem.parse(JSON.parse(reply.body)).code, "unauthenticated");
    assert.match(reply.body, /access section/);
  }
  assert.equal(closed.takeCalls(), 0);
  assert.equal((await closed.send("GET", "/api/catalog")).status, 200);
  await closed.listening.close();
  rmSync(closed.views.folder, { recursive: true });
});

test("above its rate a client gets 429 with Retry-After, on each limited route, and the others go on", async () => {
  const limited = await startSidecar({ limits: openRateLimiter() });
  const groups: [string, string, number, Record<string, string>][] = [
    ["POST", "/api/ask", 10, {}],
    ["GET", "/api/ai-search?q=x", 10, {}],
    ["GET", "/api/search?q=x", 60, {}],
    ["GET", CODE, 60, member],
    ["POST", "/internal/library/api/ask", 10, member],
  ];
  for (const [method, target, rate, headers] of groups) {
    const statuses: number[] = [];
    let last: Reply | null = null;
    for (let at = 0; at < rate + 2; at++) {
      last = await limited.send(
        method,
        target,
        { ...headers, "x-forwarded-for": `10.0.0.${at}` },
        method === "POST" ? '{"question":"zebra"}' : undefined,
      );
      statuses.push(last.status);
    }
    assert.deepEqual([...new Set(statuses.slice(0, rate))], [200], target);
    assert.deepEqual(statuses.slice(rate), [429, 429], target);
    assert.match(last?.headers["retry-after"] ?? "", /^[0-9]+$/);
    assert.match(String(last?.headers["ratelimit-policy"]), new RegExp(`q=${rate};w=60`));
    assert.equal(last?.headers["cache-control"], headers === member ? "private, no-store" : "no-store");
  }
  const id = (await limited.send("GET", "/api/claims")).headers["x-snapshot"];
  for (const target of [
    "/api/search?q=y",
    "/api/search.json?q=y",
    "/search/?q=y",
    "/search?q=y",
    `/at/${id}/api/search?q=y`,
    `/at/${id}/search/?q=y`,
    `/at/${id}/api/search.json?q=z`,
  ]) {
    assert.equal((await limited.send("GET", target)).status, 429, target);
  }
  assert.equal((await limited.send("GET", "/api/catalog")).status, 200);
  await limited.listening.close();
  rmSync(limited.views.folder, { recursive: true });
});

test("before the first snapshot the gated routes are 503 for members, and public ones say why", async () => {
  const empty = await startSidecar({}, false);
  for (const [method, path] of [
    ["GET", "/internal/api/catalog"],
    ["GET", CODE],
    ["POST", "/internal/library/api/ask"],
    ["GET", "/internal/api/ai-search?q=x"],
  ] as const) {
    const reply = await empty.send(method, path, member, method === "POST" ? '{"question":"x"}' : undefined);
    assert.deepEqual([reply.status, reply.headers["cache-control"]], [503, "private, no-store"], path);
  }
  assert.equal((await empty.send("POST", "/api/ask", {}, '{"question":"x"}')).status, 503);
  await empty.listening.close();
  rmSync(empty.views.folder, { recursive: true });
});

test("reindex is 503 without a token configured, 401 without the right one, and 405 for GET", async () => {
  const closedReply = await running.send("POST", "/api/reindex", { authorization: "Bearer x" });
  assert.equal(closedReply.status, 503);
  const open = await startSidecar({
    reindexer: openReindexer({ token: "the-token", command: [process.execPath, "-e", "process.exitCode = 1"], timeout: 10_000 }),
  });
  assert.equal((await open.send("POST", "/api/reindex")).status, 401);
  assert.match((await open.send("POST", "/api/reindex")).headers["www-authenticate"] ?? "", /Bearer/);
  assert.equal((await open.send("GET", "/api/reindex", { authorization: "Bearer the-token" })).status, 405);
  const failed = await open.send("POST", "/api/reindex", { authorization: "Bearer the-token" });
  assert.deepEqual([failed.status, Problem.parse(JSON.parse(failed.body)).code], [500, "build_failed"]);
  const allowed = { authorization: "Bearer the-token" };
  // An empty object asks for nothing in particular, as no body does.
  assert.equal((await open.send("POST", "/api/reindex", allowed, "{}")).status, 500);
  const misspelt = await open.send("POST", "/api/reindex", allowed, '{"key":["a"]}');
  assert.match(misspelt.body, /did you mean \\"keys\\"\?/);
  for (const body of ["[]", '{"keys":"a"}', '{"keys":[1]}', '{"keys":[],"all":true}', "nonsense"]) {
    const refused = await open.send("POST", "/api/reindex", allowed, body);
    assert.deepEqual([refused.status, Problem.parse(JSON.parse(refused.body)).code], [400, "bad_json"], body);
    assert.equal((await open.send("POST", "/api/reindex", {}, body)).status, 401);
  }
  assert.equal((await open.send("POST", "/api/reindex", allowed, `{"keys":["${"x".repeat(2 ** 20)}"]}`)).status, 413);
  assert.equal((await open.send("GET", "/api/catalog")).status, 200);
  await open.listening.close();
  rmSync(open.views.folder, { recursive: true });
});

test("clients that send half a body hold up nobody else", async () => {
  const sockets = Array.from({ length: 50 }, () =>
    connect(running.listening.port, "127.0.0.1", function (this: Socket) {
      this.write("POST /api/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
    }).on("error", () => undefined),
  );
  for (let at = 0; at < 20; at++) assert.equal((await running.send("POST", "/api/ask", {}, '{"question":"zebra"}')).status, 200);
  for (const socket of sockets) socket.destroy();
});

test("what is dear is counted for who has no name, too: everything in one file, and snapshots that have to be opened first", async () => {
  const limited = await startSidecar({ limits: openRateLimiter({ rates: { at: 3 } }) });
  const { publicShelf } = limited.views;
  const [record] = await publicShelf.history.listRecords();
  assert.ok(record !== undefined);
  for (let at = 0; at < 10; at++) assert.equal((await limited.send("GET", "/llms-full.txt")).status, 200);
  const refused = await limited.send("GET", "/llms-full.txt");
  assert.deepEqual([refused.status, refused.headers["ratelimit-policy"]], [429, '"llms-full";q=10;w=60']);
  assert.equal((await limited.send("GET", `/at/${record.snapshot}/llms-full.txt`)).status, 429);
  const unknown = "0".repeat(64);
  for (let at = 0; at < 3; at++) assert.equal((await limited.send("GET", `/at/${unknown}/api/catalog`)).status, 404);
  for (const target of [`/at/${unknown}/api/catalog`, `/at/${"1".repeat(64)}/`, "/at/x/y"]) {
    const { status, headers } = await limited.send("GET", target);
    assert.deepEqual([status, headers["ratelimit-policy"]], [429, '"at";q=3;w=60'], target);
  }
  // A cursor opens its snapshot as an address does, and anybody can write one.
  const cursorInto = (s: string): string => Buffer.from(JSON.stringify({ s, q: "0".repeat(16), n: 1 })).toString("base64url");
  for (const path of [
    "/api/list?cursor=",
    "/api/list?%63ursor=",
    "/api/cubs?limit=2&cursor=",
    "/api/list.json?cursor=",
    "/api/changes?cursor=",
  ])
    assert.equal((await limited.send("GET", path + cursorInto(unknown))).status, 429, path);
  assert.equal(
    (await limited.send("GET", `/api/list?cursor=${cursorInto(record.snapshot)}`)).status,
    400,
    "one into the open one is not counted",
  );
  for (let at = 0; at < 10; at++)
    assert.equal((await limited.send("GET", `/at/${record.snapshot}/api/claims`)).status, 200, "the open one is not counted");
  const gated = `/internal/at/${unknown}/api/catalog`;
  for (let at = 0; at < 3; at++) assert.equal((await limited.send("GET", gated, member)).status, 404);
  assert.equal((await limited.send("GET", gated, member)).status, 429);
  await limited.listening.close();
  rmSync(limited.views.folder, { recursive: true });
});

test("a comparison of two snapshots is counted as one that has to be opened, whatever is open", async () => {
  const limited = await startSidecar({ limits: openRateLimiter({ rates: { at: 2 } }) });
  const [record] = await limited.views.publicShelf.history.listRecords();
  assert.ok(record !== undefined);
  const id = record.snapshot;
  const pairs = [
    pagePath.diff(id, id),
    pagePath.diff(id.slice(0, 8), id),
    pagePath.diff("0".repeat(64), id),
    `/snapshots/${id}..${id}`,
    pagePath.revisions(pagePath.object("notes/any.md")),
    pagePath.revisions(pagePath.record("CUB-0007")),
  ];
  // This library has no renderer of pages, so a comparison that is let through ends there.
  for (const path of pairs.slice(0, 2)) assert.equal((await limited.send("GET", path)).status, 503);
  for (const path of pairs) assert.equal((await limited.send("GET", path)).status, 429, path);
  assert.equal((await limited.send("GET", pagePath.snapshots)).status, 503, "the list is not counted");
  await limited.listening.close();
  rmSync(limited.views.folder, { recursive: true });
});

test("behind a proxy that it trusts, each of the proxy's clients has a share of its own", async () => {
  for (const [trust, statuses] of [
    [null, [200, 429, 429]],
    [["127.0.0.1"], [200, 200, 429]],
    [1, [200, 200, 429]],
    [["192.0.2.1"], [200, 429, 429]],
  ] as const) {
    const behind = await startSidecar({ limits: openRateLimiter({ rates: { search: 1, "ai-search": 1 } }), clientOf: openClients(trust) });
    for (const target of ["/api/search?q=x", "/api/ai-search?q=x"]) {
      const found = [];
      for (const client of ["203.0.113.1", "203.0.113.2", "198.51.100.1, 203.0.113.2"])
        found.push((await behind.send("GET", target, { "x-forwarded-for": client })).status);
      assert.deepEqual(found, statuses, `${JSON.stringify(trust)} ${target}`);
    }
    await behind.listening.close();
    rmSync(behind.views.folder, { recursive: true });
  }
});

test("a request passes the gate once, whatever it asks for", async () => {
  const gate = openGate(accessConfig(), { now: clock, readKeys });
  let asked = 0;
  const counting = await startSidecar({
    gate: {
      check: (headers, only) => (asked++, gate.check(headers, only)),
      help: gate.help,
    },
  });
  const human = { "edge-access-token": makeToken({ aud: "library-people" }) };
  for (const [method, target, headers, status] of [
    ["GET", "/internal/api/catalog", member, 200],
    ["GET", "/internal/browse/drafts/", {}, 401],
    ["GET", "/internal/api/ai-search?q=x", member, 200],
    ["POST", "/internal/library/api/ask", member, 200],
    ["POST", "/internal/api/ask", human, 200],
    ["POST", "/internal/api/ask", {}, 401],
    ["GET", CODE, member, 200],
  ] as const) {
    asked = 0;
    const reply = await counting.send(method, target, headers, method === "POST" ? '{"question":"zebra"}' : undefined);
    assert.deepEqual([reply.status, asked], [status, 1], target);
    assert.equal(reply.headers["cache-control"], "private, no-store", target);
  }
  asked = 0;
  assert.equal((await counting.send("GET", "/api/catalog", member)).status, 200);
  assert.equal(asked, 0);
  for (const target of ["/internal/x/../api/catalog", "/internal\\api/catalog", "/internal/names\\x", `${CODE}/%2e%2e/x`]) {
    asked = 0;
    const reply = await counting.send("GET", target, member);
    assert.deepEqual(
      [reply.status, reply.headers["cache-control"], asked],
      target.startsWith("/internal\\") ? [400, "no-store", 0] : [400, "private, no-store", 1],
      target,
    );
    if (asked === 1) assert.equal((await counting.send("GET", target)).status, 401, target);
  }
  await counting.listening.close();
  rmSync(counting.views.folder, { recursive: true });
});

test("a script of another site may ask first and read what public effects answer, errors included, and nothing gated", async () => {
  const limited = await startSidecar({ limits: openRateLimiter({ rates: { search: 9, mcp: 9, ask: 1, "ai-search": 1, code: 9 } }) });
  const origin = { origin: "https://elsewhere.example" };
  for (const [method, target, methods] of [
    ["POST", "/api/ask", /\bPOST\b/],
    ["GET", "/api/ai-search?q=stable", /\bGET\b/],
  ] as const) {
    const asked = await limited.send("OPTIONS", target, { ...origin, "access-control-request-method": method });
    assert.deepEqual([asked.status, asked.body, asked.headers["access-control-allow-origin"]], [204, "", "*"], target);
    assert.match(asked.headers["access-control-allow-methods"] ?? "", methods);
    assert.ok(asked.headers["access-control-allow-headers"] !== undefined);
    for (const status of [200, 429]) {
      const reply = await limited.send(method, target, origin, method === "POST" ? '{"question":"zebra"}' : undefined);
      assert.deepEqual([reply.status, reply.headers["access-control-allow-origin"]], [status, "*"], target);
      assert.match(String(reply.headers["access-control-expose-headers"]), /Retry-After/);
    }
    const refused = await limited.send("DELETE", target, origin);
    assert.deepEqual([refused.status, refused.headers["access-control-allow-origin"]], [405, "*"]);
  }
  for (const target of ["/api/reindex", "/ask/?question=x"]) {
    const asked = await limited.send("OPTIONS", target, origin);
    assert.deepEqual([asked.status, asked.headers["access-control-allow-origin"]], [405, undefined], target);
  }
  for (const target of ["/internal/api/catalog", "/internal/library/api/ask", "/internal/api/ai-search?q=x", CODE]) {
    for (const [headers, status] of [
      [origin, 401],
      [{ ...origin, ...member }, 405],
    ] as const) {
      const asked = await limited.send("OPTIONS", target, headers);
      assert.deepEqual([asked.status, asked.headers["access-control-allow-origin"]], [status, undefined], target);
      assert.equal(asked.headers["access-control-allow-methods"], undefined);
    }
  }
  await limited.listening.close();
  rmSync(limited.views.folder, { recursive: true });
});

test("two Host headers are 400 on every way, also at the gate", async () => {
  for (const target of ["/api/ask", "/api/ai-search?q=x", "/internal/api/catalog", CODE, "/mcp", "/api/catalog"]) {
    const text = await new Promise<string>((resolve, reject) => {
      let said = "";
      const socket = connect(running.listening.port, "127.0.0.1", () =>
        socket.write(`GET ${target} HTTP/1.1\r\nHost: library.example\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n`),
      );
      socket
        .setEncoding("utf8")
        .on("data", (chunk: string) => (said += chunk))
        .on("end", () => resolve(said))
        .on("error", reject);
    });
    assert.match(text, /^HTTP\/1\.1 400 /, target);
    assert.match(text, /^cache-control: .*no-store/im, target);
  }
});

test("in a kept snapshot there is nothing gated, nothing with an effect but semantic search, and no way around the gate", async () => {
  const id = String((await running.send("GET", "/api/claims")).headers["x-snapshot"]);
  for (const path of ["/internal/api/catalog", "/internal/", "/internal/api/ask", "/internal/mcp", CODE, "/api/code/sorting/main/x"]) {
    for (const at of [`/at/${id}`, `/at/${"0".repeat(64)}`, "/at/x"]) {
      const reply = await running.send("GET", at + path, member);
      assert.equal(reply.status, 404, at + path);
      assert.doesNotMatch(reply.body, /drafts|insert_keeps/);
    }
  }
  assert.equal((await running.send("GET", `/at/${id}/api/ai-search?q=x`)).status, 200);
  assert.equal((await running.send("POST", `/at/${id}/api/ask`, {}, '{"question":"x"}')).status, 404);
});

test("a kept address says its time on every answer over a connection, prepared or not", async () => {
  const id = String((await running.send("GET", "/api/claims")).headers["x-snapshot"]);
  for (const path of ["/api/claims", "/api/list?prefix=notes/", "/api/catalog", "/llms.txt", "/objects/notes/sorting.md"]) {
    const said = new Set<string>();
    for (let at = 0; at < 4; at++) {
      const { status, headers } = await running.send("GET", `/at/${id}${path}`);
      assert.equal(status, 200, path);
      assert.notEqual(headers["memento-datetime"], undefined, `${path} ${at}`);
      said.add(JSON.stringify([headers["memento-datetime"], headers.link]));
    }
    assert.equal(said.size, 1, path);
  }
});

test("half of a surrogate pair in a question or a prefix is 400 on every ask route, whole and as a stream", async () => {
  const human = { "edge-access-token": makeToken({ aud: "library-people" }) };
  for (const [path, headers] of [
    ["/api/ask", {}],
    ["/internal/library/api/ask", member],
    ["/internal/api/ask", human],
  ] as const) {
    for (const body of [
      String.raw`{"question":"why \ud800 stable"}`,
      String.raw`{"question":"\udc00"}`,
      String.raw`{"question":"stable","prefix":"notes/\ud83e"}`,
    ]) {
      for (const accept of ["application/json", "text/event-stream"]) {
        const reply = await running.send("POST", path, { ...headers, accept }, body);
        assert.equal(reply.status, 400, `${path} ${body}`);
        assert.equal(Problem.parse(JSON.parse(reply.body)).code, "bad_json");
      }
    }
    assert.equal((await running.send("POST", path, headers, String.raw`{"question":"why \ud83e\udd80 stable"}`)).status, 200);
  }
  const form = { "content-type": "application/x-www-form-urlencoded" };
  for (const path of ["/ask/", "/api/ask"]) assert.ok((await running.send("POST", path, form, "question=%ED%A0%80")).status < 500, path);
});
