/** A lock on one machine that a killed process does not keep. It is SQLite's, because the system releases that when the process ends,
 *  however it ends: a lock file of our own would outlive a kill and have to be guessed stale. Taking it writes nothing, so a full disk
 *  keeps nobody out. */
import { closeSync, openSync, statSync, truncateSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** SQLite's answer when another connection holds the lock. */
const SQLITE_BUSY = 5;

export type FileLockOptions = {
  /** Mode of the file, when it has to be made. */
  readonly mode: number;
  /** How long another holder is waited for; milliseconds. */
  readonly timeout: number;
};

export class FileLock {
  private readonly database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** open makes the file when it is missing; what SQLite or the file system says against it is thrown. */
  static async open(path: string, { mode, timeout }: FileLockOptions): Promise<FileLock> {
    const { DatabaseSync } = await import("node:sqlite");
    clearLockFile(path);
    closeSync(openSync(path, "a", mode));
    return new FileLock(new DatabaseSync(path, { timeout }));
  }

  /** look opens the lock for `isFree` alone, and makes nothing. */
  static async look(path: string, { timeout }: Pick<FileLockOptions, "timeout">): Promise<FileLock> {
    const { DatabaseSync } = await import("node:sqlite");
    return new FileLock(new DatabaseSync(path, { timeout, readOnly: true }));
  }

  /** take holds the lock until it is closed. @returns false when another process, or somebody else in this one, holds it */
  take(): boolean {
    // Nothing is ever written into it, so it needs no journal, which a kill would leave lying there.
    return this.run("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  }

  isFree(): boolean {
    return this.run("SELECT 1 FROM sqlite_schema");
  }

  close(): void {
    this.database.close();
  }

  private run(statement: string): boolean {
    try {
      this.database.exec(statement);
      return true;
    } catch (error) {
      if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
      throw error;
    }
  }
}

/** A lock that holds something keeps everybody out: it is emptied in place, so that whoever holds it holds the same file. */
function clearLockFile(path: string): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isFile() === true && file.size > 0) truncateSync(path);
}
