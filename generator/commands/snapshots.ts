/** `proofshelf snapshots list | diff | rollback` */
import { countChanges, describeChanges, diffSnapshots } from "../../snapshots/shelf/diff.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { createTreeCache, openSnapshot } from "../../snapshots/shelf/read.ts";
import type { Shelf, SnapshotRecord } from "../../snapshots/shelf/shelf.ts";
import { type CommonOptions, openConfigured, print } from "./options.ts";
import { withBuildLock } from "../lock.ts";

export async function runList(options: CommonOptions): Promise<void> {
  const { public: shelf } = await openConfigured(options);
  const current = await shelf.readPointer();
  const rows = await Promise.all(
    [...(await shelf.listRecords())].reverse().map(async (record) => {
      const changes = await shelf.readChanges(record.sequence);
      return { ...record, current: record.sequence === current?.sequence, ...(changes === null ? {} : countChanges(changes)) };
    }),
  );
  const text = rows.map(
    (row) =>
      `${row.current ? "*" : " "} ${row.sequence}  ${row.snapshot}  ${row.created}  +${row.added ?? "?"} ~${row.changed ?? "?"} -${row.removed ?? "?"}\n`,
  );
  print(options, { snapshots: rows }, rows.length === 0 ? "No snapshot has been published yet. Run: proofshelf build\n" : text.join(""));
}

/** @throws ShelfError "snapshot_not_found" for none or several */
async function findRecord(shelf: Shelf, name: string): Promise<SnapshotRecord> {
  const records = await shelf.listRecords();
  const found = /^[1-9][0-9]{0,6}$/.test(name)
    ? records.filter((record) => String(record.sequence) === name)
    : records.filter((record) => /^[0-9a-f]{6,64}$/.test(name) && record.snapshot.startsWith(name));
  const ids = new Set(found.map((record) => record.snapshot));
  const record = found.at(-1);
  if (record === undefined || ids.size > 1) {
    throw new ShelfError(
      "snapshot_not_found",
      record === undefined ? `No kept snapshot is called ${name}.` : `Several snapshots begin with ${name}.`,
      {
        fixes: ["See them with: proofshelf snapshots list"],
      },
    );
  }
  return record;
}

export async function runDiff(a: string, b: string, options: CommonOptions): Promise<void> {
  const { public: shelf } = await openConfigured(options);
  const trees = createTreeCache();
  const before = await openSnapshot(shelf, await findRecord(shelf, a), trees);
  const after = await openSnapshot(shelf, await findRecord(shelf, b), trees);
  const [names, changes] = [await diffSnapshots(before, after), await describeChanges(before, after)];
  const sign = { added: "+", changed: "~", removed: "-" };
  const lines = changes.flatMap(({ what, name, change, fields }) => [
    `${sign[change]} ${what} ${JSON.stringify(name)}`,
    ...fields.map(({ field, before: old, after: now }) => `    ${field}: ${old} → ${now}`),
  ]);
  print(
    options,
    { from: before.record, to: after.record, ...names, changes },
    lines.length === 0 ? "No differences.\n" : `${lines.join("\n")}\n`,
  );
}

export async function runRollback(id: string, options: CommonOptions): Promise<void> {
  const shelves = await openConfigured(options);
  const moved = await withBuildLock(shelves.buildDir, async () => {
    const target = await findRecord(shelves.public, id);
    const from = await shelves.public.readPointer();
    // Opened first: a rollback to something damaged would be worse than what is served now.
    await (await openSnapshot(shelves.public, target, createTreeCache())).data();
    const internal = await findInternal(shelves.internal, target);
    await shelves.internal.swapPointer(internal, await shelves.internal.readPointer());
    await shelves.public.swapPointer(target, from);
    return { from, to: target, internal };
  });
  print(
    options,
    moved,
    `Serving snapshot ${moved.to.sequence} (${moved.to.snapshot}) again. The next build publishes what the sources hold then.\n`,
  );
}

/** The internal snapshot that was published with a public one: the newest that is not younger. */
async function findInternal(shelf: Shelf, target: SnapshotRecord): Promise<SnapshotRecord> {
  const record = (await shelf.listRecords()).findLast(({ created }) => Date.parse(created) <= Date.parse(target.created));
  if (record === undefined) throw new ShelfError("snapshot_not_found", "The internal snapshot of that time is no longer kept.");
  return record;
}
