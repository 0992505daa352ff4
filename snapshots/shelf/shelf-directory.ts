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
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { access, mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { ZodType } from "zod";
import { canonicalJson, parseJson, SHA256_PATTERN, type Sha256, sha256Of } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { absent, isUnreadable } from "./absent.ts";
import { type OpenFile, openAtOnce, PART_BYTES, toOpenFile, WrongBytes } from "./checked-read.ts";
import { openLogDirectory } from "./log-directory.ts";
import { type Modes, modesUnder } from "./modes.ts";
import { openPackWriter } from "./pack-writer.ts";
import { openPacks, unpacked } from "./packs.ts";
import { redactionPath } from "./redactions.ts";
import { openRecordLog, sequencesOf } from "./record-index.ts";
import { findServed, namedWith, readServed } from "./served.ts";
import {
  type Changes,
  changesSchema,
  internalPointerSchema,
  type Shelf,
  type SnapshotRecord,
  snapshotRecordSchema,
  withdrawnSchema,
} from "./shelf.ts";
import { type LooseBlob, planSweep, sweep } from "./sweep.ts";
import { MAX_PACKED, packEntry } from "./zip.ts";

const run = promisify(execFile);

/** Opens one root of a shelf; creates nothing until something is put.
 *  @param root folder that holds blobs/, snapshots/, changes/, index/ and current.json
 *  @param fallback the public root, when this is the internal one: whose blobs it may refer to, never the other way, and whose
 *  pointer decides what is served
 *  @param use "building" packs what is put, and holds everything else up while a blob is read: builds answer nobody. Else
 *  each blob that is put is a file of its own, which others see at once
 *  @param announce told what current.json is about to hold, when this is a copy of a shelf elsewhere: that moves first, or throws */
export function openDirectoryShelf(
  root: string,
  fallback: Shelf | null = null,
  use: "serving" | "building" = "serving",
  announce: (current: Uint8Array) => Promise<void> = async () => undefined,
): Shelf {
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

  /** Durable, because the pointer may follow at once, and what it names has to survive a power cut with it. */
  const writeDurable = (path: string, bytes: Uint8Array): void => {
    writeWhole(path, bytes, true);
    syncFolder(dirname(path));
  };
  const writeJson = (path: string, value: SnapshotRecord | Changes | readonly SnapshotRecord[]): void =>
    writeDurable(path, Buffer.from(canonicalJson(value)));

  const openFile = async (path: string): Promise<OpenFile | null> => {
    if (use === "building") return Promise.try(() => openAtOnce(path)).catch(absent);
    const handle = await open(path).catch(absent);
    return handle === null
      ? null
      : toOpenFile(handle).catch(async (error: unknown) => {
          await handle.close();
          throw error;
        });
  };

  const packs = openPacks(root, openFile);
  const writer = openPackWriter(root, modes);

  /** A file of its own comes first: it may be there because a packed one is damaged. */
  const openOwn = async (digest: Sha256): Promise<OpenFile | null> => {
    const loose = await openFile(blobPath(digest));
    if (loose !== null) return loose;
    const pending = writer.find(digest);
    if (pending === null) return packs.open(digest);
    const pack = await openFile(pending.path);
    return pack === null ? null : unpacked(pack, digest, pending.packed);
  };
  const hasOwn = async (digest: Sha256): Promise<boolean> =>
    existsSync(blobPath(digest)) || writer.find(digest) !== null || (await packs.has(digest));
  /** Null for one that is not there or that cannot be inflated. */
  const readOwn = async (digest: Sha256): Promise<Uint8Array | null> => {
    const file = await openOwn(digest);
    if (file === null) return null;
    try {
      return await file.read(0, file.size);
    } catch (error) {
      if (error instanceof WrongBytes) return null;
      throw error;
    } finally {
      await file.close();
    }
  };

  const looseBlobs = async function* (): AsyncGenerator<LooseBlob> {
    for (const fan of (await readdir(join(root, "blobs")).catch(absent)) ?? []) {
      for (const name of (await readdir(join(root, "blobs", fan)).catch(absent)) ?? []) {
        if (!SHA256_PATTERN.test(name) || !name.startsWith(fan)) continue;
        const path = blobPath(name);
        yield { digest: name, size: (await stat(path)).size, path };
      }
    }
  };

  const readNamed = async (): Promise<readonly SnapshotRecord[] | null> => {
    const bytes = await readSmall(pointerPath, "current.json");
    return bytes === null ? null : parseNamed(bytes, fallback !== null);
  };

  const listSequences = async (): Promise<readonly number[]> => sequencesOf((await readdir(join(root, "snapshots")).catch(absent)) ?? []);

  const readRecord = async (sequence: number): Promise<SnapshotRecord | null> => {
    const bytes = await readSmall(recordPath(sequence), `snapshots/${sequence}.json`);
    if (bytes === null) return null;
    const record = parseExactly(snapshotRecordSchema, bytes, `snapshots/${sequence}.json`);
    if (record.sequence === sequence) return record;
    throw new ShelfError("snapshot_damaged", `snapshots/${sequence}.json is the record of another sequence.`, REPAIR);
  };
  const readChanges = async (sequence: number): Promise<Changes | null> => {
    const bytes = await readSmall(changesPath(sequence), `changes/${sequence}.json`);
    return bytes === null ? null : parseExactly(changesSchema, bytes, `changes/${sequence}.json`);
  };

  const withdrawnPath = join(root, "withdrawn.json");
  const readWithdrawn = async (): Promise<readonly SnapshotRecord[]> => {
    const bytes = await readSmall(withdrawnPath, "withdrawn.json");
    return bytes === null ? [] : parseExactly(withdrawnSchema, bytes, "withdrawn.json");
  };

  const shelf: Shelf = {
    indexUri: join(root, "index"),

    async getBlob(digest) {
      return (await readOwn(digest)) ?? (await fallback?.getBlob(digest)) ?? null;
    },

    async openBlob(digest) {
      return (await openOwn(digest)) ?? (await fallback?.openBlob(digest)) ?? null;
    },

    async readMany(digests) {
      const own = await packs.readMany(digests);
      const rest = fallback === null ? [] : digests.filter((digest) => !own.has(digest));
      for (const [digest, bytes] of (await fallback?.readMany(rest)) ?? []) own.set(digest, bytes);
      return own;
    },

    openAnew: async () => null,

    async streamBlob(digest, start, end) {
      return (await shelf.hasBlob(digest)) ? partsOf(shelf, digest, start, end) : null;
    },

    async putBlob(digest, bytes) {
      // A blob left by a build that a power cut ended may be torn: only one with the same bytes counts as present. A torn
      // one here hides a good one in the fallback, so it is replaced even then.
      const there = (await hasOwn(digest)) ? ((await readOwn(digest)) ?? NO_BYTES) : null;
      if (there !== null) {
        if (Buffer.compare(there, bytes) === 0) {
          wholeBlobs.get(shelf)?.add(digest);
          return false;
        }
      } else if (fallback !== null) {
        if (wholeBlobs.get(fallback)?.has(digest) && (await fallback.hasBlob(digest))) return false;
        const elsewhere = await fallback.getBlob(digest);
        if (elsewhere !== null && Buffer.compare(elsewhere, bytes) === 0) return false;
      }
      if (use === "serving" || there !== null || bytes.length > MAX_PACKED) writeWhole(blobPath(digest), bytes);
      else writer.add(packEntry(digest, bytes));
      wholeBlobs.get(shelf)?.add(digest);
      return true;
    },

    async hasBlob(digest) {
      return (await hasOwn(digest)) || ((await fallback?.hasBlob(digest)) ?? false);
    },

    async *listBlobs() {
      const told = new Set<Sha256>();
      for await (const { digest, size } of looseBlobs()) {
        told.add(digest);
        yield { digest, size };
      }
      const directories = [...(await packs.list()).values()].map((directory) => directory?.entries() ?? []);
      for (const entries of [writer.entries(), ...directories]) {
        for (const [digest, { size }] of entries) {
          if (told.has(digest)) continue;
          told.add(digest);
          yield { digest, size };
        }
      }
    },

    async seal() {
      writer.seal();
    },

    async findDamagedPacks() {
      const damaged: string[] = [];
      for (const [name, directory] of await packs.list()) {
        const found = await sha256Of(createReadStream(packs.pathOf(name))).catch((error: NodeJS.ErrnoException) => {
          if (isUnreadable(error)) return null;
          // Merged into another one since.
          return absent(error) ?? name;
        });
        if (directory === null || found !== name) damaged.push(name);
      }
      return damaged;
    },

    async findSpare(isNeeded) {
      return (await planSweep(packs, looseBlobs(), { isNeeded })).spare;
    },

    async sweep(options) {
      writer.seal();
      return sweep(await planSweep(packs, looseBlobs(), options), openPackWriter(root, modes), () => shelf.flush());
    },

    async readPointer() {
      return fallback === null ? ((await readNamed())?.[0] ?? null) : readServed(() => fallback.readPointer(), readNamed);
    },

    async swapPointer(record, expected) {
      mkdirSync(root, { recursive: true });
      const published = (await fallback?.readPointer()) ?? null;
      const planNext = (): Uint8Array => {
        const named = existsSync(pointerPath) ? parseNamed(readFileSync(pointerPath), fallback !== null) : [];
        const current = fallback === null ? (named[0] ?? null) : findServed(named, published);
        if ((current?.sequence ?? 0) !== (expected?.sequence ?? 0) || current?.snapshot !== expected?.snapshot) {
          throw new ShelfError("lost_race", "Another publisher moved the pointer first; nothing was changed.");
        }
        return Buffer.from(canonicalJson(fallback === null ? record : namedWith(record, current, published)));
      };
      await announce(planNext());
      // No call inside awaits: in one process nothing comes between the comparison and the rename, and among processes
      // the lock keeps everyone else out.
      await withLock(join(root, "pointer.lock"), modes().file, () => writeWhole(pointerPath, planNext(), true));
      syncFolder(root);
    },

    listSequences,
    readRecord,

    async listRecords() {
      const records: SnapshotRecord[] = [];
      for (const sequence of await listSequences()) {
        const record = await readRecord(sequence);
        if (record !== null) records.push(record);
      }
      return records;
    },

    records: openRecordLog(root, { readRecord, readChanges, readWithdrawn, writeWhole }),
    log: openLogDirectory(root, {
      writeDurable,
      alone: (work) => {
        mkdirSync(root, { recursive: true });
        return withLock(join(root, "pointer.lock"), modes().file, work);
      },
    }),

    redactions: {
      list: async () => ((await readdir(join(root, "redacted")).catch(absent)) ?? []).filter((name) => SHA256_PATTERN.test(name)).sort(),
      read: async (digest) =>
        (await readFile(join(root, redactionPath(digest))).catch(absent)) ?? (await fallback?.redactions.read(digest)) ?? null,
      put: async (digest, notice) => writeDurable(join(root, redactionPath(digest)), Buffer.from(notice)),
      drop: (digest) => rm(join(root, redactionPath(digest)), { force: true }),
      async version() {
        const folder = await stat(join(root, "redacted"), { bigint: true }).catch(absent);
        return `${folder?.mtimeNs ?? ""} ${(await fallback?.redactions.version()) ?? ""}`;
      },
    },

    async putRecord(record, changes) {
      // Durable, because the pointer may follow at once: a record that a power cut tore would stop every later build.
      writeJson(changesPath(record.sequence), changes);
      writeJson(recordPath(record.sequence), record);
    },

    async restoreRecord(record) {
      writeJson(recordPath(record.sequence), record);
    },

    async restoreChanges(sequence, changes) {
      writeJson(changesPath(sequence), changes);
    },

    readChanges,

    async replaceChanges(sequence, changes) {
      // The log says what they were.
      await rm(join(root, "records.log"), { force: true });
      writeJson(changesPath(sequence), changes);
    },

    async withdraw(records) {
      const all = new Map([...(await readWithdrawn()), ...records].map((record) => [record.sequence, record]));
      writeJson(
        withdrawnPath,
        [...all.values()].sort((a, b) => a.sequence - b.sequence),
      );
      for (const { sequence } of records) await shelf.deleteRecord(sequence);
    },

    async dropUnserved(sequence) {
      await shelf.deleteRecord(sequence);
      await rm(changesPath(sequence), { force: true });
    },

    async deleteRecord(sequence) {
      await rm(recordPath(sequence), { force: true });
    },

    async readChecked() {
      const text = await readFile(join(root, "checked"), "utf8").catch(absent);
      return text === null || Number.isNaN(Date.parse(text)) ? null : text;
    },

    async readFollowed() {
      return (await stat(join(root, FOLLOWED)).catch(absent))?.mtimeMs ?? null;
    },

    async writeChecked(time) {
      writeWhole(join(root, "checked"), Buffer.from(time));
    },

    async flush() {
      writer.seal();
      if (!existsSync(root)) return;
      await run("sync", ["-f", root]).catch(async () => {
        for await (const { path } of looseBlobs()) syncFolder(path);
        if (existsSync(join(root, "packs"))) syncFolder(join(root, "packs"));
      });
    },
  };
  wholeBlobs.set(shelf, new Set());
  return shelf;
}

/** A file of a root that is a copy: its time is that of the last look at what it is a copy of. */
export const FOLLOWED = "followed";

/** In place of a blob that is there and cannot be inflated. */
const NO_BYTES = new Uint8Array();

async function* partsOf(shelf: Shelf, digest: Sha256, start: number, end: number): AsyncGenerator<Uint8Array> {
  const file = await shelf.openBlob(digest);
  if (file === null) return;
  try {
    const last = Math.min(end, file.size);
    for (let at = start; at <= last; at += PART_BYTES) yield await file.read(at, Math.min(PART_BYTES, end - at + 1));
  } finally {
    await file.close();
  }
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

/** Bytes of a file of the history. What stands in its place but cannot be read as a file, for good, is damage.
 *  @throws ShelfError "snapshot_damaged" */
async function readSmall(path: string, name: string): Promise<Uint8Array | null> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (isUnreadable(error))
      throw new ShelfError("snapshot_damaged", `${name} cannot be read (${error.code}).`, { ...REPAIR, cause: error });
    return absent(error);
  });
}

