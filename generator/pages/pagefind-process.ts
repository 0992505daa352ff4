/** Pagefind's program, with an eye on it: the package waits for an answer for ever, also from a process that hangs or is gone,
 *  and meanwhile a build would hold its lock. */
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { ShelfError } from "../../snapshots/errors.ts";

type Pagefind = typeof import("pagefind");

/** Milliseconds for one answer. A bundle takes well under a second, so only what hangs takes longer. */
const TIME_LIMIT = 120_000;
/** On which Node shows every process that it starts; the package keeps its own to itself. */
const STARTED = "child_process";
const FIXES = ["Build again. If it happens again, look whether the machine is short of memory or processes."];

export type PagefindProcess = {
  /** @param question calls Pagefind before it awaits anything
   *  @throws ShelfError "build_failed" when the process cannot be started, ends, or does not answer in time */
  ask<T>(question: (pagefind: Pagefind) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** Nothing is started before the first question. */
export async function openPagefind(timeLimit = TIME_LIMIT): Promise<PagefindProcess> {
  const pagefind = await import("pagefind");
  let child: ChildProcess | null = null;
  let failure: ShelfError | null = null;
  let giveUp = (_: ShelfError): void => undefined;
  const gone = new Promise<never>((_, reject) => (giveUp = reject));
  // It ends after the last question too, when nobody listens any more.
  gone.catch(() => undefined);
  const fail = (message: string, cause?: unknown): void => {
    failure ??= new ShelfError("build_failed", message, { cause, fixes: FIXES });
    giveUp(failure);
  };
  const onStarted = (message: unknown): void => {
    child = (message as { readonly process: ChildProcess }).process;
    child.once("error", (error: NodeJS.ErrnoException) => fail(`Pagefind could not be started (${error.code ?? "unknown error"}).`, error));
    child.once("exit", (code, signal) => fail(`Pagefind ended before it was done (${signal ?? `exit code ${code}`}).`));
  };
  return {
    async ask(question) {
      if (failure !== null) throw failure;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          fail(`Pagefind did not answer within ${timeLimit / 1000} s.`);
          reject(failure as ShelfError);
          child?.kill("SIGKILL");
        }, timeLimit);
      });
      try {
        // Only while the question is put: nothing else can start a process in between.
        subscribe(STARTED, onStarted);
        const answer = question(pagefind);
        unsubscribe(STARTED, onStarted);
        return await Promise.race([answer, gone, late]);
      } catch (error) {
        if (error instanceof ShelfError) throw error;
        fail("Pagefind could not be asked.", error);
        throw failure;
      } finally {
        unsubscribe(STARTED, onStarted);
        clearTimeout(timer);
      }
    },
    async close() {
      await pagefind.close();
    },
  };
}
