/** One builder at a time over all machines: `internal/lease` in the bucket, taken and renewed by compare-and-swap.
 *
 *  No two clocks are compared. Whoever finds it held watches it: one that is renewed is alive; one that has not changed for its whole
 *  time, on the watcher's own monotonic clock, is taken with the next fencing number. The former holder may still be at work and not
 *  know: what keeps it from publishing is that the pointers are moved to the new number first (see remote.ts). */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { canonicalJson, parseJson, sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import type { Bucket } from "../../snapshots/bucket/bucket.ts";
import { swap } from "./place.ts";
import { writeWhole } from "./write-whole.ts";

const LEASE = "internal/lease";
const MAX_LEASE_BYTES = 4096;
/** Of a write over what is there, before the store is said to have done it. */
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

export type Lease = {
  readonly fence: number;
  /** Whether a former holder never gave it back: it may still be at work. */
  readonly taken: boolean;
  /** @throws ShelfError "lost_race" when another one has it now */
  check(): void;
  /** Renews it now. @throws as `check` */
  confirm(): Promise<void>;
  release(): Promise<void>;
};

export type LeaseOptions = {
  /** What is done, for people. */
  readonly work: string;
  /** Waits for whoever holds it, however long that takes. */
  readonly wait?: boolean;
  readonly ttl?: number;
  readonly now?: () => Date;
};

/** @param root of the internal root's copy: only one process at a time takes leases for it
 *  @throws ShelfError "build_running" naming who has it and until when; "bad_config" when the store does not keep its promises */
export async function takeLease(bucket: Bucket, root: string, options: LeaseOptions): Promise<Lease> {
  const { ttl = LEASE_MS, now = () => new Date(), work } = options;
  const copy = copyId(root);
  const since = now().toISOString();
  const mine = (fence: number, renewal: number): LeaseFile => ({
    fence,
    holder: { copy, name: `${hostname()}, process ${process.pid}`, work, since },
    until: new Date(now().getTime() + ttl).toISOString(),
    ttl,
    renewal,
  });

  let found = await proveConditions(bucket);
  let seen = performance.now();
  let held: Found | null = null;
  let taken = false;
  while (held === null) {
    const { file, etag } = found;
    const other = file.holder !== null && file.holder.copy !== copy;
    if (!other || performance.now() - seen > file.ttl) {
      const next = mine(file.fence + 1, file.renewal + 1);
      const moved = await swap(bucket, LEASE, formatLease(next), etag);
      if (moved !== null) [held, taken] = [{ file: next, etag: moved }, file.holder !== null];
    } else await wait(Math.min(LOOK_MS, file.ttl / RENEWALS));
    if (held !== null) break;
    const later = await readLease(bucket);
    if (later.etag === etag) continue;
    // Whoever has it lives: it was renewed, or taken, just now.
    const { holder } = later.file;
    if (options.wait !== true && holder !== null && holder.copy !== copy) throw running(later.file);
    [found, seen] = [later, performance.now()];
  }

  let { file, etag } = held;
  let lost = false;
  const renew = async (): Promise<void> => {
    const next = mine(file.fence, file.renewal + 1);
    let moved = await swap(bucket, LEASE, formatLease(next), etag);
    if (moved === null) {
      const there = await readLease(bucket);
      lost = there.file.holder?.copy !== copy || there.file.fence !== file.fence;
      if (lost) return;
      moved = await swap(bucket, LEASE, formatLease(next), there.etag);
    }
    if (moved !== null) [file, etag] = [next, moved];
  };
  let turn: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // A bucket that is away for a while costs no lease: whether another has it is asked again.
    turn = turn.then(() => (lost ? undefined : renew())).catch(() => undefined);
  }, ttl / RENEWALS);
  timer.unref();
  const check = (): void => {
    if (!lost) return;
    throw new ShelfError(
      "lost_race",
      "Another builder has taken over, because nothing was heard of this one for too long; nothing was published.",
      {
        fixes: ["Build again: the next build begins with what is published now."],
      },
    );
  };
  return {
    fence: file.fence,
    taken,
    check,
    async confirm() {
      const renewing = turn.then(renew);
      turn = renewing.catch(() => undefined);
      await renewing;
      check();
    },
    async release() {
      clearInterval(timer);
      await turn;
      // One that is not given back runs out.
      if (!lost) await swap(bucket, LEASE, formatLease({ ...file, holder: null, renewal: file.renewal + 1 }), etag).catch(() => null);
    },
  };
}

type Found = { readonly file: LeaseFile; readonly etag: string };

const FREE: LeaseFile = { fence: 1, holder: null, until: new Date(0).toISOString(), ttl: LEASE_MS, renewal: 0 };

/** Everything that is published hangs on two promises of the store, and some break them without a word. So each builder tries them on
 *  the lease itself, with bytes that mean what it means already: in a store that breaks them nothing is spoiled either.
 *  @throws ShelfError "bad_config" */
async function proveConditions(bucket: Bucket): Promise<Found> {
  const got = await bucket.get(LEASE, { maxBytes: MAX_LEASE_BYTES });
  const there = got.state === "found" ? got.bytes : formatLease(FREE);
  if (got.state !== "found") await bucket.putIfAbsent(LEASE, there);
  let written = 0;
  // An answer that was lost is taken for a write; but not each time.
  while ((await bucket.putIfAbsent(LEASE, there)) === "written")
    if (++written === TRIES) throw broken("If-None-Match: * (it wrote over what was there)");
  const other = Buffer.concat([there, Buffer.from("\n")]);
  if ((await bucket.putIfMatch(LEASE, other, sha256(there).slice(0, 32))) !== null) throw broken("If-Match (it replaced another version)");
  return got.state === "found" ? { file: parseLease(got.bytes), etag: got.etag } : readLease(bucket);
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

async function readLease(bucket: Bucket): Promise<Found> {
  const got = await bucket.get(LEASE, { maxBytes: MAX_LEASE_BYTES });
  if (got.state === "found") return { file: parseLease(got.bytes), etag: got.etag };
  throw new ShelfError("bucket_unavailable", `${LEASE} in ${bucket.address} is gone; nothing was published.`, { fixes: ["Try again."] });
}

function parseLease(bytes: Uint8Array): LeaseFile {
  const parsed = leaseSchema.safeParse(parseJson(Buffer.from(bytes).toString()));
  if (parsed.success) return parsed.data;
  throw new ShelfError("bad_config", `${LEASE} in the bucket is no lease: another program writes there.`, {
    fixes: ["Give the shelf a prefix of its own, or remove that object."],
  });
}

function running({ holder, until }: LeaseFile): ShelfError {
  return new ShelfError(
    "build_running",
    `Another ${holder?.work} is running: ${holder?.name}, since ${holder?.since}, until ${until} by its own clock and longer if it goes on.`,
    { fixes: ["Wait for it to end, or stop it; what it holds runs out by itself."] },
  );
}

/** Whose lease is whose. Random, for the folder may lie at the same path of many machines; with the machine's name, for folders are copied. */
function copyId(root: string): string {
  const path = join(root, "build", "copy.id");
  let id: string;
  try {
    id = readFileSync(path, "utf8");
  } catch {
    id = randomUUID();
    writeWhole(path, root, Buffer.from(id));
  }
  return `${hostname()} ${id}`;
}

function formatLease(file: LeaseFile): Uint8Array {
  return Buffer.from(canonicalJson(file));
}
