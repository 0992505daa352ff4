/** A reader's copy that takes no more of the disk than it may. While the shelf fits, the copy has all of it. When it does not, the copy
 *  has what a server needs to be ready: the files of the history, the index, and of what is served the trees and lists. Every other
 *  blob is fetched when it is asked for, kept, and removed when others need the room and nobody has read it for longest.
 *
 *  What is removed while somebody reads it is read to its end; what was removed before is fetched again. A blob appears whole, after its
 *  digest was compared, and is compared again by who reads it. */
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Bucket } from "#snapshots/annex/bucket";
import { type Sha256, sha256 } from "#snapshots/digest";
import { type ErrorCode, ShelfError } from "#snapshots/errors";
import { formatBytes } from "#snapshots/format";
import type { BlobAnswer, BlobQuestion, CacheNote } from "#snapshots/http";
import { MAX_PACKED, modesUnder, openByteBudget, openDirectoryShelf, type Shelf } from "#snapshots/shelf";
import { type BlobPlace, openBlobPlaces, readPacked, readPieces, spoiled } from "./blob-places.ts";
import { type Inventory, isBuilders } from "./inventory.ts";
import type { Known } from "./known.ts";
import { BY_DIGEST } from "./local-files.ts";
import { gather } from "./part.ts";
import type { BucketPlace } from "./place.ts";
import type { Choice } from "./pull.ts";
import { AT_ONCE } from "./push.ts";
import { type Coming, READERS, type Remote, type RemoteView } from "./remote.ts";
import { ARRIVING, onDisk, openRoom, type DiskRoom } from "./room.ts";

/** A shelf is wholly there up to this part of the bound: the rest is for what a publication replaces. */
const WHOLE = 3 / 4;
/** After a failure nobody waits for the bucket for so long; milliseconds. */
const AWAY_MS = 5_000;
/** How often it is looked whether every file is still what it was, and how soon again when that failed; milliseconds. */
const [LOOK_AGAIN_MS, TRY_AGAIN_MS] = [10 * 60_000, 10_000];
/** How long a disk that took nothing counts as full when nothing else was written; milliseconds. */
const FULL_MS = 30_000;
const DISK_FULL = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO"]);

export type ReaderCacheOptions = {
  readonly views: readonly RemoteView[];
  readonly maxBytes: number;
  /** The same bucket, of which somebody awaits the answer. */
  readonly hasty: Bucket;
  /** How long a server may still read what its snapshot needed; milliseconds. */
  readonly linger: number;
};

/** Blobs that one publication needs, and since when it is replaced. */
type Needed = { readonly digests: ReadonlySet<Sha256>; until: number };

export class ReaderCache {
  readonly #remote: Remote;
  readonly #views: readonly RemoteView[];
  readonly #maxBytes: number;
  readonly #hasty: Bucket;
  readonly #linger: number;
  readonly #lying = { public: openBlobPlaces(), internal: openBlobPlaces() };
  readonly #needed: Record<RemoteView, Needed[]> = { public: [], internal: [] };
  /** Names of the inventories that were prepared for, and after which what is not needed any more went. */
  readonly #prepared: Record<RemoteView, string | null> = { public: null, internal: null };
  readonly #tidied: Record<RemoteView, string | null> = { public: null, internal: null };
  readonly #inventories: Record<RemoteView, Inventory | null> = { public: null, internal: null };
  readonly #room: DiskRoom;
  /** Blobs that are fetched at once, and those that somebody waits for. */
  readonly #turns = openByteBudget(AT_ONCE);
  readonly #answering = new Map<string, Promise<BlobAnswer>>();
  /** True where the whole shelf fits into the bound. */
  #whole = true;
  #awayUntil = 0;
  #fullUntil = 0;
  /** True when every file was hashed; below it, when the next look is due. */
  #hashed = false;
  #lookAt = 0;

  constructor(remote: Remote, { views, maxBytes, hasty, linger }: ReaderCacheOptions) {
    this.#remote = remote;
    this.#views = views;
    this.#maxBytes = maxBytes;
    this.#hasty = hasty;
    this.#linger = linger;
    const roots = (["public", "internal"] as const).map((view) => remote.places[view].root);
    this.#room = openRoom(roots, maxBytes, (root, digest) => !this.#isNeeded(this.#viewOf(root), digest));
  }

