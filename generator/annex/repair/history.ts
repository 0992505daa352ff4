/** The history of a shelf, put right from the copies that it has of itself: the records, the log of publications, the pointer that
 *  repeats one, and the trees that changes follow from. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isWithdrawalError } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import {
  type Changes,
  createTreeCache,
  diffSnapshots,
  type DirectoryShelf,
  findPartner,
  findSetback,
  newestServed,
  openSnapshot,
  type Snapshot,
  type SnapshotRecord,
} from "#snapshots/shelf";
import type { Shelves } from "#generator/shelves";
import { publishedRecords } from "./log.ts";
import { type Mended, rootDir, setAside, VIEWS, type ViewName } from "./lost.ts";

/** mendHistory mends the records, pointers and changes of both views; it runs under the build lock. What cannot be mended is set aside. */
export async function mendHistory(shelves: Shelves): Promise<Mended[]> {
  const done: Mended[] = [];
  for (const view of VIEWS) done.push(...(await mendWithdrawn(shelves, view)), ...(await mendRecords(shelves, view)));
  // The internal pointer follows from the public one.
  for (const view of VIEWS) done.push(...(await mendPointer(shelves, view)));
  for (const view of VIEWS) done.push(...(await mendChanges(shelves, view)));
  return done;
}

/** Records of snapshots out of service have no file but this list: it gets, out of the log, whatever it still names. */
async function mendWithdrawn(shelves: Shelves, view: ViewName): Promise<Mended[]> {
  const path = "withdrawn.json";
  const file = join(rootDir(shelves, view), path);
  if (!existsSync(file)) return [];
  const shelf = shelves[view];
  const found = await readable(shelf.readWithdrawn());
  const published = await publishedRecords(shelf);
  const sound = found?.every((record) => published.size === 0 || isDeepStrictEqual(record, published.get(record.sequence)));
  if (sound === true) return [];
  const text = await readFile(file, "utf8").catch(() => "");
  const kept = new Set(await shelf.listSequences());
  const ids = new Set([...published.values()].map(({ snapshot }) => snapshot));
  // Where the id is damaged the number tells it.
  const numbers = [...text.matchAll(/"sequence":(\d+),"snapshot":"([^"]*)/g)].filter(([, , id = ""]) => !ids.has(id));
  const named = new Set(numbers.map(([, number]) => Number(number)));
  const records = [...published.values()].filter(
    ({ sequence, snapshot }) => !kept.has(sequence) && (named.has(sequence) || text.includes(`"snapshot":"${snapshot}"`)),
  );
  await setAside(shelves, view, path);
  if (records.length === 0) return [{ root: view, path, how: "set aside: nothing else says what it was" }];
  await shelf.withdraw(records);
  return [{ root: view, path, how: `from the log of publications: ${records.map(({ sequence }) => sequence).join(", ")}` }];
}

async function mendRecords(shelves: Shelves, view: ViewName): Promise<Mended[]> {
  const shelf = shelves[view];
  const pointer = await readable(shelf.readPointer());
  const published = await trustedRecords(shelf, pointer);
  const done: Mended[] = [];
  const served = pointer?.sequence ?? (view === "public" ? await newestPartner(shelves, published) : null);
  const sequences = new Set([...(await shelf.listSequences()), ...(served === null ? [] : [served])]);
  for (const sequence of sequences) {
    const path = `snapshots/${sequence}.json`;
    const found = await readable(shelf.readRecord(sequence));
    const copies = [
      [published.get(sequence) ?? null, "from the log of publications"],
      [found, ""],
      [pointer?.sequence === sequence ? pointer : null, "from the pointer"],
    ] as const;
    const [wanted, how] = copies.find(([one]) => one !== null && mayBeOf(view, one)) ?? [null, ""];
    if (wanted !== null && isDeepStrictEqual(wanted, found)) continue;
    await setAside(shelves, view, path);
    if (wanted !== null) await shelf.restoreRecord(wanted);
    done.push({ root: view, path, how: wanted === null ? "set aside: nothing else says what it was" : how });
  }
  return done;
}

/** Where nothing says which public snapshot is served, an internal record does, and the log has it. */
async function newestPartner({ internal }: Shelves, published: ReadonlyMap<number, SnapshotRecord>): Promise<number | null> {
  const { records } = await internal.records.index();
  return records.findLast((record) => record.public !== undefined && published.has(record.public))?.public ?? null;
}

/** An internal record says with which public one it is served: among the public ones it is out of place, whoever put it there. */
function mayBeOf(view: ViewName, record: SnapshotRecord): boolean {
  return view === "internal" || record.public === undefined;
}

