/** What the sidecar costs: checks of the gate per second, refusals per second, and memory over many mixed requests.
 *
 *      node sidecar/bench.ts [--json] [--requests 100000]
 *
 *  The server is the real command over the demo library, in processes of its own. Rates are given by the clock and by the
 *  processor time that the server used: on a machine with other work only the second says what a core can do. Linux, because
 *  memory and processor time of another process are read from /proc. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { sha256 } from "../snapshots/digest.ts";
import { accessConfig, jwks, makeToken, readKeys, SERVICE_SECRET, tokenHeaders } from "./gate-fixture.ts";
import { openGate } from "./gate.ts";

const CLI = fileURLToPath(new URL("../generator/cli.ts", import.meta.url));
const DEMO = fileURLToPath(new URL("../generator/demo/", import.meta.url));
/** Requests of each phase that only counts. */
const COUNTED = 20_000;
const CHECKS = 5_000;
const CLIENTS = 16;
/** Requests sent on one connection before the first answer has come, because the client has to cost less than the server.
 *  More would measure the collector: what is being answered survives its short sweeps. */
const DEPTH = 4;
/** Clock ticks of a second: Linux has shown 100 to programs for as long as it has had /proc. */
const TICKS = 100;
/** The server's last look at memory waits for its own tidying; milliseconds. */
const SETTLE_MS = 2_000;

export type Rate = { readonly requests: number; readonly per_second: number; readonly per_core_second: number };
export type Figures = {
  readonly gate_checks_per_core_second: Readonly<Record<string, number>>;
  /** Each new token costs its signature; a known one costs a digest. */
  readonly verified: { readonly one_token: Rate; readonly new_es256: Rate; readonly new_rs256: Rate; readonly new_eddsa: Rate };
  readonly refused: { readonly no_credentials: Rate; readonly malformed: Rate; readonly expired: Rate; readonly bad_signature: Rate };
  readonly mixed: Rate & { readonly statuses: Readonly<Record<string, number>> };
  /** Megabytes of the sidecar process: at the start, every tenth of the mixed requests, and in the end. */
  readonly memory_mb: {
    readonly start: number;
    readonly samples: readonly number[];
    readonly peak: number;
    readonly end: number;
    readonly growth_of_second_half: number;
    /** Of the processes that it has started, in the end: the embedded model's. */
    readonly helpers: number;
  };
};

const { values } = parseArgs({ options: { json: { type: "boolean", default: false }, requests: { type: "string", default: "100000" } } });
const say = (text: string): void => void (values.json ? process.stderr : process.stdout).write(`${text}\n`);

