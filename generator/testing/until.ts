/** Waiting in tests: for the event, however long a loaded machine takes to it. */
import { setTimeout as wait } from "node:timers/promises";

/** Far beyond what any event takes; milliseconds. */
const PATIENCE_MS = 120_000;

/** until waits until something is so.
 *  @param what is waited for, in the words of the failure
 *  @throws Error when it does not come about */
export async function until(what: string | (() => string), holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await wait(50)) if (await holds()) return;
  throw new Error(`${typeof what === "string" ? what : what()} did not come about`);
}
