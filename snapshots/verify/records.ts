/** The pointer and the records. */
import { isDeepStrictEqual } from "node:util";
import type { Sha256 } from "#snapshots/digest";
import { newestServed, type SnapshotRecord } from "#snapshots/shelf";
import type { Audit, Records } from "./check.ts";
import { reasonOf } from "./finding.ts";

/** Since is what is known, from elsewhere, to have been published: a record, or only its number. */
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
  for (const sequence of await shelf.history.listSequences()) {
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
  await shelf.history
    .readWithdrawn()
    .catch((error: unknown) => report.add("record_malformed", root, { path: "withdrawn.json" }, reasonOf(error)));
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
