/** Runs a program that foreign proofs steer: without network, with a file system of its own, within limits. What it started dies with it. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Limits } from "./config.ts";

type Isolation = "bubblewrap" | "none";

type Job = {
  readonly command: readonly string[];
  /** Folders that it may read, besides those of the system, and write. They stand where they stand outside. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly cwd: string;
  readonly input?: string;
  readonly limits: Limits;
};

export type Ran = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The limit that ended it; null when it ended by itself. */
  readonly killed: "wall" | "cpu" | "output" | null;
};

/** silenceOf says why a program said nothing of a proof: a limit or a signal ended it, and the next time it may be otherwise. It is null of one that
 *  ended by itself. */
export function silenceOf({ code, killed }: Pick<Ran, "code" | "killed">): "timeout" | "memory" | "environment" | null {
  if (killed !== null) return killed === "output" ? "environment" : "timeout";
  if (code !== null && code <= 128) return null;
  return code === 137 ? "memory" : "environment";
}

const SYSTEM = [
  "/usr",
  "/bin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc/ld.so.cache",
  "/etc/alternatives",
  "/etc/ocamlfind.conf",
  "/etc/ocamlfind.conf.d",
];
/** Root is bound by no limit on programs, so nobody is who runs them. */
const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"];
const MAX_LOG = 64 * 1024;

/** base gives the first words of the command. A program can write into memory in /tmp and /dev/shm alone, and both are bounded as its memory is. It
 *  has no /proc: mountinfo would name folders and devices of the host, and nothing hides it alone.
 *  @param memory MiB */
function base(memory: number): string[] {
  const bounded = ["/tmp", "/dev/shm"].flatMap((folder) => ["--perms", "1777", "--size", String(memory * 1024 * 1024), "--tmpfs", folder]);
  return [
    "bwrap",
    ..."--unshare-all --die-with-parent --new-session --as-pid-1 --hostname sandbox --dev /dev".split(" "),
    ...bounded,
    "--clearenv",
    ...SYSTEM.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", path, path]),
  ];
}

/** The last mounts, and the first process: one that has nothing of the host to show whoever traces it, and that ends as what it starts. */
const SEALED = ["--remount-ro", "/dev", "--remount-ro", "/", "--", "sh", "-c", '"$@"; exit $?', "sh"];

/** Dialogue is a program that is told more when it has answered. */
export type Dialogue = {
  /** True when the program has ended. */
  readonly ended: boolean;
  /** Writes, and returns what was printed since the last time, as soon as these words are in it or the program has ended. */
  say(text: string, until: string): Promise<string>;
  /** Says that nothing follows. @returns how the program ended, with what nobody has read yet */
  end(): Promise<Ran>;
};

export type Sandbox = {
  readonly isolation: Isolation;
  readonly asNobody: boolean;
  open(job: Job): Dialogue;
  run(job: Job): Promise<Ran>;
};

let found: { readonly before: readonly string[] } | null | undefined;

/** findSandbox gives the sandbox that this machine has; null when it has none. */
export function findSandbox(): Sandbox | null {
  found ??=
    [...(process.getuid?.() === 0 ? [NOBODY] : []), []]
      .map((before) => ({ before }))
      .find(({ before }) => {
        const [program = "", ...args] = [...before, ...base(64), ...SEALED, "prlimit", "--core=0", "true"];
        return spawnSync(program, args, { stdio: "ignore", timeout: 20_000 }).status === 0;
      }) ?? null;
  if (found === null) return null;
  const { before } = found;
  return sandbox("bubblewrap", before.length > 0, (job) => [...before, ...confine(job)]);
}

function sandbox(isolation: Isolation, asNobody: boolean, before: (job: Job) => readonly string[]): Sandbox {
  const open = (job: Job): Dialogue => openJob(job, before(job));
  return { isolation, asNobody, open, run: async (job) => open(job).end() };
}

/** findUnfit tries whether programs in the sandbox see what lies in a folder and can write there: the sandbox hides /dev, and nobody enters the
 *  folders of others.
 *  @returns what stands against it */
