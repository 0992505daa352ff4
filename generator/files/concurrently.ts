/** Work a few at a time. */

/** concurrently works through items, `limit` at once; the first that fails ends it, when those under way have ended. */
export async function concurrently<T>(items: Iterable<T>, limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && !failed; next = rest.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: limit }, worker));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}
