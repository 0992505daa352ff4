/** The pointer, the records and their lists of changes. */
import { isDeepStrictEqual } from "node:util";
import { diffSnapshots } from "../shelf/diff.ts";
import type { Sha256 } from "../digest.ts";
import { isWithdrawalError } from "../format/withdrawn.ts";
import { ShelfError } from "../errors.ts";
import { newestServed } from "../shelf/record-index.ts";
import { openSnapshot, type Snapshot } from "../shelf/read.ts";
import type { SnapshotRecord } from "../shelf/shelf.ts";
import { reasonOf } from "./finding.ts";
import type { Audit } from "./walk.ts";

export type Records = {
  /** What the pointer names; when the pointer is unusable, the newest record, so that the rest can still be checked. */
  readonly current: SnapshotRecord | null;
  readonly all: readonly SnapshotRecord[]; // those that can be read, ascending
  readonly complete: boolean; // whether that is all of them
  readonly served: readonly SnapshotRecord[]; // at or below the pointer
};

/** What is known, from elsewhere, to have been published: a record, or only its number. */
export type Since = Pick<SnapshotRecord, "sequence"> & Partial<SnapshotRecord>;

export async function checkRecords({ shelf, report, root }: Audit, since: Since | null = null): Promise<Records> {
  const addSetback = (pointer: SnapshotRecord, detail: string): void =>
    report.add("pointer_back", root, { snapshot: pointer.snapshot, path: "current.json" }, `It names ${pointer.sequence}, but ${detail}.`);
  let pointer: SnapshotRecord | null = null;
  try {
    pointer = await shelf.readPointer();
    if (pointer === null) report.add("pointer_missing", root, { path: "current.json" }, "Nothing is published, or the file was lost.");
  } catch (error) {
    report.add("pointer_malformed", root, { path: "current.json" }, reasonOf(error));
  }
  const all: SnapshotRecord[] = [];
  let complete = true;
  for (const sequence of await shelf.listSequences()) {
    try {
      const record = await shelf.readRecord(sequence);
      if (record !== null) all.push(record);
    } catch (error) {
      report.add("record_malformed", root, { path: `snapshots/${sequence}.json` }, reasonOf(error));
      complete = false;
    }
  }

  if (pointer !== null) {
    const named = all.find((record) => record.sequence === pointer.sequence);
    if (!isDeepStrictEqual(named, pointer)) {
      const path = `snapshots/${pointer.sequence}.json`;
      report.add(
        "pointer_mismatch",
        root,
        { snapshot: pointer.snapshot, path },
        `current.json and ${path} ${named === undefined ? "do not both exist" : "differ"}.`,
      );
    }
    const newest = newestServed(pointer, { records: all, served: (await shelf.records.index()).served });
    if (newest > pointer.sequence) addSetback(pointer, `${newest} was published after it`);
    else {
      for (const record of all.filter((one) => one.sequence > pointer.sequence)) {
        const path = `snapshots/${record.sequence}.json`;
        report.add("orphan_record", root, { snapshot: record.snapshot, path }, `The pointer names ${pointer.sequence}.`);
      }
    }
    if (since !== null && since.sequence > pointer.sequence) addSetback(pointer, `${since.sequence} is known to have been published`);
  }
  const kept = all.find(({ sequence }) => sequence === since?.sequence);
  if (since?.snapshot !== undefined && kept !== undefined && !isDeepStrictEqual(kept, since)) {
    const path = `snapshots/${kept.sequence}.json`;
    report.add("history_rewritten", root, { snapshot: kept.snapshot, path }, "It is not the record that is known to have been published.");
  }
  const problem = await shelf.records.findProblem().catch(reasonOf);
  if (problem !== null) report.add("record_log", root, { path: "records.log" }, problem);
  checkChain(all, (code, record, detail) =>
    report.add(code, root, { snapshot: record.snapshot, path: `snapshots/${record.sequence}.json` }, detail),
  );
  return {
    current: pointer ?? all.at(-1) ?? null,
    all,
    complete,
    served: pointer === null ? all : all.filter((record) => record.sequence <= pointer.sequence),
  };
}

function checkChain(
  all: readonly SnapshotRecord[],
  add: (code: "record_chain" | "record_order", record: SnapshotRecord, detail: string) => void,
): void {
  const earlier = new Set<Sha256>();
  for (const [at, record] of all.entries()) {
    const before = all[at - 1];
    if (before !== undefined && Date.parse(before.created) > Date.parse(record.created)) {
      add("record_order", record, `It says ${record.created}, record ${before.sequence} says ${before.created}.`);
    }
    // A record that was pruned may be the one that is meant. Numbers may be skipped only by pruning.
    const pruned = at + 1 < record.sequence;
    if (record.previous !== null && !earlier.has(record.previous) && !pruned)
      add("record_chain", record, `No earlier record holds snapshot ${record.previous}.`);
    earlier.add(record.snapshot);
  }
}

/** Whether every list of changes says what a comparison of the two snapshots gives, where both are still kept. */
export async function checkChanges(audit: Audit, { served }: Records): Promise<void> {
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
      // What is redacted cannot be compared.
      if (error instanceof ShelfError && isWithdrawalError(error)) continue;
      report.add("changes_malformed", root, place, reasonOf(error));
    }
  }
}

/** Of snapshots that were pruned nothing but the form can be told. */
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
