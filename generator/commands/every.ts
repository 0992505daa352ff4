/** Builds again and again, for `schedule` and `serve --every`. */
import { setTimeout as wait } from "node:timers/promises";
import { ShelfError } from "#snapshots/errors";
import type { BuildOutcome } from "#snapshots/http";
import { openConfig } from "#generator/config";
import type { Annexes } from "#generator/pipeline";
import { detailOf, openProgress } from "#generator/files";
import { buildAndEmbed, stamp } from "./build.ts";
import { parsePeriod } from "./period.ts";
import { type CommonOptions, configOf } from "./options.ts";

/** Builds of many libraries on one machine must not all start on the hour: up to this share of the period is added. */
const JITTER = 0.05;
/** buildEvery builds now and then once in each period, until `signal`. @param tell of each build, with its seconds by the clock, and when the next
 *  begins */
export async function buildEvery(
  period: number,
  options: CommonOptions & { readonly beside?: boolean },
  annexes: Annexes,
  signal: AbortSignal,
  tell: (outcome: BuildOutcome, seconds: number, next: string) => void = () => undefined,
): Promise<void> {
  while (!signal.aborted) {
    const began = performance.now();
    const pause = period * (1 + Math.random() * JITTER);
    const log = { write: (text: string): boolean => process.stderr.write(stamp(text)) };
    const told = (outcome: BuildOutcome): void =>
      tell(outcome, (performance.now() - began) / 1000, new Date(Date.now() + pause).toISOString());
    try {
      // Read anew each time, so that a changed file takes effect.
      const { published } = await buildAndEmbed(await openConfig(configOf(options)), annexes, {
        ...options,
        signal,
        stamped: true,
        progress: openProgress({ stream: log }),
      });
      told(published ? "published" : "unchanged");
    } catch (error) {
      told(error instanceof ShelfError ? "refused" : "failed");
      // One failed build is no reason to stop: the served snapshot stands, and the next may succeed.
      process.stderr.write(stamp(`${error instanceof Error ? error.message : String(error)}\n${detailOf(error)}`));
    }
    await wait(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** runSchedule is `proofshelf schedule`, for those who have no timer of their own. */
export async function runSchedule(options: CommonOptions & { readonly every: string }, annexes: Annexes): Promise<void> {
  const period = parsePeriod(options.every);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  // Named once: without one there is nothing to wait for.
  await buildEvery(period, { ...options, config: configOf(options), demo: false }, annexes, stop.signal);
}
