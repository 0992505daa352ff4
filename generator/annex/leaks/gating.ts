/** Withdrawal of things that were public and are gated now. A snapshot that holds such a thing is taken out of service and off the shelf after the
 *  next one is published, with everything in the public root that names it; what is still to be done stands in a file of the internal root until
 *  it is done, so that a later build ends what a killed one began. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { type CollectionInfo, isGatedKey, isWithdrawalError, type Library, type ObjectRow, type ViewData } from "#snapshots/format";
import type { CubCode, CubRecord } from "#snapshots/schema";
import {
  type Changes,
  createTreeCache,
  openDirectoryShelf,
  openSnapshot,
  type Shelf,
  type Snapshot,
  type SnapshotRecord,
  type TreeCache,
  unreadable,
  writeWhole,
} from "#snapshots/shelf";
import {
  digestOfChanges,
  type Exposed,
  findLeaks,
  gatedSecrets,
  indexFiles,
  nameExposed,
  openGating,
  openKept,
} from "#snapshots/annex/leaks";
import { openIndex } from "#snapshots/index";
import { filesSince, readJson } from "./snapshot-files.ts";
import { sweepClean } from "./sweep-clean.ts";
import type { Views, WithdrawnSnapshot } from "#generator/pipeline";
import { openDecisions } from "#generator/kept";
import { NO_CLAIMS } from "#generator/sources";
import { keepRecords, type Shelves } from "#generator/shelves";

/** Exposure is the part of the public root that holds or names something that is gated now. */
export type Exposure = {
  readonly snapshots: readonly WithdrawnSnapshot[];
  /** Keys that are gated now and stand in what the shelf's history says. */
  readonly keys: readonly string[];
  /** Sequences of snapshots that are damaged, so that nobody can tell. */
  readonly unread: readonly number[];
  /** Those that hold nothing of it. */
  readonly clean: readonly SnapshotRecord[];
};

export const NOTHING_EXPOSED: Exposure = { snapshots: [], keys: [], unread: [], clean: [] };

export function isExposed({ snapshots, keys }: Pick<Exposure, "snapshots" | "keys">): boolean {
  return snapshots.length + keys.length > 0;
}

/** hasGatedBytes tells whether bytes of an object that is gated now lie in the public root. */
export async function hasGatedBytes({ public: shelf }: Shelves, views: Views): Promise<boolean> {
  const open = new Set(views.public.objects.map((row) => row.sha256));
  for (const { sha256: digest } of views.internal.objects) if (!open.has(digest) && (await shelf.hasBlob(digest))) return true;
  return false;
}

/** hasGatedRows tells whether files of the public index have rows of what is gated now: those of pruned snapshots stay in them. */
export async function hasGatedRows({ public: shelf }: Shelves, views: Views, privateTexts: readonly string[]): Promise<boolean> {
  // Opening an index makes its folder.
  if (!existsSync(shelf.indexUri)) return false;
  const index = await openIndex(shelf.indexUri);
  if (!(await index.holdsRemoved().finally(() => index.close()))) return false;
  const { leaks } = await findLeaks(await gatedSecrets(views.public, views.internal, async () => null, privateTexts), indexFiles(shelf));
  return leaks.some(({ kind }) => kind === "digest" || kind === "private");
}

/** findExposure looks through every kept public snapshot, and through all changes.
 *  @param collections as they are now */
export async function findExposure(
  shelves: Shelves,
  collections: readonly CollectionInfo[],
  views: Views,
  privateTexts: readonly string[],
): Promise<Exposure> {
  const isKept = openKept(openDecisions(shelves.buildDir).of("kept"));
  const findHeld = openGating({ collections, ...views, privateTexts });
  const { records } = await shelves.public.records.index();
  const trees = createTreeCache();
  const heldBy = new Map<Sha256, readonly Exposed[]>();
  const snapshots: WithdrawnSnapshot[] = [];
  const unread: number[] = [];
  const clean: SnapshotRecord[] = [];
  for (const record of records) {
    const { sequence, snapshot } = record;
    const known = heldBy.get(snapshot);
    const data = known === undefined ? await readData(shelves.public, record, trees, views.public.library) : null;
    const held = known ?? (data === null ? null : findHeld(data));
    if (held === null) {
      unread.push(sequence);
      continue;
    }
    heldBy.set(snapshot, held);
    if (held.some((one) => !isKept(one, snapshot))) snapshots.push({ sequence, snapshot, held });
    else clean.push(record);
  }
  const keys = new Set<string>();
  for (const { name } of await namedInChanges(shelves, collections)) keys.add(name);
  return { snapshots, keys: [...keys], unread, clean };
}

