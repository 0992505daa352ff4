/** Calls of agents over HTTP to the real server: 16 clients with one connection each, every one of which sends its next call when
 *  it has the answer to the one before. */
import { Client } from "undici";
import type { ServingProcess } from "../testing/serving-process.ts";
import { type Figure, formatNumber, percentile } from "./figure.ts";
import { WORDS } from "./library.ts";
import { cpuOfTree } from "./measure.ts";

const CLIENTS = 16;
const CALLS = 5_000;
/** Calls that each ask for what nobody has asked before. */
const NEW_CALLS = 500;
const MIN_CALLS_PER_SECOND = 1_500;
const MAX_P95_MS = 15;

/** benchAgents measures what agents ask for.
 *  @param server serves the demo library without rate limits */
export async function benchAgents(server: ServingProcess): Promise<readonly Figure[]> {
  const clients = Array.from({ length: CLIENTS }, () => new Client(server.url));
  const run = async (count: number, queryOf: (at: number) => string): Promise<{ times: number[]; per_second: number; cpu_ms: number }> => {
    const times: number[] = [];
    const cpu = cpuOfTree(server.child.pid ?? 0);
    const began = performance.now();
    let next = 0;
    await Promise.all(
      clients.map(async (client) => {
        for (let at = next++; at < count; at = next++) {
          const sent = performance.now();
          await search(client, at, queryOf(at));
          times.push(performance.now() - sent);
        }
      }),
    );
    const per_second = count / ((performance.now() - began) / 1000);
    return { times: times.sort((a, b) => a - b), per_second, cpu_ms: (1000 * (cpuOfTree(server.child.pid ?? 0) - cpu)) / count };
  };
  const word = (at: number): string => WORDS[at % WORDS.length] ?? "";
  const pair = (at: number): string => `${word(at)} ${word(Math.floor(at / WORDS.length))}`;
  try {
    const fresh = await run(NEW_CALLS, (at) => `${pair(at)} ${at}`);
    await run(WORDS.length ** 2, pair);
    const { times, per_second, cpu_ms } = await run(CALLS, pair);
    return [
      {
        figure: `MCP search_library, ${CLIENTS} clients`,
        value: per_second,
        unit: "calls/s",
        target: { at: "least", value: MIN_CALLS_PER_SECOND },
        note: `${WORDS.length ** 2} queries in turn, ${cpu_ms.toFixed(2)} ms of the server's processor time a call; asked for the first time ${formatNumber(fresh.per_second)} calls/s, ${fresh.cpu_ms.toFixed(2)} ms`,
      },
      {
        figure: `MCP search_library, ${CLIENTS} clients, p95`,
        value: percentile(times, 0.95),
        unit: "ms",
        target: { at: "most", value: MAX_P95_MS },
        note: `p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)} ms; asked for the first time p95 ${percentile(fresh.times, 0.95).toFixed(0)} ms`,
      },
    ];
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

async function search(client: Client, id: number, query: string): Promise<void> {
  const { statusCode, body } = await client.request({
    method: "POST",
    path: "/mcp",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "search_library",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: {
        name: "search_library",
        arguments: { query, limit: 5 },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  const text = await body.text();
  if (statusCode !== 200 || !text.includes('"structuredContent"') || text.includes('"isError":true')) throw new Error(text.slice(0, 2000));
}
