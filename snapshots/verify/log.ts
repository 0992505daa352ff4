/** The log of publications: every record is the entry of its number, every head is the root over its entries, and whoever should have
 *  signed it did. */
import { canonicalJson } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { openCheckpoint } from "../log/checkpoint.ts";
import { type NoteKey, verifiedBy } from "../log/note.ts";
import { readEntries, TILE_WIDTH, tileNodes } from "../log/tiles.ts";
import { hashLeaf, treeRoot } from "../log/tree.ts";
import { keyOf, readCheckpoint, readLogKeys, checkpointPath } from "../shelf/log.ts";
import type { SnapshotRecord } from "../shelf/shelf.ts";
import { reasonOf, type RootName } from "./finding.ts";
import type { Audit } from "./walk.ts";

/** What is known from elsewhere about who signs. */
export type LogTrust = {
  readonly origin: Readonly<Record<RootName, string>>;
  /** The log's key now. */
  readonly key: NoteKey;
  readonly witnesses: readonly NoteKey[];
};

/** @param served what the pointer names */
export async function checkLog(
  { shelf, report, root }: Audit,
  records: readonly SnapshotRecord[],
  served: SnapshotRecord | null,
  trust: LogTrust | null,
): Promise<void> {
  const { log } = shelf;
  const sizes = await log.sizes();
  const last = sizes.at(-1) ?? 0;
  const at = (size: number) => ({ snapshot: served?.snapshot ?? null, path: checkpointPath(size) });
  if (served !== null && !sizes.includes(served.sequence)) {
    // One of a library that has none yet is begun by the next build.
    if (last > 0 || trust !== null) report.add("log_missing", root, at(served.sequence), "The log has no head for what is served.");
    if (last === 0) return;
  }
  const { read } = log;
  const nodes = tileNodes(last, read);
  const keys = await readLogKeys(log).catch((error: unknown) => {
    report.add("log_damaged", root, { path: "keys.json" }, reasonOf(error));
    return null;
  });
  for (const size of sizes) {
    try {
      const checkpoint = await readCheckpoint(log, size);
      if (checkpoint === null) continue;
      if (!(await treeRoot(size, nodes)).equals(checkpoint.root))
        report.add("log_damaged", root, at(size), `It is not the root over the first ${size} entries.`);
      const key = keys === null ? null : keyOf(keys, size);
      if (key !== null && verifiedBy(checkpoint.note, [key]).length === 0)
        report.add("checkpoint_refused", root, at(size), `${key.name} (${key.id}) should have signed it, and did not.`);
      if (trust !== null && size === served?.sequence)
        openCheckpoint(Buffer.from(checkpoint.text), { origin: trust.origin[root], log: [trust.key], witnesses: trust.witnesses });
    } catch (error) {
      const code = error instanceof ShelfError && error.code === "bad_checkpoint" ? "checkpoint_refused" : "log_damaged";
      report.add(code, root, at(size), reasonOf(error));
    }
  }
  const known = new Map(records.map((record) => [record.sequence, record]));
  for (let index = 0; index * TILE_WIDTH < last; index++) {
    const first = index * TILE_WIDTH + 1;
    try {
      for (const [offset, entry] of (await readEntries(index, last, read)).entries()) {
        const sequence = first + offset;
        const path = `snapshots/${sequence}.json`;
        if (!hashLeaf(entry).equals(await nodes(0, sequence - 1)))
          report.add("log_damaged", root, { path }, "The log's bundle of entries and its tile disagree.");
        const record = known.get(sequence);
        if (record !== undefined && canonicalJson(record) !== entry.toString())
          report.add("log_differs", root, { snapshot: record.snapshot, path }, "It is not what the log has under its number.");
      }
    } catch (error) {
      report.add("log_damaged", root, { path: `tile of entries ${first} on` }, reasonOf(error));
    }
  }
}
