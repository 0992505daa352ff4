/** Models of the pages about the shelf's history: they follow from its records, not from one snapshot. */
import type { History, OpenSnapshot } from "#snapshots/query";
import { type Change, describeChanges, type SnapshotRecord } from "#snapshots/shelf";
import { statesOverTime } from "./states-over-time.ts";

const MAX_CHANGES = 1000;
const SNAPSHOTS_PART = 100;

/** snapshotRow makes a row of the list of snapshots. A row is `kept` while its snapshot is in service, and `comparable` when the one before is
 *  kept too.
 *  @param open the snapshot that is served */
export async function snapshotRow(open: OpenSnapshot, record: SnapshotRecord) {
  const { records } = open.snapshot.shelf;
  const { byId } = await records.index();
  const counts = (await records.counts(record.sequence)) ?? { added: 0, changed: 0, removed: 0 };
  const { sequence, snapshot: id, created, previous, restores } = record;
  return {
    sequence,
    id,
    created,
    previous,
    current: open.snapshot.record.sequence === sequence,
    kept: byId.has(id),
    comparable: byId.has(id) && previous !== null && byId.has(previous),
    ...(restores === undefined ? {} : { restores }),
    ...counts,
  };
}

/** The records that the list of snapshots names, ascending. */
async function listed(history: History): Promise<readonly SnapshotRecord[]> {
  const [records, withdrawn] = [await history.records(), await history.withdrawn()];
  return withdrawn.length === 0 ? records : [...withdrawn, ...records].sort((a, b) => a.sequence - b.sequence);
}

/** countSnapshotsParts counts the parts of the list of snapshots. */
export async function countSnapshotsParts(history: History): Promise<number> {
  return partsOf(await listed(history));
}

function partsOf(records: readonly SnapshotRecord[]): number {
  return Math.max(1, Math.ceil(records.length / SNAPSHOTS_PART));
}

/** snapshotsPage makes a part of the list of snapshots. Snapshots come newest first, and the states of the newest of them that are in service
 *  oldest first.
 *  @param part 1 to `countSnapshotsParts`
 *  @returns null for another part */
export async function snapshotsPage(history: History, open: OpenSnapshot, part: number) {
  const records = await listed(history);
  const parts = partsOf(records);
  if (part > parts) return null;
  const end = records.length - (part - 1) * SNAPSHOTS_PART;
  const shown = records.slice(Math.max(0, end - SNAPSHOTS_PART), end);
  const snapshots = await Promise.all(shown.toReversed().map((record) => snapshotRow(open, record)));
  return { page: "snapshots" as const, snapshots, states: await statesOverTime(history, shown), part, parts };
}

/** diffPage makes the page of a comparison. @param open the snapshot that is served */
export async function diffPage(open: OpenSnapshot, from: OpenSnapshot, to: OpenSnapshot) {
  const changes: readonly Change[] = await describeChanges(from.snapshot, to.snapshot);
  return {
    page: "diff" as const,
    from: await snapshotRow(open, from.snapshot.record),
    to: await snapshotRow(open, to.snapshot.record),
    changes: changes.slice(0, MAX_CHANGES),
    truncated: changes.length > MAX_CHANGES,
  };
}