async function readData(shelf: Shelf, record: SnapshotRecord, trees: TreeCache, library: Library): Promise<ViewData | null> {
  try {
    return await (await openSnapshot(shelf, record, trees)).data();
  } catch (error) {
    if (error instanceof ShelfError && error.code === "snapshot_damaged") return null;
    if (error instanceof ShelfError && isWithdrawalError(error)) return readRest(await openSnapshot(shelf, record, trees), library);
    throw error;
  }
}

/** readRest reads the data that a snapshot still has, after something in it was redacted: the parts that were taken out are empty.
 *  @param now in place of a description of the library that was taken out: its collections are not known then, its keys are */
async function readRest(snapshot: Snapshot, now: Library): Promise<ViewData> {
  const objects: ObjectRow[] = [];
  for (const [path, { sha256: digest, size }] of await filesSince(snapshot, null)) {
    if (!path.startsWith("objects/")) continue;
    const key = path.slice("objects/".length);
    objects.push({ key, sha256: digest, size, title: "", summary: "", kind: "binary", media_type: "", uploaded: null });
  }
  const cubs: CubRecord[] = [];
  const code = new Map<string, CubCode>();
  for (const { name } of await snapshot.files("api/cubs")) {
    const id = name.slice(0, -".json".length);
    const record = name === "meta.json" ? null : await readJson<CubRecord>(snapshot, `api/cubs/${name}`);
    const index = await readJson<CubCode>(snapshot, `api/cubs/${id}/code.json`);
    if (record !== null) cubs.push(record);
    if (index !== null) code.set(id, index);
  }
  return {
    library: (await snapshot.library().catch(unreadable)) ?? { ...now, collections: [] },
    objects,
    claims: (await readJson<ViewData["claims"]>(snapshot, "api/claims.json")) ?? NO_CLAIMS,
    cubs,
    code,
    meta: null,
    ...((await readJson<Pick<ViewData, "rejected" | "withheld">>(snapshot, "api/rejected.json")) ?? { rejected: [], withheld: 0 }),
  };
}

/** keepExposed remembers that what is exposed stays where it is: no later build takes that for something new. */
export async function keepExposed(shelves: Shelves, { snapshots }: Exposure, collections: readonly CollectionInfo[]): Promise<void> {
  const decisions = openDecisions(shelves.buildDir);
  const why = "--keep-history";
  const held = snapshots.flatMap(({ snapshot, held: all }) => all.map((one) => ({ about: nameExposed(one), sha256: snapshot, why })));
  const named = (await namedInChanges(shelves, collections)).map(({ sequence, ...one }) => {
    return { about: nameExposed(one), sha256: digestOfChanges(sequence), why };
  });
  const before = decisions.of("kept").map(({ kind: _, ...one }) => one);
  const all = new Map([...before, ...held, ...named].map((one) => [`${one.sha256} ${one.about}`, one]));
  decisions.set("kept", [...all.values()]);
}

/** isWithdrawing tells whether a build that was killed left something to do. */
export function isWithdrawing(shelves: Shelves): boolean {
  return existsSync(join(shelves.buildDir, UNDONE));
}

/** withdraw takes snapshots out of service and off the shelf, and every name that is gated now out of the history. It runs only under the build
 *  lock, when another snapshot is served and the public index has been written anew for it.
 *  @param searchable earlier snapshots that it has been written anew for as well
 *  @returns notes for the operator */
