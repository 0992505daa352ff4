/** Extraction in processes of its own, shut in as isolation.ts says: what aborts a process takes all its threads along. One that takes
 *  too much memory is killed, or too much processor, or none for too long; the object gets a second try alone, unless its time is over, and
 *  then one as plain text, with a note. What all tries of an object may take together is limited, and so is what a build may take for
 *  those that take long. The build goes on whatever objects hold. */
import { fork, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import type { Extracted } from "./extract-json.ts";
import { isolate } from "./isolation.ts";
import { processorTime } from "./processor-time.ts";
import type { Told } from "./others.ts";
import { ObjectReading } from "./reading.ts";
import type { UnreadFiles } from "./unread.ts";
import type { ExtractReply } from "./worker.ts";

export type ExtractPool = {
  warm(): void; // starts a process for work that is about to come, unless there is one
  /** As extract() of extract.ts, which see; does not throw for any bytes.
   *  @param pageImages how many pages of a PDF are drawn, from the first; none by default
   *  @param told of other texts that its own needs
   *  @throws ShelfError "build_failed" when no process can be started; Error when the pool is closed */
  extract(key: string, bytes: Uint8Array, pageImages?: number, told?: Told): Promise<Extracted>;
  /** Waits for nothing: what is still under way is refused. */
  close(): Promise<void>;
};

export type ExtractPoolOptions = {
  readonly worker: string;
  readonly threads?: number; // processes; one a core by default, at most MAX_THREADS
  readonly timeLimit?: number; // milliseconds of processor for all tries of one object
  readonly budget?: number; // milliseconds of processor for objects that take long, together; no limit by default
  readonly unread?: UnreadFiles; // what earlier builds gave up; nothing is remembered by default
  readonly memoryLimit?: number; // megabytes of heap of one process
};

const MAX_THREADS = 8;
const TIME_LIMIT = 10_000; // milliseconds
const LONG = 1_000; // milliseconds of processor from which on an object takes long
const LOOK_MS = 200; // how often it is seen what an object takes
const PATIENCE = 6; // times the limit by the clock, on a machine that has other things to do, and without processor for as long as the limit
const PLAIN_PATIENCE = 30_000; // milliseconds by the clock for plain text at least
const MEMORY_LIMIT = 768; // megabytes of heap
const WASM_PAGES = 8192; // of 64 KiB: 512 MB for each parser that is WebAssembly
const IN_FLIGHT = 2; // objects sent to one process: one at work and one waiting
const WORTH_A_PROCESS = 8; // waiting objects

const YOUNG_SPACE = ["--max-semi-space-size=64", "--min-semi-space-size=64"];

const NOT_FOUND = 127; // what `unshare` ends with when there is no such program

/** A process, and what was sent to it: the first is at work. */
type ReaderProcess = {
  readonly child: ChildProcess;
  readonly readings: ObjectReading[];
  timer: NodeJS.Timeout | null;
  /** Processor that it had taken when the one at work was begun, and when it was seen last to take any; and when that was, by the clock. */
  begun: number;
  seen: number;
  seenAt: number;
  readonly ended: Promise<void>;
  killed: "stalled" | "over" | null;
  /** It has said anything: before that, its end is not an object's fault. */
  spoke: boolean;
};

export function openExtractPool(options: ExtractPoolOptions): ExtractPool {
  return new ProcessPool(options);
}

/** ProcessPool owns the processes and what waits for them. */
class ProcessPool implements ExtractPool {
  readonly worker: string;
  readonly threads: number;
  readonly timeLimit: number;
  readonly memoryLimit: number;
  readonly budget: number;
  readonly unread: UnreadFiles | null;
  /** Time that objects have taken beyond LONG, milliseconds. */
  long = 0;
  readonly processes = new Set<ReaderProcess>();
  readonly waiting: ObjectReading[] = [];
  /** Objects that were at work when a process ended: each gets a process of its own. */
  readonly again: ObjectReading[] = [];
  /** Why nothing is read any more; else null. */
  over: Error | null = null;

  constructor(options: ExtractPoolOptions) {
    this.worker = options.worker;
    this.threads = options.threads ?? Math.min(MAX_THREADS, availableParallelism());
    this.timeLimit = options.timeLimit ?? TIME_LIMIT;
    this.memoryLimit = options.memoryLimit ?? MEMORY_LIMIT;
    this.budget = options.budget ?? Number.POSITIVE_INFINITY;
    this.unread = options.unread ?? null;
  }

  warm(): void {
    if (this.over === null && this.processes.size === 0) this.start();
  }

  extract(key: string, bytes: Uint8Array, pageImages = 0, told?: Told): Promise<Extracted> {
    if (this.over !== null) return Promise.reject(this.over);
    const { unread } = this;
    const known = unread === null || unread.isEmpty() ? null : unread.find(sha256(bytes));
    // Nothing is remembered of an object that was given up because the time was spent.
    const reading = new ObjectReading(
      { key, bytes, told },
      pageImages,
      known,
      (given) => this.isSpent() || unread?.add(sha256(bytes), given),
    );
    if (!reading.isDone()) {
      this.waiting.push(reading);
      this.dispatch();
    }
    return reading.done;
  }

  async close(): Promise<void> {
    this.finish(new Error("The extract pool was closed."));
    const open = [...this.processes];
    for (const { child, readings } of open) {
      if (readings.length > 0 || !child.connected) child.kill("SIGKILL");
      else child.disconnect();
    }
    await Promise.all(open.map((one) => one.ended));
  }

  /** Sends what waits to processes with room, and starts one more when all are busy. */
  dispatch(): void {
    while (this.over === null && this.again.length > 0 && this.processes.size < this.threads) {
      const started = this.start();
      const reading = this.again.shift();
      if (started !== null && reading !== undefined) this.send(started, reading);
    }
    while (this.over === null && this.waiting.length > 0) {
      let chosen: ReaderProcess | null = null;
      for (const one of this.processes) {
        if ((one.readings[0]?.failures ?? 0) === 0 && one.readings.length < (chosen?.readings.length ?? IN_FLIGHT)) chosen = one;
      }
      const more = this.processes.size === 0 || (this.processes.size < this.threads && this.waiting.length >= WORTH_A_PROCESS);
      if (more && chosen?.readings.length !== 0) chosen = this.start();
      if (chosen === null) return;
      const reading = this.waiting.shift();
      if (reading !== undefined) this.send(chosen, reading);
    }
  }

  send(to: ReaderProcess, reading: ObjectReading): void {
    to.readings.push(reading);
    if (to.readings.length === 1) this.watch(to);
    // A process that just died refuses, and one that could not be started has no channel: `end` takes care of the reading.
    const request = reading.begin();
    if (to.child.connected) to.child.send(request, () => undefined);
  }

  /** Starts a process; null when the system refuses at once. Mostly it says so later, by "error" and without "exit". */
  start(): ReaderProcess | null {
    let child: ChildProcess;
    try {
      const { execPath, execArgv } = isolate(this.worker, [
        `--max-old-space-size=${this.memoryLimit}`,
        `--wasm-max-mem-pages=${WASM_PAGES}`,
        ...YOUNG_SPACE,
      ]);
      child = fork(this.worker, [], {
        serialization: "advanced",
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        env: {},
        execPath,
        execArgv: [...execArgv],
      });
    } catch (error) {
      this.finish(notStarted((error as NodeJS.ErrnoException).code));
      return null;
    }
    const ended = new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    const started: ReaderProcess = { child, readings: [], timer: null, begun: 0, seen: 0, seenAt: 0, killed: null, spoke: false, ended };
    this.processes.add(started);
    child.on("message", (reply: ExtractReply) => this.hear(started, reply));
    child.on("error", (error) => {
      // Neither the object's fault nor of one process only: the build cannot go on.
      if (child.pid === undefined) this.finish(notStarted((error as NodeJS.ErrnoException).code));
      child.kill("SIGKILL");
      this.end(started);
    });
    child.once("exit", (code) => {
      // A signal may be the machine's doing; who ends by itself before its first word would always do so.
      if (code !== null && !started.spoke && this.over === null) this.finish(notStarted(code === NOT_FOUND ? "ENOENT" : `exit ${code}`));
      this.end(started);
    });
    return started;
  }

  hear(from: ReaderProcess, reply: ExtractReply): void {
    from.spoke = true;
    if (reply === "ready") {
      this.watch(from);
      return;
    }
    // Its last words may come after its end was heard; by then its readings are others' work.
    if (!this.processes.has(from)) return;
    const [reading] = from.readings;
    if (reading === undefined) return;
    this.count(from, reading);
    if (!("page" in reply)) {
      from.readings.shift();
      reading.finish(reply);
    } else if (!reading.takeDrawing(reply)) {
      from.child.kill("SIGKILL");
      this.end(from);
      return;
    }
    this.watch(from);
    this.dispatch();
  }

  /** Refuses what waits and what comes. What is at work is left to its process. */
  finish(reason: Error): void {
    this.over ??= reason;
    for (const reading of [...this.again.splice(0), ...this.waiting.splice(0)]) reading.refuse(this.over);
  }

  /** Gives the first reading of a process its time from now on. */
  watch(one: ReaderProcess): void {
    if (one.timer !== null) clearInterval(one.timer);
    const [reading] = one.readings;
    one.timer = null;
    if (reading === undefined) return;
    const since = performance.now();
    one.begun = processorTime(one.child.pid);
    one.seen = one.begun;
    one.seenAt = since;
    const stalled = reading.note === null ? this.timeLimit : Math.max(this.timeLimit, PLAIN_PATIENCE);
    one.timer = setInterval(
      () => {
        const [taken, now] = [processorTime(one.child.pid), performance.now()];
        if (taken > one.seen) {
          one.seen = taken;
          one.seenAt = now;
        }
        // The time that a program takes to begin is not the object's doing.
        if (one.spoke && reading.spent + taken - one.begun > reading.timeFor(this.timeLeft())) one.killed = "over";
        else if (now - one.seenAt > stalled || now - since > stalled * PATIENCE) one.killed = "stalled";
        else return;
        one.child.kill("SIGKILL");
      },
      Math.min(LOOK_MS, this.timeLimit),
    );
  }

  /** For all tries of one object. */
  timeLeft(): number {
    return this.isSpent() ? Math.min(LONG, this.timeLimit) : this.timeLimit;
  }

  isSpent(): boolean {
    return this.long >= this.budget;
  }

  /** Adds what the object at work has taken since it was begun, or since it was counted. */
  count(one: ReaderProcess, reading: ObjectReading): void {
    const taken = Math.max(one.seen, processorTime(one.child.pid));
    const before = Math.max(0, reading.spent - LONG);
    reading.spent += taken - one.begun;
    this.long += Math.max(0, reading.spent - LONG) - before;
    one.begun = taken;
  }

  /** Takes a process for gone: the object at work is to blame, those behind it try again elsewhere. */
  end(gone: ReaderProcess): void {
    if (!this.processes.delete(gone)) return;
    if (gone.timer !== null) clearInterval(gone.timer);
    const [blamed, ...others] = gone.readings;
    if (this.over !== null) {
      for (const reading of gone.readings) reading.refuse(this.over);
      return;
    }
    if (blamed !== undefined) {
      const spent = this.isSpent();
      this.count(gone, blamed);
      if (spent && gone.killed === "over") blamed.postpone();
      else if (blamed.blame(gone.killed ?? "failed")) this.again.push(blamed);
    }
    this.waiting.push(...others);
    this.dispatch();
  }
}

/** @param code of the system, or how the process ended */
function notStarted(code: string | undefined): ShelfError {
  return new ShelfError("build_failed", `A process that reads files could not be started (${code ?? "unknown error"}).`, {
    fixes: ["Look whether the machine is short of processes, open files or memory, and build again."],
  });
}
