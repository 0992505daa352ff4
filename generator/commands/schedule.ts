/** `proofshelf schedule`: builds now and then every few hours, for those who have no timer of their own. */
import type { Annexes } from "#generator/pipeline";
import { buildEvery } from "./every.ts";
import { parsePeriod } from "./period.ts";
import { type CommonOptions, configOf } from "./options.ts";

export async function runSchedule(options: CommonOptions & { readonly every: string }, annexes: Annexes): Promise<void> {
  const period = parsePeriod(options.every);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  // Named once: without one there is nothing to wait for.
  await buildEvery(period, { ...options, config: configOf(options), demo: false }, annexes, stop.signal);
}
