/** Models of the pages about the shelf's history: they follow from its records, not from one snapshot. */
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { type Change, countChanges, describeChanges } from "../shelf/diff.ts";
import type { SnapshotRecord } from "../shelf/shelf.ts";
import type { DiffPage, SnapshotRow, SnapshotsPage } from "./model.ts";

export type History = {
  /** Ascending by sequence. */
  records(): Promise<readonly SnapshotRecord[]>;
  /** A kept snapshot, or null. */
  byId(id: string): Promise<OpenSnapshot | null>;
};

const MAX_CHANGES = 1000;

/** @param open the snapshot that is served */
async function snapshotRow(open: OpenSnapshot, record: SnapshotRecord): Promise<SnapshotRow> {
  const changes = await open.snapshot.shelf.readChanges(record.sequence);
  const current = open.snapshot.record.sequence === record.sequence;
  const { sequence, snapshot: id, created, previous } = record;
  return { sequence, id, created, previous, current, ...(changes === null ? { added: 0, changed: 0, removed: 0 } : countChanges(changes)) };
}

/** Newest first. */
export async function snapshotsPage(history: History, open: OpenSnapshot): Promise<SnapshotsPage> {
  const records = [...(await history.records())].reverse();
  return { page: "snapshots", snapshots: await Promise.all(records.map((record) => snapshotRow(open, record))) };
}

/** @param open the snapshot that is served */
export async function diffPage(open: OpenSnapshot, from: OpenSnapshot, to: OpenSnapshot): Promise<DiffPage> {
  const changes: readonly Change[] = await describeChanges(from.snapshot, to.snapshot);
  return {
    page: "diff",
    from: await snapshotRow(open, from.snapshot.record),
    to: await snapshotRow(open, to.snapshot.record),
    changes: changes.slice(0, MAX_CHANGES),
    truncated: changes.length > MAX_CHANGES,
  };
}
