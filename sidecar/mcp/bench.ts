/** Tool calls per second and memory over HTTP: `node sidecar/mcp/bench.ts [calls] [--json]`. The server runs in a child
 *  process with the flags that `npm start` gives it, so that its memory and its core are its own; 16 clients with one
 *  connection each, every one of which sends its next call when it has the answer to the one before. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "undici";
import { buildDemo, call, listen, META } from "./fixture.ts";
import { openMcp } from "./handler.ts";

const CLIENTS = 16;
const WARM_UP = 5_000;
const WORDS = ["digest", "proof", "sorted list", "canonical form", "claim evidence", "snapshot", "theorem", "number of bytes"] as const;
const PREFIXES = ["", "notes/"] as const;

/** Bytes, and microseconds of processor. */
type Usage = { readonly heap: number; readonly rss: number; readonly cpu: number };
/** `what` tells cases of one tool apart. */
type Case = { readonly name: string; readonly what: string; readonly arguments: readonly object[] };
type Started = { readonly url: string; readonly cases: readonly Case[] };
/** Milliseconds. */
type Rate = {
  readonly tool: string;
  readonly what: string;
  readonly per_second: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, serve: { type: "boolean", default: false } },
});

if (values.serve) {
  const demo = await buildDemo();
  const mcp = openMcp({ view: demo.publicView });
  const { url, server } = await listen(mcp);
  const named = async (tool: string, list: string, member: string) =>
    ((await call(mcp, tool)).content.result[list] as Record<string, unknown>[]).map((item) => String(item[member]));
  const cases: Case[] = [
    { name: "search_library", what: "few queries", arguments: WORDS.flatMap((query) => PREFIXES.map((prefix) => ({ query, prefix }))) },
    // More queries than are remembered.
    {
      name: "search_library",
      what: "each query new",
      arguments: Array.from({ length: 2_000 }, (_, at) => ({ query: `${WORDS[at % WORDS.length]} ${at}` })),
    },
    { name: "get_cub", what: "all", arguments: (await named("list_cubs", "cubs", "id")).map((id) => ({ id })) },
    {
      name: "list_objects",
      what: "all",
      arguments: (await named("list_collections", "collections", "prefix")).map((prefix) => ({ prefix })),
    },
  ];
  process.send?.({ url, cases } satisfies Started);
  process.on("message", (message) => {
    if (message === "memory") {
      globalThis.gc?.();
      const { user, system } = process.cpuUsage();
      process.send?.({ heap: process.memoryUsage().heapUsed, rss: process.memoryUsage().rss, cpu: user + system } satisfies Usage);
    } else {
      server.close();
      server.closeAllConnections();
      demo.close();
      process.disconnect();
    }
  });
} else {
  const calls = Number(positionals[0] ?? 20_000);
  const child = fork(fileURLToPath(import.meta.url), ["--serve"], {
    execArgv: ["--expose-gc", "--max-semi-space-size=64"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const next = <T>(): Promise<T> => new Promise((resolve) => child.once("message", (message) => resolve(message as T)));
  const { url, cases } = await next<Started>();
  const clients = Array.from({ length: CLIENTS }, () => new Client(new URL(url).origin, { pipelining: 1 }));
  const memory = (): Promise<Usage> => {
    const answer = next<Usage>();
    child.send("memory");
    return answer;
  };
  const run = async ({ name, what, arguments: choices }: Case, count: number): Promise<Rate> => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    };
    const bodies = choices.map((args, id) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: META } }),
    );
    const times: number[] = [];
    let left = count;
    const started = performance.now();
    await Promise.all(
      clients.map(async (client) => {
        while (left-- > 0) {
          const at = performance.now();
          const { status, text } = await post(client, new URL(url).pathname, headers, bodies[left % bodies.length] ?? "");
          times.push(performance.now() - at);
          if (status !== 200 || text.includes('"isError":true')) throw new Error(text);
        }
      }),
    );
    const rate = count / ((performance.now() - started) / 1000);
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
    return { tool: name, what, per_second: rate, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  };
  for (const one of cases) await run(one, WARM_UP);
  const before = await memory();
  const rates: Rate[] = [];
  for (const one of cases) rates.push(await run(one, calls / cases.length));
  const after = await memory();
  const mb = (bytes: number): number => bytes / 1048576;
  // On a machine that others use, too, the processor time says what one core of one's own could do.
  const whole = {
    calls,
    rates,
    cpu_us: (after.cpu - before.cpu) / calls,
    heap_mb: [mb(before.heap), mb(after.heap)],
    rss_mb: [mb(before.rss), mb(after.rss)],
  };
  if (values.json) process.stdout.write(`${JSON.stringify(whole)}\n`);
  else {
    for (const { tool, what, per_second, p50, p95, p99 } of rates)
      console.log(
        `${tool}, ${what}: ${Math.round(per_second)} calls/s, p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
      );
    console.log(
      `heap after collection: ${whole.heap_mb.map((size) => size.toFixed(1)).join(" → ")} MB over ${calls} calls; rss ${whole.rss_mb.map((size) => size.toFixed(1)).join(" → ")} MB`,
    );
    console.log(`server: ${whole.cpu_us.toFixed(0)} µs of processor per call`);
  }
  child.send("stop");
  await Promise.all(clients.map((client) => client.close()));
}

/** One call with as little of a client as there can be: it shares the machine with the server. */
function post(
  client: Client,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    let status = 0;
    const chunks: Buffer[] = [];
    client.dispatch(
      { method: "POST", path, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, code) => void (status = code),
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve({ status, text: Buffer.concat(chunks).toString() }),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}
