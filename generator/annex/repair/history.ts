/** The history of a shelf, put right from the copies that it has of itself: records from the log of publications and from the pointer, the
 *  pointer from the records, and lists of changes from the trees. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type Changes,
  createTreeCache,
  diffSnapshots,
  findPartner,
  findSetback,
  newestServed,
  openSnapshot,
  readRecordsOf,
  type Shelf,
  type SnapshotRecord,
} from "#snapshots/shelf";
import type { Finding } from "#snapshots/verify";
import { readable, type Repair, rootDir, setAside, VIEWS, type ViewName } from "./lost.ts";

const NO_COPY = "set aside: nothing else says what it was";
const FROM_LOG = "from the log of publications";

/** mendHistory mends the records and pointers of both views, when the logs are mended. What cannot be mended is set aside. */
export async function mendHistory(repair: Repair): Promise<void> {
  for (const view of VIEWS) {
    const published = await publishedRecords(repair.shelves[view]);
    await mendWithdrawn(repair, view, published);
    await mendRecords(repair, view, published);
  }
  // The internal pointer follows from the public one.
  for (const view of VIEWS) await mendPointer(repair, view);
}

type Published = ReadonlyMap<number, SnapshotRecord>;

/** publishedRecords gives the records by their numbers, as the newest head of the log has them whose entries are whole. */
async function publishedRecords({ log }: Shelf): Promise<Published> {
  for (const size of (await log.sizes()).toReversed()) {
    const records = await readRecordsOf(log, size);
    if (records !== null) return records;
  }
  return new Map();
}

/** Records of snapshots out of service have no file but this list: it gets, out of the log, whatever it still names. */
async function mendWithdrawn(repair: Repair, view: ViewName, published: Published): Promise<void> {
  const path = "withdrawn.json";
  const file = join(rootDir(repair.shelves, view), path);
  if (!existsSync(file)) return;
  const shelf = repair.shelves[view];
  const found = await readable(shelf.history.readWithdrawn());
  if (found?.every((record) => published.size === 0 || isDeepStrictEqual(record, published.get(record.sequence))) === true) return;
  const text = await readFile(file, "utf8").catch(() => "");
  const kept = new Set(await shelf.history.listSequences());
  // Where the id is damaged the number tells it.
  const records = [...published.values()].filter(
    ({ sequence, snapshot }) => !kept.has(sequence) && (text.includes(snapshot) || text.includes(`"sequence":${sequence},`)),
  );
  await setAside(repair, view, path, records.length === 0 ? NO_COPY : FROM_LOG);
  if (records.length > 0) await shelf.history.withdraw(records);
}

async function mendRecords(repair: Repair, view: ViewName, published: Published): Promise<void> {
  const shelf = repair.shelves[view];
  const pointer = await readable(shelf.readPointer());
  const served = pointer?.sequence ?? (await shelf.records.index()).served;
  for (const sequence of new Set([...(await shelf.history.listSequences()), ...(served === 0 ? [] : [served])])) {
    const found = await readable(shelf.readRecord(sequence));
    const copies = [
      [published.get(sequence) ?? null, FROM_LOG],
      [found, ""],
      [pointer?.sequence === sequence ? pointer : null, "from the pointer"],
    ] as const;
    const [wanted, how] = copies.find(([one]) => one !== null && mayBeOf(view, one)) ?? [null, NO_COPY];
    if (wanted !== null && isDeepStrictEqual(wanted, found)) continue;
    await setAside(repair, view, `snapshots/${sequence}.json`, how, wanted !== null);
    if (wanted !== null) await shelf.history.restoreRecord(wanted);
  }
}

/** An internal record says with which public one it is served: among the public ones it is out of place, whoever put it there. */
function mayBeOf(view: ViewName, record: SnapshotRecord): boolean {
  return view === "internal" || record.public === undefined;
}

async function mendPointer(repair: Repair, view: ViewName): Promise<void> {
  const shelf = repair.shelves[view];
  const index = await shelf.records.index();
  const pointer = await readable(shelf.readPointer());
  const sound =
    pointer !== null &&
    mayBeOf(view, pointer) &&
    isDeepStrictEqual(await readable(shelf.readRecord(pointer.sequence)), pointer) &&
    findSetback(pointer, index) === null;
  if (sound || (index.records.length === 0 && !existsSync(join(rootDir(repair.shelves, view), "current.json")))) return;
  const open = view === "public" ? null : await repair.shelves.public.readPointer();
  const served = newestServed(null, index);
  const newest = index.records.findLast(({ sequence }) => served === 0 || sequence <= served) ?? null;
  const next = view === "public" ? newest : open === null ? null : findPartner(index.records, open);
  const how = next === null ? "set aside: the next build publishes both views anew" : `from snapshots/${next.sequence}.json`;
  await setAside(repair, view, "current.json", how);
  if (next !== null) await shelf.history.swapPointer(next, null);
}

/** mendChanges makes the lists of changes again that verification names, where both snapshots are whole. */
export async function mendChanges(repair: Repair, findings: readonly Finding[]): Promise<void> {
  for (const { code, root, path } of findings) {
    if (!code.startsWith("changes_") || path === null) continue;
    const shelf = repair.shelves[root];
    const { records } = await shelf.records.index();
    const at = records.findIndex(({ sequence }) => path === `changes/${sequence}.json`);
    const after = records[at];
    const before = records.slice(0, Math.max(at, 0)).findLast(({ snapshot }) => snapshot === after?.previous);
    const pruned = after === undefined || (after.previous !== null && before === undefined);
    const changes = pruned ? null : await readable(compare(shelf, before, after));
    if (changes === null && code === "changes_missing") continue;
    await setAside(repair, root, path, changes === null ? NO_COPY : "from the trees", changes !== null);
    if (changes !== null && after !== undefined) await shelf.history.putChanges(after.sequence, changes);
  }
}

async function compare(shelf: Shelf, before: SnapshotRecord | undefined, after: SnapshotRecord): Promise<Changes> {
  const old = before === undefined ? null : await openSnapshot(shelf, before, createTreeCache());
  return diffSnapshots(old, await openSnapshot(shelf, after, createTreeCache()));
}
