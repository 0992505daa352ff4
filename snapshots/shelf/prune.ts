/** Forgets old snapshots and frees what only they used. The caller holds the build lock. */
import type { Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { findPartner } from "./served.ts";
import type { DirectoryShelf } from "./shelf-directory.ts";
import type { SnapshotRecord } from "./shelf.ts";
import { reachable } from "./reach.ts";

export type PruneOptions = {
  readonly shelf: DirectoryShelf;
  /** Roots whose snapshots may refer to blobs of this one: internal, when the public root is pruned. Prune that one first,
   *  or what only its old snapshots use stays until the next time. */
  readonly alsoUsedBy?: readonly DirectoryShelf[];
  /** A root without a fallback that takes over what only those need: bytes that became gated do not stay under a public root. */
  readonly moveTo?: DirectoryShelf;
  /** Nothing that is not needed stays, whatever it takes. Else some of it may stay in packs that are mostly needed. */
  readonly purge?: boolean;
  /** Newest records to keep, at least 1. The one that the pointer names is kept besides, and when that is a rollback, all that it
   *  undid: whoever rolled back by mistake, or to look, can go on from there. */
  readonly keep: number;
  /** The public root, when this is the internal one: what a rollback of its kept records needs is kept too. */
  readonly servedWith?: DirectoryShelf;
  /** The search index of this root (`ViewIndex` fits). */
  readonly index?: { prune(keep: readonly string[]): Promise<void> };
};

export type Pruned = {
  readonly removed_snapshots: readonly Sha256[];
  readonly removed_blobs: number;
  readonly freed_bytes: number;
};

/** prune removes records first, then their tags in the index, then the blobs that no record reaches: whenever it is interrupted, every record that
 *  is left is whole, and the next run finishes. Lists of changes stay: history pages tell them.
 *  @throws ShelfError "snapshot_damaged" before anything is removed, when it is not known what a kept snapshot needs; RangeError when `keep` is
 *  not a positive integer */
export async function prune({ shelf, alsoUsedBy = [], moveTo, purge = false, keep, servedWith, index }: PruneOptions): Promise<Pruned> {
  if (!Number.isInteger(keep) || keep < 1) throw new RangeError("keep must be a positive integer");
  const { records } = await shelf.records.index();
  const pointer = await shelf.readPointer();
  if (pointer === null && records.length > 0) {
    throw new ShelfError("snapshot_damaged", "There is no current.json beside the records.", {
      fixes: ["Run: proofshelf repair"],
    });
  }
  const isKept = (record: SnapshotRecord, at: number, all: readonly SnapshotRecord[], current: SnapshotRecord | null): boolean =>
    at >= all.length - keep ||
    record.sequence === current?.sequence ||
    (current?.restores !== undefined && record.sequence >= current.restores);
  const open =
    servedWith === undefined ? null : { records: (await servedWith.records.index()).records, pointer: await servedWith.readPointer() };
  const partners = (open?.records ?? []).filter((...one) => isKept(...one, open?.pointer ?? null)).map((one) => findPartner(records, one));
  const kept = records.filter((...one) => isKept(...one, pointer) || partners.includes(one[0]));
  const keptIds = new Set(kept.map((record) => record.snapshot));
  if (pointer !== null) keptIds.add(pointer.snapshot);
  const needed = await reachable(shelf, keptIds);
  const neededElsewhere = new Set<Sha256>();
  for (const other of alsoUsedBy) {
    const roots = (await other.records.index()).records.map((record) => record.snapshot);
    const current = await other.readPointer();
    for (const digest of await reachable(other, current === null ? roots : [...roots, current.snapshot])) neededElsewhere.add(digest);
  }

  // The snapshot that is served stays, whatever notice of it a build has not removed yet.
  const served = await reachable(shelf, pointer === null ? [] : [pointer.snapshot]);
  const redacted = new Set(await shelf.redactions.list()).difference(served);
  const dropped = records.filter((record) => !kept.includes(record));
  for (const record of dropped) await shelf.history.deleteRecord(record.sequence);
  await shelf.blobs.flush();
  await index?.prune([...keptIds]);
  const moved = new Set<Sha256>();
  if (moveTo !== undefined) {
    for await (const { digest } of shelf.blobs.list()) {
      if (needed.has(digest) || !neededElsewhere.has(digest)) continue;
      const taken = await shelf.getBlob(digest);
      if (taken !== null) await moveTo.blobs.put(digest, taken);
      moved.add(digest);
    }
    await moveTo.blobs.flush();
  }
  const { blobs, bytes } = await shelf.blobs.sweep({
    isNeeded: (digest) => !moved.has(digest) && !redacted.has(digest) && (needed.has(digest) || neededElsewhere.has(digest)),
    mustGo: (digest) => purge || moved.has(digest) || redacted.has(digest),
    packs: purge ? await shelf.blobs.findDamagedPacks() : [],
  });
  const removed = new Set(dropped.map((record) => record.snapshot)).difference(keptIds);
  return { removed_snapshots: [...removed], removed_blobs: blobs, freed_bytes: bytes };
}
