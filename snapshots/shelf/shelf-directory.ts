/** The shelf as a directory. Every file appears whole: written under tmp/, then renamed. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { access, mkdir, readdir, readFile, rm, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { canonicalJson, SHA256_PATTERN, type Sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { type Modes, modesUnder } from "./modes.ts";
import { changesSchema, type Shelf, type SnapshotRecord, snapshotRecordSchema } from "./shelf.ts";

const run = promisify(execFile);

/** Opens one root of a shelf; creates nothing until something is put.
 *  @param root folder that holds blobs/, snapshots/, changes/, index/ and current.json
 *  @param fallback a root whose blobs this one may refer to: internal may use public, never the other way
 *  @param reading "at once" holds everything else up while a blob is read: for builds, which answer nobody */
export function openDirectoryShelf(root: string, fallback: Shelf | null = null, reading: "aside" | "at once" = "aside"): Shelf {
  const blobPath = (digest: Sha256): string => join(root, "blobs", digest.slice(0, 2), digest);
  const recordPath = (sequence: number): string => join(root, "snapshots", `${sequence}.json`);
  const changesPath = (sequence: number): string => join(root, "changes", `${sequence}.json`);
  const pointerPath = join(root, "current.json");

  let found: Modes | null = null;
  const modes = (): Modes => (found ??= modesUnder(root));

  const writeWhole = (path: string, bytes: Uint8Array, durable = false): void => {
    const temporary = join(root, "tmp", randomUUID());
    for (const file of [temporary, path]) mkdirSync(dirname(file), { recursive: true, mode: modes().folder });
    writeFileSync(temporary, bytes, { flag: "wx", flush: durable, mode: modes().file });
    renameSync(temporary, path);
  };

  const readWhole = (path: string): Promise<Uint8Array | null> =>
    reading === "aside" ? readFile(path).catch(absent) : Promise.try(() => readFileSync(path)).catch(absent);

  const recordsDir = join(root, "snapshots");
  const known = openRecords(recordsDir);
  const shelf: Shelf = {
    indexUri: join(root, "index"),

    async getBlob(digest) {
      return (await readWhole(blobPath(digest))) ?? (await fallback?.getBlob(digest)) ?? null;
    },

    async streamBlob(digest, start, end) {
      const path = blobPath(digest);
      if (!existsSync(path)) return (await fallback?.streamBlob(digest, start, end)) ?? null;
      return createReadStream(path, { start, end });
    },

    async putBlob(digest, bytes) {
      const path = blobPath(digest);
      // A blob left by a build that a power cut ended may be torn: only one with the same bytes counts as present. A torn
      // one here hides a good one in the fallback, so it is replaced even then.
      if (existsSync(path)) {
        if (Buffer.compare(readFileSync(path), bytes) === 0) {
          wholeBlobs.get(shelf)?.add(digest);
          return false;
        }
      } else if (fallback !== null) {
        if (wholeBlobs.get(fallback)?.has(digest) && (await fallback.hasBlob(digest))) return false;
        const there = await fallback.getBlob(digest);
        if (there !== null && Buffer.compare(there, bytes) === 0) return false;
      }
      writeWhole(path, bytes);
      wholeBlobs.get(shelf)?.add(digest);
      return true;
    },

    async hasBlob(digest) {
      return existsSync(blobPath(digest)) || ((await fallback?.hasBlob(digest)) ?? false);
    },

    async *listBlobs() {
      for (const fan of (await readdir(join(root, "blobs")).catch(absent)) ?? []) {
        for (const name of (await readdir(join(root, "blobs", fan)).catch(absent)) ?? []) {
          if (SHA256_PATTERN.test(name) && name.startsWith(fan))
            yield { digest: name, size: (await stat(join(root, "blobs", fan, name))).size };
        }
      }
    },

    async deleteBlob(digest) {
      await unlink(blobPath(digest));
    },

    async readPointer() {
      const text = await readFile(pointerPath, "utf8").catch(absent);
      return text === null ? null : parseRecord(text, "current.json");
    },

    async swapPointer(record, expected) {
      mkdirSync(root, { recursive: true });
      // No call inside awaits: in one process nothing comes between the comparison and the rename, and among processes
      // the lock keeps everyone else out.
      await withLock(join(root, "pointer.lock"), modes().file, () => {
        const current = existsSync(pointerPath) ? parseRecord(readFileSync(pointerPath, "utf8"), "current.json") : null;
        if ((current?.sequence ?? 0) !== (expected?.sequence ?? 0) || current?.snapshot !== expected?.snapshot) {
          throw new ShelfError("lost_race", "Another publisher moved the pointer first; nothing was changed.");
        }
        writeWhole(pointerPath, Buffer.from(canonicalJson(record)), true);
      });
      syncFolder(root);
    },

    listRecords: () => openRecords(recordsDir).list(),
    knownRecords: () => known.list(),

    async putRecord(record, changes) {
      // Durable, because the pointer may follow at once: a record that a power cut tore would stop every later build.
      writeWhole(changesPath(record.sequence), Buffer.from(canonicalJson(changes)), true);
      writeWhole(recordPath(record.sequence), Buffer.from(canonicalJson(record)), true);
      for (const path of [changesPath(record.sequence), recordPath(record.sequence)]) syncFolder(dirname(path));
    },

    async readChanges(sequence) {
      const text = await readFile(changesPath(sequence), "utf8").catch(absent);
      if (text === null) return null;
      const parsed = changesSchema.safeParse(parseJson(text));
      if (!parsed.success) throw new ShelfError("snapshot_damaged", `changes/${sequence}.json is malformed.`);
      return parsed.data;
    },

    async deleteRecord(sequence) {
      await rm(recordPath(sequence), { force: true });
    },

    async readChecked() {
      const text = await readFile(join(root, "checked"), "utf8").catch(absent);
      return text === null || Number.isNaN(Date.parse(text)) ? null : text;
    },

    async writeChecked(time) {
      writeWhole(join(root, "checked"), Buffer.from(time));
    },

    async flush() {
      if (!existsSync(root)) return;
      await run("sync", ["-f", root]).catch(async () => {
        for await (const blob of shelf.listBlobs()) syncFolder(blobPath(blob.digest));
      });
    },
  };
  wholeBlobs.set(shelf, new Set());
  return shelf;
}

