/** One build at a time on one machine, and none locked out by a build that was killed.
 *
 *  A lock is a file `build.lock.<n>`, made complete in one step by link(2), which fails when the name is taken. Only the highest
 *  number counts. Whoever finds its holder gone (or done) makes number n+1: of two that try, link lets one win, so there is
 *  no moment in which a stale lock is removed and a fresh one can be removed by mistake. The highest file is never deleted:
 *  its holder releases it by emptying it, which works on a full disk too; lower ones are cleared by the next holder.
 *  Process ids are those of one machine (and one container), and so is the lock. */
import { link, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { ShelfError } from "../snapshots/errors.ts";

const NAME = /^build\.lock\.([0-9]{1,15})$/;
const MAX_ATTEMPTS = 20; // each lost race means that another process made progress
const LEFTOVER_MS = 60_000; // age at which a temporary file has no owner any more

const Holder = z.object({
  pid: z.int().positive(),
  /** Distinguishes a process from a later one with the same id; "" where the system does not tell. */
  birth: z.string(),
  since: z.string(),
});
type Holder = z.infer<typeof Holder>;

export type LockOptions = { readonly now?: () => Date };

/** Runs `fn` while no other process runs one under the same `dir` (created when missing).
 *  @throws ShelfError "build_running" naming the process id and since when, when another holds the lock; whatever `fn` throws */
export async function withBuildLock<T>(dir: string, fn: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  await mkdir(dir, { recursive: true });
  const holder: Holder = {
    pid: process.pid,
    birth: birthOf(process.pid) ?? "",
    since: (options.now?.() ?? new Date()).toISOString(),
  };
  const path = await acquire(dir, holder);
  try {
    return await fn();
  } finally {
    await truncate(path, 0).catch(() => undefined); // an error of fn is the one to hear about
  }
}

async function acquire(dir: string, holder: Holder): Promise<string> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const highest = Math.max(0, ...(await numbersIn(dir)));
    if (highest > 0) {
      const current = await readHolder(join(dir, `build.lock.${highest}`));
      if (current !== null && isAlive(current)) throw running(current);
    }
    const mine = highest + 1;
    const path = join(dir, `build.lock.${mine}`);
    try {
      await place(dir, path, holder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw new ShelfError(
        "build_failed",
        `The build lock cannot be written (${(error as NodeJS.ErrnoException).code ?? "unknown error"}).`,
        { cause: error },
      );
    }
    // Between the look and the link others may have gone through several numbers and cleared mine: the higher one counts.
    // A folder this small is read in one system call, so the listing shows one moment.
    const numbers = await numbersIn(dir);
    if (Math.max(...numbers, 0) > mine) {
      await rm(path, { force: true });
      continue;
    }
    for (const number of numbers) if (number < mine) await rm(join(dir, `build.lock.${number}`), { force: true });
    await clearLeftovers(dir);
    return path;
  }
  throw new ShelfError("build_running", "Other builds keep taking the lock.");
}

function running(holder: Holder): ShelfError {
  return new ShelfError("build_running", `Another build is running: process ${holder.pid}, since ${holder.since}.`, {
    fixes: ["Wait for it to end, or stop that process; a killed build leaves no lock behind."],
  });
}

async function numbersIn(dir: string): Promise<number[]> {
  return (await readdir(dir)).flatMap((name) => {
    const number = NAME.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

/** null when the file is gone, empty (released) or damaged: nobody holds it, since a holder's file is complete from its
 *  first moment. */
async function readHolder(path: string): Promise<Holder | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new ShelfError("build_failed", "The build lock cannot be read.", { cause });
  }
  try {
    return Holder.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function place(dir: string, path: string, holder: Holder): Promise<void> {
  const temporary = join(dir, `build.lock.tmp-${randomUUID()}`);
  try {
    await writeFile(temporary, JSON.stringify(holder));
    await link(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Files that a build killed between two system calls left; a live one is there for microseconds. */
async function clearLeftovers(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (!name.startsWith("build.lock.tmp-")) continue;
    const stats = await stat(join(dir, name)).catch(() => null);
    if (stats !== null && Date.now() - stats.mtimeMs > LEFTOVER_MS) await rm(join(dir, name), { force: true });
  }
}

function isAlive(holder: Holder): boolean {
  const birth = birthOf(holder.pid);
  if (birth === null) return false;
  return birth === "" || holder.birth === "" || birth === holder.birth;
}

/** When the process began, as "<boot>:<ticks>"; null when there is no such process, "" when it lives and no more is known. */
function birthOf(pid: number): string | null {
  if (process.platform === "linux") {
    try {
      const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The name in parentheses may hold anything, so fields are counted after the last one: state is 1, start time 20.
      const fields = stat
        .slice(stat.lastIndexOf(")") + 1)
        .trim()
        .split(" ");
      const state = fields[0];
      // A zombie is a dead process whose parent has not looked yet.
      return state === "Z" || state === "X" ? null : `${boot}:${fields[19] ?? ""}`;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "ESRCH") return null;
    }
  }
  try {
    process.kill(pid, 0);
    return "";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? "" : null;
  }
}