  #viewOf(root: string): RemoteView {
    return root === this.#remote.places.public.root ? "public" : "internal";
  }

  #isNeeded(view: RemoteView, digest: Sha256): boolean {
    if (this.#needed[view].some(({ digests }) => digests.has(digest))) return true;
    const inventory = this.#inventories[view];
    return this.#whole && inventory?.files.has(`blobs/${digest.slice(0, 2)}/${digest}`) === true;
  }

  #setInventories(next: ReadonlyMap<RemoteView, Inventory>): void {
    if ([...next].every(([view, inventory]) => this.#inventories[view] === inventory)) return;
    for (const [view, inventory] of next) this.#inventories[view] = inventory;
    let bytes = 0;
    for (const inventory of Object.values(this.#inventories))
      for (const [path, { size }] of inventory?.files ?? []) if (!isBuilders(path)) bytes += onDisk(size);
    this.#whole = bytes <= this.#maxBytes * WHOLE;
  }

  /** Another process may keep the other root in the same folder. */
  async #learn(): Promise<Readonly<Record<RemoteView, Known | null>>> {
    const known = { public: await this.#remote.known("public"), internal: await this.#remote.known("internal") };
    this.#setInventories(
      new Map(Object.values(this.#remote.places).flatMap(({ view }) => (known[view] === null ? [] : [[view, known[view].inventory]]))),
    );
    return known;
  }

  async choose(coming: ReadonlyMap<RemoteView, Inventory>): Promise<(view: RemoteView) => Choice> {
    const known = await this.#learn();
    this.#setInventories(coming);
    const isPart = (path: string): boolean => !isBuilders(path) && !BY_DIGEST.test(path);
    const part: Choice = { wants: isPart, sees: isPart };
    const choiceOf = (): Choice => (this.#whole ? READERS : part);
    let arriving = 0;
    for (const [view, { files }] of coming)
      for (const [path, { sha256: digest, size }] of files)
        if (choiceOf().wants(path) && known[view]?.files.get(path)?.sha256 !== digest) arriving += onDisk(size);
    if (arriving > 0) await this.#room.take(arriving, "anyway");
    return choiceOf;
  }

  async prepare(coming: readonly Coming[]): Promise<void> {
    for (const view of ["public", "internal"] as const) {
      const one = coming.find((other) => other.view === view);
      if (one === undefined || this.#prepared[view] === one.head.pointer.inventory) continue;
      const digests = this.#whole ? new Set<Sha256>() : await this.#prepareRoot(one);
      const now = performance.now();
      for (const before of this.#needed[view]) before.until = Math.min(before.until, now + this.#linger);
      this.#needed[view].push({ digests, until: Number.POSITIVE_INFINITY });
    }
    for (const { view, head } of coming) this.#prepared[view] = head.pointer.inventory;
  }

  async #prepareRoot({ view, records }: Coming): Promise<ReadonlySet<Sha256>> {
    const own = openDirectoryShelf(this.#remote.places[view].root, null, "building");
    const shelf: Pick<Shelf, "getBlob"> = {
      getBlob: async (digest) => (await own.getBlob(digest)) ?? (await this.#neededInPublic(view, digest)),
    };
    const digests = await gather(shelf, new Set(records.map(({ snapshot }) => snapshot)), async (missing) => {
      const found = new Map<Sha256, Uint8Array>();
      const rest = new Set(missing);
      for (const from of sourcesOf(view)) {
        const inventory = this.#inventories[from];
        if (inventory === null) continue;
        const findBlob = await this.#lying[from](this.#remote.places[from], inventory);
        const there = new Map([...rest].flatMap((digest) => pairs(digest, findBlob(digest))));
        await this.#room.take(
          [...there.values()].reduce((sum, { size }) => sum + size, 0),
          "anyway",
        );
        const take = async (digest: Sha256, bytes: Uint8Array): Promise<void> => {
          await own.blobs.put(digest, bytes);
          found.set(digest, bytes);
        };
        await readPacked(this.#remote.places[from], there, take);
        for (const [digest, { file, packed }] of there) {
          if (packed !== null) continue;
          const bytes = Buffer.concat(await Array.fromAsync(readPieces(this.#remote.places[from], file)));
          if (sha256(bytes) !== digest) throw spoiled(this.#remote.places[from], digest);
          await take(digest, bytes);
        }
        for (const digest of there.keys()) rest.delete(digest);
      }
      const [lost] = rest;
      if (lost !== undefined) throw spoiled(this.#remote.places[view], lost);
      return found;
    });
    await own.blobs.seal();
    return digests;
  }

  /** The internal view's trees are mostly those of the public one. */
  async #neededInPublic(view: RemoteView, digest: Sha256): Promise<Uint8Array | null> {
    if (view === "public" || !this.#needed.public.some(({ digests }) => digests.has(digest))) return null;
    return openDirectoryShelf(this.#remote.places.public.root, null, "building").getBlob(digest);
  }

  /** Removes all that no snapshot needs any more; only alone. */
  async #tidy(): Promise<void> {
    const now = performance.now();
    const isIn = new Map<RemoteView, (digest: Sha256) => boolean>();
    for (const view of this.#views) {
      this.#needed[view] = this.#needed[view].filter(({ until }) => until > now);
      if (this.#whole) continue;
      const finders = await Promise.all(
        sourcesOf(view).flatMap((from) =>
          this.#inventories[from] === null ? [] : [this.#lying[from](this.#remote.places[from], this.#inventories[from])],
        ),
      );
      const shelf = openDirectoryShelf(this.#remote.places[view].root, null, "building");
      // Readers get the notices in place of these.
      const redacted = new Set(await shelf.redactions.list());
      const isKept = (digest: Sha256): boolean => !redacted.has(digest) && finders.some((findBlob) => findBlob(digest) !== null);
      isIn.set(view, isKept);
      await shelf.blobs.sweep({
        isNeeded: (digest) => !redacted.has(digest) && this.#needed[view].some(({ digests }) => digests.has(digest)),
        mustGo: (digest) => !isKept(digest),
        leaveLoose: true,
      });
    }
    for (const { root, digest, path } of await this.#room.look())
      if (isIn.get(this.#viewOf(root))?.(digest) === false && !this.#isNeeded(this.#viewOf(root), digest)) await rm(path, { force: true });
    await this.#room.look();
  }

  /** Follows what the copy was brought to, by whichever process. Cheap while nothing has changed. */
  async keepUp(): Promise<void> {
    const known = await this.#learn();
    const moved = this.#views.filter((view) => known[view] !== null && known[view].pointer.inventory !== this.#tidied[view]);
    const ended = this.#views.some((view) => this.#needed[view].some(({ until }) => until <= performance.now()));
    if (moved.length === 0 && !ended) return;
    await this.#remote.alone(async () => {
      await this.prepare(await Promise.all(moved.map((view) => this.#comingFrom(view, known[view] as Known))));
      await this.#tidy();
      for (const view of moved) this.#tidied[view] = known[view]?.pointer.inventory ?? null;
    });
  }

  async #comingFrom(view: RemoteView, { inventory, ...head }: Known): Promise<Coming> {
    const shelf = openDirectoryShelf(
      this.#remote.places[view].root,
      view === "internal" ? openDirectoryShelf(this.#remote.places.public.root) : null,
    );
    const record = await shelf.readPointer();
    return { view, head, inventory, records: record === null ? [] : [record] };
  }

  async #find(view: RemoteView, digest: Sha256, anew: boolean): Promise<BlobAnswer> {
    if (!anew && sourcesOf(view).some((from) => existsSync(this.#looseOf(from, digest)))) return { state: "kept" };
    if (performance.now() < this.#awayUntil) return failed(away("bucket_unavailable"));
    const known = await this.#learn();
    for (const from of sourcesOf(view)) {
      const inventory = known[from]?.inventory;
      if (inventory === undefined) continue;
      const place: BucketPlace = { ...this.#remote.places[from], bucket: this.#hasty };
      const where = (await this.#lying[from](place, inventory))(digest);
      if (where === null) continue;
      return where.size > MAX_PACKED
        ? this.#keepLong(place, digest, where)
        : this.#keep(place, digest, await readShort(place, digest, where));
    }
    return { state: "absent" };
  }

  #looseOf(view: RemoteView, digest: Sha256): string {
    return join(this.#remote.places[view].root, "blobs", digest.slice(0, 2), digest);
  }

  async #keep({ root, view }: BucketPlace, digest: Sha256, bytes: Uint8Array): Promise<BlobAnswer> {
    const handedOver: BlobAnswer = { state: "held", bytes: Buffer.from(bytes).toString("base64") };
    if (!(await this.#room.take(bytes.length))) return handedOver;
    return (await this.#write(root, this.#looseOf(view, digest), [bytes])) ? { state: "kept" } : handedOver;
  }

  /** Too long to be held in memory. It is kept in any case: nobody could read it else. */
  async #keepLong(place: BucketPlace, digest: Sha256, { file, size }: BlobPlace): Promise<BlobAnswer> {
    await this.#room.take(size, "anyway");
    const hash = createHash("sha256");
    const checked = async function* (): AsyncGenerator<Uint8Array> {
      for await (const bytes of readPieces(place, file)) {
        hash.update(bytes);
        yield bytes;
      }
      if (hash.digest("hex") !== digest) throw spoiled(place, digest);
    };
    if (await this.#write(place.root, this.#looseOf(place.view, digest), checked())) return { state: "kept" };
    throw new ShelfError("overloaded", "This machine's disk has no room for this file now.", { fixes: ["Try again later."] });
  }

  /** @returns whether the disk took it */
  async #write(root: string, path: string, parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<boolean> {
    const modes = modesUnder(root);
    const temporary = join(root, ARRIVING, randomUUID());
    try {
      for (const folder of [dirname(temporary), dirname(path)]) await mkdir(folder, { recursive: true, mode: modes.folder });
      const file = await open(temporary, "wx", modes.file);
      try {
        for await (const bytes of parts) await file.writeFile(bytes);
      } finally {
        await file.close();
      }
      await rename(temporary, path);
      this.#fullUntil = 0;
      return true;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      if (!isDiskFull(error)) throw error;
      this.#fullUntil = performance.now() + FULL_MS;
      return false;
    }
  }

  async #fetch({ view, digest, anew }: BlobQuestion): Promise<BlobAnswer> {
    await this.#turns.take(1);
    try {
      return await this.#find(view, digest, anew);
    } catch (error) {
      if (!(error instanceof ShelfError)) return failed(new ShelfError("internal", "A file could not be fetched."));
      const isAway = error.code === "bucket_unavailable" || error.code === "bucket_denied";
      if (isAway) this.#awayUntil = performance.now() + AWAY_MS;
      // Its own words name the bucket and a key of it, which are nobody's business.
      return failed(isAway ? away(error.code) : error);
    } finally {
      this.#turns.give(1);
    }
  }

  /** Tells whether a look at all files is due: "files" hashes them. */
  due(): "files" | "pointers" | null {
    if (performance.now() < this.#lookAt) return null;
    return this.#hashed ? "pointers" : "files";
  }

  looked(failure: unknown): void {
    this.#hashed ||= failure === null;
    this.#lookAt = performance.now() + (failure === null ? LOOK_AGAIN_MS : TRY_AGAIN_MS);
    if (failure !== null && isDiskFull(failure)) this.#fullUntil = performance.now() + FULL_MS;
  }

  answer(question: BlobQuestion): Promise<BlobAnswer> {
    const name = `${question.view} ${question.digest} ${question.anew}`;
    let running = this.#answering.get(name);
    if (running === undefined) {
      running = this.#fetch(question).finally(() => this.#answering.delete(name));
      this.#answering.set(name, running);
    }
    return running;
  }

  note(): CacheNote {
    if (performance.now() < this.#fullUntil)
      return {
        good: false,
        text: "the disk of the cache is full: what is not kept is read from the bucket each time, as far as that goes",
      };
    const [fixed, most] = [this.#room.fixed(), formatBytes(this.#maxBytes)];
    return fixed > this.#maxBytes
      ? { good: false, text: `what a server needs takes ${formatBytes(fixed)}, more than the ${most} of shelf.cache.maxBytes` }
      : { good: true, text: `keeps at most ${most} of what is read of the bucket` };
  }
}

function away(code: ErrorCode): ShelfError {
  return new ShelfError(code, "This file is not kept on this machine, and the object storage does not give it now.", {
    fixes: ["Try again later."],
  });
}

function sourcesOf(view: RemoteView): readonly RemoteView[] {
  return view === "internal" ? ["internal", "public"] : ["public"];
}

function pairs(digest: Sha256, place: BlobPlace | null): readonly (readonly [Sha256, BlobPlace])[] {
  return place === null ? [] : [[digest, place]];
}

async function readShort(place: BucketPlace, digest: Sha256, where: BlobPlace): Promise<Uint8Array> {
  if (where.packed === null) {
    const bytes = Buffer.concat(await Array.fromAsync(readPieces(place, where.file)));
    if (sha256(bytes) === digest) return bytes;
    throw spoiled(place, digest);
  }
  let found: Uint8Array = Buffer.alloc(0);
  await readPacked(place, new Map([[digest, where]]), async (_, bytes) => void (found = bytes));
  return found;
}

function failed({ code, message, fixes }: ShelfError): BlobAnswer {
  return { state: "failed", code, message, fixes };
}

function isDiskFull(error: unknown): boolean {
  return DISK_FULL.has((error as NodeJS.ErrnoException).code ?? "");
}
