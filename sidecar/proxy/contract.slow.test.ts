/** The whole interface over a library that has one of everything, asked of the program in one process and in two: every answer, refusals included,
 *  is held against the service's own description and against the rules of all answers, and the checks are counted. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { decodeBody, type Received } from "../../snapshots/contract/script.ts";
import { openDescription } from "../../snapshots/contract/contract.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { PROBLEMS, type ErrorCode } from "../../snapshots/errors.ts";
import { ROUTES } from "../../snapshots/service/routes.ts";
import type { Route } from "../../snapshots/routes/route.ts";
import { makeToken, SERVICE_SECRET } from "../gate/gate-fixture.ts";
import {
  closeConnections,
  CODE_HEAD,
  CODE_PATH,
  CODE_TEXT,
  GATED_PATH,
  memberHeaders,
  REINDEX_TOKEN,
  send,
  startOrigin,
} from "./fixture.ts";

after(closeConnections);

/** What the interface has observed of each enumeration, in turn. */
const OBSERVED = {
  kind: ["Definition", "Theorem", "Lemma"],
  verification_state: ["VERIFIED", "NOT_VERIFIED", "UNSPECIFIED"],
  wiring: ["CSV-LEGACY", "FUNCTION-IMPL", "DOC-REFERENCE"],
  invocation: ["unwired", "runtime", "dead", "test-only"],
  production_consumption: ["NOT-RUNTIME-CONSUMED", "EXECUTABLE-RUNTIME", "PROOF-ARTIFACT-RUNTIME", "EXECUTABLE-AND-PROOF-ARTIFACT"],
  proof_consumption: ["", "RUNTIME-CONSUMER-WIRED"],
  riscv: ["", "yes"],
  deployable: [true, false],
  use_cases: [["crypto"], ["topology", "TDX"], []],
} as const;

const record = (at: number): object => ({
  ...Object.fromEntries(Object.entries(OBSERVED).map(([name, values]) => [name, values[at % values.length]])),
  id: `CUB-${String(at + 1).padStart(4, "0")}`,
  repo: "sorting",
  theorem_name: `insert_keeps_${at}`,
  module: "Sorting.Insert",
  statement: `forall x l, sorted l -> step_${at} x l`,
  status: "VERIFIED_EXACT",
  source_class: "active",
  active: true,
  crate: at % 2 === 0 ? "" : "sorting",
  no_holes: at % 3 !== 0,
  formal_systems: "Coq+Lean",
  kernels: "none",
  lane: at % 2 === 0 ? "" : "main",
  files: { coq_file: "coq/Sort.v", lean_file: at % 5 === 0 ? "lean/Gone.lean" : "" },
  file_shas: { "coq/Sort.v": at % 7 === 0 ? "0".repeat(64) : sha256(CODE_TEXT) },
  exec_file: at % 2 === 0 ? "src/sort.rs" : "",
  claims: at === 0 ? ["sorted"] : [],
});

const CLAIMS = {
  meta: { title: "Claims", pins: { sorting: CODE_HEAD } },
  claims: ["verified", "scoped", "partial"].map((status, at) => ({
    id: ["sorted", "with / slash", "open"][at],
    title: `Claim ${at}`,
    status,
    scope: "Lists",
    statement: "Insertion keeps a list sorted.",
    runContract: { execution: { runs: 3, seeds: [1, 2] }, estimand: null },
    evidence: [
      { artifact: "Proof", kind: "coq", access: "public", repo: "sorting", path: "coq/Sort.v", ref: CODE_HEAD, sha256: sha256(CODE_TEXT) },
      { artifact: "Review", kind: "review", access: "email-gated", path: GATED_PATH },
      { artifact: "Runbook", kind: "runbook", access: "private", url: "https://elsewhere.example/runbook" },
    ],
    gaps: ["Numbers only."],
  })),
};

