/** One build at a time on one machine, and none locked out by a build that was killed.
 *
 *  The lock is that of the shelf's pointer (snapshots/shelf/file-lock.ts). Who holds it stands in a file beside it, for people only: no
 *  decision follows from that file. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { ShelfError } from "#snapshots/errors";
import { CLOSED, FileLock, makeFolder, modesUnder } from "#snapshots/shelf";

const LOCK = "build.lock";
const HOLDER = "build.lock.holder";
/** A process that has just taken the lock writes its name within this time; milliseconds. */
const NAME_WAIT_MS = 100;

/** How long a killed build may hold the lock still: the system frees it when the last of its threads has ended. */
const DYING_MS = 250;

const Holder = z.object({ pid: z.int().positive(), since: z.string(), work: z.string() });
type Holder = z.infer<typeof Holder>;

/** How often somebody who waits for the lock asks for it; milliseconds. */
const ASK_MS = 100;

export type LockOptions = {
  readonly now?: () => Date;
  /** Waits for whoever holds the lock, however long that takes. */
  readonly wait?: boolean;
  /** The work that holds the lock, in words for people; default "build". */
  readonly work?: string;
};

/** withBuildLock runs `fn` while no other process, and nothing else in this one, runs one under the same `dir` (created when missing).
 *  @throws ShelfError "build_running" naming the process id and since when, when another holds the lock; whatever `fn` throws */
export async function withBuildLock<T>(dir: string, fn: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  makeFolder(dir, modesUnder(dirname(dir)).folder);
  const lock = await openLock(join(dir, LOCK));
  try {
    while (!tryLock(lock)) {
      if (options.wait !== true) throw await running(dir);
      await wait(ASK_MS);
    }
    sayHolder(dir, { pid: process.pid, since: (options.now?.() ?? new Date()).toISOString(), work: options.work ?? "build" });
    try {
      return await fn();
    } finally {
      clearHolder(dir);
    }
  } finally {
    lock.close();
  }
}

/** lookAtLock returns another text whenever somebody has held the lock since: whoever takes it writes a name into the folder. It returns null
 *  while the lock is held. */
export async function lookAtLock(dir: string): Promise<string | null> {
  if ((await findRunningBuild(dir)) !== null) return null;
  const folder = await stat(dir, { bigint: true }).catch(() => null);
  return `${folder?.mtimeNs}`;
}

/** findRunningBuild tells who builds under `dir` now, in words; null when nobody does. It writes nothing and keeps nobody out. */
export async function findRunningBuild(dir: string): Promise<string | null> {
  // Without a lock nobody holds it yet.
  const lock = await FileLock.look(join(dir, LOCK), { timeout: DYING_MS }).catch(() => null);
  if (lock === null) return null;
  try {
    return lock.isFree() ? null : (await running(dir)).message;
  } catch (cause) {
    throw unusable(cause);
  } finally {
    lock.close();
  }
}

async function openLock(path: string): Promise<FileLock> {
  return FileLock.open(path, { mode: CLOSED.file, timeout: DYING_MS }).catch((cause: unknown) => {
    throw unusable(cause);
  });
}

/** @returns false when another connection holds it */
function tryLock(lock: FileLock): boolean {
  try {
    return lock.take();
  } catch (cause) {
    throw unusable(cause);
  }
}

function unusable(cause: unknown): ShelfError {
  return new ShelfError("build_failed", `The build lock cannot be used (${cause instanceof Error ? cause.message : String(cause)}).`, {
    cause,
    fixes: [`Look at the permissions of ${LOCK} in the shelf's internal/build folder; when no build runs it may be removed.`],
  });
}

async function running(dir: string): Promise<ShelfError> {
  let holder = readHolder(dir);
  if (holder === null) {
    await wait(NAME_WAIT_MS);
    holder = readHolder(dir);
  }
  const who = holder === null ? "" : `: process ${holder.pid}, since ${holder.since}`;
  return new ShelfError("build_running", `Another ${holder?.work ?? "build"} is running${who}.`, {
    fixes: ["Wait for it to end, or stop that process; killed, it leaves no lock behind."],
  });
}

function readHolder(dir: string): Holder | null {
  try {
    return Holder.parse(JSON.parse(readFileSync(join(dir, HOLDER), "utf8")));
  } catch {
    return null;
  }
}

/** The name of a killed holder goes first, also where the disk has no room for a new one. */
function sayHolder(dir: string, holder: Holder): void {
  clearHolder(dir);
  try {
    writeFileSync(join(dir, HOLDER), JSON.stringify(holder), { mode: CLOSED.file });
  } catch {
    clearHolder(dir);
  }
}

function clearHolder(dir: string): void {
  rmSync(join(dir, HOLDER), { force: true });
}
