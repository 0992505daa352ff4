/** The shelf as a directory. Every file appears whole: written under tmp/, then renamed. */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { constants, createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { access, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { canonicalJson, type Sha256, sha256, SHA256_PATTERN, sha256Of } from "#snapshots/digest";
import { ChangesSums } from "./changes-sums.ts";
import { ShelfError } from "#snapshots/errors";
import { absent, isUnreadable } from "./absent.ts";
import { type OpenFile, openAtOnce, toOpenFile, WrongBytes } from "./checked-read.ts";
import { openLogDirectory } from "./log-directory.ts";
import type { Modes } from "./modes.ts";
import { openPackWriter, type PackWriter } from "./pack-writer.ts";
import { openPacks, type Packs, unpacked } from "./packs.ts";
import { RootRecords, sequencesOf } from "./record-index.ts";
import { RootRedactions } from "./redactions-directory.ts";
import { parseExactly, readSmall, REPAIR, RootFiles, syncFolder } from "./root-files.ts";
import { findServed, namedWith, readServed } from "./served.ts";
import {
  type Changes,
  changesSchema,
  internalPointerSchema,
  type LogFiles,
  type Shelf,
  type SnapshotRecord,
  snapshotRecordSchema,
  withdrawnSchema,
} from "./shelf.ts";
import { type LooseBlob, planSweep, sweep, type SweepOptions, type Swept } from "./sweep.ts";
import { MAX_PACKED, packEntry } from "./zip.ts";

const run = promisify(execFile);

/** How a root is used. "building" packs what is put, and holds everything else up while a blob is read: builds answer nobody. With
 *  "serving" each blob that is put is a file of its own, which others see at once. */
type Use = "serving" | "building";

/** openDirectoryShelf opens one root of a shelf; it creates nothing until something is put.
 *  @param root folder that holds blobs/, snapshots/, changes/, index/ and current.json
 *  @param fallback the public root, when this is the internal one: whose blobs it may refer to, never the other way, and whose pointer decides
 *  what is served
 *  @param announce told what current.json is about to hold, when this is a copy of a shelf elsewhere: that moves first, or throws */
export function openDirectoryShelf(
  root: string,
  fallback: Shelf | null = null,
  use: Use = "serving",
  announce: (current: Uint8Array) => Promise<void> = async () => undefined,
): DirectoryShelf {
  return new DirectoryShelf(root, fallback, use, announce);
}

const WITHDRAWN = "withdrawn.json";
const recordPath = (sequence: number): string => `snapshots/${sequence}.json`;
const changesPath = (sequence: number): string => `changes/${sequence}.json`;

/** A DirectoryShelf is one root of a shelf, for readers and for its writer. */
export class DirectoryShelf implements Shelf {
  readonly indexUri: string;
  readonly sharedIndexUri: string | null;
  readonly records: RootRecords;
  readonly log: LogFiles;
  readonly redactions: RootRedactions;
  private readonly root: string;
  private readonly fallback: Shelf | null;
  private readonly use: Use;
  private readonly announce: (current: Uint8Array) => Promise<void>;
  private readonly files: RootFiles;
  private readonly sums: ChangesSums;
  private readonly packs: Packs;
  private readonly writer: PackWriter;
  /** Blobs that were written or compared here, hence whole. */
  private readonly whole = new Set<Sha256>();
  /** Blobs that are being put: they are deflated by other threads meanwhile. */
  private readonly arriving = new Map<Sha256, Promise<boolean>>();

  constructor(root: string, fallback: Shelf | null, use: Use, announce: (current: Uint8Array) => Promise<void>) {
    this.root = root;
    this.fallback = fallback;
    this.use = use;
    this.announce = announce;
    this.indexUri = join(root, "index");
    this.sharedIndexUri = fallback?.indexUri ?? null;
    const files = new RootFiles(root);
    this.files = files;
    this.sums = new ChangesSums(root, files);
    this.packs = openPacks(root, (path) => this.openFile(path));
    this.writer = openPackWriter(root, () => files.modes());
    this.log = openLogDirectory(root, files);
    this.records = new RootRecords(root, {
      readRecord: (sequence) => this.readRecord(sequence),
      readChanges: (sequence) => this.readChanges(sequence),
      readWithdrawn: () => this.readWithdrawn(),
      writeWhole: (path, bytes) => files.writeWhole(path, bytes),
      log: this.log,
    });
    this.redactions = new RootRedactions(root, files, fallback?.redactions ?? null);
  }

  async getBlob(digest: Sha256): Promise<Uint8Array | null> {
    return (await this.readOwn(digest)) ?? (await this.fallback?.getBlob(digest)) ?? null;
  }

  async openBlob(digest: Sha256, anew = false): Promise<OpenFile | null> {
    // There is no other place that has it.
    if (anew) return null;
    return (await this.openOwn(digest)) ?? (await this.fallback?.openBlob(digest)) ?? null;
  }

  async readMany(digests: readonly Sha256[]): Promise<ReadonlyMap<Sha256, Uint8Array>> {
    const own = await this.packs.readMany(digests);
    const rest = this.fallback === null ? [] : digests.filter((digest) => !own.has(digest));
    for (const [digest, bytes] of (await this.fallback?.readMany(rest)) ?? []) own.set(digest, bytes);
    return own;
  }

  async hasBlob(digest: Sha256): Promise<boolean> {
    return (await this.hasOwn(digest)) || ((await this.fallback?.hasBlob(digest)) ?? false);
  }

  /** putBlob stores bytes under their digest unless they are there. @returns whether anything was written */
  putBlob(digest: Sha256, bytes: Uint8Array): Promise<boolean> {
    const before = Promise.allSettled([this.arriving.get(digest)]);
    const putting = before.then(() => this.put(digest, bytes));
    this.arriving.set(digest, putting);
    return putting.finally(() => this.arriving.get(digest) === putting && this.arriving.delete(digest));
  }

  private async put(digest: Sha256, bytes: Uint8Array): Promise<boolean> {
    // A blob left by a build that a power cut ended may be torn: only one with the same bytes counts as present. A torn
    // one here hides a good one in the fallback, so it is replaced even then.
    const there = (await this.hasOwn(digest)) ? ((await this.readOwn(digest)) ?? NO_BYTES) : null;
    if (there !== null) {
      if (Buffer.compare(there, bytes) === 0) {
        this.whole.add(digest);
        return false;
      }
    } else if (this.fallback !== null) {
      // A blob that the other root is about to have is not written here as well.
      if (this.fallback instanceof DirectoryShelf) await this.fallback.arriving.get(digest)?.catch(() => false);
      if (this.fallback instanceof DirectoryShelf && this.fallback.whole.has(digest) && (await this.fallback.hasBlob(digest))) return false;
      const elsewhere = await this.fallback.getBlob(digest);
      if (elsewhere !== null && Buffer.compare(elsewhere, bytes) === 0) return false;
    }
    if (this.use === "serving" || there !== null || bytes.length > MAX_PACKED) this.files.writeWhole(this.blobPath(digest), bytes);
    else this.writer.add(await packEntry(digest, bytes));
    this.whole.add(digest);
    return true;
  }

  /** putStream stores bytes that may be too many for memory, as a file of its own; nothing when they have another digest, or when reading
   *  them fails. @returns whether they have the digest */
  async putStream(digest: Sha256, chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
    const { file, folder } = this.files.modes();
    const [temporary, path] = [join(this.root, "tmp", randomUUID()), this.blobPath(digest)];
    for (const one of [temporary, path]) await mkdir(dirname(one), { recursive: true, mode: folder });
    try {
      const hash = createHash("sha256");
      const handle = await open(temporary, "wx", file);
      try {
        for await (const chunk of chunks) {
          hash.update(chunk);
          await handle.writeFile(chunk);
        }
      } finally {
        await handle.close();
      }
      if (hash.digest("hex") !== digest) return false;
      await rename(temporary, path);
      this.whole.add(digest);
      return true;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async *listBlobs(): AsyncGenerator<{ readonly digest: Sha256; readonly size: number }> {
    const told = new Set<Sha256>();
    for await (const { digest, size } of this.looseBlobs()) {
      told.add(digest);
      yield { digest, size };
    }
    const directories = [...(await this.packs.list()).values()].map((directory) => directory?.entries() ?? []);
    for (const entries of [this.writer.entries(), ...directories]) {
      for (const [digest, { size }] of entries) {
        if (told.has(digest)) continue;
        told.add(digest);
        yield { digest, size };
      }
    }
  }

  /** seal lets others read what was put so far. `flush` does so too. */
  async seal(): Promise<void> {
    this.writer.seal();
  }

  /** flush returns when everything put so far survives a power cut. */
  async flush(): Promise<void> {
    this.writer.seal();
    if (!existsSync(this.root)) return;
    await run("sync", ["-f", this.root]).catch(async () => {
      for await (const { path } of this.looseBlobs()) syncFolder(path);
      if (existsSync(join(this.root, "packs"))) syncFolder(join(this.root, "packs"));
    });
  }

  /** findDamagedPacks returns the names of the packs that are not what was written. */
  async findDamagedPacks(): Promise<readonly Sha256[]> {
    const damaged: string[] = [];
    for (const [name, directory] of await this.packs.list()) {
      const found = await sha256Of(createReadStream(this.packs.pathOf(name))).catch((error: NodeJS.ErrnoException) => {
        if (isUnreadable(error)) return null;
        // Merged into another one since.
        return absent(error) ?? name;
      });
      if (directory === null || found !== name) damaged.push(name);
    }
    return damaged;
  }

  /** findSpare returns what `sweep` would remove. */
  async findSpare(isNeeded: SweepOptions["isNeeded"]): Promise<readonly { readonly digest: Sha256; readonly size: number }[]> {
    return (await planSweep(this.packs, this.looseBlobs(), { isNeeded })).spare;
  }

  /** sweep removes blobs that are not needed, and brings the others into few packs. Only under the build lock. */
  async sweep(options: SweepOptions): Promise<Swept> {
    this.writer.seal();
    const plan = await planSweep(this.packs, this.looseBlobs(), options);
    const writer = openPackWriter(this.root, () => this.files.modes());
    return sweep(plan, writer, () => this.flush());
  }

  async readPointer(): Promise<SnapshotRecord | null> {
    const { fallback } = this;
    if (fallback === null) return (await this.readNamed())?.[0] ?? null;
    return readServed(
      () => fallback.readPointer(),
      () => this.readNamed(),
    );
  }

  /** swapPointer makes `record` current if `expected` still is; an internal record with a `public` that is not served yet is served
   *  together with that. @throws ShelfError "lost_race" otherwise */
  async swapPointer(record: SnapshotRecord, expected: SnapshotRecord | null): Promise<void> {
    const pointerPath = join(this.root, "current.json");
    const published = (await this.fallback?.readPointer()) ?? null;
    const planNext = (): Uint8Array => {
      const named = existsSync(pointerPath) ? parseNamed(readFileSync(pointerPath), this.fallback !== null) : [];
      const current = this.fallback === null ? (named[0] ?? null) : findServed(named, published);
      if ((current?.sequence ?? 0) !== (expected?.sequence ?? 0) || current?.snapshot !== expected?.snapshot) {
        throw new ShelfError("lost_race", "Another publisher moved the pointer first; nothing was changed.");
      }
      return Buffer.from(canonicalJson(this.fallback === null ? record : namedWith(record, current, published)));
    };
    await this.announce(planNext());
    // No call inside awaits: in one process nothing comes between the comparison and the rename, and among processes
    // the lock keeps everyone else out.
    await this.files.alone(() => this.files.writeWhole(pointerPath, planNext(), true));
    syncFolder(this.root);
  }

  /** listRecords returns all records as they are now, ascending by sequence. One beyond the pointer is left by a crash and was never
   *  served. @throws ShelfError "snapshot_damaged" */
  async listRecords(): Promise<readonly SnapshotRecord[]> {
    const records: SnapshotRecord[] = [];
    for (const sequence of await this.listSequences()) {
      const record = await this.readRecord(sequence);
      if (record !== null) records.push(record);
    }
    return records;
  }

  /** listFiles returns the path of every file of the root, in no order. */
  async *listFiles(): AsyncGenerator<string> {
    for (const entry of (await readdir(this.root, { recursive: true, withFileTypes: true }).catch(absent)) ?? [])
      if (!entry.isDirectory()) yield relative(this.root, join(entry.parentPath, entry.name));
  }

  /** listSequences returns the numbers of the records that are there, readable or not, ascending. */
  async listSequences(): Promise<readonly number[]> {
    return sequencesOf((await readdir(join(this.root, "snapshots")).catch(absent)) ?? []);
  }

  async readRecord(sequence: number): Promise<SnapshotRecord | null> {
    const record = await this.files.readJson(recordPath(sequence), snapshotRecordSchema);
    if (record === null || record.sequence === sequence) return record;
    throw new ShelfError("snapshot_damaged", `${recordPath(sequence)} is the record of another sequence.`, REPAIR);
  }

  async readChanges(sequence: number): Promise<Changes | null> {
    const path = changesPath(sequence);
    const found = await this.files.readJson(path, changesSchema);
    const sum = found === null ? null : this.sums.find(path);
    if (sum === null || sum === sha256(canonicalJson(found))) return found;
    throw new ShelfError("snapshot_damaged", `${path} is not what was written.`, REPAIR);
  }

  /** putRecord writes both durably, because the pointer may follow at once: a record that a power cut tore would stop every later build. */
  async putRecord(record: SnapshotRecord, changes: Changes): Promise<void> {
    await this.putChanges(record.sequence, changes);
    this.files.writeJson(recordPath(record.sequence), record);
  }

  /** restoreRecord writes a record again, without its changes. */
  async restoreRecord(record: SnapshotRecord): Promise<void> {
    this.files.writeJson(recordPath(record.sequence), record);
  }

  /** putChanges writes changes in place of those that a publication left. Only under the build lock. */
  async putChanges(sequence: number, changes: Changes): Promise<void> {
    this.sums.put(changesPath(sequence), Buffer.from(canonicalJson(changes)));
    this.files.writeJson(changesPath(sequence), changes);
  }

  async deleteRecord(sequence: number): Promise<void> {
    await rm(join(this.root, recordPath(sequence)), { force: true });
  }

  /** dropUnserved removes a record that was never served, with its changes. Only under the build lock. */
  async dropUnserved(sequence: number): Promise<void> {
    await this.deleteRecord(sequence);
    await rm(join(this.root, changesPath(sequence)), { force: true });
  }

  /** withdraw takes snapshots out of service: their records are only remembered as withdrawn from then on. Only under the build lock. */
  async withdraw(records: readonly SnapshotRecord[]): Promise<void> {
    const all = new Map([...(await this.readWithdrawn()), ...records].map((record) => [record.sequence, record]));
    this.files.writeJson(
      WITHDRAWN,
      [...all.values()].sort((a, b) => a.sequence - b.sequence),
    );
    for (const { sequence } of records) await this.deleteRecord(sequence);
  }

  /** @throws ShelfError "snapshot_damaged" */
  async readWithdrawn(): Promise<readonly SnapshotRecord[]> {
    return (await this.files.readJson(WITHDRAWN, withdrawnSchema)) ?? [];
  }

  async readChecked(): Promise<string | null> {
    const text = await readFile(join(this.root, "checked"), "utf8").catch(absent);
    return text === null || Number.isNaN(Date.parse(text)) ? null : text;
  }

  async writeChecked(time: string): Promise<void> {
    this.files.writeWhole(join(this.root, "checked"), Buffer.from(time));
  }

  async readFollowed(): Promise<number | null> {
    return (await stat(join(this.root, FOLLOWED)).catch(absent))?.mtimeMs ?? null;
  }

  private async readNamed(): Promise<readonly SnapshotRecord[] | null> {
    const bytes = await readSmall(join(this.root, "current.json"), "current.json");
    return bytes === null ? null : parseNamed(bytes, this.fallback !== null);
  }

  private blobPath(digest: Sha256): string {
    return join(this.root, "blobs", digest.slice(0, 2), digest);
  }

  private async openFile(path: string): Promise<OpenFile | null> {
    // Nearly all blobs have no such file, and an error for each costs more than the question.
    if (this.use === "building" && statSync(path, { throwIfNoEntry: false }) === undefined) return null;
    if (this.use === "building") return Promise.try(() => openAtOnce(path)).catch(absent);
    const handle = await open(path).catch(absent);
    return handle === null
      ? null
      : toOpenFile(handle).catch(async (error: unknown) => {
          await handle.close();
          throw error;
        });
  }

  /** A file of its own comes first: it may be there because a packed one is damaged. */
  private async openOwn(digest: Sha256): Promise<OpenFile | null> {
    const loose = await this.openFile(this.blobPath(digest));
    if (loose !== null) return loose;
    const pending = this.writer.find(digest);
    if (pending === null) return this.packs.open(digest);
    const pack = await this.openFile(pending.path);
    return pack === null ? null : unpacked(pack, digest, pending.packed);
  }

  private async hasOwn(digest: Sha256): Promise<boolean> {
    return this.writer.has(digest) || existsSync(this.blobPath(digest)) || (await this.packs.has(digest));
  }

  /** Null for one that is not there or that cannot be inflated. */
  private async readOwn(digest: Sha256): Promise<Uint8Array | null> {
    const file = await this.openOwn(digest);
    if (file === null) return null;
    try {
      return await file.read(0, file.size);
    } catch (error) {
      if (error instanceof WrongBytes) return null;
      throw error;
    } finally {
      await file.close();
    }
  }

  private async *looseBlobs(): AsyncGenerator<LooseBlob> {
    for (const fan of (await readdir(join(this.root, "blobs")).catch(absent)) ?? []) {
      for (const name of (await readdir(join(this.root, "blobs", fan)).catch(absent)) ?? []) {
        if (!SHA256_PATTERN.test(name) || !name.startsWith(fan)) continue;
        const path = this.blobPath(name);
        yield { digest: name, size: (await stat(path)).size, path };
      }
    }
  }
}

/** FOLLOWED is a file of a root that is a copy: its time is that of the last look at what it is a copy of. */
export const FOLLOWED = "followed";

/** In place of a blob that is there and cannot be inflated. */
const NO_BYTES = new Uint8Array();

/** clearTemporary removes what killed builds left under tmp/. Only under the build lock. */
export async function clearTemporary(root: string): Promise<void> {
  await rm(join(root, "tmp"), { recursive: true, force: true });
}

/** checkWritable looks whether the folder can be written, so that a build says so before it works.
 *  @param modes of the folder, when it has to be made */
export async function checkWritable(root: string, modes: Modes): Promise<void> {
  try {
    await mkdir(dirname(root), { recursive: true });
    await mkdir(root, { recursive: true, mode: modes.folder });
    await access(root, constants.W_OK);
  } catch (cause) {
    const error = new ShelfError("build_failed", "The shelf folder cannot be written.", {
      cause,
      fixes: ["Choose another shelf.root, or give this user the right to write there."],
    });
    // Beside the message, which may be served.
    throw Object.assign(error, { detail: `  ${root}, as the user ${userInfo().username}: ${(cause as NodeJS.ErrnoException).code}\n` });
  }
}

/** The records that a pointer names: a record, or the one or two of an internal root. */
function parseNamed(bytes: Uint8Array, internal: boolean): readonly SnapshotRecord[] {
  return internal
    ? parseExactly(internalPointerSchema, bytes, "current.json")
    : [parseExactly(snapshotRecordSchema, bytes, "current.json")];
}
