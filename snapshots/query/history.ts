/** The shelf's history as answers need it: what was published, and kept snapshots by id, by number or by time. */
import { ShelfError } from "#snapshots/errors";
import { pagePath } from "#snapshots/format";
import type { SnapshotRecord } from "#snapshots/shelf";
import type { OpenSnapshot } from "./open-snapshot.ts";

export type History = {
  /** Ascending by sequence. */
  records(): Promise<readonly SnapshotRecord[]>;
  /** Records of snapshots that were taken out of service, ascending by sequence. */
  withdrawn(): Promise<readonly SnapshotRecord[]>;
  /** A kept snapshot, or null. */
  byId(id: string): Promise<OpenSnapshot | null>;
};

/** missingSnapshot makes the error that says why there is no such snapshot. @param start of an id, or all of it */
export async function missingSnapshot(history: Pick<History, "withdrawn">, start: string): Promise<ShelfError> {
  const gone = (await history.withdrawn()).some(({ snapshot }) => snapshot.startsWith(start));
  const fixes = [`See ${pagePath.snapshots} for those that are kept.`];
  return gone
    ? new ShelfError("snapshot_withdrawn", "This snapshot held something that is no longer public, so it was taken out of service.", {
        fixes,
      })
    : new ShelfError("snapshot_not_found", "No snapshot with this id is kept.", { fixes });
}

/** A number of a publication; digits that are more begin an id. */
const NUMBER = /^[1-9][0-9]{0,6}$/;

/** findByNumber finds the id of the snapshot with a number. @returns null for what is no number
 *  @throws ShelfError "snapshot_not_found" when none of that number is kept, "snapshot_withdrawn" */
export async function findByNumber(history: Pick<History, "records" | "withdrawn">, text: string): Promise<string | null> {
  if (!NUMBER.test(text)) return null;
  const found = (await history.records()).find(({ sequence }) => String(sequence) === text);
  if (found !== undefined) return found.snapshot;
  const gone = (await history.withdrawn()).find(({ sequence }) => String(sequence) === text);
  if (gone !== undefined) throw await missingSnapshot(history, gone.snapshot);
  throw new ShelfError("snapshot_not_found", `No snapshot with the number ${text} is kept.`, {
    fixes: [`See ${pagePath.snapshots} for those that are kept.`],
  });
}

/** findSnapshot opens a snapshot by its name. @param name a number, the beginning of an id, or all of it
 *  @throws ShelfError "snapshot_not_found" for none or several, "snapshot_withdrawn" */
export async function findSnapshot(history: History, name: string): Promise<OpenSnapshot> {
  const start = (await findByNumber(history, name)) ?? name;
  const ids = new Set((await history.records()).map((record) => record.snapshot).filter((id) => id.startsWith(start)));
  const [id] = ids;
  if (ids.size > 1) throw new ShelfError("snapshot_not_found", "Several snapshots begin with this id.");
  const open = id === undefined ? null : await history.byId(id);
  if (open === null) throw await missingSnapshot(history, start);
  return open;
}

/** recordAt returns the record that was served at a time, among those that are kept: the first for a time before it. It returns null when none is
 *  kept.
 *  @param current sequence of the snapshot that is served: a record beyond it was never served */
export function recordAt(records: readonly SnapshotRecord[], current: number, time: number): SnapshotRecord | null {
  const served = records.filter(({ sequence }) => sequence <= current);
  // By number and not by time: a clock may have gone back.
  return served.findLast(({ created }) => Date.parse(created) <= time) ?? served[0] ?? null;
}
