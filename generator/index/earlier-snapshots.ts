/** Earlier snapshots in an index that is made anew because something was gated. Their rows cannot stay where they are, in files that
 *  also hold what is gated, so the snapshots that stay in service are written into the new tables, each on top of the one after it. */
import type { Sha256 } from "#snapshots/digest";
import { isWithdrawalError } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import { createTreeCache, openSnapshot, type Shelf, type SnapshotRecord, type TreeCache } from "#snapshots/shelf";
import { type DocumentsPlan, planDocuments } from "./plan-documents.ts";
import type { ViewState } from "#generator/kept";
import { openIndex } from "#snapshots/index";
import type { Shelves } from "#generator/shelves";
import { type IndexThread, openIndexThread } from "./index-thread.ts";

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
      after = await indexSnapshot(index, shelf, record, after, trees);
      searchable.add(tag);
    } catch (error) {
      // The rest of the library need not wait for a file of its past.
      if (!(error instanceof ShelfError && (error.code === "snapshot_damaged" || isWithdrawalError(error)))) throw error;
      notes.push(`Snapshot ${sequence} cannot be searched any more: ${error.message}`);
    }
  }
  return { searchable: [...searchable], notes };
}

/** indexAnew writes the public index anew for every kept snapshot, where its files hold passages that none of them has. Only under the build lock and
 *  that of the vectors, which go: those of such passages lie among them.
 *  @returns null where there was nothing to do; else notes for the operator */
export async function indexAnew({ public: shelf, publicDir, internalDir }: Shelves): Promise<readonly string[] | null> {
  const served = await shelf.readPointer();
  const index = await openIndex(shelf.indexUri);
  try {
    if (served === null || !(await index.holdsRemoved())) return null;
    const { records } = await shelf.records.index();
    const thread = openIndexThread({ public: publicDir, internal: internalDir });
    const written = indexSnapshot(thread, shelf, served, null, createTreeCache()).then((newest) =>
      indexEarlier(thread, shelf, records, newest),
    );
    const { searchable, notes } = await written.finally(() => thread.close());
    await index.prune([served.snapshot, ...searchable], []);
    return notes;
  } finally {
    index.close();
  }
}

/** indexSnapshot writes one snapshot into the public index.
 *  @param before what the index holds that is built on, or null to begin with nothing
 *  @returns what it holds now
 *  @throws ShelfError "snapshot_damaged" */
export async function indexSnapshot(
  index: IndexThread,
  shelf: Shelf,
  record: SnapshotRecord,
  before: ViewState | null,
  trees: TreeCache,
): Promise<ViewState> {
  const { upsert, remove, base, documents } = await planSnapshot(shelf, record, before, trees);
  await index.update("public", { upsert, remove, base, tag: record.snapshot, onRead: () => {} });
  return { snapshot: record.snapshot, documents };
}

/** planSnapshot plans what is to be written of a snapshot that lies in the shelf, as `planDocuments` does. @throws ShelfError "snapshot_damaged" */
export async function planSnapshot(
  shelf: Shelf,
  record: SnapshotRecord,
  before: ViewState | null,
  trees: TreeCache,
): Promise<DocumentsPlan> {
  const opened = await openSnapshot(shelf, record, trees);
  const data = await opened.data();
  const extracts = new Map<string, Sha256>();
  for (const { key } of data.objects) {
    const entry = await opened.find(`extracts/${key}`);
    if (entry?.kind !== "blob") throw new ShelfError("snapshot_damaged", `extracts/${key} is missing from the snapshot.`);
    extracts.set(key, entry.sha256);
  }
  return planDocuments(data, (key) => extracts.get(key) ?? "", before);
}
