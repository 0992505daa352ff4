/** Calls of agents over HTTP: the sidecar's own benchmark as a process, so that nothing of the sidecar is imported here. */
import { fileURLToPath } from "node:url";
import type { Figure } from "./figure.ts";
import { measure } from "./measure.ts";

const SCRIPT = fileURLToPath(new URL("../../sidecar/mcp/bench.ts", import.meta.url));
/** Over so many calls memory has to stay where it is. */
const CALLS = 100_000;
const MIN_CALLS_PER_SECOND = 1_500;
const MAX_P95_MS = 5;
const LIMIT_S = 300;

type Report = {
  readonly calls: number;
  readonly rates: readonly {
    readonly tool: string;
    readonly per_second: number;
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
  }[];
  readonly cpu_us: number;
  readonly heap_mb: readonly number[];
  readonly rss_mb: readonly number[];
};

export async function benchAgents(): Promise<readonly Figure[]> {
  const { stdout } = await measure([process.execPath, SCRIPT, String(CALLS), "--json"], { limit_s: LIMIT_S });
  const { calls, rates, cpu_us, heap_mb, rss_mb } = JSON.parse(stdout) as Report;
  const grown = (sizes: readonly number[]): number => (sizes[1] ?? 0) - (sizes[0] ?? 0);
  return [
    ...rates.flatMap(({ tool, per_second, p50, p95, p99 }): Figure[] => [
      {
        figure: `${tool}, calls from 16 clients`,
        value: per_second,
        unit: "/s",
        target: { at: "least", value: MIN_CALLS_PER_SECOND },
        beside: null,
      },
      {
        figure: `${tool}, 95 of 100 calls within`,
        value: p95,
        unit: "ms",
        target: { at: "most", value: MAX_P95_MS },
        beside: null,
        note: `half within ${p50.toFixed(1)}, 99 of 100 within ${p99.toFixed(1)}`,
      },
    ]),
    {
      figure: "processor time of one call on average",
      value: cpu_us,
      unit: "µs",
      target: null,
      beside: null,
      note: "of the server's process",
    },
    {
      figure: `heap that ${calls.toLocaleString("en")} calls leave behind`,
      value: grown(heap_mb),
      unit: "MB",
      target: { at: "most", value: 1 },
      beside: null,
      note: `${(heap_mb[1] ?? 0).toFixed(1)} MB after collection; resident memory grew by ${grown(rss_mb).toFixed(1)} MB`,
    },
  ];
}
