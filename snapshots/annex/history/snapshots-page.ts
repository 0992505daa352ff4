/** Models of the pages about the shelf's history: they follow from its records, not from one snapshot. */
import { type History, type OpenSnapshot, recordAt } from "#snapshots/query";
import { type Change, describeChanges, type SnapshotRecord, unreadable } from "#snapshots/shelf";
import { countBy } from "#snapshots/page";
import { pagePath, relationsOf } from "#snapshots/format";
import { movesOf, withBelow } from "./diff-story.ts";
import { meaningChanges } from "./meaning.ts";
import { statesOverTime } from "./states-over-time.ts";

const MAX_CHANGES = 200;
const MAX_WEAKER = 100;
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
  const { withdrawn = [] } = await open.snapshot.data();
  const gone = withdrawn.flatMap(({ what, name }) => (what === "record" ? [name] : []));
  const snapshots = await Promise.all(shown.toReversed().map((record) => snapshotRow(open, record)));
  return {
    page: "snapshots" as const,
    snapshots,
    states: await statesOverTime(history, shown, gone),
    since: await sinceThen(history),
    part,
    parts,
  };
}

const DAY = 86_400_000; // milliseconds
const PERIODS = [
  ["a week", 7],
  ["a month", 30],
  ["a year", 365],
] as const;

/** sinceThen leads to what changed since a while before the newest snapshot, where another one was served then. */
async function sinceThen(history: History) {
  const kept = await history.records();
  const newest = kept.at(-1);
  const found = PERIODS.flatMap(([words, days]) => {
    const then = newest === undefined ? null : recordAt(kept, newest.sequence, Date.parse(newest.created) - days * DAY);
    return then === null || newest === undefined || then === newest ? [] : [{ words, path: pagePath.diff(then.snapshot, newest.snapshot) }];
  });
  return found.filter(({ path }, at) => found.findIndex((other) => other.path === path) === at);
}

/** diffPage compares two snapshots for a reader. Records are told by what moved; of the rest each change is there.
 *  @param open the snapshot that is served */
export async function diffPage(open: OpenSnapshot, from: OpenSnapshot, to: OpenSnapshot) {
  const all: readonly Change[] = await describeChanges(from.snapshot, to.snapshot, open.snapshot);
  const { withdrawn = [] } = await open.snapshot.data();
  const gone = new Set(withdrawn.map(({ what, name }) => `${what} ${name}`));
  const isTold = ({ what, name }: Change): boolean => !gone.has(`${what} ${name}`);
  const [before, after] = await Promise.all([from, to].map(({ snapshot }) => snapshot.data().then(relationsOf).catch(unreadable)));
  // Where one side cannot be read, each record stands among the others; one that is withdrawn now stands there by its id alone.
  const moved = before === null || before === undefined || after === null || after === undefined ? null : { before, after };
  const isMoved = (change: Change): boolean => change.what === "record" && isTold(change);
  const records = all.filter(isMoved);
  const others = moved === null ? all : all.filter((change) => !isMoved(change));
  const titleOf = (change: Change): string => (isTold(change) ? titleIn(change) : change.name);
  const titleIn = ({ what, name }: Change): string =>
    what === "object"
      ? (after?.objectByKey.get(name)?.title ?? before?.objectByKey.get(name)?.title ?? name)
      : what === "claim"
        ? (after?.claimById.get(name)?.title ?? before?.claimById.get(name)?.title ?? name)
        : ((after?.recordById.get(name) ?? before?.recordById.get(name))?.theorem_name ?? name);
  return {
    page: "diff" as const,
    from: await snapshotRow(open, from.snapshot.record),
    to: await snapshotRow(open, to.snapshot.record),
    counts: countBy(all, ({ change }) => change),
    moves:
      moved === null
        ? []
        : await withBelow(
            movesOf(records, moved.before.recordById, moved.after.recordById),
            moved.before.recordById,
            moved.after.recordById,
            (id) => meaningChanges(open.snapshot, from.snapshot, to.snapshot, id),
          ),
    weaker: all
      .filter(({ weaker }) => weaker.length > 0)
      .slice(0, MAX_WEAKER)
      .map((change) => ({ title: titleOf(change), path: change.path, why: change.weaker })),
    others: others.slice(0, MAX_CHANGES).map((change) => ({ ...change, title: titleOf(change) })),
    more: Math.max(0, others.length - MAX_CHANGES),
  };
}
