/** Earlier snapshots in an index that is made anew because something was gated. Their rows cannot stay where they are, in files that
 *  also hold what is gated, so the snapshots that stay in service are written into the new tables, each on top of the one after it. */
import type { Sha256 } from "#snapshots/digest";
import { isWithdrawalError } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import { createTreeCache, openSnapshot, type Shelf, type SnapshotRecord } from "#snapshots/shelf";
import { planDocuments } from "./plan-documents.ts";
import type { ViewState } from "#generator/kept";
import type { IndexThread } from "./index-thread.ts";

export type EarlierSearch = {
  /** Snapshots that can be searched now. */
  readonly searchable: readonly Sha256[];
  /** One for each that cannot. */
  readonly notes: readonly string[];
};

/** indexEarlier writes earlier snapshots into the new index.
 *  @param records of the public view; none of the snapshots holds anything that is gated
 *  @param newest what has been written already */
export async function indexEarlier(
  index: IndexThread,
  shelf: Shelf,
  records: readonly SnapshotRecord[],
  newest: ViewState,
): Promise<EarlierSearch> {
  const trees = createTreeCache();
  const searchable = new Set<Sha256>();
  const notes: string[] = [];
  let after = newest;
  for (const record of records.toReversed()) {
    const { snapshot: tag, sequence } = record;
    if (tag === newest.snapshot || searchable.has(tag)) continue;
    try {
      const opened = await openSnapshot(shelf, record, trees);
      const data = await opened.data();
      const extracts = new Map<string, Sha256>();
      for (const { key } of data.objects) extracts.set(key, (await opened.find(`extracts/${key}`))?.sha256 ?? "");
      const { upsert, remove, base, documents } = planDocuments(data, (key) => extracts.get(key) ?? "", after, null);
      await index.update("public", { upsert, remove, base, tag, onRead: () => {} });
      after = { snapshot: tag, documents };
      searchable.add(tag);
    } catch (error) {
      // The rest of the library need not wait for a file of its past.
      if (!(error instanceof ShelfError && (error.code === "snapshot_damaged" || isWithdrawalError(error)))) throw error;
      notes.push(`Snapshot ${sequence} cannot be searched any more: ${error.message}`);
    }
  }
  return { searchable: [...searchable], notes };
}
