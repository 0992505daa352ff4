/** Pagefind in a process of its own, with an eye on it: one that hangs or ends must not hold a build, and its lock, for ever. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ShelfError } from "../../snapshots/errors.ts";
import type { PageRecord, Reply, Request } from "./pagefind-worker.ts";

const WORKER = fileURLToPath(new URL("./pagefind-worker.ts", import.meta.url));
const TIME_LIMIT = 120_000; // milliseconds for one bundle
const FIXES = ["Build again. If it happens again, look whether the machine is short of memory or processes."];

export type BundleFile = { readonly path: string; readonly content: Uint8Array };

export type PagefindProcess = {
  /** The files of one bundle over these pages, by name in the bundle; one bundle at a time.
   *  @throws ShelfError "build_failed" when the process cannot be started, ends, refuses something, or does not answer in time */
  bundle(records: readonly PageRecord[]): Promise<readonly BundleFile[]>;
  /** Ends it, whatever it does; what is under way fails. */
  close(): void;
};

export function openPagefind(timeLimit = TIME_LIMIT): PagefindProcess {
  let failure: ShelfError | null = null;
  let waiting: PromiseWithResolvers<Reply> | null = null;
  const fail = (message: string, cause?: unknown): void => {
    failure ??= new ShelfError("build_failed", message, { cause, fixes: FIXES });
    waiting?.reject(failure);
  };
  // A group of its own, so that its end is the end of Pagefind's program too.
  const child = fork(WORKER, [], { detached: true, serialization: "advanced", execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"] });
  let ended = false;
  const kill = (): void => {
    if (child.pid === undefined || ended) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      child.kill("SIGKILL"); // the group is gone, or this system has none
    }
  };
  child.on("message", (reply: Reply) => waiting?.resolve(reply));
  child.once("error", (error: NodeJS.ErrnoException) => fail(`Pagefind could not be started (${error.code ?? "unknown error"}).`, error));
  child.once("exit", (code, signal) => {
    kill();
    ended = true;
    fail(`Pagefind ended before it was done (${signal ?? `exit code ${code}`}).`);
  });
  return {
    async bundle(records) {
      if (failure !== null) throw failure;
      waiting = Promise.withResolvers();
      const timer = setTimeout(() => {
        fail(`Pagefind did not answer within ${timeLimit / 1000} s.`);
        kill();
      }, timeLimit);
      try {
        // Who cannot be asked is about to end, and that says why.
        child.send({ records } satisfies Request, (error) => error !== null && kill());
        const reply = await waiting.promise;
        if ("message" in reply) throw new ShelfError("build_failed", reply.message, { fixes: FIXES });
        return reply.files;
      } finally {
        clearTimeout(timer);
        waiting = null;
      }
    },
    close() {
      fail("Pagefind was closed.");
      kill();
    },
  };
}
