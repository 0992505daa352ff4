/** Extraction in processes of its own, shut in as isolation.ts says: what aborts a process takes all its threads along. One that takes
 *  too long or too much memory is killed; the object gets a second try alone, because an overloaded machine can be the cause and
 *  extracts are kept, and then one as plain text, with a note. The build goes on whatever objects hold. */
import { fork, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { ShelfError } from "../../snapshots/errors.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";
import { type Extracted, toExtracted } from "./extract-json.ts";
import { isolate } from "./isolation.ts";
import { fileName } from "./media-type.ts";
import type { DrawnPage, Drawing } from "./pdf-images.ts";
import type { Reply, Request } from "./worker.ts";

export type ExtractPool = {
  warm(): void; // starts a process for work that is about to come, unless there is one
  /** As extract() of extract.ts, which see; does not throw for any bytes.
   *  @param pageImages how many pages of a PDF are drawn, from the first; none by default
   *  @throws ShelfError "build_failed" when no process can be started; Error when the pool is closed */
  extract(key: string, bytes: Uint8Array, pageImages?: number): Promise<Extracted>;
  /** Waits for nothing: what is still under way is refused. */
  close(): Promise<void>;
};

export type ExtractPoolOptions = {
  readonly worker: string;
  readonly threads?: number; // processes; one a core by default, at most MAX_THREADS
  readonly timeLimit?: number; // milliseconds for one object at its first try
  readonly memoryLimit?: number; // megabytes of heap of one process
};

const MAX_THREADS = 8;
const TIME_LIMIT = 10_000; // milliseconds
const PATIENCE = 3; // times the limit, at the second try
const PLAIN_TIME_LIMIT = 30_000; // milliseconds for an object read as plain text
const MEMORY_LIMIT = 768; // megabytes of heap
const WASM_PAGES = 8192; // of 64 KiB: 512 MB for each parser that is WebAssembly
const MAX_IMAGE_BYTES = 1024 * 1024; // one page, which has 560,000 pixels of a byte
const MAX_BROKEN_PAGES = 3; // pages of a document that ended two processes each; then the rest is not drawn
const IN_FLIGHT = 2; // objects sent to one process: one at work and one waiting
const WORTH_A_PROCESS = 8; // waiting objects

const YOUNG_SPACE = ["--max-semi-space-size=64", "--min-semi-space-size=64"];

const NOT_FOUND = 127; // what `unshare` ends with when there is no such program

type Task = {
  readonly key: string;
  readonly bytes: Uint8Array;
  /** 0, or how often it was at work, or at the same page, when a process ended: then it gets a process of its own. */
  failures: number;
  /** How many pages are to be drawn. */
  pageImages: number;
  /** The page that is being drawn; 0 while the document is opened, null before that. */
  page: number | "end" | null;
  /** Ascending. */
  images: DrawnPage[];
  /** Pages that ended two processes. */
  readonly broken: number[];
  /** Why it is read as plain text only; else null. */
  note: string | null;
  resolve(value: Extracted): void;
  reject(reason: Error): void;
};
type Slot = {
  child: ChildProcess;
  tasks: Task[];
  timer: NodeJS.Timeout | null;
  ended: Promise<void>;
  timedOut: boolean;
  /** It has said anything: before that, its end is not an object's fault. */
  spoke: boolean;
};

export function openExtractPool(options: ExtractPoolOptions): ExtractPool {
  const { threads = Math.min(MAX_THREADS, availableParallelism()), timeLimit = TIME_LIMIT, memoryLimit = MEMORY_LIMIT } = options;
  const slots = new Set<Slot>();
  const waiting: Task[] = [];
  const again: Task[] = [];
  let over: Error | null = null;

  /** Sends waiting tasks to processes with room, and starts one more when all are busy. */
  function dispatch(): void {
    while (over === null && again.length > 0 && slots.size < threads) {
      const slot = start();
      const task = again.shift();
      if (slot !== null && task !== undefined) send(slot, task);
    }
    while (over === null && waiting.length > 0) {
      let slot: Slot | null = null;
      for (const candidate of slots) {
        if ((candidate.tasks[0]?.failures ?? 0) === 0 && candidate.tasks.length < (slot?.tasks.length ?? IN_FLIGHT)) slot = candidate;
      }
      const more = slots.size === 0 || (slots.size < threads && waiting.length >= WORTH_A_PROCESS);
      if (more && slot?.tasks.length !== 0) slot = start();
      if (slot === null) return;
      const task = waiting.shift();
      if (task !== undefined) send(slot, task);
    }
  }

  function send(slot: Slot, task: Task): void {
    slot.tasks.push(task);
    if (slot.tasks.length === 1) watch(slot);
    task.page = null;
    const done = task.images.map(({ png: _, ...facts }) => facts);
    const draw = { limit: task.pageImages, done, skip: task.broken };
    const request: Request = { key: task.key, bytes: task.bytes, note: task.note, draw };
    // A process that just died refuses, and one that could not be started has no channel: `end` takes care of the task.
    if (slot.child.connected) slot.child.send(request, () => undefined);
  }

  /** null when the system refuses at once; mostly it says so later, by "error" and without "exit". */
  function start(): Slot | null {
    let child: ChildProcess;
    try {
      const { execPath, execArgv } = isolate(options.worker, [
        `--max-old-space-size=${memoryLimit}`,
        `--wasm-max-mem-pages=${WASM_PAGES}`,
        ...YOUNG_SPACE,
      ]);
      child = fork(options.worker, [], {
        serialization: "advanced",
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        env: {},
        execPath,
        execArgv: [...execArgv],
      });
    } catch (error) {
      finish(notStarted((error as NodeJS.ErrnoException).code));
      return null;
    }
    const slot: Slot = {
      child,
      tasks: [],
      timer: null,
      timedOut: false,
      spoke: false,
      ended: new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.once("error", () => resolve());
      }),
    };
    slots.add(slot);
    child.on("message", (reply: Reply) => {
      slot.spoke = true;
      if (reply === "ready") return;
      // Its last words may come after its end was heard; by then its tasks are others' work.
      if (!slots.has(slot)) return;
      const [at] = slot.tasks;
      if (at === undefined) return;
      if ("page" in reply) {
        if (!takeDrawing(at, reply)) {
          child.kill("SIGKILL");
          end(slot);
          return;
        }
      } else {
        slot.tasks.shift();
        // As plain text it has no page beside which they would stand.
        at.resolve(at.note === null ? { ...reply, images: at.images } : reply);
      }
      watch(slot);
      dispatch();
    });
    child.on("error", (error) => {
      // Neither the object's fault nor of one process only: the build cannot go on.
      if (child.pid === undefined) finish(notStarted((error as NodeJS.ErrnoException).code));
      child.kill("SIGKILL");
      end(slot);
    });
    child.once("exit", (code) => {
      // A signal may be the machine's doing; who ends by itself before its first word would always do so.
      if (code !== null && !slot.spoke && over === null) finish(notStarted(code === NOT_FOUND ? "ENOENT" : `exit ${code}`));
      end(slot);
    });
    return slot;
  }

  /** Refuses what waits and what comes. What is at work is left to its process. */
  function finish(reason: Error): void {
    over ??= reason;
    for (const task of [...again.splice(0), ...waiting.splice(0)]) task.reject(over);
  }

  /** @returns false for what a process of ours would not say: it is a stranger's by now */
  function takeDrawing(task: Task, { page, image }: Drawing): boolean {
    const at = task.page;
    const last = task.images.at(-1)?.page ?? 0;
    // Until it is found to be right: then the page is not to blame.
    task.page = "end";
    if (at === "end" || task.pageImages === 0) return false;
    if (image === null) {
      // Every step is a later one, so that nobody can go on for ever.
      if (
        page !== "end" &&
        !(Number.isInteger(page) && page <= task.pageImages && (page === 0 ? at === null : page > Math.max(at ?? 0, last)))
      )
        return false;
      task.page = page;
      return true;
    }
    if (page !== at || image.page !== page || page <= last || image.png.length > MAX_IMAGE_BYTES) return false;
    task.page = page;
    task.images.push(image);
    task.failures = 0;
    return true;
  }

  function timeFor(task: Task | undefined): number {
    if (task?.note !== null) return PLAIN_TIME_LIMIT;
    return task.failures > 0 ? timeLimit * PATIENCE : timeLimit;
  }

  function watch(slot: Slot): void {
    if (slot.timer !== null) clearTimeout(slot.timer);
    slot.timer =
      slot.tasks.length === 0
        ? null
        : setTimeout(() => {
            slot.timedOut = true;
            slot.child.kill("SIGKILL");
          }, timeFor(slot.tasks[0]));
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
    if (typeof blamed?.page === "number") {
      blamed.failures++;
      if (blamed.failures > 1) {
        const given = blamed.broken.length + 1 < MAX_BROKEN_PAGES ? blamed.page : blamed.pageImages;
        for (let page = blamed.page; page <= given; page++) blamed.broken.push(page);
        blamed.failures = 0;
      }
      again.push(blamed);
    } else if (blamed !== undefined) {
      blamed.failures++;
      const what = slot.timedOut ? "Reading this file took too long" : "Reading this file failed";
      if (blamed.failures > 2)
        blamed.resolve(toExtracted(blamed.key, bareExtract(blamed.key, `${what}, so it is listed but not searched.`)));
      else {
        if (blamed.failures === 2) blamed.note = `${what}, so only its plain text is used.`;
        again.push(blamed);
      }
    }
    waiting.push(...others);
    dispatch();
  }

  return {
    warm() {
      if (over === null && slots.size === 0) start();
    },
    extract(key, bytes, pageImages = 0) {
      if (over !== null) return Promise.reject(over);
      return new Promise((resolve, reject) => {
        waiting.push({ key, bytes, failures: 0, pageImages, page: null, images: [], broken: [], note: null, resolve, reject });
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

function bareExtract(key: string, note: string): Extract {
  return {
    title: fileName(key).slice(0, 200).toWellFormed(),
    summary: "",
    kind: "binary",
    media_type: "application/octet-stream",
    language: null,
    lines: null,
    passages: [],
    html: null,
    notes: [note],
  };
}

/** @param code of the system, or how the process ended */
function notStarted(code: string | undefined): ShelfError {
  return new ShelfError("build_failed", `A process that reads files could not be started (${code ?? "unknown error"}).`, {
    fixes: ["Look whether the machine is short of processes, open files or memory, and build again."],
  });
}
