/** A snapshot that answers: its files, its history, its search index. Everything an answer follows from, besides its parameters. */
import type { IndexReader } from "#snapshots/index";
import type { CubRecord } from "#snapshots/schema";
import type { Snapshot, SnapshotRecord } from "#snapshots/shelf";

/** FirstSeen says when a key was first seen on the way to one snapshot. */
export type FirstSeen = {
  /** The first snapshot that had this key. */
  readonly key: SnapshotRecord;
  /** The first snapshot since which its bytes are these. */
  readonly bytes: SnapshotRecord;
  /** Every snapshot that added or changed it, ascending. */
  readonly all: readonly SnapshotRecord[];
  /** The snapshot that has it no more. */
  readonly gone?: SnapshotRecord;
};

export type OpenSnapshot = {
  readonly snapshot: Snapshot;
  /** null when no kept history says. */
  firstSeen(kind: "objects" | "claims" | "records", name: string): Promise<FirstSeen | null>;
  /** @throws ShelfError "search_unavailable" */
  reader(): Promise<IndexReader>;
};

/** otherProofs gives the records of the same meaning, each with the number of the first kept snapshot that has it. */
export async function otherProofs(
  open: OpenSnapshot,
  { meaning }: Pick<CubRecord, "meaning">,
): Promise<readonly { readonly id: string; readonly first_seen: number | null }[]> {
  const seen = async (id: string): Promise<number | null> => (await open.firstSeen("records", id))?.key.sequence ?? null;
  return Promise.all((meaning?.same ?? []).map(async (id) => ({ id, first_seen: await seen(id) })));
}
