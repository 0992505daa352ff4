/** Tries again what fails in ways that pass, with growing random pauses, and ends. */
import { setTimeout as sleep } from "node:timers/promises";

export type RetryLimits = {
  readonly attempts: number;
  /** The longest pause after the first attempt, doubled after each, in milliseconds. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** No attempt begins later than this after the first one. */
  readonly beginWithinMs: number;
  /** An attempt that has made no progress for so long is given up. */
  readonly patienceMs: number;
};

/** RETRY_LIMITS allow six seconds of pauses on average: a server that starts again is waited for, a wrong address is told while somebody waits. */
export const RETRY_LIMITS: RetryLimits = {
  attempts: 8,
  firstPauseMs: 100,
  longestPauseMs: 5_000,
  beginWithinMs: 60_000,
  patienceMs: 20_000,
};

/** TooSlow says that an attempt was given up because nothing came for `patienceMs`. */
export class TooSlow extends Error {
  constructor(milliseconds: number) {
    super(`nothing came for ${milliseconds / 1000} s`);
  }
}

/** retrying repeats work until it succeeds or the limits are reached.
 *  @param passes whether trying again may help
 *  @throws what the last attempt threw */
export async function retrying<T>(
  limits: RetryLimits,
  work: (attempt: number) => Promise<T>,
  passes: (error: unknown) => boolean,
): Promise<T> {
  const start = performance.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      // Anything up to the longest: those who failed together do not come back together.
      const pause = Math.random() * Math.min(limits.longestPauseMs, limits.firstPauseMs * 2 ** (attempt - 1));
      if (attempt >= limits.attempts || !passes(error) || performance.now() + pause - start > limits.beginWithinMs) throw error;
      await sleep(pause);
    }
  }
}

/** watched makes one attempt, and gives it up when it makes no progress.
 *  @param work calls `alive` whenever something has come, and stops at the signal */
export async function watched<T>(patienceMs: number, work: (signal: AbortSignal, alive: () => void) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new TooSlow(patienceMs)), patienceMs);
  try {
    return await work(controller.signal, () => timer.refresh());
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