export async function findUnfit(folder: string, limits: Limits): Promise<string | null> {
  const [read, write] = [join(folder, ".probe"), mkdtempSync(join(tmpdir(), "proofshelf-probe-"))] as const;
  try {
    writeFileSync(read, "seen\n", { mode: 0o644 });
    chmodSync(write, 0o777);
    const command = ["sh", "-c", 'cat "$1" && : > "$2/made"', "sh", read, write];
    const ran = await findSandbox()?.run({ command, reads: [folder], writes: [write], cwd: folder, limits });
    if (ran?.code === 0 && ran.stdout === "seen\n" && existsSync(join(write, "made"))) return null;
    return (ran?.stderr ?? "").trim().split("\n").at(-1) || "a file that lies there cannot be read";
  } finally {
    for (const path of [read, write]) rmSync(path, { recursive: true, force: true });
  }
}

/** UNSANDBOXED is no sandbox: only time and output are limited for sure. */
export const UNSANDBOXED: Sandbox = sandbox("none", false, () => []);

const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/tmp",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
};

function confine({ reads, writes, cwd, limits }: Job): string[] {
  return [
    ...base(limits.memory),
    ...reads.flatMap((path) => ["--ro-bind", path, path]),
    ...writes.flatMap((path) => ["--bind", path, path]),
    ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    cwd,
    ...SEALED,
  ];
}

/** Process groups of this process that run now. */
const running = new Set<number>();
process.once("exit", endJobs);

/** endJobs ends every program that this process runs in a sandbox or without one. */
export function endJobs(): void {
  for (const pid of running) killGroup(pid);
}

/** killGroup ends a whole group, also where no sandbox takes along what was started. */
function killGroup(pid: number): void {
  try {
    if (pid > 0) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function openJob({ command, cwd, input = "", limits }: Job, before: readonly string[]): Dialogue {
  const bounds = [
    "prlimit",
    "--core=0",
    `--cpu=${limits.cpu}`,
    `--as=${limits.memory * 1024 * 1024}`,
    `--fsize=${limits.output * 1024 * 1024}`,
    `--nproc=${limits.processes}`,
  ];
  const [program = "", ...args] = [...before, ...(before.length > 0 ? bounds : bounds.slice(0, -1)), ...command];
  const child = spawn(program, args, {
    cwd: before.length > 0 ? "/" : cwd,
    stdio: ["pipe", "pipe", "pipe"],
    env: before.length > 0 ? { PATH: process.env["PATH"] ?? "" } : { ...ENVIRONMENT, PATH: process.env["PATH"] ?? "", TMPDIR: tmpdir() },
    detached: true,
  });
  const { pid = 0 } = child;
  running.add(pid);
  let killed: Ran["killed"] = null;
  const kill = (why: NonNullable<Ran["killed"]>): void => {
    killed ??= why;
    killGroup(pid);
  };
  const timer = setTimeout(() => kill("wall"), limits.wall * 1000);
  child.stdin.on("error", () => undefined);
  child.stdin.write(input);
  const most = limits.output * 1024 * 1024;
  const stdout = collect(child.stdout, most, () => kill("output"));
  const stderr = collect(child.stderr, MAX_LOG, (size) => size > most && kill("output"));
  let ended = false;
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  }).finally(() => {
    ended = true;
    running.delete(pid);
    clearTimeout(timer);
  });
  // The one who asks hears of an error; until then nobody may be waiting.
  closed.catch(() => undefined);
  return {
    get ended() {
      return ended;
    },
    async say(text, until) {
      const there = stdout.wait(until);
      child.stdin.write(text);
      await Promise.race([there, closed]);
      return stdout.take();
    },
    async end() {
      child.stdin.end();
      const { code, signal } = await closed;
      // 128 + SIGXCPU or SIGKILL, as a parent between reports it.
      if (killed === null && (signal === "SIGXCPU" || code === 128 + 24)) killed = "cpu";
      return { code, stdout: stdout.take(), stderr: stderr.take(), killed };
    },
  };
}

/** @param over told how much came, once that is over `most` and not kept any more */
function collect(stream: NodeJS.ReadableStream, most: number, over: (size: number) => void) {
  let chunks: Buffer[] = [];
  let size = 0;
  let wanted: { readonly words: string; readonly found: () => void } | null = null;
  let tail = "";
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > most) return over(size);
    chunks.push(chunk);
    if (wanted === null) return;
    // Words are looked for where a chunk begins, too; they are ASCII.
    tail += chunk.toString("latin1");
    if (tail.includes(wanted.words)) wanted.found();
    else tail = tail.slice(-wanted.words.length);
  });
  return {
    wait: (words: string): Promise<void> => new Promise((found) => (wanted = { words, found })),
    take(): string {
      wanted = null;
      tail = "";
      const text = Buffer.concat(chunks).toString("utf8");
      chunks = [];
      return text;
    },
  };
}