/** What a pointer names: a record, or the one or two of an internal root. */
function parseNamed(bytes: Uint8Array, internal: boolean): readonly SnapshotRecord[] {
  return [
    parseExactly<SnapshotRecord | SnapshotRecord[]>(internal ? internalPointerSchema : snapshotRecordSchema, bytes, "current.json"),
  ].flat();
}

const REPAIR = { fixes: ["Run: proofshelf repair"] };

/** Bytes that are not exactly the canonical JSON of a value of this shape are damage, whatever they may be read as.
 *  @throws ShelfError "snapshot_damaged" */
function parseExactly<T>(schema: ZodType<T>, bytes: Uint8Array, name: string): T {
  const parsed = schema.safeParse(parseJson(Buffer.from(bytes).toString()));
  if (parsed.success && Buffer.from(canonicalJson(parsed.data)).equals(bytes)) return parsed.data;
  throw new ShelfError("snapshot_damaged", `${name} is not what was written.`, REPAIR);
}

/** How long another process may take to move the pointer: one small write. */
const LOCK_TIMEOUT_MS = 10_000;

/** Runs `work` while no other process does, on the same file. The lock is SQLite's, because the system releases it when a
 *  process dies: a lock file of our own would outlive a kill and have to be guessed stale. */
async function withLock(path: string, mode: number, work: () => void): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  clearLockFile(path);
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

/** Nothing is ever written into a lock of SQLite's, and one that holds something keeps everybody out: it is emptied in place, so that
 *  whoever holds it holds the same file. */
export function clearLockFile(path: string): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isFile() === true && file.size > 0) truncateSync(path);
}

function syncFolder(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
