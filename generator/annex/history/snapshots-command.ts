/** `proofshelf snapshots list | diff | rollback` */
import { join } from "node:path";
import {
  type ChangeCounts,
  countFiles,
  createTreeCache,
  describeChanges,
  diffSnapshots,
  findPartner,
  findSetback,
  openSnapshot,
  type Shelf,
  type SnapshotRecord,
} from "#snapshots/shelf";
import { ShelfError } from "#snapshots/errors";
import { openSigners, publish } from "#generator/publish";
import type { ViewData } from "#snapshots/format";
import { type Exposed, openGating } from "#snapshots/annex/leaks";
import { findExposure } from "#generator/annex/leaks";
import { openConfig } from "#generator/config";
import { readRegistry, type RegistryAnnexes, standingWithdrawals } from "#generator/sources";
import { type CommonOptions, configOf, openConfigured, print } from "#generator/commands";
import { keepRecords, openShelves, readPointers, readServed, type ShelfAnnexes, withShelves } from "#generator/shelves";

/** Things named in a refusal; the rest is counted. */
const MAX_NAMED = 20;

export async function runList(options: CommonOptions & { readonly limit: string }, annexes: ShelfAnnexes): Promise<void> {
  if (!/^[0-9]{1,7}$/.test(options.limit)) throw new ShelfError("bad_config", "--limit takes a whole number; 0 lists all.");
  const { public: shelf } = await openConfigured(options, annexes);
  const current = await shelf.readPointer();
  const { records: kept, withdrawn } = await shelf.records.index();
  const records = [...withdrawn, ...kept].sort((a, b) => a.sequence - b.sequence);
  const newest = records.slice(options.limit === "0" ? 0 : -Number(options.limit)).reverse();
  const rows: (SnapshotRecord & { readonly current: boolean; readonly withdrawn: boolean } & Partial<ChangeCounts>)[] = [];
  for (const record of newest) {
    const flags = { current: record.sequence === current?.sequence, withdrawn: withdrawn.includes(record) };
    rows.push({ ...record, ...flags, ...(await shelf.records.counts(record.sequence)) });
  }
  const lines = rows.map(
    ({ restores, ...row }) =>
      `${row.current ? "*" : " "} ${row.sequence}  ${row.snapshot}  ${row.created}  +${row.added ?? "?"} ~${row.changed ?? "?"} -${row.removed ?? "?"}${restores === undefined ? "" : `  snapshot ${restores} again`}${row.withdrawn ? "  taken out of service" : ""}\n`,
  );
  if (rows.length === 0) lines.push("No snapshot has been published yet. Run: proofshelf build\n");
  if (rows.length < records.length) lines.push(`and ${records.length - rows.length} older ones; --limit 0 lists all\n`);
  print(options, { snapshots: rows, total: records.length }, lines.join(""));
}

