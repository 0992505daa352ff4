/** The small files of a root: records, changes, heads of the log, notices, the pointer. Each appears whole. */
import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ZodType } from "zod";
import { canonicalJson, parseJson } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { absent, isUnreadable } from "./absent.ts";
import { FileLock } from "./file-lock.ts";
import { makeFolder } from "./make-folder.ts";
import { type Modes, modesUnder } from "./modes.ts";
import { writeWhole } from "./write-whole.ts";

export const REPAIR = { fixes: ["Run: proofshelf repair"] };

/** How long another process may take to move the pointer: one small write. */
const LOCK_TIMEOUT_MS = 10_000;

export class RootFiles {
  private readonly root: string;
  private found: Modes | null = null;

  constructor(root: string) {
    this.root = root;
  }

  modes(): Modes {
    return (this.found ??= modesUnder(this.root));
  }

  writeWhole(path: string, bytes: Uint8Array, durable = false): void {
    writeWhole(path, bytes, { modes: this.modes(), temporary: join(this.root, "tmp", randomUUID()), durable });
  }

  /** writeDurable is for what the pointer may name at once, and has to survive a power cut with it. */
  writeDurable(path: string, bytes: Uint8Array): void {
    this.writeWhole(path, bytes, true);
    syncFolder(dirname(path));
  }

  /** @param path in the root */
  writeJson(path: string, value: unknown): void {
    this.writeDurable(join(this.root, path), Buffer.from(canonicalJson(value)));
  }

  /** @param path in the root
   *  @returns null when there is no such file
   *  @throws ShelfError "snapshot_damaged" */
  async readJson<T>(path: string, schema: ZodType<T>): Promise<T | null> {
    const bytes = await readSmall(join(this.root, path), path);
    return bytes === null ? null : parseExactly(schema, bytes, path);
  }

  /** alone runs work while no other process does. @throws ShelfError "lost_race" when another one goes on for too long */
  async alone(work: () => void): Promise<void> {
    makeFolder(this.root);
    const lock = await FileLock.open(join(this.root, "pointer.lock"), { mode: this.modes().file, timeout: LOCK_TIMEOUT_MS });
    try {
      if (!lock.take()) throw new ShelfError("lost_race", "Another publisher holds the pointer; nothing was changed.");
      work();
    } finally {
      lock.close();
    }
  }
}

/** readSmall returns the bytes of a file of the history. Anything in its place that can never be read as a file is damage.
 *  @throws ShelfError "snapshot_damaged" */
export async function readSmall(path: string, name: string): Promise<Uint8Array | null> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (isUnreadable(error))
      throw new ShelfError("snapshot_damaged", `${name} cannot be read (${error.code}).`, { ...REPAIR, cause: error });
    return absent(error);
  });
}

/** parseExactly parses bytes. Bytes that are not exactly the canonical JSON of a value of this shape are damage, whatever they may be read as.
 *  @throws ShelfError "snapshot_damaged" */
export function parseExactly<T>(schema: ZodType<T>, bytes: Uint8Array, name: string): T {
  const parsed = schema.safeParse(parseJson(Buffer.from(bytes).toString()));
  if (parsed.success && Buffer.from(canonicalJson(parsed.data)).equals(bytes)) return parsed.data;
  throw new ShelfError("snapshot_damaged", `${name} is not what was written.`, REPAIR);
}

export function syncFolder(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
