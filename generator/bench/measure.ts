/** A program run as a process, and what it cost: time, processor time and memory of it and of all its children. Linux. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export type Cost = {
  readonly wall_s: number;
  /** User and system time of the program and of every process it started, in seconds. */
  readonly cpu_s: number;
  /** Highest sum of the memory of all its processes in megabytes, shared memory counted once; 0 when it ended before the first look. */
  readonly peak_mb: number;
  /** Processor time of each program by its command, in seconds, as seen in the samples. */
  readonly by_process: Readonly<Record<string, number>>;
  readonly stdout: string;
  readonly stderr: string;
};

const SAMPLE_MS = 200;
/** Kilobytes of a page of memory, on every machine that this runs on. */
const PAGE_KB = 4;
/** Clock ticks of a second: Linux has shown 100 to programs for as long as it has had /proc. */
const TICKS = 100;

class ProgramFailed extends Error {}

/** measure measures a program from its start to its end.
 *  @param options.limit_s it is killed after this long
 *  @throws ProgramFailed with the end of what it said */
export function measure(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly limit_s: number },
): Promise<Cost> {
  const began = performance.now();
  // The shell's `times` counts every process that was waited for, down to the last tick; sampling would miss the short ones.
  const child = spawn("/bin/sh", ["-c", '"$@"; status=$?; times >&3; exit $status', "sh", ...command], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  const texts = ["", "", ""];
  const streams: readonly unknown[] = [child.stdout, child.stderr, child.stdio[3]];
  streams.forEach((stream, at) => {
    (stream as NodeJS.ReadableStream).on("data", (chunk: Buffer) => {
      texts[at] += chunk.toString("utf8");
    });
  });
  let peak = 0;
  const seen = new Map<number, { readonly name: string; readonly cpu: number }>();
  const sampler = setInterval(() => {
    let own = 0;
    let shared = 0;
    for (const pid of descendants(child.pid ?? 0)) {
      const memory = memoryOf(pid);
      own += memory.own;
      shared = Math.max(shared, memory.shared);
      const cpu = cpuOf(pid);
      // A process that is ending has a processor time but no command any more.
      if (cpu !== null) seen.set(pid, { name: seen.get(pid)?.name || nameOf(pid), cpu });
    }
    peak = Math.max(peak, own + shared);
  }, SAMPLE_MS);
  const killer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, options.limit_s * 1000);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      clearInterval(sampler);
      clearTimeout(killer);
      if (status !== 0) {
        reject(
          new ProgramFailed(
            `${command.slice(0, 3).join(" ")} failed (${status ?? "killed"}): ${(texts[1] || texts[0] || "").slice(-2000)}`,
          ),
        );
        return;
      }
      const by: Record<string, number> = {};
      for (const { name, cpu } of seen.values()) by[name] = (by[name] ?? 0) + cpu;
      resolve({
        wall_s: (performance.now() - began) / 1000,
        cpu_s: childTimes(texts[2] ?? ""),
        peak_mb: peak / 1024,
        by_process: by,
        stdout: texts[0] ?? "",
        stderr: texts[1] ?? "",
      });
    });
  });
}

/** Second line of `times`: user and system time of the children, as `0m1.230s 0m0.100s`. */
function childTimes(text: string): number {
  const line = text.trim().split("\n").at(-1) ?? "";
  return [...line.matchAll(/(\d+)m([\d.,]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds?.replace(",", ".")),
    0,
  );
}

/** descendants returns the process and everything it started that still runs. */
export function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const fields = Number.isInteger(pid) ? statOf(pid) : null;
    if (fields !== null) parents.set(pid, Number(fields[1]));
  }
  const inside = (pid: number): boolean => pid === root || (pid > 1 && inside(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(inside);
}

/** Fields after the command's name, which may hold anything: state, parent, … */
function statOf(pid: number): string[] | null {
  const text = read(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** cpuOfTree returns seconds of user and system time so far of a process and everything it started that still runs. */
export function cpuOfTree(root: number): number {
  return descendants(root).reduce((sum, pid) => sum + (cpuOf(pid) ?? 0), 0);
}

/** Seconds of user and system time of one process so far; null when it is gone. */
function cpuOf(pid: number): number | null {
  const fields = statOf(pid);
  return fields === null ? null : (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** threadTime returns seconds of processor that the threads of a process have had so far, to the nanosecond: ticks are too coarse for one that
 *  rests. */
export function threadTime(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => sum + Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(" ")[0] ?? 0), 0) / 1e9;
  } catch {
    return 0; // it has ended
  }
}

/** memoryOf returns kilobytes that a process has for itself, and that it may share with others: mostly its program and libraries, which are the
 *  same for all, so the largest counts for all. The exact share (`smaps_rollup`) stops the process while it is counted, and made
 *  builds look half as fast. */
export function memoryOf(pid: number): { readonly own: number; readonly shared: number } {
  const [, resident = 0, shared = 0] = (read(`/proc/${pid}/statm`) ?? "").split(" ").map(Number);
  return { own: (resident - shared) * PAGE_KB, shared: shared * PAGE_KB };
}

/** memoryOfTree returns megabytes of a process and everything it started that still runs. */
export function memoryOfTree(root: number): number {
  const found = descendants(root).map(memoryOf);
  return (found.reduce((sum, { own }) => sum + own, 0) + Math.max(...found.map(({ shared }) => shared))) / 1024;
}

function nameOf(pid: number): string {
  const [program = "", ...args] = (read(`/proc/${pid}/cmdline`) ?? "").split("\0");
  const script = args.find((arg) => /\.[cm]?[jt]s$/.test(arg));
  return (script ?? program).split("/").at(-1) ?? "";
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null; // the process has ended
  }
}