export async function withdraw(
  shelves: Shelves,
  collections: readonly CollectionInfo[],
  snapshots: readonly WithdrawnSnapshot[],
  searchable: readonly Sha256[],
): Promise<readonly string[]> {
  const undone = join(shelves.buildDir, UNDONE);
  writeWhole(undone, "");
  shelves.remote?.tidy("at once");
  const served = await shelves.public.readPointer();
  const ids = new Set(snapshots.map(({ snapshot }) => snapshot).filter((id) => id !== served?.snapshot));
  const { records } = await shelves.public.records.index();
  await shelves.public.history.withdraw(records.filter(({ snapshot }) => ids.has(snapshot)));
  const named = Map.groupBy(await namedInChanges(shelves, collections), ({ sequence }) => sequence);
  for await (const [sequence, changes] of allChanges(shelves.public)) {
    const hidden = new Set(named.get(sequence)?.map(({ name }) => name));
    if (hidden.size > 0)
      await shelves.public.history.putChanges(
        sequence,
        without(changes, (key) => hidden.has(key)),
      );
  }
  await keepRecords(shelves);
  if (!(await sweepClean(shelves, ["public"], searchable, openDirectoryShelf(shelves.internalDir, null, "building"))))
    return ["Files that hold what is gated now are still on the shelf, because vectors are being made; the next build removes them."];
  await rm(undone);
  return [];
}

/** ELSEWHERE tells who has taken something back where it may still be. */
export const ELSEWHERE =
  "Exports have it still, and mirrors until they follow. A cache in front may send it for eleven minutes more: purge it if that is too long.";

/** describeExposure puts an exposure in words, for the one who builds.
 *  @param outcome what becomes of it, or would when a build is only planned */
export function describeExposure({ snapshots, keys, unread }: Exposure, outcome: "withdrawn" | "kept" | "planned"): readonly string[] {
  const damaged =
    unread.length === 0
      ? []
      : [`Whether snapshot ${unread.join(", ")} holds something that is gated now cannot be told: it is damaged. Repair or prune it.`];
  if (!isExposed({ snapshots, keys })) return damaged;
  const names = [
    ...new Set([...snapshots.flatMap(({ held }) => held), ...keys.map((name) => ({ what: "object", name }) as const)].map(nameExposed)),
  ];
  const some = names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), `${names.length - MAX_NAMED} more`] : names;
  const none = snapshots.length === 0;
  const numbers = `${snapshots.length === 1 ? "snapshot" : "snapshots"} ${snapshots.map(({ sequence }) => sequence).join(", ")}`;
  const what = `Was public and is gated now: ${some.join(", ")}.`;
  const said = {
    withdrawn: `${none ? "It is taken out of what the history says." : `It was held by ${numbers}, taken out of service and off the shelf.`} ${ELSEWHERE}`,
    kept: `--keep-history leaves it in what was published before${none ? "" : ` (${numbers})`}, under /at/ and on the shelf.`,
    planned: `${none ? "A build would take it out of what the history says" : `It is held by ${numbers}, which a build would take out of service and off the shelf`}, for good; with --keep-history it would not.`,
  };
  return [...damaged, `${what} ${said[outcome]}`];
}

const UNDONE = "withdrawing.json";
const MAX_NAMED = 20;

/** namedInChanges lists keys that are gated now, and that nobody lets stay in the list of changes that names them. */
async function namedInChanges(
  shelves: Shelves,
  collections: readonly CollectionInfo[],
): Promise<readonly (Exposed & { readonly sequence: number })[]> {
  const isKept = openKept(openDecisions(shelves.buildDir).of("kept"));
  const found: (Exposed & { readonly sequence: number })[] = [];
  for await (const [sequence, changes] of allChanges(shelves.public))
    for (const name of new Set(keysIn(changes)))
      if (isGatedKey(collections, name) && !isKept({ what: "object", name }, digestOfChanges(sequence)))
        found.push({ what: "object", name, sequence });
  return found;
}

/** Those of pruned and withdrawn snapshots included. One that cannot be read is left to `verify`. */
async function* allChanges(shelf: Shelf): AsyncGenerator<readonly [sequence: number, changes: Changes]> {
  const { records, withdrawn } = await shelf.records.index();
  const last = Math.max(0, ...[records.at(-1), withdrawn.at(-1)].map((record?: SnapshotRecord) => record?.sequence ?? 0));
  for (let sequence = 1; sequence <= last; sequence++) {
    const changes = await shelf.readChanges(sequence).catch(() => null);
    if (changes !== null) yield [sequence, changes];
  }
}

function keysIn({ added, changed, removed }: Changes): readonly string[] {
  return [...added.objects, ...changed.objects, ...removed.objects];
}

function without({ added, changed, removed }: Changes, isHidden: (key: string) => boolean): Changes {
  const rest = (names: Changes["added"]) => ({ ...names, objects: names.objects.filter((key) => !isHidden(key)) });
  return { added: rest(added), changed: rest(changed), removed: rest(removed) };
}
