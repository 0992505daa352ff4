/** How many records there were of each standing in each of some snapshots, without those that are withdrawn now. What a snapshot does not change
 *  lies in the same parts as before, and is counted once. */
import { LRUCache } from "lru-cache";
import { partsPath, RECORD_STANDINGS } from "#snapshots/format";
import type { History } from "#snapshots/query";
import type { CubRecord } from "#snapshots/schema";
import { type Snapshot, type SnapshotRecord, unreadable } from "#snapshots/shelf";
import { type ValueCount, countStandings } from "#snapshots/page";

/** Snapshots in one plot: columns that still can be told apart on a phone. */
const MOST = 60;

/** By digest of a part, which has some hundred records, and what of it does not count. */
const countsByPart = new LRUCache<string, readonly ValueCount[]>({ max: 20_000 });

/** StatesAt counts the records of a snapshot by their standing; `states` is null where they cannot be read. */
export type StatesAt = Pick<SnapshotRecord, "sequence" | "created"> & { readonly states: readonly ValueCount[] | null };

/** statesOverTime counts the records of each snapshot by their standing.
 *  @param records of snapshots, ascending
 *  @param withdrawn ids of records that do not count
 *  @returns the newest of those that are in service, ascending; one that is damaged is there without its states */
export async function statesOverTime(
  history: Pick<History, "byId">,
  records: readonly SnapshotRecord[],
  withdrawn: readonly string[],
): Promise<readonly StatesAt[]> {
  const rows: StatesAt[] = [];
  for (const { sequence, created, snapshot } of records.slice(-MOST)) {
    try {
      const open = await history.byId(snapshot);
      if (open !== null) rows.push({ sequence, created, states: await countStates(open.snapshot, withdrawn) });
    } catch (error) {
      rows.push({ sequence, created, states: unreadable(error) });
    }
  }
  return rows;
}

async function countStates(snapshot: Snapshot, withdrawn: readonly string[]): Promise<readonly ValueCount[]> {
  const totals = new Map<string, number>();
  for (const part of await snapshot.files(partsPath.records)) {
    const name = [part.sha256, ...withdrawn].join(" ");
    let counts = countsByPart.get(name);
    if (counts === undefined) {
      const cubs = JSON.parse(new TextDecoder().decode(await snapshot.read(part))) as readonly CubRecord[];
      counts = countStandings(cubs.filter(({ id }) => !withdrawn.includes(id)));
      countsByPart.set(name, counts);
    }
    for (const { value, count } of counts) totals.set(value, (totals.get(value) ?? 0) + count);
  }
  const names = [...new Set([...RECORD_STANDINGS, ...[...totals.keys()].sort()])];
  return names.flatMap((value) => (totals.has(value) ? [{ value, count: totals.get(value) ?? 0 }] : []));
}