const KEYS = [
  "data/a.csv",
  "data/b.json",
  "data/bad.json",
  "data/c.html",
  "data/d.svg",
  "data/e.ipynb",
  "data/f.tex",
  "data/g.bin",
  "data/h.pdf",
  "data/empty.txt",
  "names/étude 100%.md",
  "names/what?#+;,=.md",
  "names/<b>\"'.md",
  "names/👩‍🔬.md",
];
const BYTES: Readonly<Record<string, string>> = {
  "data/a.csv": "name,value\na,1\n",
  "data/b.json": '{"a":[1,null]}',
  "data/c.html": "<!doctype html><title>A page</title><p>Kept.",
  "data/d.svg": '<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>',
  "data/e.ipynb": '{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}',
  "data/empty.txt": "",
};
const MORE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(KEYS.map((key) => [`library/${key}`, BYTES[key] ?? `{ # ${key}\n\nA text of its own.\n`])),
  "registry.json": JSON.stringify({
    meta: { service: "Test", updated_iso: "2026-03-04T05:06:07Z", sources: { sorting: { head: CODE_HEAD, ref: "main", csv_rows: 30 } } },
    cubs: [...Array.from({ length: 60 }, (_, at) => record(at)), { id: "CUB-x" }, { id: "CUB-0900", repo: 1 }],
  }),
  "claims.json": JSON.stringify(CLAIMS),
  "withdrawals.json": JSON.stringify({
    withdrawals: [
      { key: "data/f.tex", reason: "error" },
      { key: "data/g.bin", reason: "legal" },
      { record: "CUB-0058", reason: "superseded" },
      { record: "CUB-0059", reason: "privacy" },
      { claim: "open", reason: "legal" },
    ].map((one) => ({ ...one, date: "2026-03-04", note: "Taken back by its author." })),
  }),
  [`code/sorting/${CODE_HEAD}/src/sort.rs`]: "pub fn sort() {}\n",
};
const SETTINGS = `claims: { path: ./claims.json }
withdrawals: { path: ./withdrawals.json }
`;

type Headers = Readonly<Record<string, string>>;
const JSON_BODY: Headers = { "content-type": "application/json" };
const later = Math.floor(Date.now() / 1000) + 3_600;
const token = (change: object, alg: "RS256" | "ES256" | "EdDSA" = "ES256"): Headers => ({
  "edge-access-token": makeToken({ exp: later, nbf: later - 7_200, iat: later - 7_200, ...change }, {}, alg),
});
const [member = {}, pair = {}] = memberHeaders();
const person = token({ aud: "library-people" });
const STRANGERS: readonly Headers[] = [
  {},
  token({ email: "who@elsewhere.example" }),
  token({ exp: later - 7_000 }),
  token({ iss: "https://elsewhere.example" }),
  { "edge-access-token": "x.y.z" },
  { "Edge-Access-Client-Id": "ci.example" },
  { "Edge-Access-Client-Id": "ci.example", "Edge-Access-Client-Secret": "wrong" },
  { "Edge-Access-Client-Id": "old.example", "Edge-Access-Client-Secret": SERVICE_SECRET },
];
const MEMBERS: readonly Headers[] = [member, pair, token({}, "RS256"), token({}, "EdDSA")];

/** Names of this machine that no answer may hold. */
const MACHINE = /\/tmp\/|node_modules|\bat [\w.<>]+ \(|\.ts:\d+/;
const isGated = (target: string): boolean => /^\/(internal|api\/code)(\/|$|\?)/.test(target);
/** Whatever a page of another site may read: what is gated, a rebuild, and agents' own origin apart. */
const isShared = (target: string): boolean => !isGated(target) && !/^\/(mcp|api\/reindex)(\?|$)/.test(target);
const typeOf = ({ headers }: Received): string => (headers.get("content-type") ?? "").replace(/;.*$/s, "");

/** What holds of every answer, whatever was asked. */
function checkRules(target: string, received: Received): void {
  const { status, headers } = received;
  const error = status >= 400;
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("access-control-allow-origin"), isShared(target) ? "*" : undefined);
  if (isGated(target)) assert.equal(headers.get("cache-control"), "private, no-store");
  else if (error) assert.equal(headers.get("cache-control"), "no-store");
  else assert.ok(headers.has("cache-control"));
  assert.equal(status === 401, headers.has("www-authenticate"));
  assert.equal(status === 405, headers.has("allow"));
  if (error || /json/.test(typeOf(received))) assert.doesNotMatch(Buffer.from(decodeBody(received)).toString(), MACHINE);
  if (!error || received.body.length === 0 || !typeOf(received).endsWith("json")) return;
  assert.equal(headers.get("etag"), undefined);
  if (/mcp/.test(target) && typeOf(received) === "application/json") return;
  if (target === "/health") return;
  assert.equal(typeOf(received), "application/problem+json");
  const problem = JSON.parse(Buffer.from(decodeBody(received)).toString()) as {
    type: string;
    status: number;
    title: string;
    code: ErrorCode;
  };
  assert.deepEqual([problem.status, problem.title], [...PROBLEMS[problem.code]]);
  assert.equal(problem.status, status);
  assert.equal(problem.type, `http://library.example/problems/${problem.code}/`);
}

