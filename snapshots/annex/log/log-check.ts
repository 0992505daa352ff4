/** The log of publications: every record is the entry of its number, also one that was taken out of service, every head is the root over
 *  its entries, whoever should have signed it did, and every file of the log is what is cut from those that follow it. */
import { countOf } from "#snapshots/format";
import { canonicalJson, type Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import {
  fullTilePath,
  hashLeaf,
  type NoteKey,
  openCheckpoint,
  partialTilePaths,
  readEntries,
  readTileFile,
  TILE_WIDTH,
  tileNodes,
  treeRoot,
  verifiedBy,
} from "#snapshots/log";
import { checkpointPath, keyOf, readCheckpoint, readLogKeys, type SnapshotRecord } from "#snapshots/shelf";
import { type Audit, type Check, reasonOf, type RootName } from "#snapshots/verify";

/** LogTrust holds what is known from elsewhere about the signers. */
export type LogTrust = {
  readonly origin: Readonly<Record<RootName, string>>;
  /** The log's name while nobody signs it. */
  readonly unsigned: Readonly<Record<RootName, string>>;
  /** The log's key now; null where nobody signs. */
  readonly key: NoteKey | null;
  readonly witnesses: readonly NoteKey[];
};

export function logCheck(trust: LogTrust | null): Check {
  return { name: "log", needs: "root", run: (audit, { all, current }) => checkLog(audit, all, current, trust) };
}

/** @param served what the pointer names */
async function checkLog(
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
    if (last > 0 || (trust?.key ?? null) !== null)
      report.add("log_missing", root, at(served.sequence), "The log has no head for what is served.");
    if (last === 0) return;
  }
  const { read } = log;
  const nodes = tileNodes(last, read);
  const keys = await readLogKeys(log).catch((error: unknown) => {
    report.add("log_damaged", root, { path: "keys.json" }, reasonOf(error));
    return null;
  });
  const origins = new Map<string, number[]>();
  for (const size of sizes) {
    try {
      const checkpoint = await readCheckpoint(log, size);
      if (checkpoint === null) continue;
      origins.set(checkpoint.origin, [...(origins.get(checkpoint.origin) ?? []), size]);
      if (!(await treeRoot(size, nodes)).equals(checkpoint.root))
        report.add("log_damaged", root, at(size), `It is not the root over ${countOf(size, "entry", "entries")}.`);
      const key = keys === null ? null : keyOf(keys, size);
      if (key !== null && verifiedBy(checkpoint.note, [key]).length === 0)
        report.add("checkpoint_refused", root, at(size), `${key.name} (${key.id}) should have signed it, and did not.`);
      if (trust !== null && trust.key !== null && size === served?.sequence)
        openCheckpoint(Buffer.from(checkpoint.text), { origin: trust.origin[root], log: [trust.key], witnesses: trust.witnesses });
    } catch (error) {
      const code = error instanceof ShelfError && error.code === "bad_checkpoint" ? "checkpoint_refused" : "log_damaged";
      report.add(code, root, at(size), reasonOf(error));
    }
  }
  // A signature covers the name. That of a head which nobody has signed is held against the other heads, and against the configuration.
  const names = trust === null ? [] : [trust.origin[root], trust.unsigned[root]];
  for (const [origin, [size = 0, ...others]] of origins)
    if (others.length === 0 && keys !== null && keyOf(keys, size) === null && sizes.length + names.length > 1 && !names.includes(origin))
      report.add("log_differs", root, at(size), `It names the log ${JSON.stringify(origin)}, as nothing else here does.`, "warning");
  const known = new Map(records.map((record) => [record.sequence, record]));
  // Its form is told where the records are read.
  const withdrawn = Map.groupBy(await shelf.history.readWithdrawn().catch(() => []), ({ sequence }) => sequence);
  const addWithdrawn = (snapshot: Sha256, sequence: number): void =>
    report.add("log_differs", root, { snapshot, path: "withdrawn.json" }, `What it says of ${sequence} is not what the log has there.`);
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
        for (const one of withdrawn.get(sequence) ?? []) if (canonicalJson(one) !== entry.toString()) addWithdrawn(one.snapshot, sequence);
        withdrawn.delete(sequence);
      }
    } catch (error) {
      report.add("log_damaged", root, { path: `tile of entries ${first} on` }, reasonOf(error));
    }
  }
  for (const [sequence, all] of withdrawn) if (sequence > last) for (const { snapshot } of all) addWithdrawn(snapshot, sequence);
  await checkTiles({ shelf, report, root }, sizes);
}

/** checkTiles compares each tile and bundle with what is cut from those that follow it. One that a longer log has put aside is read for
 *  the proof of an earlier snapshot. */
async function checkTiles({ shelf, report, root }: Pick<Audit, "shelf" | "report" | "root">, sizes: readonly number[]): Promise<void> {
  const last = sizes.at(-1) ?? 0;
  const there = new Set(await shelf.log.tiles());
  for (const path of new Set(sizes.flatMap((size) => [...partialTilePaths(size)])))
    if (!there.has(path) && !there.has(fullTilePath(path))) report.add("log_damaged", root, { path }, "It is missing.");
  const known = new Map<string, Promise<Uint8Array | null>>();
  const readOnce = (path: string): Promise<Uint8Array | null> => {
    const reading = known.get(path) ?? shelf.log.read(path);
    known.set(path, reading);
    return reading;
  };
  for (const path of there) {
    try {
      const [found, wanted] = [await readOnce(path), await readTileFile(path, last, readOnce)];
      if (wanted === null)
        report.add("log_damaged", root, { path }, `A log of ${countOf(last, "entry", "entries")} has no such file.`, "warning");
      else if (found !== null && !wanted.equals(found))
        report.add("log_damaged", root, { path }, "It is not the beginning of what follows it.");
    } catch (error) {
      report.add("log_damaged", root, { path }, reasonOf(error));
    }
  }
}
