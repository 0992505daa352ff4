/** Extraction in processes of its own.
 *
 *  Processes and not threads, because the bytes are strangers': the Markdown parser is native code and PDF.js is large, and
 *  what aborts a process takes all its threads along. A child has no environment variables, may not write files or start
 *  programs, and is killed when an object takes too long or too much memory. An overloaded machine can be the cause of that
 *  too, and extracts are kept, so the object gets a second try with nothing else in its process. When that fails as well, it
 *  gets a plain extract with a note, and the build goes on. */
import { fork, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { ShelfError } from "../../snapshots/errors.ts";
import { type Extracted, toExtracted } from "./extract-json.ts";
import type { Reply, Request } from "./worker.ts";

export type ExtractPool = {
  /** Starts a process for work that is about to come, unless there is one: loading the parsers takes a tenth of a second. */
  warm(): void;
  /** As extract() of extract.ts, which see; does not throw for any bytes.
   *  @throws ShelfError "build_failed" when no process can be started; Error when the pool is closed */
  extract(key: string, bytes: Uint8Array): Promise<Extracted>;
  /** Waits for nothing: what is still under way is refused. */
  close(): Promise<void>;
};

export type ExtractPoolOptions = {
  /** Processes; each takes about 150 MB. Default: one a core, at most MAX_THREADS. */
  readonly threads?: number;
  /** Milliseconds for one object at its first try. Default: TIME_LIMIT. */
  readonly timeLimit?: number;
  /** Megabytes of heap of one process. Default: MEMORY_LIMIT. */
  readonly memoryLimit?: number;
  /** The program to run: worker.ts, or what it was compiled to, which starts in a third of the time. */
  readonly worker?: string;
};

const MAX_THREADS = 8;
/** Milliseconds; the largest text takes 3 s, so only what hangs takes longer. */
const TIME_LIMIT = 10_000;
/** How much longer an object may take at its second try. */
const PATIENCE = 3;
/** Megabytes of heap; a 20 MB text takes 250. */
const MEMORY_LIMIT = 768;
/** Objects sent to one process: one at work and one waiting, so that it never idles while its answer travels. */
const IN_FLIGHT = 2;
/** Waiting objects for which one more process is started: loading its parsers costs as much as reading dozens of small files. */
const WORTH_A_PROCESS = 8;

/** A tree of nodes for each object, all of it short-lived: in the usual space much of it would be copied before it is dropped. */
const YOUNG_SPACE = ["--max-semi-space-size=64", "--min-semi-space-size=64"];

type Task = {
  readonly key: string;
  readonly bytes: Uint8Array;
  /** It was at work when a process ended. */
  suspect: boolean;
  resolve(value: Extracted): void;
  reject(reason: Error): void;
};
type Slot = {
  child: ChildProcess;
  tasks: Task[];
  timer: NodeJS.Timeout | null;
  ended: Promise<void>;
  timedOut: boolean;
};

/** A pool that starts its processes when there is work for them. */
export function openExtractPool(options: ExtractPoolOptions = {}): ExtractPool {
  const { threads = Math.min(MAX_THREADS, availableParallelism()), timeLimit = TIME_LIMIT, memoryLimit = MEMORY_LIMIT } = options;
  const worker = options.worker ?? fileURLToPath(new URL("worker.ts", import.meta.url));
  const slots = new Set<Slot>();
  const waiting: Task[] = [];
  /** Suspects; each gets a process of its own. */
  const again: Task[] = [];
  let next = 0;
  /** Why nothing more is read. */
  let over: Error | null = null;

  /** Sends waiting tasks to processes with room, and starts one more when all are busy. */
  function dispatch(): void {
    while (over === null && again.length > 0 && slots.size < threads) {
      const slot = start();
      const task = again.shift();
      if (slot !== null && task !== undefined) send(slot, task);
    }
    while (over === null && next < waiting.length) {
      let slot: Slot | null = null;
      for (const candidate of slots) {
        if (candidate.tasks[0]?.suspect !== true && candidate.tasks.length < (slot?.tasks.length ?? IN_FLIGHT)) slot = candidate;
      }
      const more = slots.size === 0 || (slots.size < threads && waiting.length - next >= WORTH_A_PROCESS);
      if (more && slot?.tasks.length !== 0) slot = start();
      if (slot === null) return;
      const task = waiting[next++];
      if (next > 1000) {
        waiting.splice(0, next);
        next = 0;
      }
      if (task !== undefined) send(slot, task);
    }
  }

  function send(slot: Slot, task: Task): void {
    slot.tasks.push(task);
    if (slot.tasks.length === 1) watch(slot);
    const request: Request = { key: task.key, bytes: task.bytes };
    // A process that just died refuses, and one that could not be started has no channel: `end` takes care of the task.
    if (slot.child.connected) slot.child.send(request, () => undefined);
  }

  /** null when the system refuses at once; mostly it says so later, by "error" and without "exit". */
  function start(): Slot | null {
    let child: ChildProcess;
    try {
      child = fork(worker, [], {
        serialization: "advanced",
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        // Nothing of ours is for the eyes of a parser that a stranger may have taken over.
        env: {},
        execArgv: [
          `--max-old-space-size=${memoryLimit}`,
          ...YOUNG_SPACE,
          "--no-warnings",
          "--permission",
          "--allow-fs-read=*",
          "--allow-addons",
        ],
      });
    } catch (error) {
      finish(notStarted(error as NodeJS.ErrnoException));
      return null;
    }
    const slot: Slot = {
      child,
      tasks: [],
      timer: null,
      timedOut: false,
      ended: new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.once("error", () => resolve());
      }),
    };
    slots.add(slot);
    child.on("message", (reply: Reply) => {
      // Its last words may come after its end was heard; by then its tasks are others' work.
      if (!slots.has(slot)) return;
      const task = slot.tasks.shift();
      watch(slot);
      task?.resolve(reply);
      dispatch();
    });
    child.on("error", (error) => {
      // Neither the object's fault nor of one process only: the build cannot go on.
      if (child.pid === undefined) finish(notStarted(error));
      child.kill("SIGKILL");
      end(slot);
    });
    child.once("exit", () => end(slot));
    return slot;
  }

  /** Refuses what waits and what comes. What is at work is left to its process. */
  function finish(reason: Error): void {
    over ??= reason;
    for (const task of [...again.splice(0), ...waiting.slice(next)]) task.reject(over);
    waiting.length = 0;
    next = 0;
  }

  /** Sets the clock for the object at work, which is the first one. */
  function watch(slot: Slot): void {
    if (slot.timer !== null) clearTimeout(slot.timer);
    slot.timer =
      slot.tasks.length === 0
        ? null
        : setTimeout(
            () => {
              slot.timedOut = true;
              slot.child.kill("SIGKILL");
            },
            timeLimit * (slot.tasks[0]?.suspect === true ? PATIENCE : 1),
          );
  }

  /** A process is gone: the object at work is to blame, those behind it try again elsewhere. */
  function end(slot: Slot): void {
    if (!slots.delete(slot)) return;
    if (slot.timer !== null) clearTimeout(slot.timer);
    const [blamed, ...others] = slot.tasks;
    if (over !== null) {
      for (const task of slot.tasks) task.reject(over);
      return;
    }
    if (blamed?.suspect === false) {
      blamed.suspect = true;
      again.push(blamed);
    } else if (blamed !== undefined) {
      const note = slot.timedOut
        ? "Reading this file took too long, so only its plain text is used."
        : "Reading this file failed, so only its plain text is used.";
      // Loaded only now: the parsers behind it take longer to load than a rebuild that changes one object.
      import("./extract.ts")
        .then(({ extractPlainly }) => blamed.resolve(toExtracted(extractPlainly(blamed.key, blamed.bytes, note))))
        .catch(blamed.reject);
    }
    waiting.push(...others);
    dispatch();
  }

  return {
    warm() {
      if (over === null && slots.size === 0) start();
    },
    extract(key, bytes) {
      if (over !== null) return Promise.reject(over);
      return new Promise((resolve, reject) => {
        waiting.push({ key, bytes, suspect: false, resolve, reject });
        dispatch();
      });
    },
    async close() {
      finish(new Error("The extract pool was closed."));
      const open = [...slots];
      for (const { child, tasks } of open) {
        if (tasks.length > 0 || !child.connected) child.kill("SIGKILL");
        else child.disconnect();
      }
      await Promise.all(open.map((slot) => slot.ended));
    },
  };
}

function notStarted(error: NodeJS.ErrnoException): ShelfError {
  return new ShelfError("build_failed", `A process that reads files could not be started (${error.code ?? "unknown error"}).`, {
    cause: error,
    fixes: ["Look whether the machine is short of processes, open files or memory, and build again."],
  });
}
