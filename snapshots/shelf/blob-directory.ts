/** The blobs of a root in a folder: files of their own, and packs of many. */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, existsSync, statfsSync, statSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Sha256, SHA256_PATTERN, sha256Of } from "#snapshots/digest";
import { absent, isUnreadable } from "./absent.ts";
import { type OpenFile, openAtOnce, toOpenFile, WrongBytes } from "./checked-read.ts";
import { openPackWriter, type PackWriter } from "./pack-writer.ts";
import { openPacks, type Packs, unpacked } from "./packs.ts";
import { type RootFiles, syncFolder } from "./root-files.ts";
import type { Shelf } from "./shelf.ts";
import { type LooseBlob, planSweep, sweep, type SweepOptions, type Swept } from "./sweep.ts";
import { MAX_PACKED, packEntry } from "./zip.ts";

const run = promisify(execFile);

/** Use says how a root is used. "building" packs what is put, and holds everything else up while a blob is read: builds answer nobody. With
 *  "serving" each blob that is put is a file of its own, which others see at once. */
export type Use = "serving" | "building";

/** Public root, whose blobs an internal one may refer to: as a reader has it, and as its writer in this process does, if there is one. */
type Fallback = { readonly shelf: Shelf; readonly blobs: BlobDirectory | null };

/** Number of tmpfs (statfs(2)): what lies there survives no power cut, and a process that asks for it takes longer than a small build writes. */
const IN_MEMORY = 0x01021994;

/** In place of a blob that is there and cannot be inflated. */
const NO_BYTES = new Uint8Array();

/** A BlobDirectory reads, writes and sweeps the blobs of one root. */
export class BlobDirectory {
  private readonly root: string;
  private readonly files: RootFiles;
  private readonly fallback: Fallback | null;
  private readonly use: Use;
  private readonly packs: Packs;
  private readonly writer: PackWriter;
  /** Blobs that were written or compared here, hence whole. */
  private readonly whole = new Set<Sha256>();
  /** Blobs that are being put: they are deflated by other threads meanwhile. */
  private readonly arriving = new Map<Sha256, Promise<boolean>>();

  constructor(root: string, files: RootFiles, fallback: Fallback | null, use: Use) {
    this.root = root;
    this.files = files;
    this.fallback = fallback;
    this.use = use;
    this.packs = openPacks(root, (path) => this.openFile(path));
    this.writer = openPackWriter(root, () => files.modes());
  }

  async get(digest: Sha256): Promise<Uint8Array | null> {
    return (await this.readOwn(digest)) ?? (await this.fallback?.shelf.getBlob(digest)) ?? null;
  }

  async open(digest: Sha256): Promise<OpenFile | null> {
    return (await this.openOwn(digest)) ?? (await this.fallback?.shelf.openBlob(digest)) ?? null;
  }

  async readMany(digests: readonly Sha256[]): Promise<ReadonlyMap<Sha256, Uint8Array>> {
    const own = await this.packs.readMany(digests);
    const rest = this.fallback === null ? [] : digests.filter((digest) => !own.has(digest));
    for (const [digest, bytes] of (await this.fallback?.shelf.readMany(rest)) ?? []) own.set(digest, bytes);
    return own;
  }

  async has(digest: Sha256): Promise<boolean> {
    return (await this.hasOwn(digest)) || ((await this.fallback?.shelf.hasBlob(digest)) ?? false);
  }

  /** put stores bytes under their digest unless they are there. @returns whether anything was written */
  put(digest: Sha256, bytes: Uint8Array): Promise<boolean> {
    const before = Promise.allSettled([this.arriving.get(digest)]);
    const putting = before.then(() => this.store(digest, bytes));
    this.arriving.set(digest, putting);
    return putting.finally(() => this.arriving.get(digest) === putting && this.arriving.delete(digest));
  }

  private async store(digest: Sha256, bytes: Uint8Array): Promise<boolean> {
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
      const { shelf, blobs } = this.fallback;
      await blobs?.arriving.get(digest)?.catch(() => false);
      if (blobs?.whole.has(digest) === true && (await blobs.has(digest))) return false;
      const elsewhere = await shelf.getBlob(digest);
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

  async *list(): AsyncGenerator<{ readonly digest: Sha256; readonly size: number }> {
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
    if (!existsSync(this.root) || statfsSync(this.root).type === IN_MEMORY) return;
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
