/** Extraction in processes of its own.
 *
 *  Processes and not threads, because the bytes are strangers': the Markdown parser is native code and PDF.js is large, and
 *  what aborts a process takes all its threads along. A child has no environment variables, may not write files or start
 *  programs, and is killed when an object takes too long or too much memory: that object then gets a plain extract with a
 *  note, and the build goes on. */
import { fork, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { type Extracted, toExtracted } from "./extract-json.ts";
import type { Reply, Request } from "./worker.ts";

export type ExtractPool = {
  /** As extract() of extract.ts, which see; does not throw for any bytes.
   *  @throws Error when the pool is closed */
  extract(key: string, bytes: Uint8Array): Promise<Extracted>;
  /** Waits for nothing: what is still under way is refused. */
  close(): Promise<void>;
};

export type ExtractPoolOptions = {
  /** Processes; each takes about 150 MB. Default: one a core, at most MAX_THREADS. */
  readonly threads?: number;
  /** Milliseconds for one object. Default: TIME_LIMIT. */
  readonly timeLimit?: number;
  /** Megabytes of heap of one process. Default: MEMORY_LIMIT. */
  readonly memoryLimit?: number;
};

const MAX_THREADS = 8;
/** Milliseconds; the largest text takes 3 s, so only what hangs takes longer. */
const TIME_LIMIT = 10_000;
/** Megabytes of heap; a 20 MB text takes 250. */
const MEMORY_LIMIT = 768;
/** Objects sent to one process: one at work and one waiting, so that it never idles while its answer travels. */
const IN_FLIGHT = 2;

type Task = {
  readonly key: string;
  readonly bytes: Uint8Array;
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
  const slots = new Set<Slot>();
  const waiting: Task[] = [];
  let next = 0;
  let closed = false;

  /** Sends waiting tasks to processes with room, and starts one more when all are busy. */
  function dispatch(): void {
    if (closed) return;
    while (next < waiting.length) {
      let slot: Slot | null = null;
      for (const candidate of slots) if (candidate.tasks.length < (slot?.tasks.length ?? IN_FLIGHT)) slot = candidate;
      if ((slot === null || slot.tasks.length > 0) && slots.size < threads) slot = start();
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
    // A process that just died refuses: its exit handler takes care of the task.
    slot.child.send(request, () => undefined);
  }

  function start(): Slot {
    const child = fork(fileURLToPath(new URL("worker.ts", import.meta.url)), [], {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // Nothing of ours is for the eyes of a parser that a stranger may have taken over.
      env: {},
      execArgv: [`--max-old-space-size=${memoryLimit}`, "--no-warnings", "--permission", "--allow-fs-read=*", "--allow-addons"],
    });
    const slot: Slot = {
      child,
      tasks: [],
      timer: null,
      timedOut: false,
      ended: new Promise((resolve) => void child.once("exit", () => resolve())),
    };
    slots.add(slot);
    child.on("message", (reply: Reply) => {
      const task = slot.tasks.shift();
      watch(slot);
      task?.resolve(reply);
      dispatch();
    });
    child.on("error", () => undefined);
    child.once("exit", () => end(slot));
    return slot;
  }

  /** Sets the clock for the object at work, which is the first one. */
  function watch(slot: Slot): void {
    if (slot.timer !== null) clearTimeout(slot.timer);
    slot.timer =
      slot.tasks.length === 0
        ? null
        : setTimeout(() => {
            slot.timedOut = true;
            slot.child.kill("SIGKILL");
          }, timeLimit);
  }

  /** A process is gone: the object at work is to blame, those behind it try again elsewhere. */
  function end(slot: Slot): void {
    if (slot.timer !== null) clearTimeout(slot.timer);
    slots.delete(slot);
    const [blamed, ...others] = slot.tasks;
    if (closed) {
      for (const task of slot.tasks) task.reject(new Error("The extract pool was closed."));
      return;
    }
    if (blamed !== undefined) {
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
    extract(key, bytes) {
      if (closed) return Promise.reject(new Error("The extract pool was closed."));
      return new Promise((resolve, reject) => {
        waiting.push({ key, bytes, resolve, reject });
        dispatch();
      });
    },
    async close() {
      closed = true;
      for (const task of waiting.slice(next)) task.reject(new Error("The extract pool was closed."));
      waiting.length = 0;
      next = 0;
      const open = [...slots];
      for (const { child, tasks } of open) {
        if (tasks.length > 0 || !child.connected) child.kill("SIGKILL");
        else child.disconnect();
      }
      await Promise.all(open.map((slot) => slot.ended));
    },
  };
}
