/** The cost of a server that nobody asks, and of asking it how it is: a load balancer asks each second. */
import { setTimeout as wait } from "node:timers/promises";
import { request } from "undici";
import type { ServingProcess } from "../testing/serving-process.ts";
import { type Figure, percentile } from "./figure.ts";
import { descendants, threadTime } from "./measure.ts";

const DAY_S = 86_400;
const IDLE_S = 60;
/** The rest of a start goes on for some seconds. */
const SETTLE_MS = 20_000;
const MAX_IDLE_DAY_S = 15;
const MAX_HEALTH_MS = 10;
const ASKED = 200;
const ASK_EVERY_MS = 50;

/** benchIdle measures a server that nobody asks.
 *  @param server of a small library, without vectors to make */
export async function benchIdle(server: ServingProcess): Promise<readonly Figure[]> {
  await wait(SETTLE_MS);
  const busy = (): number => descendants(server.child.pid ?? 0).reduce((sum, pid) => sum + threadTime(pid), 0);
  const before = busy();
  await wait(IDLE_S * 1000);
  const idle = ((busy() - before) / IDLE_S) * DAY_S;
  const health = async (): Promise<number> => {
    const began = performance.now();
    const { statusCode, body } = await request(`${server.url}/health`);
    await body.dump();
    if (statusCode !== 200) throw new Error(`/health answered ${statusCode}.`);
    return performance.now() - began;
  };
  const first = await health();
  const times: number[] = [];
  for (let n = 0; n < ASKED; n++) {
    await wait(ASK_EVERY_MS);
    times.push(await health());
  }
  const sorted = times.toSorted((a, b) => a - b);
  return [
    {
      figure: "a day of a server that nobody asks",
      value: idle,
      unit: "s of processor",
      target: { at: "most", value: MAX_IDLE_DAY_S },
      note: `the command line and the server, over ${IDLE_S} s, by the scheduler's own count`,
    },
    {
      figure: "/health that was asked within the last second, p99",
      value: percentile(sorted, 0.99),
      unit: "ms",
      target: { at: "most", value: MAX_HEALTH_MS },
      note: `p50 ${percentile(sorted, 0.5).toFixed(1)}, worst ${sorted.at(-1)?.toFixed(1)} ms; each second one of them has a newer look made aside; the first after a pause ${first.toFixed(1)} ms`,
    },
  ];
}
