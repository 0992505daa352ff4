/** One builder at a time over all machines: one object of the bucket (`internal/lease` for a shelf), taken and renewed by compare-and-swap.
 *
 *  No two clocks are compared. Whoever finds it held watches it: one that is renewed is alive; one that has not changed for its whole
 *  time, on the watcher's own monotonic clock, is taken with the next fencing number. The former holder may still be at work and not
 *  know: what keeps it from publishing is that the pointers are moved to the new number first (see remote.ts). */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { canonicalJson, parseJson, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import type { Bucket } from "#snapshots/annex/bucket";
import { keptFile } from "#generator/files";
import { swap } from "./place.ts";

const SHELF_LEASE = "internal/lease";
const MAX_LEASE_BYTES = 4096;
/** A write over what is there is tried so often before the store is said to have done it. */
const TRIES = 3;

const leaseSchema = z.strictObject({
  fence: z.int().positive(),
  /** Null when it was given back. */
  holder: z.strictObject({ copy: z.string(), name: z.string(), work: z.string(), since: z.iso.datetime() }).nullable(),
  /** Until when the holder means to have it, by its own clock: for people. */
  until: z.iso.datetime(),
  /** How long it is good without a renewal; milliseconds. */
  ttl: z.int().positive(),
  /** Another number each time. */
  renewal: z.int().min(0),
});
type LeaseFile = z.infer<typeof leaseSchema>;

/** Long beside what keeps a busy process from its timers, short beside how long somebody waits. Milliseconds. */
const LEASE_MS = 60_000;
/** Renewals within that time. */
const RENEWALS = 3;
/** How often somebody who waits looks; milliseconds. */
const LOOK_MS = 1_000;

export type LeaseOptions = {
  /** Names the work, for people. */
  readonly work: string;
  /** Where the lease lies in the bucket; that of a shelf when it is left out. */
  readonly key?: string;
  /** Waits for whoever holds it, however long that takes. */
  readonly wait?: boolean;
  readonly ttl?: number;
  readonly now?: () => Date;
};

/** takeLease waits for nobody who is alive, unless it is told to.
 *  @param root of the internal root's copy: only one process at a time takes leases for it; null for a holder that shares its name with
 *         nobody and tells the bucket no name of a machine, because everybody may read what lies there
 *  @throws ShelfError "build_running" naming who has it and until when; "bad_config" when the store does not keep its promises */
export async function takeLease(bucket: Bucket, root: string | null, options: LeaseOptions): Promise<Lease> {
  const { ttl = LEASE_MS, now = () => new Date(), work, key = SHELF_LEASE } = options;
  const at: LeasePlace = { bucket, key };
  const copy = root === null ? randomUUID() : copyId(root);
  const name = root === null ? "a process that names no machine" : `${hostname()}, process ${process.pid}`;
  const since = now().toISOString();
  const mine: Mine = (fence, renewal) => ({
    fence,
    holder: { copy, name, work, since },
    until: new Date(now().getTime() + ttl).toISOString(),
    ttl,
    renewal,
  });

  let found = await proveConditions(at);
  let seen = performance.now();
  for (;;) {
    const { file, etag } = found;
    const other = file.holder !== null && file.holder.copy !== copy;
    if (!other || performance.now() - seen > file.ttl) {
      const next = mine(file.fence + 1, file.renewal + 1);
      const moved = await swap(bucket, key, formatLease(next), etag);
      if (moved !== null) return new Lease(at, mine, { file: next, etag: moved }, file.holder !== null);
    } else await wait(Math.min(LOOK_MS, file.ttl / RENEWALS));
    const later = await readLease(at);
    if (later.etag === etag) continue;
    // The holder lives: it was renewed, or taken, just now.
    const { holder } = later.file;
    if (options.wait !== true && holder !== null && holder.copy !== copy) throw running(later.file);
    [found, seen] = [later, performance.now()];
  }
}

type LeasePlace = { readonly bucket: Bucket; readonly key: string };

/** Mine makes the file that this holder writes. */
type Mine = (fence: number, renewal: number) => LeaseFile;

/** A Lease is a lease that is held. It renews itself until it is given back. */
export class Lease {
  readonly fence: number;
  /** True when a former holder never gave it back: it may still be at work. */
  readonly taken: boolean;
  readonly #at: LeasePlace;
  readonly #mine: Mine;
  readonly #timer: NodeJS.Timeout;
  #held: Found;
  #lost = false;
  /** Renewals go one at a time. */
  #turn: Promise<void> = Promise.resolve();

  constructor(at: LeasePlace, mine: Mine, held: Found, taken: boolean) {
    this.#at = at;
    this.#mine = mine;
    this.#held = held;
    this.fence = held.file.fence;
    this.taken = taken;
    this.#timer = setInterval(() => {
      // A bucket that is away for a while costs no lease: whether another has it is asked again.
      this.#turn = this.#turn.then(() => this.#renew()).catch(() => undefined);
    }, held.file.ttl / RENEWALS);
    this.#timer.unref();
  }

  /** @throws ShelfError "lost_race" when another one has it now */
  check(): void {
    if (!this.#lost) return;
    throw new ShelfError(
      "lost_race",
      "Another builder has taken over, because nothing was heard of this one for too long; nothing was published.",
      { fixes: ["Build again: the next build begins with what is published now."] },
    );
  }

  /** Renews it now. @throws as `check` */
  async confirm(): Promise<void> {
    const renewing = this.#turn.then(() => this.#renew());
    this.#turn = renewing.catch(() => undefined);
    await renewing;
    this.check();
  }

  /** holds says whether it is still held, having renewed it now. */
  readonly holds = async (): Promise<boolean> => {
    try {
      await this.confirm();
      return true;
    } catch (error) {
      if (error instanceof ShelfError && error.code === "lost_race") return false;
      throw error;
    }
  };

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#turn;
    const { file, etag } = this.#held;
    const given = formatLease({ ...file, holder: null, renewal: file.renewal + 1 });
    // One that is not given back runs out.
    if (!this.#lost) await swap(this.#at.bucket, this.#at.key, given, etag).catch(() => null);
  }

  async #renew(): Promise<void> {
    if (this.#lost) return;
    const { file, etag } = this.#held;
    const next = this.#mine(file.fence, file.renewal + 1);
    let moved = await swap(this.#at.bucket, this.#at.key, formatLease(next), etag);
    if (moved === null) {
      const there = await readLease(this.#at);
      const { holder } = next;
      this.#lost = there.file.holder?.copy !== holder?.copy || there.file.fence !== file.fence;
      if (this.#lost) return;
      moved = await swap(this.#at.bucket, this.#at.key, formatLease(next), there.etag);
    }
    if (moved !== null) this.#held = { file: next, etag: moved };
  }
}

type Found = { readonly file: LeaseFile; readonly etag: string };

const FREE: LeaseFile = { fence: 1, holder: null, until: new Date(0).toISOString(), ttl: LEASE_MS, renewal: 0 };

/** Everything that is published hangs on two promises of the store, and some break them without a word. So each builder tries them on
 *  the lease itself, with bytes that mean what it means already: in a store that breaks them nothing is spoiled either.
 *  @throws ShelfError "bad_config" */
async function proveConditions(at: LeasePlace): Promise<Found> {
  const { bucket, key } = at;
  const got = await bucket.get(key, { maxBytes: MAX_LEASE_BYTES });
  const there = got.state === "found" ? got.bytes : formatLease(FREE);
  if (got.state !== "found") await bucket.putIfAbsent(key, there);
  let written = 0;
  // An answer that was lost is taken for a write; but not each time.
  while ((await bucket.putIfAbsent(key, there)) === "written")
    if (++written === TRIES) throw broken("If-None-Match: * (it wrote over what was there)");
  const other = Buffer.concat([there, Buffer.from("\n")]);
  if ((await bucket.putIfMatch(key, other, sha256(there).slice(0, 32))) !== null) throw broken("If-Match (it replaced another version)");
  return got.state === "found" ? { file: parseLease(at, got.bytes), etag: got.etag } : readLease(at);
}

function broken(promise: string): ShelfError {
  return new ShelfError(
    "bad_config",
    `Nothing was published: the store does not keep ${promise}, so two builders could overwrite each other.`,
    {
      fixes: [
        "Use a store with conditional writes: AWS S3, Ceph, Cloudflare R2, Google Cloud Storage, MinIO.",
        "On Ceph the versioning of a bucket switches them off: use a bucket without it.",
      ],
    },
  );
}

async function readLease(at: LeasePlace): Promise<Found> {
  const { bucket, key } = at;
  const got = await bucket.get(key, { maxBytes: MAX_LEASE_BYTES });
  if (got.state === "found") return { file: parseLease(at, got.bytes), etag: got.etag };
  throw new ShelfError("bucket_unavailable", `${key} in ${bucket.address} is gone; nothing was published.`, { fixes: ["Try again."] });
}

function parseLease({ key }: LeasePlace, bytes: Uint8Array): LeaseFile {
  const parsed = leaseSchema.safeParse(parseJson(Buffer.from(bytes).toString()));
  if (parsed.success) return parsed.data;
  throw new ShelfError("bad_config", `${key} in the bucket is no lease: another program writes there.`, {
    fixes: ["Give the shelf, or the export, a prefix of its own, or remove that object."],
  });
}

function running({ holder, until }: LeaseFile): ShelfError {
  return new ShelfError(
    "build_running",
    `Another ${holder?.work} is running: ${holder?.name}, since ${holder?.since}, until ${until} by its own clock and longer if it goes on.`,
    { fixes: ["Wait for it to end, or stop it; what it holds runs out by itself."] },
  );
}

/** copyId names the holder. Random, for the folder may lie at the same path of many machines; with the machine's name, for folders are copied. */
function copyId(root: string): string {
  const kept = keptFile(z.uuid(), join(root, "build", "copy.id"));
  const id = kept.read() ?? randomUUID();
  kept.write(id);
  return `${hostname()} ${id}`;
}

function formatLease(file: LeaseFile): Uint8Array {
  return Buffer.from(canonicalJson(file));
}