/** @throws ShelfError "snapshot_not_found" for none or several */
async function findRecord(shelf: Shelf, name: string): Promise<SnapshotRecord> {
  const { records, withdrawn } = await shelf.records.index();
  const found = /^[1-9][0-9]{0,6}$/.test(name)
    ? records.filter((record) => String(record.sequence) === name)
    : records.filter((record) => /^[0-9a-f]{6,64}$/.test(name) && record.snapshot.startsWith(name));
  const ids = new Set(found.map((record) => record.snapshot));
  const record = found.at(-1);
  const gone = withdrawn.find(({ sequence, snapshot }) => String(sequence) === name || (name.length >= 6 && snapshot.startsWith(name)));
  if (record === undefined && gone !== undefined) {
    throw new ShelfError(
      "snapshot_withdrawn",
      `Snapshot ${gone.sequence} held something that is no longer public; it was taken off the shelf.`,
    );
  }
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

export async function runDiff(a: string, b: string, options: CommonOptions, annexes: ShelfAnnexes): Promise<void> {
  const { public: shelf } = await openConfigured(options, annexes);
  const trees = createTreeCache();
  const before = await openSnapshot(shelf, await findRecord(shelf, a), trees);
  const after = await openSnapshot(shelf, await findRecord(shelf, b), trees);
  const [names, changes, files] = [
    await diffSnapshots(before, after),
    await describeChanges(before, after, after),
    await countFiles(before, after),
  ];
  const sign = { added: "+", changed: "~", removed: "-", withdrawn: "- withdrawn:" };
  const lines = changes.flatMap(({ what, name, change, fields, before: old, after: now }) => [
    `${sign[change]} ${what} ${JSON.stringify(name)}`,
    ...(old === now ? [] : [`    sha256: ${[old, now].filter((digest) => digest !== null).join(" → ")}`]),
    ...fields.map(({ field, before: was, after: is }) => `    ${field}: ${was} → ${is}`),
  ]);
  if (lines.length === 0 && files.length > 0) lines.push("No differences in objects, claims and records, but in what is made of them:");
  lines.push(
    ...files.map(({ folder, added, changed, removed }) => `files in ${folder}: ${added} added, ${changed} changed, ${removed} removed`),
  );
  print(
    options,
    { from: before.record, to: after.record, ...names, changes, files },
    lines.length === 0 ? "No differences.\n" : `${lines.join("\n")}\n`,
  );
}

async function dataOf(shelf: Shelf, record: SnapshotRecord): Promise<ViewData> {
  return (await openSnapshot(shelf, record, createTreeCache())).data();
}

/** @throws ShelfError "withdrawn" when what is withdrawn now would be served again */
function refuseWithdrawn(standing: ReadonlySet<string>, next: ViewData): void {
  const names = [
    ...next.objects.map(({ key }) => `object ${key}`),
    ...next.cubs.map(({ id }) => `record ${id}`),
    ...next.claims.claims.map(({ id }) => `claim ${id}`),
  ];
  const back = names.find((name) => standing.has(name));
  if (back !== undefined) throw new ShelfError("withdrawn", `Nothing was changed: that snapshot has what is withdrawn, the ${back}.`);
}

/** @throws ShelfError "bad_config" naming what would be public again */
function refuseToReveal(held: readonly Exposed[]): void {
  if (held.length === 0) return;
  const names = held.slice(0, MAX_NAMED).map(({ what, name }) => `  ${what} ${JSON.stringify(name)}`);
  if (held.length > MAX_NAMED) names.push(`  and ${held.length - MAX_NAMED} more`);
  throw new ShelfError("bad_config", `Nothing was changed: that snapshot would make public again what is gated now.\n${names.join("\n")}`, {
    fixes: ["Say --reveal to serve it all the same, or roll back to a later one."],
  });
}

/** @throws ShelfError "bad_config" naming the snapshots that hold what was gated since they were published: only a build takes them back */
function refuseExposed(snapshots: readonly { readonly sequence: number }[]): void {
  if (snapshots.length === 0) return;
  const numbers = snapshots.map(({ sequence }) => sequence).join(", ");
  throw new ShelfError("bad_config", `Nothing was changed: what is gated now is public still, under /at/, in snapshots ${numbers}.`, {
    fixes: ["Run: proofshelf build. It takes these snapshots out of service, and leaves the one to roll back to.", "Or say --reveal."],
  });
}

function describeUnsaid(names: readonly string[]): string {
  if (names.length === 0) return "";
  return `That snapshot has no notice of what was withdrawn later, so that is 404 until the next build: ${names.map((name) => JSON.stringify(name)).join(", ")}.\n`;
}

export async function runRollback(
  id: string,
  options: CommonOptions & { readonly reveal?: boolean },
  annexes: ShelfAnnexes & RegistryAnnexes,
): Promise<void> {
  const config = await openConfig(configOf(options), { checkSources: false });
  const shelves = openShelves(config, annexes);
  const signers = openSigners(config);
  const moved = await withShelves(shelves, async () => {
    const target = await findRecord(shelves.public, id);
    const partner = findPartner((await shelves.internal.records.index()).records, target);
    if (partner === null) {
      throw new ShelfError(
        "snapshot_not_found",
        "It is not known which internal snapshot was served with that one, or it is no longer kept.",
        {
          fixes: ["Roll back to another one: proofshelf snapshots list"],
        },
      );
    }
    // Opened first: a rollback to something damaged would be worse than what is served now.
    const next = { public: await dataOf(shelves.public, target), internal: await dataOf(shelves.internal, partner) };
    const current = await readPointers(shelves);
    const served = current.internal === null ? null : await readServed(shelves.internal, current.internal);
    const standing = standingWithdrawals(shelves, served);
    refuseWithdrawn(standing, next.internal);
    if (options.reveal !== true && current.public !== null && current.internal !== null) {
      const now = { public: await dataOf(shelves.public, current.public), internal: await dataOf(shelves.internal, current.internal) };
      // The registry's private texts are in no snapshot.
      const { privateTexts } = await readRegistry(config, {
        makeRegistry: annexes.makeRegistry,
        dir: join(shelves.buildDir, "registry"),
        keep: false,
      });
      refuseToReveal(openGating({ collections: config.collections, ...now, privateTexts })(next.public));
      refuseExposed((await findExposure(shelves, config.collections, now, privateTexts)).snapshots);
    }
    const setback = findSetback(current.public, await shelves.public.records.index());
    await publish(shelves, {
      current,
      next: { public: target.snapshot, internal: partner.snapshot },
      created: new Date().toISOString(),
      inputs: {},
      own: { public: target.inputs, internal: partner.inputs },
      signers,
      anew: setback !== null,
      restores: { public: target.sequence, internal: partner.sequence },
    });
    await keepRecords(shelves);
    const said = new Set(next.internal.withdrawn?.map(({ what, name }) => `${what} ${name}`));
    const unsaid = [...standing.difference(said)];
    return { from: current.public, to: await shelves.public.readPointer(), internal: await shelves.internal.readPointer(), unsaid };
  });
  print(
    options,
    moved,
    moved.to?.sequence === moved.from?.sequence
      ? `Snapshot ${moved.to?.sequence} (${moved.to?.snapshot}) is what is served; nothing was changed.\n`
      : `Published snapshot ${moved.to?.sequence} (${moved.to?.snapshot}): snapshot ${moved.to?.restores} again. The next build publishes what the sources hold then.\n${describeUnsaid(moved.unsaid)}`,
  );
}
