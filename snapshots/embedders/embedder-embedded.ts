/** The model that needs no network and no account: 512 dimensions, English, its weights in a package. It runs in processes of its own: nothing
 *  of it is loaded before the first text, it holds up nobody while it computes, and its processes end when nobody has asked for a while. */
import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { ShelfError } from "#snapshots/errors";
import { type Embedder, normalize } from "#snapshots/embed";

/** An EmbedTask is a list of texts to embed. */
export type EmbedTask = readonly string[];
/** An EmbedReply has one vector for each text, as the model gives them; it is null when the model cannot be run. */
export type EmbedReply = readonly Float32Array[] | null;

const TOKENS = 32; // of a text that the model reads; index/README.md has what they are worth
const DIMENSIONS = 512;
const HEAP = 96; // MB of a process; the model itself lies outside it
const PROGRAM = fileURLToPath(new URL("./embedder-embedded-worker.ts", import.meta.url));
const BATCH = 8;
const IDLE_MS = 300_000; // after which an idle process ends
const MAX_PROCESSES = 4;
const TASK_MS = 60_000; // for one task; only what hangs takes longer

type ProcessOptions = {
  readonly threads?: number; // processes, at most; one a core by default
  readonly taskMs?: number;
};

type Task = PromiseWithResolvers<readonly Float32Array[]> & { readonly texts: readonly string[] };
type Slot = { readonly child: ChildProcess; task: Task | null; timer: NodeJS.Timeout | null };

export function openEmbeddedEmbedder(options: ProcessOptions = {}): Embedder {
  const limit = Math.max(1, Math.min(MAX_PROCESSES, options.threads ?? availableParallelism()));
  const { taskMs = TASK_MS } = options;
  const slots = new Set<Slot>();
  let waiting: Task[] = [];

  function dispatch(): void {
    while (waiting.length > 0) {
      const slot = [...slots].find(({ task }) => task === null) ?? (slots.size < limit ? start() : null);
      const task = slot === null ? undefined : waiting.shift();
      if (slot === null || task === undefined) return;
      give(slot, task);
    }
  }

  function give(slot: Slot, task: Task): void {
    if (slot.timer !== null) clearTimeout(slot.timer);
    slot.timer = setTimeout(() => end(slot), taskMs);
    slot.task = task;
    slot.child.ref();
    slot.child.channel?.ref();
    slot.child.send(task.texts satisfies EmbedTask, (error) => {
      if (error !== null) end(slot);
    });
  }

  function start(): Slot {
    // No environment: it holds secrets that the model has no use for.
    const child = fork(PROGRAM, [String(TOKENS)], {
      execArgv: ["--max-semi-space-size=2", `--max-old-space-size=${HEAP}`],
      env: {},
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const slot: Slot = { child, task: null, timer: null };
    slots.add(slot);
    child.on("message", (reply: EmbedReply) => {
      const { task } = slot;
      slot.task = null;
      if (slot.timer !== null) clearTimeout(slot.timer);
      if (reply === null) task?.reject(failure());
      else task?.resolve(reply);
      dispatch();
      if (slot.task !== null || !slots.has(slot)) return;
      // An idle process must not keep its starter from ending.
      child.unref();
      child.channel?.unref();
      slot.timer = setTimeout(() => end(slot), IDLE_MS).unref();
    });
    child.on("error", () => end(slot));
    child.on("exit", () => end(slot));
    return slot;
  }

  /** Its task fails, and the others get another process. */
  function end(slot: Slot): void {
    if (!slots.delete(slot)) return;
    if (slot.timer !== null) clearTimeout(slot.timer);
    slot.child.kill("SIGKILL");
    slot.task?.reject(failure());
    dispatch();
  }

  function failure(reason = "could not be run"): ShelfError {
    return new ShelfError("not_configured", `The embedded model ${reason}.`);
  }

  return {
    id: `energetic-ai-en-0.2.0/${TOKENS}`,
    dimensions: DIMENSIONS,
    weak: true,
    async embed(texts, signal) {
      signal?.throwIfAborted();
      const mine = Array.from({ length: Math.ceil(texts.length / BATCH) }, (_, at): Task => {
        return { texts: texts.slice(at * BATCH, (at + 1) * BATCH), ...Promise.withResolvers<readonly Float32Array[]>() };
      });
      const stop = (): void => {
        waiting = waiting.filter((task) => !mine.includes(task));
        for (const task of mine) task.reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", stop, { once: true });
      waiting.push(...mine);
      dispatch();
      try {
        return (await Promise.all(mine.map(({ promise }) => promise))).flat().map((vector) => {
          const direction = normalize(vector);
          if (direction === null) throw failure("gave a vector that is all zero or not finite");
          return direction;
        });
      } catch (error) {
        // The others need not try what one task could not do.
        waiting = waiting.filter((task) => !mine.includes(task));
        throw error;
      } finally {
        signal?.removeEventListener("abort", stop);
      }
    },
    async close() {
      const open = [...slots];
      for (const task of waiting.splice(0)) task.reject(failure());
      await Promise.all(
        open.map(async (slot) => {
          const { child } = slot;
          const ended = child.exitCode !== null || child.signalCode !== null;
          const exit = new Promise((resolve) => void child.once("exit", resolve));
          child.ref();
          end(slot);
          if (!ended) await exit;
        }),
      );
    },
  };
}
