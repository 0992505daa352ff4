/** Tasks run at once and end together: whoever starts them hears of each of them. */

export type Tasks = {
  /** Starts a task at once. What it gives may be awaited by other tasks, by many or by none. */
  run<T>(task: () => Promise<T> | T): Promise<T>;
  /** Fires at the first failure: what waits long, or loops, ends early. */
  readonly signal: AbortSignal;
};

/** together runs `work` and every task that it starts, and ends when the last of them has ended, also after a failure: nothing goes on behind the
 *  caller's back. A task that fails fails the whole, though nobody awaits it.
 *  @throws what the first task to fail threw */
export async function together<T>(work: (tasks: Tasks) => Promise<T>): Promise<T> {
  const pending = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const stop = new AbortController();
  const run = <R>(task: () => Promise<R> | R): Promise<R> => {
    const result = Promise.try(task);
    const heard: Promise<void> = result
      .then(
        () => undefined,
        (error: unknown) => {
          failures.push(error);
          stop.abort(error);
        },
      )
      .then(() => void pending.delete(heard));
    pending.add(heard);
    return result;
  };
  const result = run(() => work({ run, signal: stop.signal }));
  while (pending.size > 0) await Promise.all(pending);
  if (failures.length > 0) throw failures[0];
  return result;
}
