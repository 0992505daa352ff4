/** Calls of agents over HTTP to the real server: 16 clients with one connection each, every one of which sends its next call when
 *  it has the answer to the one before. */
import { Client } from "undici";
import type { ServingProcess } from "../serving-process.ts";
import { type Figure, percentile } from "./figure.ts";
import { WORDS } from "./library.ts";
import { cpuOfTree } from "./measure.ts";

const CLIENTS = 16;
const WARM_UP = 2_000;
const CALLS = 20_000;
const MIN_CALLS_PER_SECOND = 1_500;
const MAX_P95_MS = 15;

/** @param server serves the demo library without rate limits */
export async function benchAgents(server: ServingProcess): Promise<readonly Figure[]> {
  const clients = Array.from({ length: CLIENTS }, () => new Client(server.url));
  let next = 0;
  const run = async (count: number): Promise<number[]> => {
    const times: number[] = [];
    const last = next + count;
    await Promise.all(
      clients.map(async (client) => {
        while (next < last) {
          const at = performance.now();
          await search(client, next++);
          times.push(performance.now() - at);
        }
      }),
    );
    return times.sort((a, b) => a - b);
  };
  try {
    await run(WARM_UP);
    const cpu = cpuOfTree(server.child.pid ?? 0);
    const began = performance.now();
    const times = await run(CALLS);
    const seconds = (performance.now() - began) / 1000;
    const used = cpuOfTree(server.child.pid ?? 0) - cpu;
    const bound = `each with other words; ${((1e3 * used) / times.length).toFixed(2)} ms of the server's processor time a call, ${((100 * used) / seconds).toFixed(0)} % of a core`;
    return [
      {
        figure: `MCP search_library, ${CLIENTS} clients`,
        value: times.length / seconds,
        unit: "calls/s",
        target: { at: "least", value: MIN_CALLS_PER_SECOND },
        note: bound,
      },
      {
        figure: `MCP search_library, ${CLIENTS} clients, p95`,
        value: percentile(times, 0.95),
        unit: "ms",
        target: { at: "most", value: MAX_P95_MS },
        note: `p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
      },
    ];
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** Two words and a number: nearly every call asks for what no call has asked before. */
async function search(client: Client, id: number): Promise<void> {
  const query = `${WORDS[id % WORDS.length]} ${WORDS[Math.floor(id / WORDS.length) % WORDS.length]} ${id}`;
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
