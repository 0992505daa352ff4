/** Tool calls per second and memory over HTTP: `node sidecar/mcp/bench.ts [calls]`. The server runs in a child process, so
 *  that its memory and its core are its own; 16 clients with one connection each. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { buildDemo, listen, META } from "./fixture.ts";
import { openMcp } from "./handler.ts";

const CLIENTS = 16;

/** Bytes, and microseconds of processor. */
type Usage = { readonly heap: number; readonly rss: number; readonly cpu: number };

if (process.argv[2] === "--serve") {
  const demo = await buildDemo();
  const { url, server } = await listen(openMcp({ view: demo.publicView }));
  process.send?.({ url });
  process.on("message", (message) => {
    if (message === "memory") {
      globalThis.gc?.();
      const { user, system } = process.cpuUsage();
      process.send?.({ heap: process.memoryUsage().heapUsed, rss: process.memoryUsage().rss, cpu: user + system });
    } else {
      server.close();
      server.closeAllConnections();
      demo.close();
      process.disconnect();
    }
  });
} else {
  const calls = Number(process.argv[2] ?? 20_000);
  const child = fork(fileURLToPath(import.meta.url), ["--serve"], { execArgv: ["--expose-gc", "--max-semi-space-size=64"] });
  const next = <T>(): Promise<T> => new Promise((resolve) => child.once("message", (message) => resolve(message as T)));
  const { url } = await next<{ url: string }>();
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: CLIENTS, pipelining: 1 });
  const memory = (): Promise<Usage> => {
    const answer = next<Usage>();
    child.send("memory");
    return answer;
  };
  const run = async (name: string, args: object, count: number) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta: META } });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
    const times: number[] = [];
    let left = count;
    const started = performance.now();
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (left-- > 0) {
          const at = performance.now();
          const response = await pool.request({ method: "POST", path: pathname, headers, body });
          const text = await response.body.text();
          if (response.statusCode !== 200 || text.includes('"isError":true')) throw new Error(text);
          times.push(performance.now() - at);
        }
      }),
    );
    const rate = count / ((performance.now() - started) / 1000);
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
    return `${name}: ${Math.round(rate)} calls/s, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`;
  };
  const cases = [["get_cub", { id: "CUB-0007" }], ["list_objects", { prefix: "notes/" }]] as const;
  for (const [name, args] of cases) await run(name, args, 3_000);
  const before = await memory();
  for (const [name, args] of cases) console.log(await run(name, args, calls / cases.length));
  const after = await memory();
  const mb = (bytes: number) => (bytes / 1048576).toFixed(1);
  console.log(`heap after collection: ${mb(before.heap)} MB before, ${mb(after.heap)} MB after ${calls} calls; rss ${mb(before.rss)} → ${mb(after.rss)} MB`);
  // On a machine that others use, too, this says what one core of one's own could do.
  console.log(`server: ${((after.cpu - before.cpu) / calls).toFixed(0)} µs of processor per call`);
  child.send("stop");
  await pool.close();
}
