/** Pauses for work that waits for nothing outside the process: without them no other process would be heard before its end. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Milliseconds after which others are heard. */
const TURN_MS = 4;

/** @returns what a loop awaits in each round; it lets others in when the last time is long enough ago */
export function openTurns(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last <= TURN_MS) return;
    await nextTurn();
    last = performance.now();
  };
}