async function measureSidecar(mixedRequests: number): Promise<Figures> {
  const checks = await measureGate();
  for (const [name, rate] of Object.entries(checks)) say(`gate alone, ${name}: ${rate} checks per second and core`);
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-bench-"));
  try {
    const server = await startServer(folder);
    try {
      return { gate_checks_per_core_second: checks, ...(await measureServer(server, mixedRequests)) };
    } catch (error) {
      say(server.said());
      throw error;
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The gate as a function. */
async function measureGate(): Promise<Record<string, number>> {
  const rates: Record<string, number> = {};
  const times = future();
  for (const [name, tokens] of [
    ["one token again", [makeToken(times)]],
    ...(["ES256", "RS256", "EdDSA"] as const).map((alg): [string, string[]] => [
      `${alg}, each token new`,
      Array.from({ length: CHECKS }, (_, at) => makeToken({ ...times, jti: String(at) }, {}, alg)),
    ]),
    [
      "bad signature, each token new",
      Array.from({ length: CHECKS }, (_, at) => `${makeToken({ ...times, jti: String(at) }).slice(0, -8)}AAAAAAAA`),
    ],
  ] as [string, string[]][]) {
    const gate = openGate(accessConfig(), { readKeys });
    const all = tokens.map(tokenHeaders);
    const before = process.cpuUsage();
    for (let at = 0; at < CHECKS; at++) await gate.check(all[at % all.length] as Headers);
    const { user, system } = process.cpuUsage(before);
    rates[name] = Math.round(CHECKS / ((user + system) / 1e6));
  }
  return rates;
}

function future(): { iat: number; nbf: number; exp: number } {
  const now = Math.floor(Date.now() / 1000);
  return { iat: now - 60, nbf: now - 60, exp: now + 3_600 };
}

type Server = {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  /** The end of what it said. */
  readonly said: () => string;
  stop(): Promise<void>;
};

async function startServer(folder: string): Promise<Server> {
  const text = readFileSync(join(DEMO, "proofshelf.yaml"), "utf8")
    .replace(/^shelf:.*$/m, "")
    .replaceAll("./", DEMO);
  const access = { ...accessConfig(), jwks: join(folder, "jwks.json") };
  writeFileSync(access.jwks, jwks);
  const file = join(folder, "proofshelf.yaml");
  writeFileSync(
    file,
    `${text}\nshelf: { kind: directory, root: ${JSON.stringify(join(folder, "shelf"))} }\naccess: ${JSON.stringify(access)}\n`,
  );
  // Built before: `serve --build` would make vectors beside what is measured.
  execFileSync(process.execPath, [CLI, "build", "--json", "--config", file], { stdio: ["ignore", "ignore", "inherit"] });
  const child = spawn(process.execPath, [CLI, "serve", "--json", "--no-rate-limits", "--port", "0", "--config", file], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  // A log that nobody reads would stop the server; only what is said before it is ready matters here.
  child.stderr.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4_000)));
  let out = "";
  for await (const chunk of child.stdout) {
    out += String(chunk);
    if (out.includes("\n")) break;
  }
  if (!out.includes("\n")) throw new Error(`the server did not start: ${errors}`);
  const { url } = JSON.parse(out) as { url: string };
  // The command starts the sidecar as its one child.
  const pid = childrenOf(child.pid ?? 0).at(-1) ?? 0;
  return {
    url,
    pid,
    port: Number(new URL(url).port),
    said: () => errors,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Seconds of processor that a process has used, all threads. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter((child) => child !== "")
    .map(Number);
}

function memoryOf(pid: number): number {
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 102.4) / 10;
}

async function rateOf(server: Server, requests: number, work: () => Promise<void>): Promise<Rate> {
  const began = performance.now();
  const before = cpuOf(server.pid);
  await work();
  const seconds = (performance.now() - began) / 1000;
  return { requests, per_second: Math.round(requests / seconds), per_core_second: Math.round(requests / (cpuOf(server.pid) - before)) };
}

async function measureServer(server: Server, mixedRequests: number): Promise<Omit<Figures, "gate_checks_per_core_second">> {
  const start = memoryOf(server.pid);
  const line = (token: string): string => `edge-access-token: ${token}\r\n`;
  const each = (make: (at: number) => string): string[] => Array.from({ length: COUNTED }, (_, at) => line(make(at)));
  const blast = async (name: string, lines: readonly string[], status: number): Promise<Rate> => {
    const rate = await rateOf(server, COUNTED, () =>
      pipeline(
        server.port,
        COUNTED,
        (at) => `HEAD /internal/api/claims HTTP/1.1\r\nHost: x\r\n${lines[at % lines.length] ?? ""}\r\n`,
        status,
      ),
    );
    show(name, rate);
    return rate;
  };
  const show = (name: string, { per_second, per_core_second }: Rate): void =>
    say(`${name}: ${per_second}/s by the clock, ${per_core_second} per second of the server's processor time`);

  const times = future();
  const one = line(makeToken(times));
  await blast("(warming up)", [one], 200);
  const verified = {
    one_token: await blast("verified, one token", [one], 200),
    new_es256: await blast(
      "verified, each ES256 token new",
      each((at) => makeToken({ ...times, jti: String(at) })),
      200,
    ),
    new_rs256: await blast(
      "verified, each RS256 token new",
      each((at) => makeToken({ ...times, jti: String(at) }, {}, "RS256")),
      200,
    ),
    new_eddsa: await blast(
      "verified, each EdDSA token new",
      each((at) => makeToken({ ...times, jti: String(at) }, {}, "EdDSA")),
      200,
    ),
  };
  const refused = {
    no_credentials: await blast("refused, no credentials", [""], 401),
    malformed: await blast(
      "refused, malformed tokens",
      each((at) => `x${at}.y.z`),
      401,
    ),
    expired: await blast("refused, expired tokens", [line(makeToken({ ...times, exp: times.iat }))], 401),
    bad_signature: await blast(
      "refused, each bad signature new",
      each((at) => `${makeToken({ ...times, jti: `b${at}` }).slice(0, -8)}AAAAAAAA`),
      401,
    ),
  };

  const samples: number[] = [];
  const statuses: Record<string, number> = {};
  const pool = new Pool(server.url, { connections: CLIENTS });
  const targets = await findTargets(pool);
  const mixed = await rateOf(server, mixedRequests, async () => {
    let next = 0;
    const every = Math.max(1, Math.floor(mixedRequests / 10));
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (let at = next++; at < mixedRequests; at = next++) {
          if (at % every === 0) samples.push(memoryOf(server.pid));
          const { path, method = "GET", headers = {}, body = null } = mixedRequest(at, targets);
          const response = await pool.request({ path, method, headers, body });
          await response.body.dump({ limit: 64 * 1024 * 1024 });
          statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1;
        }
      }),
    );
  });
  await pool.close();
  show(`mixed, ${mixedRequests} requests`, mixed);
  const helpers = childrenOf(server.pid).reduce((sum, child) => sum + memoryOf(child), 0);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const end = memoryOf(server.pid);
  // Against the middle of the first half's later samples, because a single one may have come just before a sweep.
  const half = Math.floor(samples.length / 2);
  const growth = mean([...samples.slice(-2), end]) - mean(samples.slice(half - 2, half + 1));
  const memory = {
    start,
    samples,
    peak: Math.max(start, end, ...samples),
    end,
    growth_of_second_half: Math.round(growth * 10) / 10,
    helpers,
  };
  say(`statuses: ${JSON.stringify(statuses)}`);
  say(
    `memory of the sidecar: ${start} MB at the start, then ${samples.join(", ")}, in the end ${end} MB; peak ${memory.peak} MB, ${memory.growth_of_second_half} MB in the second half; ${memory.helpers} MB in processes of its own for the embedded model`,
  );
  return { verified, refused, mixed: { ...mixed, statuses }, memory_mb: memory };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sends requests ahead of their answers and counts the answers by their status lines. HEAD only: no body can hold one.
 *  @throws Error when an answer has another status */