/** trustedRecords gives the records that the log of publications has, unless more of them differ from the shelf's than agree with it: then it is
 *  not this shelf's log. */
async function trustedRecords(shelf: DirectoryShelf, pointer: SnapshotRecord | null): Promise<ReadonlyMap<number, SnapshotRecord>> {
  const published = await publishedRecords(shelf);
  let [agree, differ] = [0, 0];
  const compare = (sequence: number, record: SnapshotRecord | null): void => {
    const told = published.get(sequence);
    if (record === null || told === undefined) return;
    if (isDeepStrictEqual(told, record)) agree++;
    else differ++;
  };
  for (const sequence of published.keys()) compare(sequence, await readable(shelf.readRecord(sequence)));
  if (pointer !== null) compare(pointer.sequence, pointer);
  return agree >= differ ? published : new Map();
}

async function mendPointer(shelves: Shelves, view: ViewName): Promise<Mended[]> {
  const shelf = shelves[view];
  const index = await shelf.records.index();
  const pointer = await readable(shelf.readPointer());
  const sound =
    pointer !== null &&
    mayBeOf(view, pointer) &&
    isDeepStrictEqual(await readable(shelf.readRecord(pointer.sequence)), pointer) &&
    findSetback(pointer, index) === null;
  if (sound || (index.records.length === 0 && !existsSync(join(rootDir(shelves, view), "current.json")))) return [];
  const open = view === "public" ? null : await shelves.public.readPointer();
  const next = view === "public" ? await newestWhole(shelf) : open === null ? null : findPartner(index.records, open);
  await setAside(shelves, view, "current.json");
  if (next === null) return [{ root: view, path: "current.json", how: "set aside: the next build publishes both views anew" }];
  await shelf.swapPointer(next, null);
  return [{ root: view, path: "current.json", how: `from snapshots/${next.sequence}.json` }];
}

/** The newest record that was served and whose snapshot opens; where none opens, the newest. */
async function newestWhole(shelf: DirectoryShelf): Promise<SnapshotRecord | null> {
  const index = await shelf.records.index();
  const served = newestServed(null, index);
  const candidates = index.records.filter(({ sequence }) => served === 0 || sequence <= served).toReversed();
  for (const record of candidates) if ((await openWhole(shelf, record)) !== null) return record;
  return candidates[0] ?? null;
}

async function mendChanges(shelves: Shelves, view: ViewName): Promise<Mended[]> {
  const shelf = shelves[view];
  const { records } = await shelf.records.index();
  const bySequence = new Map(records.map((record) => [record.sequence, record]));
  const newest = new Map<string, SnapshotRecord>();
  const files = (await readdir(join(rootDir(shelves, view), "changes")).catch(() => [])).map((name) => Number.parseInt(name, 10));
  const sequences = [...new Set([...bySequence.keys(), ...files.filter((sequence) => sequence > 0)])].sort((a, b) => a - b);
  const done: Mended[] = [];
  for (const sequence of sequences) {
    const record = bySequence.get(sequence);
    const before = record?.previous == null ? null : (newest.get(record.previous) ?? null);
    if (record !== undefined) newest.set(record.snapshot, record);
    const path = `changes/${sequence}.json`;
    const found = await readable(shelf.readChanges(sequence));
    const pruned = record === undefined || (record.previous !== null && before === null);
    const made = pruned ? null : await compare(shelf, before, record);
    const wanted = made ?? found;
    if (isDeepStrictEqual(wanted, found) && (found !== null || record === undefined)) {
      // A pruned snapshot may have no list; one that cannot be read is in the way.
      if (found !== null || !files.includes(sequence)) continue;
    }
    await setAside(shelves, view, path);
    if (wanted !== null) await shelf.putChanges(sequence, wanted);
    const how = wanted === null ? "set aside: nothing else says what it was" : "from the trees";
    done.push({ root: view, path, how });
  }
  return done;
}

/** null when either snapshot is damaged. */
async function compare(shelf: DirectoryShelf, before: SnapshotRecord | null, after: SnapshotRecord): Promise<Changes | null> {
  const [old, now] = [before === null ? null : await openWhole(shelf, before), await openWhole(shelf, after)];
  if (now === null || (before !== null && old === null)) return null;
  return readable(diffSnapshots(old, now));
}

function openWhole(shelf: DirectoryShelf, record: SnapshotRecord): Promise<Snapshot | null> {
  return readable(openSnapshot(shelf, record, createTreeCache()));
}

/** readable awaits a reading, and gives null for what is damaged, or redacted. */
export async function readable<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof ShelfError && (error.code === "snapshot_damaged" || isWithdrawalError(error))) return null;
    throw error;
  });
}