/** Blobs that a shelf wrote or compared itself, hence whole. */
const wholeBlobs = new WeakMap<Shelf, Set<Sha256>>();

/** Removes what killed builds left under tmp/. Only under the build lock. */
export async function clearTemporary(root: string): Promise<void> {
  await rm(join(root, "tmp"), { recursive: true, force: true });
}

/** Whether the folder can be written, so that a build says so before it works.
 *  @param modes of the folder, when it has to be made */
export async function checkWritable(root: string, modes: Modes): Promise<void> {
  try {
    await mkdir(dirname(root), { recursive: true });
    await mkdir(root, { recursive: true, mode: modes.folder });
    await access(root, constants.W_OK);
  } catch (cause) {
    throw new ShelfError("build_failed", "The shelf folder cannot be written.", {
      cause,
      fixes: ["Check shelf.root and its permissions."],
    });
  }
}

/** A folder changed longer ago than this has been seen with that change: its time has a tick of some milliseconds. */
const SETTLED_NS = 50_000_000n;

/** The records of a folder, each read once: none ever changes but the newest, which the build after a crash may replace. */
function openRecords(folder: string): { list(): Promise<readonly SnapshotRecord[]> } {
  let known: ReadonlyMap<string, SnapshotRecord> = new Map();
  let listed: readonly SnapshotRecord[] = [];
  /** Time of the folder when it was listed, null when that may have changed within the same tick. */
  let seen: bigint | null = null;
  return {
    async list() {
      const time = (await stat(folder, { bigint: true }).catch(absent))?.mtimeNs ?? 0n;
      if (time === seen) return listed;
      const settled = BigInt(Date.now()) * 1_000_000n - time > SETTLED_NS;
      const names = ((await readdir(folder).catch(absent)) ?? []).filter((name) => /^[1-9][0-9]*\.json$/.test(name));
      const newest = Math.max(0, ...names.map((name) => Number.parseInt(name, 10)));
      const next = new Map<string, SnapshotRecord>();
      for (const name of names) {
        const record = (name === `${newest}.json` ? null : known.get(name)) ?? (await readRecord(folder, name));
        if (record !== null) next.set(name, record);
      }
      const same = next.size === known.size && [...next].every(([name, record]) => known.get(name)?.snapshot === record.snapshot);
      if (!same) listed = [...next.values()].sort((a, b) => a.sequence - b.sequence);
      known = next;
      seen = settled ? time : null;
      return listed;
    },
  };
}

/** Null when it was removed meanwhile. @throws ShelfError "snapshot_damaged" */
async function readRecord(folder: string, name: string): Promise<SnapshotRecord | null> {
  const text = await readFile(join(folder, name), "utf8").catch(absent);
  if (text === null) return null;
  const record = parseRecord(text, `snapshots/${name}`);
  if (`${record.sequence}.json` === name) return record;
  throw new ShelfError("snapshot_damaged", `snapshots/${name} is the record of another sequence.`);
}

function parseRecord(text: string, name: string): SnapshotRecord {
  const parsed = snapshotRecordSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new ShelfError("snapshot_damaged", `${name} is malformed.`);
  return parsed.data;
}

/** undefined, which every schema refuses, for what is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How long another process may take to move the pointer: one small write. */
const LOCK_TIMEOUT_MS = 10_000;

/** Runs `work` while no other process does, on the same file. The lock is SQLite's, because the system releases it when a
 *  process dies: a lock file of our own would outlive a kill and have to be guessed stale. */
async function withLock(path: string, mode: number, work: () => void): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  closeSync(openSync(path, "a", mode));
  const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  try {
    try {
      database.exec("BEGIN EXCLUSIVE");
    } catch (cause) {
      throw new ShelfError("lost_race", "Another publisher holds the pointer; nothing was changed.", { cause });
    }
    work();
  } finally {
    database.close();
  }
}

function syncFolder(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}