const EXAMPLES: Headers = {
  key: "notes/one.md",
  id: "CUB-0007",
  repo: "sorting",
  head: CODE_HEAD,
  path: "coq/Sort.v",
  sha256: sha256(CODE_TEXT),
  collection: "notes",
  prefix: "notes/",
  part: "1",
  from: "1",
  to: "1",
  page: "1",
};
const NOTHING: readonly Headers[] = [
  { key: "no/such", id: "CUB-99999", path: "no/such", sha256: "0".repeat(64), collection: "none", prefix: "none/", from: "99", to: "98" },
  { key: GATED_PATH, id: "CUB-x", head: "!", sha256: "zz", collection: "drafts", prefix: "drafts/", from: "zz" },
  { key: "a%5Cb", id: "CUB-1", repo: "%2e%2e", collection: "%00", prefix: "%ff/", path: "a%00" },
  { key: "notes//one.md", id: "cub-0007", path: "%2e%2e/x", prefix: "notes/../", sha256: sha256(CODE_TEXT).toUpperCase() },
  { key: "n%6ftes/one.md", id: "CUB-0007%0A", head: "0".repeat(40), prefix: "n%6ftes/" },
];
const VALUES = ["", "x", "%00", "%ff", "-1", "1.5", "501", "0", "a".repeat(501), "%22open", "(((", "%F0%9F%92%A9", "true", "*"];
const fill = (path: string, parts: Headers): string =>
  path.replaceAll(/\{(\w+)(?:\.\.\.)?\}/g, (_, name: string) => parts[name] ?? EXAMPLES[name] ?? "x");
const required = ({ query }: Route): string[] =>
  query.filter((one) => one.required).map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
const withQuery = (path: string, parts: readonly string[]): string => (parts.length === 0 ? path : `${path}?${parts.join("&")}`);

