/** The gate over HTTP, and what the server's memory does under every kind of request. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Pool } from "undici";
import type { ServingProcess } from "../testing/serving-process.ts";
import type { Access } from "./access.ts";
import { installed } from "./debian.ts";
import { type Figure, formatNumber, type Skipped } from "./figure.ts";
import { WORDS } from "./library.ts";
import { load, LOAD_PACKAGES, type Rate } from "./load.ts";
import { descendants, memoryOf } from "./measure.ts";

const GATED = "/internal/api/cubs/CUB-0001";
const GATE_S = 5;
/** More than a server can check in that time. */
const TOKENS = 80_000;
const MIN_NEW_PER_SECOND = 2_500;
const MIN_REMEMBERED_PER_SECOND = 10_000;
const MIXED = 50_000;
const CLIENTS = 16;
/** Megabytes that the second half of the mixed requests may add before it is more than noise. */
const MAX_GROWTH_MB = 8;

/** benchSidecar measures the sidecar.
 *  @param server serves the demo library without rate limits
 *  @param folder a new one */
export async function benchSidecar(server: ServingProcess, access: Access, folder: string): Promise<readonly Figure[] | Skipped> {
  const missing = await installed(LOAD_PACKAGES);
  if (missing !== null) return { skipped: missing };
  const pid = server.child.pid ?? 0;
  const url = server.url + GATED;
  const one = { pid, seconds: GATE_S, headers: [access.token(0)] };
  await load(url, one);
  const remembered = await load(url, one);
  const fresh = await load(url, { pid, seconds: GATE_S, script: await writeTokens(folder, access) });
  if (fresh.requests > TOKENS) throw new Error(`${fresh.requests} requests had ${TOKENS} tokens: not each was new.`);
  const rate = (figure: string, least: number, { per_core_second, per_second }: Rate): Figure => ({
    figure,
    value: per_core_second,
    unit: "/s",
    target: { at: "least", value: least },
    note: `of the server's processor time; ${formatNumber(per_second)} on a clock`,
  });
  return [
    rate("gate, each ES256 token new", MIN_NEW_PER_SECOND, fresh),
    rate("gate, a remembered token", MIN_REMEMBERED_PER_SECOND, remembered),
    await measureMemory(server, access),
  ];
}

/** @returns a script of wrk that sends another token with each request */
async function writeTokens(folder: string, access: Access): Promise<string> {
  const tokens = Array.from({ length: TOKENS }, (_, at) => access.token(at + 1).replace(/^.*: /, ""));
  await writeFile(join(folder, "tokens.txt"), tokens.join("\n"));
  const script = join(folder, "tokens.lua");
  await writeFile(
    script,
    `local tokens, at = {}, 0
for token in io.lines(${JSON.stringify(join(folder, "tokens.txt"))}) do tokens[#tokens + 1] = token end
request = function()
  at = at % #tokens + 1
  return wrk.format("GET", nil, { ["edge-access-token"] = tokens[at] })
end
`,
  );
  return script;
}

async function measureMemory(server: ServingProcess, access: Access): Promise<Figure> {
  const pool = new Pool(server.url, { connections: CLIENTS });
  const now = (): number => descendants(server.child.pid ?? 0).reduce((sum, pid) => sum + memoryOf(pid).own, 0) / 1024;
  const samples: number[] = [now()];
  const paths = await readPaths(pool);
  let next = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let at = next++; at < MIXED; at = next++) {
        if (at % (MIXED / 20) === 0) samples.push(now());
        const { body, statusCode } = await pool.request(mixedRequest(at, paths, access));
        await body.dump({ limit: 1 << 30 });
        if (statusCode >= 500) throw new Error(`Mixed request ${at} answered ${statusCode}.`);
      }
    }),
  );
  samples.push(now());
  await pool.close();
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    figure: `memory that the second half of ${MIXED.toLocaleString("en")} mixed requests added`,
    // A single look may come just before a sweep.
    value: mean(samples.slice(-4)) - mean(samples.slice(9, 13)),
    unit: "MB",
    target: { at: "most", value: MAX_GROWTH_MB },
    note: `${samples[0]?.toFixed(0)} MB before, ${Math.max(...samples).toFixed(0)} at most, ${samples.at(-1)?.toFixed(0)} after`,
  };
}

async function readPaths(pool: Pool): Promise<readonly string[]> {
  const { body } = await pool.request({ path: "/api/catalog", method: "GET" });
  const { snapshot, collections } = (await body.json()) as { snapshot: string; collections: { objects: { href: string }[] }[] };
  return [`/at/${snapshot}/api/claims`, ...collections.flatMap(({ objects }) => objects.map(({ href }) => href))];
}

/** Every kind of request in turn; where a query is asked for, a new one. */
function mixedRequest(at: number, paths: readonly string[], access: Access) {
  const path = paths[at % paths.length] ?? "/";
  const query = encodeURIComponent(`${WORDS[at % WORDS.length]} ${at}`);
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const get = (target: string, headers: Record<string, string> = {}) => ({ method: "GET" as const, path: target, headers });
  const post = (target: string, body: string) => ({ method: "POST" as const, path: target, headers: json, body });
  const [, token = ""] = access.token(at % 500).split(": ");
  const kinds = [
    () => get("/", { "accept-encoding": "br" }),
    () => get("/api/catalog", { "accept-encoding": "gzip" }),
    () => get(path),
    () => get(path, { range: "bytes=0-99" }),
    () => get(`/api/search?q=${query}`),
    () => get(`/api/cubs?q=${query}&limit=5`),
    () => get(`/browse/notes/?${at}`),
    () => get(`/api/nothing/${at}`),
    () => get(`/internal/api/search?q=${query}`, { "edge-access-token": token }),
    () => get("/internal/api/catalog", { "edge-access-token": `x${at}.y.z` }),
    () => post("/api/ask", JSON.stringify({ question: `What is ${WORDS[at % WORDS.length]} ${at}?` })),
    () => post("/api/ask", "[".repeat(at % 9_000)),
    () =>
      post(
        "/mcp",
        JSON.stringify({ jsonrpc: "2.0", id: at, method: "tools/call", params: { name: "list_objects", arguments: { prefix: "notes/" } } }),
      ),
    () => get("/health"),
  ];
  return (kinds[at % kinds.length] as (typeof kinds)[number])();
}
