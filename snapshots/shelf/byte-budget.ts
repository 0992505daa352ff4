/** A ByteBudget says how much may be held in memory at once by work that runs side by side. */

export type ByteBudget = {
  /** Waits for its turn, in the order of calls, until `bytes` more are within the limit. What is larger than the limit gets
   *  its turn when nothing else is held.
   *  @param patience milliseconds, or as long as it takes
   *  @returns whether the bytes were taken */
  take(bytes: number, patience?: number): Promise<boolean>;
  /** Gives bytes back; fewer than none are taken without a turn, by who finds that it needs more. */
  give(bytes: number): void;
};

/** openByteBudget opens a budget. @param limit bytes */
export function openByteBudget(limit: number): ByteBudget {
  const waiting = new Set<{ readonly bytes: number; end(taken: boolean): void }>();
  let held = 0;
  const admit = (): void => {
    for (const next of waiting) {
      if (held > 0 && held + next.bytes > limit) return;
      held += next.bytes;
      next.end(true);
    }
  };
  return {
    take: (bytes, patience) =>
      new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const turn = {
          bytes,
          end(taken: boolean) {
            clearTimeout(timer);
            waiting.delete(turn);
            resolve(taken);
          },
        };
        waiting.add(turn);
        admit();
        if (patience !== undefined && waiting.has(turn)) timer = setTimeout(() => turn.end(false), patience);
      }),
    give(bytes) {
      held -= bytes;
      admit();
    },
  };
}
