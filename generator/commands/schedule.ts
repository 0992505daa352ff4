/** `proofshelf schedule`: builds now and then every few hours, for those who have no timer of their own. */
import { buildEvery, parsePeriod } from "./every.ts";
import type { CommonOptions } from "./options.ts";

export async function runSchedule(options: CommonOptions & { readonly every: string }): Promise<void> {
  const period = parsePeriod(options.every);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  await buildEvery(period, options, stop.signal);
}
