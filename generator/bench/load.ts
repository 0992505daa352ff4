/** Requests per second that a server on the first core gives to wrk on the last one, over loopback and kept connections. A
 *  machine with other work gives a server less than its core, so the rate is also given per second of processor time that the
 *  server really got: that is what it does when it has the core to itself. */
import { availableParallelism } from "node:os";
import { cpuOfTree, measure } from "./measure.ts";

export const ON_FIRST_CORE = ["taskset", "-c", "0"] as const;
export const ON_LAST_CORE = ["taskset", "-c", String(availableParallelism() - 1)] as const;
/** LOAD_PACKAGES are the packages of Debian that they need. */
export const LOAD_PACKAGES = ["wrk", "util-linux"] as const;
const CONNECTIONS = 32;

export type Rate = { readonly requests: number; readonly per_second: number; readonly per_core_second: number };

/** load puts load on a server.
 *  @param options.pid whose processor time counts, its children's included
 *  @param options.script of wrk, in Lua
 *  @throws Error when an answer under load is neither 2xx nor 3xx */
export async function load(
  url: string,
  options: { readonly pid: number; readonly seconds: number; readonly headers?: readonly string[]; readonly script?: string },
): Promise<Rate> {
  const { pid, seconds, headers = [], script } = options;
  const before = cpuOfTree(pid);
  const { stdout } = await measure(
    [
      ...ON_LAST_CORE,
      "wrk",
      "-t1",
      `-c${CONNECTIONS}`,
      `-d${seconds}s`,
      ...headers.flatMap((header) => ["-H", header]),
      ...(script === undefined ? [] : ["-s", script]),
      url,
    ],
    { limit_s: seconds + 30 },
  );
  const cpu = cpuOfTree(pid) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const wrong = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1];
  if (wrong !== undefined || requests === 0) throw new Error(`${url}: ${wrong ?? "no"} wrong answers of ${requests} under load.`);
  return { requests, per_second: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0), per_core_second: requests / cpu };
}
