/** The last step: record, then pointer, in the order that leaves the old snapshot served whatever happens. Blobs, trees and
 *  the index's tag are there and survive a power cut before it. */
import { diffSnapshots } from "../../snapshots/shelf/diff.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { createTreeCache, openSnapshot } from "../../snapshots/shelf/read.ts";
import type { Changes, Shelf, SnapshotRecord } from "../../snapshots/shelf/shelf.ts";
import type { Draft } from "./draft.ts";

export type Published = { readonly record: SnapshotRecord; readonly changes: Changes };

/** Moves the pointer to a draft whose blobs, trees and index are complete and survive a power cut.
 *  @throws ShelfError "lost_race" when another publisher was faster */
export async function publish(
  shelf: Shelf,
  draft: Draft,
  options: { readonly created: string; readonly inputs: Readonly<Record<string, string>> },
): Promise<Published> {
  const sequence = ((await shelf.listRecords()).at(-1)?.sequence ?? 0) + 1;
  const record: SnapshotRecord = {
    sequence,
    snapshot: draft.snapshot,
    created: options.created,
    previous: draft.current?.snapshot ?? null,
    inputs: { ...options.inputs },
  };
  const trees = createTreeCache();
  const after = await openSnapshot(shelf, record, trees);
  const before = draft.current === null ? null : await openSnapshot(shelf, draft.current, trees).catch(ignoreDamage);
  const changes = (await diffSnapshots(before, after).catch(ignoreDamage)) ?? (await diffSnapshots(null, after));
  await shelf.putRecord(record, changes);
  await shelf.swapPointer(record, draft.current);
  return { record, changes };
}

/** A damaged predecessor must not keep the next good snapshot from being published. */
function ignoreDamage(error: unknown): null {
  if (error instanceof ShelfError && error.code === "snapshot_damaged") return null;
  throw error;
}