async function pipeline(port: number, count: number, request: (at: number) => string, status: number): Promise<void> {
  let next = 0;
  const wanted = `HTTP/1.1 ${status} `;
  await Promise.all(
    Array.from(
      { length: CLIENTS },
      () =>
        new Promise<void>((resolve, reject) => {
          let open = 0;
          let rest = "";
          const fill = (): void => {
            let batch = "";
            while (open < DEPTH && next < count) {
              batch += request(next++);
              open++;
            }
            if (batch !== "") socket.write(batch);
            else if (open === 0) socket.end();
          };
          const socket = connect(port, "127.0.0.1", fill);
          socket.setEncoding("latin1").on("data", (chunk: string) => {
            const heads = (rest + chunk).split("\r\n\r\n");
            rest = heads.pop() ?? "";
            open -= heads.length;
            for (const head of heads)
              if (!head.startsWith(wanted)) return socket.destroy(new Error(`${head.slice(0, 40)} instead of ${status}`));
            // In gulps: a write for every answer would cost the client more than the answers cost the server.
            if (open <= DEPTH / 2) fill();
            return undefined;
          });
          socket.on("error", reject).on("close", () => resolve());
        }),
    ),
  );
}

type Targets = {
  readonly keys: readonly string[];
  readonly gatedKeys: readonly string[];
  readonly code: readonly string[];
  readonly snapshot: string;
  readonly member: Readonly<Record<string, string>>;
};

