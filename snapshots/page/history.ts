/** Models of the pages about the shelf's history: they follow from its records, not from one snapshot. */
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { type Change, countChanges, describeChanges } from "../shelf/diff.ts";
import type { DiffPage, SnapshotRow, SnapshotsPage } from "./model.ts";
import type { SnapshotRecord } from "../shelf/shelf.ts";
import type { View } from "../http/view.ts";

/** Changes on one page; the whole list is in the command line's JSON. */
const MAX_CHANGES = 1000;

async function snapshotRow(view: View, record: SnapshotRecord): Promise<SnapshotRow> {
  const changes = await view.options.shelf.readChanges(record.sequence);
  const current = (await view.current())?.snapshot.record.sequence === record.sequence;
  const { sequence, snapshot: id, created, previous } = record;
  return { sequence, id, created, previous, current, ...(changes === null ? { added: 0, changed: 0, removed: 0 } : countChanges(changes)) };
}

/** Newest first. */
export async function snapshotsPage(view: View): Promise<SnapshotsPage> {
  const records = [...(await view.records())].reverse();
  return { page: "snapshots", snapshots: await Promise.all(records.map((record) => snapshotRow(view, record))) };
}

export async function diffPage(view: View, from: OpenSnapshot, to: OpenSnapshot): Promise<DiffPage> {
  const changes: readonly Change[] = await describeChanges(from.snapshot, to.snapshot);
  return {
    page: "diff",
    from: await snapshotRow(view, from.snapshot.record),
    to: await snapshotRow(view, to.snapshot.record),
    changes: changes.slice(0, MAX_CHANGES),
    truncated: changes.length > MAX_CHANGES,
  };
}
