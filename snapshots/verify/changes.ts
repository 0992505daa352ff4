/** Lists of changes: each says what a comparison of the two snapshots gives, where both are still kept. */
import { isDeepStrictEqual } from "node:util";
import type { Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { isWithdrawalError } from "#snapshots/format";
import { diffSnapshots, openSnapshot, type Snapshot, type SnapshotRecord } from "#snapshots/shelf";
import type { Audit, Check, Records } from "./check.ts";
import { reasonOf } from "./finding.ts";

export const changesCheck = { name: "changes", needs: "root", run: checkChanges } as const satisfies Check;

async function checkChanges(audit: Audit, { served }: Records): Promise<void> {
  const { shelf, report, root } = audit;
  await checkOldChanges(audit, served);
  const newest = new Map<Sha256, SnapshotRecord>();
  for (const record of served) {
    const earlier = record.previous === null ? undefined : newest.get(record.previous);
    newest.set(record.snapshot, record);
    const place = { snapshot: record.snapshot, path: `changes/${record.sequence}.json` };
    try {
      const changes = await shelf.readChanges(record.sequence);
      if (changes === null) {
        report.add("changes_missing", root, place, "The history page cannot tell what this snapshot changed.");
        continue;
      }
      if (earlier === undefined && record.previous !== null) continue; // pruned: nothing to compare with
      const after = await openOrNull(audit, record);
      const before = earlier === undefined ? null : await openOrNull(audit, earlier);
      // A damaged snapshot is told where its blobs are checked.
      if (after === null || (before === null && earlier !== undefined)) continue;
      if (!isDeepStrictEqual(changes, await diffSnapshots(before, after))) {
        report.add("changes_mismatch", root, place, "It names other objects, claims or records than the trees do.");
      }
    } catch (error) {
      // Snapshots with something redacted cannot be compared.
      if (error instanceof ShelfError && isWithdrawalError(error)) continue;
      report.add("changes_malformed", root, place, reasonOf(error));
    }
  }
}

/** Checks the changes of snapshots that were pruned: nothing but their form can be told. */
async function checkOldChanges({ shelf, report, root }: Audit, served: readonly SnapshotRecord[]): Promise<void> {
  const kept = new Set(served.map(({ sequence }) => sequence));
  for (let sequence = 1; sequence <= (served.at(-1)?.sequence ?? 0); sequence++) {
    if (kept.has(sequence)) continue;
    await shelf
      .readChanges(sequence)
      .catch((error: unknown) => report.add("changes_malformed", root, { path: `changes/${sequence}.json` }, reasonOf(error)));
  }
}

async function openOrNull({ shelf, cache, maxFolders }: Audit, record: SnapshotRecord): Promise<Snapshot | null> {
  try {
    const snapshot = await openSnapshot(shelf, record, cache);
    let loads = 0;
    return {
      ...snapshot,
      // A comparison follows every path: trees that share subtrees without end are cut short.
      tree: (digest) =>
        ++loads > maxFolders ? Promise.reject(new ShelfError("snapshot_damaged", "It has too many folders.")) : snapshot.tree(digest),
    };
  } catch {
    return null;
  }
}
