/** A shelf in a bucket, seen from one machine: a folder that is a shelf like any other, the *copy*, and what brings it and the bucket
 *  together. Everything works on the copy. Before a command changes it, it is brought to what the bucket says, and what was changed
 *  goes back afterwards. Only the pointers are different: the bucket's moves first, so that nobody serves what others do not. */
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { canonicalJson, parseJson, type Sha256, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { type Bucket, openBucket } from "#snapshots/annex/bucket";
import {
  absent,
  type BucketConfig,
  checkWritable,
  clearTemporary,
  CLOSED,
  findServed,
  internalPointerSchema,
  namedWith,
  OPEN,
  openDirectoryShelf,
  type SnapshotRecord,
  writeInRoot,
} from "#snapshots/shelf";
import { concurrently, findRunningBuild, withBuildLock } from "#generator/files";
import { isBuilders, objectsOf } from "./inventory.ts";
import type { LostObject, RemoteShelf } from "#generator/shelves";
import { type Known, knownFile, readKnown, writeKnown } from "./known.ts";
import { type Lease, type LeaseOptions, takeLease } from "./lease.ts";
import { deleteObject, getObject, type PointerVersion, listObjects, type BucketPlace, readHead, swapHead } from "./place.ts";
import { stampOf } from "./local-files.ts";
import { discard, type Fetched, fetchInventory, fetchRoot, findExtra, findSpoiled, placeFiles, remember } from "./pull.ts";
import { AT_ONCE, GRACE_MS, push } from "./push.ts";

export type RemoteView = "public" | "internal";
type ByView<T> = Readonly<Record<RemoteView, T>>;
const VIEWS = ["public", "internal"] as const;

/** Looks after which two pointers that do not fit each other are no longer taken for a publication that goes by between them. */
const LOOKS = 40;
const LOOK_MS = 250;

type RemoteFile = { readonly view: RemoteView; readonly path: string };

type PullOptions = {
  /** A site server's credentials may be good for the public root alone. */
  readonly views: readonly RemoteView[];
  /** A reader, who needs nothing that builds keep for each other; default: a builder, who must have everything. */
  readonly reader?: Reader | null;
  /** Reads both pointers whatever the one says; "files" also hashes every file again. */
  readonly anew?: "pointers" | "files";
  /** Waits for another process that has the copy; "look" not for a build, which may take long and has brought it up. Default: nothing is done
   *  then. */
  readonly wait?: true | "look";
};

/** A Reader says when files go that the bucket has no more. */
export type Reader = {
  /** @param paths files that are not needed any more
   *  @returns those that are to go at once */
  spare(view: RemoteView, paths: readonly string[]): readonly string[];
};

type RemoteOptions = { readonly ttl?: number | null };

type Session = { readonly lease: Lease; tidy: "at leisure" | "at once" | null; readonly lost: Set<Sha256>; announced: boolean };

/** openRemote asks the bucket nothing yet. @param copy folder of the copy */
export function openRemote(config: BucketConfig, copy: string, options: RemoteOptions = {}): Remote {
  return new Remote(config, copy, options);
}

export class Remote implements RemoteShelf {
  readonly bucket: Bucket;
  readonly copy: string;
  readonly places: ByView<BucketPlace>;
  readonly #ttl: number | null;
  readonly #known: Record<RemoteView, Known | null> = { public: null, internal: null };
  /** The state of the files that say what is known: another process may bring the copy further. */
  readonly #stamps = new Map<RemoteView, string | null>();
  /** While this process publishes. */
  #session: Session | null = null;

  constructor(config: BucketConfig, copy: string, { ttl = null }: RemoteOptions) {
    this.bucket = openBucket(config);
    this.copy = copy;
    const id = `${config.endpoint} ${this.bucket.address}`;
    const placeOf = (view: RemoteView): BucketPlace => ({ bucket: this.bucket, id, view, root: join(copy, view) });
    this.places = { public: placeOf("public"), internal: placeOf("internal") };
    this.#ttl = ttl;
  }

  /** hasMoved says whether the bucket has something else than the copy was brought to. One request, as a rule. */
  async hasMoved(views: readonly RemoteView[]): Promise<boolean> {
    await this.#learn(views);
    const heads = await this.#readHeads(views, false);
    return heads !== "same" && views.some((view) => heads[view] !== null);
  }

  /** pull brings the copy to what the bucket says. While another process does so, or publishes from it, it waits if it is told to; else
   *  nothing is done.
   *  @returns files that were not what their names say, and are now
   *  @throws ShelfError "build_running" while a build runs for which a look does not wait, and the copy holds nothing yet */
  async pull(options: PullOptions): Promise<readonly RemoteFile[]> {
    let spoiled: readonly RemoteFile[] = [];
    const bring = async (): Promise<void> => void (spoiled = await this.#bring(options));
    await makeRoots(this.copy, ["internal"]);
    const building = options.wait === "look" && (await findRunningBuild(join(this.places.internal.root, "build"))) !== null;
    const isHeld = async (): Promise<boolean> => (await this.known("public")) !== null;
    if (options.wait === undefined || (building && (await isHeld()))) await this.alone(bring);
    else await this.#locked(bring, !building);
    return spoiled;
  }

  /** The same for who looks once and only reads. */
  async look(): Promise<void> {
    await this.pull({ views: VIEWS, reader: { spare: (_, paths) => paths }, wait: "look" });
  }

  /** known returns what the copy was last brought to, by whichever process; null when nothing is known. */
  async known(view: RemoteView): Promise<Known | null> {
    await this.#learn([view]);
    return this.#known[view];
  }

  /** Does work on the copy while no other process does; nothing while one does.
   *  @returns whether it was done */
  async alone(work: () => Promise<void>): Promise<boolean> {
    await makeRoots(this.copy, ["internal"]);
    try {
      await this.#locked(work, false);
      return true;
    } catch (error) {
      if (error instanceof ShelfError && error.code === "build_running") return false;
      throw error;
    }
  }

  /** Removes files of the copy that its inventory does not name. */
  async forget(view: RemoteView, paths: readonly string[]): Promise<void> {
    await this.alone(async () => {
      await this.#learn([view]);
      const { inventory = null } = this.#known[view] ?? {};
      for (const path of paths) if (inventory?.files.has(path) === false) await rm(join(this.places[view].root, path), { force: true });
    });
  }

  /** Does work on the copy while nobody else changes the bucket. Only under the copy's build lock.
   *  @throws ShelfError "build_running" naming who does; "lost_race" */
  publishing<T>(work: () => Promise<T>, options: LeaseOptions): Promise<T> {
    return this.#locked(() => this.#publish(work, options), true);
  }

  /** Moves a root's pointer in the bucket, before that of the copy moves; within `publishing`.
   *  @param current what the copy's then holds
   *  @throws ShelfError "lost_race" */
  async announce(view: RemoteView, current: Uint8Array): Promise<void> {
    // The internal view refers to blobs of the public root.
    if (view === "internal") await this.#send("public");
    await this.#send(view, { current });
    if (this.#session !== null) this.#session.announced = true;
  }

  /** Within `publishing`: when it ends, nothing stays in the bucket that killed builders left; with `at once`, also nothing that only
   *  readers that are behind need: they must not have it. */
  tidy(when: "at leisure" | "at once"): void {
    if (this.#session !== null && this.#session.tidy !== "at once") this.#session.tidy = when;
  }

  /** Objects that the inventories name and that are not there or not what their names say. Reads them all. */
  async findLost(): Promise<readonly LostObject[]> {
    await this.#learn(VIEWS);
    const lost: LostObject[] = [];
    for (const view of VIEWS) {
      const { inventory, pointer } = this.#known[view] ?? {};
      if (inventory === undefined || pointer === undefined) continue;
      await concurrently(objectsOf(inventory).add(pointer.inventory), AT_ONCE, async (object) => {
        try {
          await getObject(this.places[view], object);
        } catch (error) {
          if (!isDamage(error)) throw error;
          lost.push({ view, object });
        }
      });
    }
    return lost;
  }

  /** Within `publishing`: these are sent again from the copy, when it ends. */
  mend(lost: readonly LostObject[]): void {
    for (const { object } of lost) this.#session?.lost.add(object);
  }

  async #learn(views: readonly RemoteView[]): Promise<void> {
    for (const view of views) {
      const { root, id } = this.places[view];
      const stamp = await stampOf(knownFile(root));
      if (stamp === null || this.#stamps.get(view) !== stamp) this.#known[view] = await readKnown(root, id);
      this.#stamps.set(view, stamp);
    }
  }

  #locked<T>(work: () => Promise<T>, waiting: boolean): Promise<T> {
    return withBuildLock(join(this.places.internal.root, "bucket"), work, { wait: waiting, work: "look at the bucket" });
  }

  /** The versions that there are now; null for a root that nothing was published to. */
  async #readHeads(views: readonly RemoteView[], anew: boolean): Promise<ByView<PointerVersion | null> | "same"> {
    const heads: Record<RemoteView, PointerVersion | null> = { public: null, internal: null };
    let moved = false;
    // The internal root's pointer moves after each move of the public one. While it names two records it may not have yet.
    if (views.includes("internal") && !anew && this.#known.public !== null && this.#known.internal !== null) {
      const head = await readHead(this.places.internal, this.#known.internal.etag);
      if (head === "same" && (await readNamed(this.places.internal))?.length === 1) return "same";
    }
    for (const view of views) {
      const before = this.#known[view];
      const head = await readHead(this.places[view], before === null || anew ? null : before.etag);
      heads[view] = head === "same" ? before : head;
      moved ||= head !== "same" && head?.etag !== before?.etag;
      if (head === null && before !== null) throw emptied(this.bucket, view);
    }
    return moved || anew ? heads : "same";
  }

  async #bring({ views, reader = null, anew }: PullOptions): Promise<readonly RemoteFile[]> {
    await this.#learn(views);
    const ordered = VIEWS.filter((view) => views.includes(view));
    // Files that a reader has left out have to come.
    const again = anew !== undefined || (reader === null && ordered.some((view) => !isWhole(this.#known[view])));
    for (let look = 1; ; look++) {
      const heads = await this.#readHeads(ordered, again || look > 1);
      if (heads === "same" || ordered.every((view) => heads[view] === null)) return [];
      await makeRoots(this.copy, ordered);
      for (const view of ordered) await clearTemporary(this.places[view].root);
      const { fetched, failed } = await this.#fetchRoots(ordered, heads, { anew: anew === "files", reader });
      const foreign = this.#known.public === null && this.#known.internal === null ? await findForeign(fetched) : null;
      if (failed === null && foreign === null && fits(fetched)) {
        await this.#apply(fetched, reader);
        return fetched.flatMap((one) => findSpoiled(one).map((path) => ({ view: one.place.view, path })));
      }
      for (const one of fetched) await discard(one);
      if (foreign !== null) throw foreign;
      // A publication may have gone by, with what it made needless.
      if (failed !== null && (look === LOOKS || !isDamage(failed.reason) || !(await this.#movedSince(ordered, heads)))) throw failed.reason;
      if (look === LOOKS)
        throw new ShelfError("snapshot_damaged", "The two pointers in the bucket do not belong together.", {
          fixes: ["Run a build: it publishes both views anew."],
        });
      await wait(LOOK_MS);
    }
  }

  /** #fetchRoots fetches as many of the roots as it can. */
  async #fetchRoots(
    views: readonly RemoteView[],
    heads: ByView<PointerVersion | null>,
    { anew, reader }: { readonly anew: boolean; readonly reader: Reader | null },
  ): Promise<{ readonly fetched: readonly Fetched[]; readonly failed: Failure | null }> {
    const { done, failed } = await settled(
      views.map(async (view) => {
        const [head, before, place] = [heads[view], this.#known[view], this.places[view]];
        if (head === null) return null;
        const inventory = await fetchInventory(place, head, before);
        const from = anew && before !== null ? { ...before, files: new Map() } : before;
        return fetchRoot(place, { head, inventory }, from, reader === null ? () => true : (path) => !isBuilders(path));
      }),
    );
    return { fetched: done, failed };
  }

  async #movedSince(views: readonly RemoteView[], heads: ByView<PointerVersion | null>): Promise<boolean> {
    for (const view of views) if ((await readHead(this.places[view], heads[view]?.etag ?? null)) !== "same") return true;
    return false;
  }

  async #apply(fetched: readonly Fetched[], reader: Reader | null): Promise<void> {
    const internal = fetched.find(({ place }) => place.view === "internal");
    const open = fetched.find(({ place }) => place.view === "public");
    for (const one of [internal, open]) if (one !== undefined) placeFiles(one);
    // As a publication does: at each moment the internal pointer names what belongs to the public one.
    const [served = null] = (await readNamed(this.places.public)) ?? [];
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
      const extra = findExtra(one);
      for (const path of reader?.spare(one.place.view, extra) ?? extra) await rm(join(one.place.root, path), { force: true });
      this.#known[one.place.view] = await remember(one);
    }
    // Derived from the records, and no part of what was fetched.
    const publicShelf = openDirectoryShelf(this.places.public.root);
    if (coming !== null) await publicShelf.records.keep(coming.sequence);
    if (next !== null) await openDirectoryShelf(this.places.internal.root, publicShelf).records.keep(next.sequence);
  }

  /** Under the lease. */
  async #send(
    view: RemoteView,
    sending: { readonly current?: Uint8Array; readonly last?: boolean; readonly anyway?: boolean } = {},
  ): Promise<boolean> {
    if (this.#session === null) throw new ShelfError("internal", "Nothing is published to a bucket without its lease.");
    this.#session.lease.check();
    const before = this.#known[view];
    this.#known[view] = await push(this.places[view], before, {
      fence: this.#session.lease.fence,
      holds: this.#session.lease.holds,
      checked: await readFile(join(this.places[view].root, "checked"), "utf8").catch(absent),
      current: sending.current ?? null,
      purge: sending.last === true && this.#session.tidy === "at once",
      anyway: sending.anyway === true,
      lost: sending.last === true ? this.#session.lost : new Set(),
      now: new Date(),
    });
    return this.#known[view]?.etag !== before?.etag;
  }

  /** #settle sends what was done beside and after the move of the pointers. */
  async #settle(): Promise<void> {
    if (this.#session === null || !existsSync(join(this.places.public.root, "current.json"))) return;
    const moved = await this.#send("public", { last: true });
    await this.#send("internal", { last: true, anyway: moved });
    if (this.#session.tidy !== null) for (const view of VIEWS) await this.#collect(view, this.#session);
  }

  /** Under the lease whatever no inventory names belongs to nobody. What is new by the bucket's own clock may be another's who has taken the
   *  lease meanwhile, and stays unless all of it has to go. */
  async #collect(view: RemoteView, { lease, tidy }: Session): Promise<void> {
    const { inventory, pointer } = this.#known[view] as Known;
    const named = objectsOf(inventory).add(pointer.inventory);
    const listed = await Array.fromAsync(listObjects(this.places[view]));
    const newest = Math.max(...listed.map(({ modified }) => Date.parse(modified ?? "")).filter((time) => !Number.isNaN(time)));
    const isOld = (modified: string | null): boolean => modified !== null && newest - Date.parse(modified) > GRACE_MS;
    const spare = listed.filter(
      ({ object, modified }) => !named.has(object) && !inventory.dropped.has(object) && (tidy === "at once" || isOld(modified)),
    );
    if (spare.length > 0) await lease.confirm();
    await concurrently(spare, AT_ONCE, ({ object }) => deleteObject(this.places[view], object));
  }

  async #publish<T>(work: () => Promise<T>, lease: LeaseOptions): Promise<T> {
    const held = await takeLease(this.bucket, this.places.internal.root, { ...(this.#ttl === null ? {} : { ttl: this.#ttl }), ...lease });
    this.#session = { lease: held, tidy: null, lost: new Set(), announced: false };
    try {
      await this.#bring({ views: VIEWS, ...(held.taken ? { anew: "pointers" } : {}) });
      if (held.taken) await this.#fence(held.fence);
      const result = await work();
      await this.#settle();
      return result;
    } catch (error) {
      // A publication goes with what belongs to it, as far as that has come.
      if (this.#session.announced) await this.#settle().catch(() => undefined);
      throw error;
    } finally {
      this.#session = null;
      await held.release();
    }
  }

  /** From now on, nothing that a former holder of the lease sends takes effect: it knows other versions. */
  async #fence(number: number): Promise<void> {
    for (const view of VIEWS) {
      const before = this.#known[view];
      if (before === null) continue;
      const { pointer, etag } = before;
      this.#known[view] = {
        ...before,
        ...(await swapHead(this.places[view], { ...pointer, sequence: pointer.sequence + 1, fence: number }, etag)),
      };
      writeKnown(this.places[view].root, this.#known[view]);
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

/** fits says whether the internal root's pointer names what belongs to the public one. */
function fits(fetched: readonly Fetched[]): boolean {
  const named = (view: RemoteView): readonly SnapshotRecord[] =>
    parseNamed(fetched.find(({ place }) => place.view === view)?.current ?? null) ?? [];
  const [open, internal] = [named("public"), named("internal")];
  return open[0] === undefined || internal.length === 0 || findServed(internal, open[0]) !== null;
}

/** readNamed returns the records that a root's current.json names; null when there is none.
 *  @throws ShelfError "snapshot_damaged" */
function parseNamed(bytes: Uint8Array | null): readonly SnapshotRecord[] | null {
  if (bytes === null) return null;
  const found = internalPointerSchema.safeParse([parseJson(Buffer.from(bytes).toString())].flat());
  if (found.success) return found.data;
  throw new ShelfError("snapshot_damaged", "current.json names no record.", { fixes: ["Run: proofshelf repair"] });
}

type Failure = { readonly reason: unknown };

/** Waits for all. @returns what there is of it, and the first failure */
async function settled<T>(work: readonly Promise<T | null>[]): Promise<{ readonly done: readonly T[]; readonly failed: Failure | null }> {
  const ended = await Promise.allSettled(work);
  const failed = ended.find((one) => one.status === "rejected");
  return {
    done: ended.flatMap((one) => (one.status === "fulfilled" && one.value !== null ? [one.value] : [])),
    failed: failed === undefined ? null : { reason: failed.reason as unknown },
  };
}

/** Null also for a damaged one: what was fetched takes its place. */
async function readNamed({ root }: BucketPlace): Promise<readonly SnapshotRecord[] | null> {
  const bytes = await readFile(join(root, "current.json")).catch(absent);
  try {
    return parseNamed(bytes);
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

function setPointer({ root }: BucketPlace, bytes: Uint8Array): void {
  writeInRoot(root, join(root, "current.json"), bytes);
}

/** isWhole says whether the copy has everything that the inventory names. */
function isWhole(known: Known | null): boolean {
  return known === null || known.inventory.files.keys().every((path) => known.files.has(path));
}

function isDamage(error: unknown): boolean {
  return error instanceof ShelfError && error.code === "snapshot_damaged";
}
