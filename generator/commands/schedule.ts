/** `proofshelf schedule`: builds now and then every few hours, for those who have no timer of their own. */
import { setTimeout as wait } from "node:timers/promises";
import { ShelfError } from "../../snapshots/errors.ts";
import type { CommonOptions } from "./options.ts";
import { openConfig } from "../config/config.ts";
import { describeLeaks, LeakError } from "../publish/leak-error.ts";
import { buildAndEmbed } from "./build.ts";

/** Builds of many libraries on one machine must not all start on the hour: up to this share of the period is added. */
const JITTER = 0.05;

export async function runSchedule(options: CommonOptions & { readonly every: string }): Promise<void> {
  const hours = Number(options.every);
  if (!(hours > 0 && hours <= 24 * 7)) throw new ShelfError("bad_config", "--every takes a number of hours, more than 0 and at most 168.");
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  while (!stop.signal.aborted) {
    try {
      // Read anew each time, so that a changed file takes effect.
      await buildAndEmbed(await openConfig(options.config ?? null), { ...options, signal: stop.signal });
    } catch (error) {
      // One failed build is no reason to stop: the served snapshot stands, and the next may succeed.
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      if (error instanceof LeakError) process.stderr.write(describeLeaks(error.leaks));
    }
    const period = hours * 3_600_000;
    await wait(period * (1 + Math.random() * JITTER), undefined, { signal: stop.signal }).catch(() => undefined);
  }
}
