/** Requests a few at a time. */
import { AT_ONCE } from "./origin.ts";

/** Works through items; the first that fails ends it, when those under way have ended. */
export async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let at = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (at < items.length && !failed) {
      try {
        await work(items[at++] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}
