/** The shelf as a directory. Every file appears whole: written under tmp/, then renamed. */
import { execFile } from "node:child_process";
import { closeSync, constants, createReadStream, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { access, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { canonicalJson, SHA256_PATTERN, type Sha256 } from "./digest.ts";
import { ShelfError } from "./errors.ts";
import { changesSchema, type Changes, type Shelf, type SnapshotRecord, snapshotRecordSchema } from "./shelf.ts";

const run = promisify(execFile);

/** Opens one root of a shelf; creates nothing until something is put.
 *  @param root folder that holds blobs/, snapshots/, changes/, index/ and current.json
 *  @param fallback a root whose blobs this one may refer to: internal may use public, never the other way */
export function openDirectoryShelf(root: string, fallback: Shelf | null = null): Shelf {
  const made = new Set<string>();
  let serial = 0;
  const blobPath = (digest: Sha256): string => join(root, "blobs", digest.slice(0, 2), digest);
  const recordPath = (sequence: number): string => join(root, "snapshots", `${sequence}.json`);
  const changesPath = (sequence: number): string => join(root, "changes", `${sequence}.json`);
  const pointerPath = join(root, "current.json");

  const ensureFolder = (folder: string): void => {
    if (made.has(folder)) return;
    mkdirSync(folder, { recursive: true });
    made.add(folder);
  };
  // Synchronous on purpose: a blob is a few kilobytes, and the queue behind asynchronous calls costs more than the write.
  const writeWhole = (path: string, bytes: Uint8Array): void => {
    ensureFolder(join(root, "tmp"));
    ensureFolder(dirname(path));
    const temporary = join(root, "tmp", `${process.pid}-${serial++}`);
    const file = openSync(temporary, "w");
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  };

  const shelf: Shelf = {
    indexUri: join(root, "index"),

    async getBlob(digest) {
      const bytes = await readFile(blobPath(digest)).catch(absent);
      return bytes ?? (await fallback?.getBlob(digest)) ?? null;
    },

    async streamBlob(digest, start, end) {
      const path = blobPath(digest);
      if (!existsSync(path)) return (await fallback?.streamBlob(digest, start, end)) ?? null;
      return createReadStream(path, { start, end });
    },

    async putBlob(digest, bytes) {
      if (fallback !== null && (await fallback.hasBlob(digest))) return false;
      const path = blobPath(digest);
      // A blob left by a build that a power cut ended may be torn: only one with the same bytes counts as present.
      if (existsSync(path) && Buffer.compare(readFileSync(path), bytes) === 0) return false;
      writeWhole(path, bytes);
      return true;
    },

    async hasBlob(digest) {
      return existsSync(blobPath(digest)) || ((await fallback?.hasBlob(digest)) ?? false);
    },

    async *listBlobs() {
      for (const fan of (await readdir(join(root, "blobs")).catch(absent)) ?? []) {
        for (const name of await readdir(join(root, "blobs", fan))) {
          if (SHA256_PATTERN.test(name)) yield { digest: name, size: (await stat(join(root, "blobs", fan, name))).size };
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
      const current = await shelf.readPointer();
      if ((current?.sequence ?? 0) !== (expected?.sequence ?? 0) || current?.snapshot !== expected?.snapshot) {
        throw new ShelfError("lost_race", "Another publisher moved the pointer first; nothing was changed.");
      }
      await mkdir(join(root, "tmp"), { recursive: true });
      const temporary = join(root, "tmp", `${process.pid}-pointer`);
      const file = await open(temporary, "w");
      try {
        await file.writeFile(canonicalJson(record));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, pointerPath);
      syncFolder(root);
    },

    async listRecords() {
      const files = (await readdir(join(root, "snapshots")).catch(absent)) ?? [];
      const records = await Promise.all(
        files
          .filter((name) => /^[1-9][0-9]*\.json$/.test(name))
          .map(async (name) => parseRecord(await readFile(join(root, "snapshots", name), "utf8"), `snapshots/${name}`)),
      );
      return records.sort((a, b) => a.sequence - b.sequence);
    },

    async putRecord(record, changes) {
      writeWhole(changesPath(record.sequence), Buffer.from(canonicalJson(changes)));
      writeWhole(recordPath(record.sequence), Buffer.from(canonicalJson(record)));
    },

    async readChanges(sequence) {
      const text = await readFile(changesPath(sequence), "utf8").catch(absent);
      if (text === null) return null;
      const parsed = changesSchema.safeParse(JSON.parse(text));
      if (!parsed.success) throw new ShelfError("snapshot_damaged", `changes/${sequence}.json is malformed.`);
      return parsed.data;
    },

    async deleteRecord(sequence) {
      await rm(recordPath(sequence), { force: true });
    },

    async flush() {
      if (!existsSync(root)) return;
      // One syncfs for everything instead of one fsync for each of thousands of small files.
      await run("sync", ["-f", root]).catch(async () => {
        for await (const blob of shelf.listBlobs()) syncFolder(blobPath(blob.digest));
      });
    },
  };
  return shelf;
}

/** Removes what killed builds left under tmp/. Only under the build lock. */
export async function clearTemporary(root: string): Promise<void> {
  await rm(join(root, "tmp"), { recursive: true, force: true });
}

/** Whether the folder can be written, so that a build says so before it works. */
export async function checkWritable(root: string): Promise<void> {
  try {
    await mkdir(root, { recursive: true });
    await access(root, constants.W_OK);
  } catch (cause) {
    throw new ShelfError("build_failed", "The shelf folder cannot be written.", { cause, fixes: ["Check shelf.root and its permissions."] });
  }
}

function parseRecord(text: string, name: string): SnapshotRecord {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Falls through to the schema, which refuses null.
  }
  const parsed = snapshotRecordSchema.safeParse(value);
  if (!parsed.success) throw new ShelfError("snapshot_damaged", `${name} is malformed.`);
  return parsed.data;
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