for (const apart of [false, true])
  test(`every answer of the interface is as it is described, in ${apart ? "two processes" : "one process"}`, async (t) => {
    const origin = await startOrigin(apart, MORE, SETTINGS);
    t.after(() => origin.stop());
    const effects = new Set(ROUTES.filter(({ kind }) => kind === "effect").map(({ path }) => path.replace(/\{.*/, "")));
    const portOf = (target: string): number => {
      const path = target.replace(/^\/at\/[^/]*/, "").replace(/\?.*$/s, "");
      return path.startsWith("/internal/") || [...effects].some((one) => (one.endsWith("/") ? path.startsWith(one) : path === one))
        ? origin.sidecarPort
        : origin.port;
    };
    const ask = async (method: string, target: string, headers: Headers, body?: string): Promise<Received> => {
      const reply = await send(portOf(target), method, target, headers, body);
      const flat = Object.entries(reply.headers).map(([name, value]) => [name, String(value)] as const);
      return { status: reply.status, headers: new Map(flat), body: reply.bytes };
    };
    const document = JSON.parse(Buffer.from((await ask("GET", "/api/openapi.json", {})).body).toString()) as Parameters<
      typeof openDescription
    >[0];
    const described = openDescription(document);
    const wrong = new Map<string, string[]>();
    const statuses = new Map<number, number>();
    let checks = 0;

    /** Sends one request; a read also as HEAD, and again with its validator. */
    const hold = async (method: string, target: string, headers: Headers = {}, body?: string): Promise<Received> => {
      const received = await ask(method, target, headers, body);
      const check = (what: string, held: () => void): void => {
        checks++;
        try {
          held();
        } catch (error) {
          const message = `${what}: ${(error instanceof Error ? error.message : String(error)).slice(0, 300)}`;
          wrong.set(message, [...(wrong.get(message) ?? []), `${received.status} ${method} ${target.slice(0, 90)}`]);
        }
      };
      statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1);
      check("rules", () => checkRules(target, received));
      check("description", () => described({ method, target, headers }, received));
      if (method !== "GET" || "range" in headers) return received;
      const head = await ask("HEAD", target, headers);
      const seen = ({ status, headers: all }: Received) => [
        status,
        ...[...all].filter(([name]) => !/^(date|keep-alive|transfer-encoding)$/.test(name)).sort(),
      ];
      check("HEAD", () => assert.deepEqual([seen(head), head.body.length], [seen(received), 0]));
      const etag = received.headers.get("etag");
      if (received.status !== 200 || etag === undefined) return received;
      const again = await ask("GET", target, { ...headers, "if-none-match": etag });
      check("304", () => assert.deepEqual([again.status, again.body.length, again.headers.get("etag")], [304, 0, etag]));
      return received;
    };
    const read = async (target: string, headers: Headers = {}): Promise<Record<string, unknown>> =>
      JSON.parse(Buffer.from(decodeBody(await hold("GET", target, headers))).toString()) as Record<string, unknown>;

    for (const route of ROUTES) {
      const good = fill(route.path, {});
      const usual = withQuery(good, required(route));
      const members = route.access === "person" ? [person] : MEMBERS;
      for (const method of ["GET", "POST", "PUT", "PATCH"])
        for (const headers of [{}, member, person]) {
          const sent = method === "GET" ? headers : { ...headers, ...JSON_BODY };
          await hold(method, usual, sent, method === "GET" ? undefined : "{}");
          await hold(method, withQuery(good, [...required(route), "no_such=1"]), sent, method === "GET" ? undefined : "{}");
        }
      if (!route.methods.includes("GET")) continue;
      if (isGated(good)) for (const headers of [...members, ...STRANGERS]) await hold("GET", usual, headers);
      for (const parts of NOTHING)
        for (const accept of ["*/*", "text/html", "text/markdown"])
          for (const headers of [{}, member])
            await hold("GET", withQuery(fill(route.path, parts), required(route)), { ...headers, accept });
      await hold("GET", good, member);
      for (const accept of ["br", "gzip", "identity", "*;q=0"]) await hold("GET", usual, { ...member, "accept-encoding": accept });
      for (const accept of ["text/html", "text/markdown", "application/json", "image/*"]) await hold("GET", usual, { ...member, accept });
      for (const range of ["bytes=0-3", "bytes=999999999-", "bytes=x"]) await hold("GET", usual, { ...member, range });
      await hold("GET", usual, { ...member, "if-match": '"x"' });
      await hold("GET", usual, { ...member, "if-modified-since": "Wed, 01 Jan 2031 00:00:00 GMT" });
      for (const { name, example } of route.query)
        for (const value of [encodeURIComponent(example), ...VALUES, `a&${name}=b`]) {
          const others = required(route).filter((one) => !one.startsWith(`${name}=`));
          await hold("GET", withQuery(good, [...others, `${name}=${value}`]), member);
        }
      const mount = good.startsWith("/internal/") ? "/internal" : "";
      for (const snapshot of [mount === "" ? origin.snapshot : "1", "1", "99", "f".repeat(64), "zz"])
        await hold("GET", `${mount}/at/${snapshot}${usual.slice(mount.length)}`, member);
    }
    const ofRoutes = checks;

    for (const [mount, headers] of [
      ["", {}],
      ["/internal", member],
    ] as const) {
      const catalog = (await read(`${mount}/api/catalog`, headers)) as {
        collections: { id: string; objects: { href: string; sha256: string }[] }[];
      };
      for (const { href, sha256: digest } of catalog.collections.flatMap(({ objects }) => objects)) {
        for (const range of [{}, { range: "bytes=0-1" }]) await hold("GET", href, { ...headers, ...range });
        await hold("GET", href.replace("/objects/", "/api/proofs/"), headers);
        await hold("GET", `${mount}/api/digests/${digest}`, headers);
      }
      for (const list of ["/api/cubs?limit=7", "/api/list?prefix=notes/", "/api/changes?limit=1"])
        for (let cursor: unknown = ""; typeof cursor === "string"; )
          cursor = (await read(`${mount}${list}${cursor === "" ? "" : `&cursor=${cursor}`}`, headers))["next"];
      const { facets } = (await read(`${mount}/api/cubs?facets=true&limit=0`, headers)) as {
        facets: Record<string, { value: string; count: number }[]>;
      };
      for (const [name, values] of Object.entries(facets))
        for (const { value, count } of values) {
          const found = await read(`${mount}/api/cubs?${name}=${encodeURIComponent(value)}&limit=1`, headers);
          checks++;
          if (found["count"] !== count) wrong.set(`count of ${name}=${value}`, [`${JSON.stringify(found["count"])} instead of ${count}`]);
        }
      for (const key of ["data/f.tex", "data/g.bin"])
        for (const start of ["/objects/", "/api/proofs/"])
          for (const accept of ["*/*", "text/html", "text/markdown"]) await hold("GET", `${mount}${start}${key}`, { ...headers, accept });
      for (let at = 1; at <= 60; at++)
        for (const part of ["", "/code", "/graph", "/meaning", "/tlog-proof"])
          await hold("GET", `${mount}/api/cubs/CUB-${String(at).padStart(4, "0")}${part}`, headers);
    }
    for (const headers of [...MEMBERS, ...STRANGERS])
      for (const path of [CODE_PATH, CODE_PATH.replace("coq/Sort.v", "src/sort.rs"), CODE_PATH.replace("Sort", "Gone"), "/api/code/x/y/z"])
        await hold("GET", path, headers);

    const questions = [
      "",
      "{",
      "[]",
      "{}",
      '{"question":1}',
      '{"question":""}',
      '{"question":"x","more":1}',
      '{"question":"x","snapshot":"999"}',
    ];
    const long = [501, 9_000].map((length) => JSON.stringify({ question: "x".repeat(length) }));
    const right = ["Is insertion sort stable?", "How many records are verified?", "What changed last?"].flatMap((question) => [
      JSON.stringify({ question }),
      JSON.stringify({ question, prefix: "notes/" }),
      JSON.stringify({ question, snapshot: 1 }),
    ]);
    for (const target of ["/api/ask", "/internal/library/api/ask", "/internal/api/ask"])
      for (const headers of [person, ...MEMBERS, ...STRANGERS])
        for (const body of [...questions, ...long, ...right]) await hold("POST", target, { ...headers, ...JSON_BODY }, body);
    const calls = ["initialize", "tools/list", "resources/list", "resources/templates/list", "ping", "server/discover", "no/such"].map(
      (method) => ({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: method === "initialize" ? { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } } : {},
      }),
    );
    const tools = JSON.parse(
      Buffer.from(
        (await hold("POST", "/mcp", { ...JSON_BODY, accept: "application/json, text/event-stream" }, JSON.stringify(calls[1]))).body,
      ).toString(),
    ) as { result: { tools: { name: string; inputSchema: { properties?: object } }[] } };
    for (const { name, inputSchema } of tools.result.tools)
      for (const argument of [null, ...Object.keys(inputSchema.properties ?? {})])
        for (const value of argument === null
          ? [null]
          : [...VALUES, "CUB-0001", "notes/", "notes/one.md", "sorted", 1, -1, 1e9, true, [], {}])
          calls.push({
            ...calls[0],
            method: "tools/call",
            params: { name, arguments: argument === null ? {} : { [argument]: value } },
          } as never);
    for (const call of calls)
      for (const [target, headers] of [
        ["/mcp", {}],
        ["/internal/mcp", member],
      ] as const)
        await hold("POST", target, { ...headers, ...JSON_BODY }, JSON.stringify(call));
    for (const target of ["/mcp", "/internal/mcp"])
      for (const headers of [person, ...MEMBERS, ...STRANGERS]) {
        for (const body of [JSON.stringify(calls[1]), "", "{", "[]", "1", `{"x":"${"x".repeat(70_000)}"}`])
          await hold("POST", target, { ...headers, ...JSON_BODY }, body);
        await hold("POST", target, { ...headers, "content-type": "text/plain" }, "{}");
        await hold("POST", target, { ...headers, ...JSON_BODY, origin: "https://evil.example" }, "{}");
      }
    const carriers: readonly Headers[] = [
      {},
      { authorization: "Bearer wrong" },
      { authorization: `Bearer ${REINDEX_TOKEN}` },
      { "x-resource-library-reindex-token": REINDEX_TOKEN },
    ];
    for (const headers of carriers)
      for (const body of ["{", '{"keys":1}']) await hold("POST", "/api/reindex", { ...headers, ...JSON_BODY }, body);
    const done = await hold("POST", "/api/reindex", { authorization: `Bearer ${REINDEX_TOKEN}` });
    assert.equal(done.status, 200, Buffer.from(done.body).toString());

    t.diagnostic(
      `${checks} checks, ${ofRoutes} of them over ${ROUTES.length} routes; answers ${JSON.stringify(Object.fromEntries(statuses))}`,
    );
    assert.deepEqual(
      [...wrong].map(([message, where]) => `${where.length} × ${message}\n    ${where.slice(0, 4).join("\n    ")}`),
      [],
    );
    assert.ok(checks > 1_702);
  });
