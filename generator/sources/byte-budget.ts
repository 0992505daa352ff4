/** How much may be held in memory at once by work that runs side by side. */

export type ByteBudget = {
  /** Waits, in the order of calls, until `bytes` more are within the limit, or nothing else is held. */
  take(bytes: number): Promise<void>;
  give(bytes: number): void;
};

/** @param limit bytes */
export function openByteBudget(limit: number): ByteBudget {
  const waiting: { readonly bytes: number; start(): void }[] = [];
  let held = 0;
  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined && (held === 0 || held + next.bytes <= limit); next = waiting[0]) {
      waiting.shift();
      held += next.bytes;
      next.start();
    }
  };
  return {
    take: (bytes) =>
      new Promise((start) => {
        waiting.push({ bytes, start });
        admit();
      }),
    give(bytes) {
      held -= bytes;
      admit();
    },
  };
}