async function findTargets(pool: Pool): Promise<Targets> {
  const read = async (path: string, headers = {}): Promise<unknown> => (await pool.request({ path, method: "GET", headers })).body.json();
  const keysOf = (value: unknown): string[] =>
    (value as { collections: { objects: { href: string }[] }[] }).collections.flatMap(({ objects }) => objects.map(({ href }) => href));
  const open = await read("/api/catalog");
  const member = { "edge-access-token": makeToken(future()) };
  const gated = await read("/internal/api/catalog", member);
  const { cubs } = (await read("/api/cubs?limit=10")) as { cubs: { id: string }[] };
  const code = await Promise.all(
    cubs.map(async ({ id }) => (await read(`/api/cubs/${id}/code`)) as { files?: { href: string; available: boolean }[] }),
  );
  return {
    keys: keysOf(open),
    gatedKeys: keysOf(gated),
    member,
    snapshot: (open as { snapshot: string }).snapshot,
    code: code.flatMap(({ files = [] }) => files.filter(({ available }) => available).map(({ href }) => href)),
  };
}

type MixedRequest = {
  readonly path: string;
  readonly method?: "GET" | "HEAD" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

const WORDS = [
  "digest",
  "proof",
  "sorted",
  "number",
  "tree",
  "claim",
  "theorem",
  "bytes",
  "list",
  "insert",
  "canonical",
  "record",
] as const;
const JSON_TYPE = { "content-type": "application/json", accept: "application/json, text/event-stream" };
/** Every kind of request in turn; where a query is asked for, nearly always a new one. */
function mixedRequest(at: number, { keys, gatedKeys, code, snapshot, member }: Targets): MixedRequest {
  const pick = (list: readonly string[]): string => list[at % list.length] ?? "/";
  const word = `${pick(WORDS)} ${at}`;
  const pair = { "edge-access-client-id": "ci.example", "edge-access-client-secret": SERVICE_SECRET };
  const packed = { "accept-encoding": at % 3 === 0 ? "br" : "gzip" };
  const call = JSON.stringify({
    jsonrpc: "2.0",
    id: at,
    method: "tools/call",
    params: { name: "list_objects", arguments: { prefix: "notes/" } },
  });
  const kinds: readonly (() => MixedRequest)[] = [
    () => ({ path: "/", headers: packed }),
    () => ({ path: "/api/catalog", headers: packed }),
    () => ({ path: pick(keys) }),
    () => ({ path: pick(keys), headers: { range: "bytes=0-99" } }),
    () => ({ path: `/api/search?q=${encodeURIComponent(word)}` }),
    () => ({ path: `/api/cubs?q=${encodeURIComponent(word)}&limit=5` }),
    () => ({ path: "/api/list?prefix=notes/", method: "HEAD" }),
    () => ({ path: `/at/${snapshot}/api/claims` }),
    () => ({ path: `/browse/notes/?${at}` }),
    () => ({ path: `/api/nothing/${at}` }),
    () => ({ path: `/internal/api/search?q=${encodeURIComponent(word)}`, headers: member }),
    () => ({ path: `/internal${pick(gatedKeys).replace(/^\/internal/, "")}`, headers: pair }),
    () => ({ path: "/internal/browse/drafts/", headers: member }),
    () => ({ path: "/internal/api/catalog", headers: { "edge-access-token": sha256(String(at)) } }),
    () => ({ path: pick(code), headers: at % 2 === 0 ? member : {} }),
    // One in ten by meaning: the embedded model would be all that is measured.
    () => ({
      path: "/api/ask",
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({ question: at % 200 === 15 ? `What is a ${word}?` : "What does CUB-0001 say?" }),
    }),
    () => ({ path: "/mcp", method: "POST", headers: JSON_TYPE, body: call }),
    () => ({ path: "/api/ask", method: "POST", headers: JSON_TYPE, body: "[".repeat(at % 9_000) }),
    () => ({ path: "/health" }),
    () => ({ path: "/api/capabilities" }),
  ];
  return (kinds[at % kinds.length] as () => MixedRequest)();
}

const figures = await measureSidecar(Number(values.requests));
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
