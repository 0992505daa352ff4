/** A shelf in a bucket, seen from one machine: a folder that is a shelf like any other, the *copy*, and what brings it and the bucket
 *  together. Everything works on the copy. Before a command changes it, it is brought to what the bucket says, and what was changed
 *  goes back afterwards. Only the pointers are different: the bucket's moves first, so that nobody serves what others do not. */
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { canonicalJson, parseJson, type Sha256, sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import type { Bucket, BucketConfig } from "../../snapshots/bucket/bucket.ts";
import { openBucket } from "../../snapshots/bucket/s3-bucket.ts";
import { absent } from "../../snapshots/shelf/absent.ts";
import { CLOSED, OPEN } from "../../snapshots/shelf/modes.ts";
import { findServed, namedWith } from "../../snapshots/shelf/served.ts";
import { checkWritable, clearTemporary, openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { internalPointerSchema, type SnapshotRecord } from "../../snapshots/shelf/shelf.ts";
import { inTurns } from "../in-turns.ts";
import { type Inventory, isBuilders, objectsOf } from "./inventory.ts";
import { withBuildLock } from "../lock.ts";
import { type Known, knownFile, readKnown, writeKnown } from "./known.ts";
import { type Lease, type LeaseOptions, takeLease } from "./lease.ts";
import { deleteObject, getObject, type Head, listObjects, type Place, readHead, swapHead } from "./place.ts";
import { BY_DIGEST, stampOf } from "./local-files.ts";
import { type Choice, discard, type Fetched, fetchInventory, fetchRoot, findExtra, findSpoiled, placeFiles, remember } from "./pull.ts";
import { AT_ONCE, GRACE_MS, push } from "./push.ts";
import { writeWhole } from "./write-whole.ts";

export type RemoteView = "public" | "internal";
type ByView<T> = Readonly<Record<RemoteView, T>>;

/** Looks after which two pointers that do not fit each other are no longer taken for a publication that goes by between them. */
const LOOKS = 40;
const LOOK_MS = 250;

type RemoteFile = { readonly view: RemoteView; readonly path: string };

type PullOptions = {
  /** A site server's credentials may be good for the public root alone. */
  readonly views: readonly RemoteView[];
  /** Also what builds keep for each other; else what there is of it stays as it is. */
  readonly whole: boolean;
  /** Reads both pointers whatever the one says; "files" also hashes every file again. */
  readonly anew?: "pointers" | "files";
  /** What is to be removed at once of the files that are not needed any more; all of it by default. */
  readonly spare?: (view: RemoteView, paths: readonly string[]) => readonly string[];
  /** Of a copy that has not everything. */
  readonly part?: Part;
};

/** A root as it is about to be served. */
export type Coming = {
  readonly view: RemoteView;
  readonly head: Head;
  readonly inventory: Inventory;
  /** What its pointer is going to name. */
  readonly records: readonly SnapshotRecord[];
};

export type Part = {
  /** @param inventories of the roots that are to be brought */
  choose(inventories: ReadonlyMap<RemoteView, Inventory>): Promise<(view: RemoteView) => Choice>;
  /** Brings what else has to be there before the pointers move. */
  prepare(coming: readonly Coming[]): Promise<void>;
};

export type Remote = {
  readonly bucket: Bucket;
  readonly copy: string;
  readonly places: ByView<Place>;
  /** Whether the bucket says something else than the copy was brought to. One request, as a rule. */
  hasMoved(views: readonly RemoteView[]): Promise<boolean>;
  /** Brings the copy to what the bucket says; while another process does so, or publishes from it, nothing is done.
   *  @returns files that were not what their names say, and are now */
  pull(options: PullOptions): Promise<readonly RemoteFile[]>;
  /** What the copy was last brought to, by whichever process; null when nothing is known. */
  known(view: RemoteView): Promise<Known | null>;
  /** Does work on the copy while no other process does; nothing while one does.
   *  @returns whether it was done */
  alone(work: () => Promise<void>): Promise<boolean>;
  /** Removes files of the copy that its inventory does not name. */
  forget(view: RemoteView, paths: readonly string[]): Promise<void>;
  /** Does work on the copy while nobody else changes the bucket. Only under the copy's build lock.
   *  @throws ShelfError "build_running" naming who does; "lost_race" */
  publishing<T>(work: () => Promise<T>, options: LeaseOptions): Promise<T>;
  /** Moves a root's pointer in the bucket, before that of the copy moves; within `publishing`.
   *  @param current what the copy's then holds
   *  @throws ShelfError "lost_race" */
  announce(view: RemoteView, current: Uint8Array): Promise<void>;
  /** Within `publishing`: when it ends, nothing stays in the bucket that killed builders left; with `at once`, also nothing that only
   *  readers that are behind need: they must not have it. */
  tidy(when: "at leisure" | "at once"): void;
  /** Objects that the inventories name and that are not there or not what their names say. Reads them all. */
  findLost(): Promise<readonly { readonly view: RemoteView; readonly object: Sha256 }[]>;
  /** Within `publishing`: these are sent again from the copy, when it ends. */
  mend(lost: readonly { readonly view: RemoteView; readonly object: Sha256 }[]): void;
};

type Session = { readonly lease: Lease; tidy: "at leisure" | "at once" | null; readonly lost: Set<Sha256>; announced: boolean };

/** Asks nothing of the bucket yet. @param copy folder of the copy */
export function openRemote(config: BucketConfig, copy: string, options: { readonly ttl?: number; readonly now?: () => Date } = {}): Remote {
  const now = options.now ?? (() => new Date());
  const bucket = openBucket(config);
  const id = `${config.endpoint} ${bucket.address}`;
  const placeOf = (view: RemoteView): Place => ({ bucket, id, view, root: join(copy, view) });
  const places = { public: placeOf("public"), internal: placeOf("internal") };
  const known: Record<RemoteView, Known | null> = { public: null, internal: null };
  let session: Session | null = null;

  const stamps = new Map<RemoteView, string | null>();
  /** Another process may have brought the copy further. */
  const learn = async (views: readonly RemoteView[]): Promise<void> => {
    for (const view of views) {
      const stamp = await stampOf(knownFile(places[view].root));
      if (stamp === null || stamps.get(view) !== stamp) known[view] = await readKnown(places[view].root, id);
      stamps.set(view, stamp);
    }
  };
  const alone = <T>(work: () => Promise<T>, waiting: boolean): Promise<T> =>
    withBuildLock(join(places.internal.root, "bucket"), work, { wait: waiting, work: "look at the bucket" });

  /** The versions that there are now; null for a root that nothing was published to. */
  async function readHeads(views: readonly RemoteView[], anew: boolean): Promise<ByView<Head | null> | "same"> {
    const heads: Record<RemoteView, Head | null> = { public: null, internal: null };
    let moved = false;
    // The internal root's pointer moves after each move of the public one. While it names two records it may not have yet.
    if (views.includes("internal") && !anew && known.public !== null && known.internal !== null) {
      const head = await readHead(places.internal, known.internal.etag);
      if (head === "same" && (await readNamed(places.internal))?.length === 1) return "same";
    }
    for (const view of views) {
      const before = known[view];
      const head = await readHead(places[view], before === null || anew ? null : before.etag);
      heads[view] = head === "same" ? before : head;
      moved ||= head !== "same" && head?.etag !== before?.etag;
      if (head === null && before !== null) throw emptied(bucket, view);
    }
    return moved || anew ? heads : "same";
  }

  async function pull({ views, whole, anew, spare = (_, paths) => paths, part }: PullOptions): Promise<readonly RemoteFile[]> {
    await learn(views);
    const ordered = (["public", "internal"] as const).filter((view) => views.includes(view));
    // What a reader's look left out has to come, and what it left lying has to go.
    const again = anew !== undefined || (whole && ordered.some((view) => known[view]?.whole === false));
    for (let look = 1; ; look++) {
      const heads = await readHeads(ordered, again || look > 1);
      if (heads === "same" || ordered.every((view) => heads[view] === null)) return [];
      await makeRoots(copy, ordered);
      for (const view of ordered) await clearTemporary(places[view].root);
      const { fetched, ...tried } = await fetchRoots(ordered, heads, { whole, anew: anew === "files", part: part ?? null });
      let { failed } = tried;
      const foreign = known.public === null && known.internal === null ? await findForeign(fetched) : null;
      if (failed === null && foreign === null && fits(fetched)) {
        failed = (await part?.prepare(fetched.map(comingOf)).catch(failureOf)) ?? null;
        if (failed === null) {
          await apply(fetched, spare);
          return fetched.flatMap((one) => findSpoiled(one).map((path) => ({ view: one.place.view, path })));
        }
      }
      for (const one of fetched) await discard(one);
      if (foreign !== null) throw foreign;
      // A publication may have gone by, with what it made needless.
      if (failed !== null && (look === LOOKS || !isDamage(failed.reason) || !(await hasMoved(ordered, heads)))) throw failed.reason;
      if (look === LOOKS)
        throw new ShelfError("snapshot_damaged", "The two pointers in the bucket do not belong together.", {
          fixes: ["Run a build: it publishes both views anew."],
        });
      await wait(LOOK_MS);
    }
  }

  /** Whatever can be had of them. */
  async function fetchRoots(
    views: readonly RemoteView[],
    heads: ByView<Head | null>,
    { whole, anew, part }: { readonly whole: boolean; readonly anew: boolean; readonly part: Part | null },
  ): Promise<{ readonly fetched: readonly Fetched[]; readonly failed: Failure | null }> {
    const roots = await settled(
      views.map(async (view) => {
        const head = heads[view];
        return head === null ? null : { view, head, inventory: await fetchInventory(places[view], head, known[view]) };
      }),
    );
    if (roots.failed !== null) return { fetched: [], failed: roots.failed };
    const all = (path: string): boolean => whole || !isBuilders(path);
    const chosen = await part?.choose(new Map(roots.done.map(({ view, inventory }) => [view, inventory]))).catch(failureOf);
    if (chosen !== undefined && "reason" in chosen) return { fetched: [], failed: chosen };
    const fetching = roots.done.map(({ view, ...root }) => {
      const before = known[view];
      const choice = chosen?.(view) ?? { wants: all, sees: () => true };
      // Blobs are compared with their digests whenever they are read, and may be many.
      const kept = new Map([...(before?.files ?? [])].filter(([path]) => part !== null && BY_DIGEST.test(path)));
      const from = anew && before !== null ? { ...before, files: kept } : before;
      return fetchRoot(places[view], root, from, { whole, ...choice });
    });
    const { done, failed } = await settled(fetching);
    return { fetched: done, failed };
  }

  async function hasMoved(views: readonly RemoteView[], heads: ByView<Head | null>): Promise<boolean> {
    for (const view of views) if ((await readHead(places[view], heads[view]?.etag ?? null)) !== "same") return true;
    return false;
  }

  async function apply(fetched: readonly Fetched[], spare: NonNullable<PullOptions["spare"]>): Promise<void> {
    const internal = fetched.find(({ place }) => place.view === "internal");
    const open = fetched.find(({ place }) => place.view === "public");
    for (const one of [internal, open]) if (one !== undefined) placeFiles(one);
    // As a publication does: at each moment the internal pointer names what belongs to the public one.
    const [served = null] = (await readNamed(places.public)) ?? [];
    const [coming = null] = parseNamed(open?.current ?? null) ?? [];
    const next = findServed(parseNamed(internal?.current ?? null) ?? [], coming);
    if (internal !== undefined && next !== null) {
      const before = findServed((await readNamed(internal.place)) ?? [], served);
      if (before !== null && before.sequence !== next.sequence)
        setPointer(internal.place, Buffer.from(canonicalJson(namedWith(next, before, served))));
    }
    for (const one of [open, internal]) if (one !== undefined && one.current !== null) setPointer(one.place, one.current);
    for (const one of fetched) {
      await discard(one);
      for (const path of spare(one.place.view, findExtra(one))) await rm(join(one.place.root, path), { force: true });
      known[one.place.view] = await remember(one);
    }
    // Derived from the records, and no part of what was fetched.
    const publicShelf = openDirectoryShelf(places.public.root);
    if (coming !== null) await publicShelf.records.keep(coming.sequence);
    if (next !== null) await openDirectoryShelf(places.internal.root, publicShelf).records.keep(next.sequence);
  }

  /** Under the lease. */
  async function send(
    view: RemoteView,
    sending: { readonly current?: Uint8Array; readonly last?: boolean; readonly anyway?: boolean } = {},
  ): Promise<boolean> {
    if (session === null) throw new ShelfError("internal", "Nothing is published to a bucket without its lease.");
    session.lease.check();
    const before = known[view];
    known[view] = await push(places[view], before, {
      fence: session.lease.fence,
      checked: await readFile(join(places[view].root, "checked"), "utf8").catch(absent),
      current: sending.current ?? null,
      purge: sending.last === true && session.tidy === "at once",
      anyway: sending.anyway === true,
      lost: sending.last === true ? session.lost : new Set(),
      now: now(),
    });
    return known[view]?.etag !== before?.etag;
  }

  /** What was done beside and after the move of the pointers. */
  async function settle(): Promise<void> {
    if (session === null || !existsSync(join(places.public.root, "current.json"))) return;
    const moved = await send("public", { last: true });
    await send("internal", { last: true, anyway: moved });
    if (session.tidy !== null) for (const view of ["public", "internal"] as const) await collect(view, session);
  }

  /** Under the lease whatever no inventory names belongs to nobody. What is new by the bucket's own clock may be another's who has taken the
   *  lease meanwhile, and stays unless all of it has to go. */
  async function collect(view: RemoteView, { lease, tidy }: Session): Promise<void> {
    const { inventory, pointer } = known[view] as Known;
    const named = objectsOf(inventory).add(pointer.inventory);
    const listed = await Array.fromAsync(listObjects(places[view]));
    const newest = Math.max(...listed.map(({ modified }) => Date.parse(modified ?? "")).filter((time) => !Number.isNaN(time)));
    const isOld = (modified: string | null): boolean => modified !== null && newest - Date.parse(modified) > GRACE_MS;
    const spare = listed.filter(
      ({ object, modified }) => !named.has(object) && !inventory.dropped.has(object) && (tidy === "at once" || isOld(modified)),
    );
    if (spare.length > 0) await lease.confirm();
    await inTurns(spare, AT_ONCE, ({ object }) => deleteObject(places[view], object));
  }

  async function publish<T>(work: () => Promise<T>, lease: LeaseOptions): Promise<T> {
    const held = await takeLease(bucket, places.internal.root, { ...(options.ttl === undefined ? {} : { ttl: options.ttl }), ...lease });
    session = { lease: held, tidy: null, lost: new Set(), announced: false };
    try {
      await pull({ views: ["public", "internal"], whole: true, ...(held.taken ? { anew: "pointers" } : {}) });
      if (held.taken) await fence(held.fence);
      const result = await work();
      await settle();
      return result;
    } catch (error) {
      // What was published goes with what belongs to it, as far as that has come.
      if (session.announced) await settle().catch(() => undefined);
      throw error;
    } finally {
      session = null;
      await held.release();
    }
  }

  return {
    bucket,
    copy,
    places,
    async hasMoved(views) {
      await learn(views);
      const heads = await readHeads(views, false);
      return heads !== "same" && views.some((view) => heads[view] !== null);
    },
    async pull(pulling) {
      await makeRoots(copy, ["internal"]);
      return (await alone(() => pull(pulling), false).catch(ignoreBusy)) ?? [];
    },
    async known(view) {
      await learn([view]);
      return known[view];
    },
    async alone(work) {
      await makeRoots(copy, ["internal"]);
      return alone(work, false)
        .then(() => true, ignoreBusy)
        .then((done) => done === true);
    },
    async forget(view, paths) {
      await alone(async () => {
        await learn([view]);
        for (const path of paths)
          if (known[view]?.inventory.files.has(path) === false) await rm(join(places[view].root, path), { force: true });
      }, false).catch(ignoreBusy);
    },
    publishing: (work, lease) => alone(() => publish(work, lease), true),
    async announce(view, current) {
      // The internal view refers to blobs of the public root.
      if (view === "internal") await send("public");
      await send(view, { current });
      if (session !== null) session.announced = true;
    },
    tidy(when) {
      if (session !== null && session.tidy !== "at once") session.tidy = when;
    },
    async findLost() {
      await learn(["public", "internal"]);
      const lost: { view: RemoteView; object: Sha256 }[] = [];
      for (const view of ["public", "internal"] as const) {
        const { inventory, pointer } = known[view] ?? {};
        if (inventory === undefined || pointer === undefined) continue;
        await inTurns(objectsOf(inventory).add(pointer.inventory), AT_ONCE, async (object) => {
          const good = await getObject(places[view], object).then(
            () => true,
            (error: unknown) => {
              if (isDamage(error)) return false;
              throw error;
            },
          );
          if (!good) lost.push({ view, object });
        });
      }
      return lost;
    },
    mend(lost) {
      for (const { object } of lost) session?.lost.add(object);
    },
  };

  /** From now on, nothing that a former holder of the lease sends takes effect: it knows other versions. */
  async function fence(number: number): Promise<void> {
    for (const view of ["public", "internal"] as const) {
      const before = known[view];
      if (before === null) continue;
      const { pointer, etag } = before;
      known[view] = { ...before, ...(await swapHead(places[view], { ...pointer, sequence: pointer.sequence + 1, fence: number }, etag)) };
      writeKnown(places[view].root, known[view]);
    }
  }
}

async function makeRoots(copy: string, views: readonly RemoteView[]): Promise<void> {
  for (const view of views) await checkWritable(join(copy, view), view === "public" ? OPEN : CLOSED);
}

/** An error when a folder holds another shelf than what was fetched, which would be lost. */
async function findForeign(fetched: readonly Fetched[]): Promise<ShelfError | null> {
  for (const { place, inventory } of fetched) {
    const records = new Set([...inventory.files].filter(([path]) => path.startsWith("snapshots/")).map(([, file]) => file.sha256));
    const named = (await readNamed(place)) ?? [];
    if (named.length === 0 || named.some((record) => records.has(sha256(canonicalJson(record))))) continue;
    return new ShelfError("bad_config", `Nothing was changed: shelf.copy holds a shelf that is no copy of ${place.bucket.address}.`, {
      fixes: ["Name another folder in shelf.copy, or an empty one."],
    });
  }
  return null;
}

function emptied(bucket: Bucket, view: RemoteView): ShelfError {
  return new ShelfError(
    "bucket_unavailable",
    `${bucket.address} has no ${view}/pointer any more, and this machine's copy was made from it. Nothing was changed.`,
    {
      fixes: ["Look at the bucket and the prefix; to put the copy there again: proofshelf shelf copy FOLDER s3://…"],
    },
  );
}

/** Whether the internal root's pointer names what belongs to the public one. */
function fits(fetched: readonly Fetched[]): boolean {
  const named = (view: RemoteView): readonly SnapshotRecord[] =>
    parseNamed(fetched.find(({ place }) => place.view === view)?.current ?? null) ?? [];
  const [open, internal] = [named("public"), named("internal")];
  return open[0] === undefined || internal.length === 0 || findServed(internal, open[0]) !== null;
}

/** What a root's current.json names; null when there is none.
 *  @throws ShelfError "snapshot_damaged" */
function parseNamed(bytes: Uint8Array | null): readonly SnapshotRecord[] | null {
  if (bytes === null) return null;
  const found = internalPointerSchema.safeParse(parseJson(Buffer.from(bytes).toString()));
  if (found.success) return [found.data].flat();
  throw new ShelfError("snapshot_damaged", "current.json names no record.", { fixes: ["Run: proofshelf repair"] });
}

function comingOf({ place, head, inventory, current }: Fetched): Coming {
  return { view: place.view, head, inventory, records: parseNamed(current) ?? [] };
}

type Failure = { readonly reason: unknown };

function failureOf(reason: unknown): Failure {
  return { reason };
}

/** Waits for all. @returns what there is of it, and the first failure */
async function settled<T>(work: readonly Promise<T | null>[]): Promise<{ readonly done: readonly T[]; readonly failed: Failure | null }> {
  const ended = await Promise.allSettled(work);
  const failed = ended.find((one) => one.status === "rejected");
  return {
    done: ended.flatMap((one) => (one.status === "fulfilled" && one.value !== null ? [one.value] : [])),
    failed: failed === undefined ? null : failureOf(failed.reason),
  };
}

/** Null also for a damaged one: what was fetched takes its place. */
async function readNamed({ root }: Place): Promise<readonly SnapshotRecord[] | null> {
  const bytes = await readFile(join(root, "current.json")).catch(absent);
  try {
    return parseNamed(bytes);
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

function setPointer({ root }: Place, bytes: Uint8Array): void {
  writeWhole(join(root, "current.json"), root, bytes);
}

function ignoreBusy(error: unknown): void {
  if (!(error instanceof ShelfError && error.code === "build_running")) throw error;
}

function isDamage(error: unknown): boolean {
  return error instanceof ShelfError && error.code === "snapshot_damaged";
}
