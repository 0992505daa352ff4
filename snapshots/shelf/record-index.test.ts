/** The log of what was served: what it saves, and that it is never believed against the records. */
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../digest.ts";
import { findSetback } from "./record-index.ts";
import { openDirectoryShelf } from "./shelf-directory.ts";
import type { Changes, Shelf, SnapshotRecord } from "./shelf.ts";

const record = (sequence: number, text = String(sequence)): SnapshotRecord => ({
  sequence,
  snapshot: sha256(text),
  created: "2026-01-01T00:00:00Z",
  previous: sequence === 1 ? null : sha256(String(sequence - 1)),
  inputs: { store: "1" },
});
const none = { objects: [], claims: [], records: [] };
const changesOf = (sequence: number): Changes => ({ added: { ...none, objects: [`notes/${sequence}.md`] }, changed: none, removed: none });

async function newShelf(t: TestContext, records: number): Promise<{ readonly root: string; readonly shelf: Shelf }> {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-records-"));
  t.after(() => rmSync(root, { recursive: true }));
  const shelf = openDirectoryShelf(root);
  for (let sequence = 1; sequence <= records; sequence++) await publish(shelf, record(sequence));
  return { root, shelf };
}

async function publish(shelf: Shelf, next: SnapshotRecord): Promise<void> {
  await shelf.putRecord(next, changesOf(next.sequence));
  await shelf.swapPointer(next, await shelf.readPointer());
  await shelf.records.keep(next.sequence);
}

const logOf = (root: string): string => join(root, "records.log");
const linesOf = (root: string): number => readFileSync(logOf(root), "utf8").split("\n").length - 1;
const sequencesIn = async (shelf: Shelf): Promise<number[]> => (await shelf.records.index()).records.map(({ sequence }) => sequence);
const all = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

/** What a process that has just been started says of the shelf, in full. */
async function saidOf(root: string): Promise<unknown> {
  const shelf = openDirectoryShelf(root);
  const { records } = await shelf.records.index();
  const counts = [];
  for (const { sequence } of records) counts.push(await shelf.records.counts(sequence));
  return { records, counts, changes: await Array.fromAsync(shelf.records.changes(0, 1000)) };
}

test("a process that starts reads the log, and of the records the newest alone", async (t) => {
  const { root } = await newShelf(t, 50);
  const before = await saidOf(root);
  for (let sequence = 1; sequence < 50; sequence++) writeFileSync(join(root, `snapshots/${sequence}.json`), "not read");
  for (let sequence = 1; sequence <= 50; sequence++) writeFileSync(join(root, `changes/${sequence}.json`), "not read");
  assert.deepEqual(await saidOf(root), before);
});

test("a publication adds one line and leaves the others as they were", async (t) => {
  const { root, shelf } = await newShelf(t, 5);
  const before = readFileSync(logOf(root));
  await publish(shelf, record(6));
  const after = readFileSync(logOf(root));
  assert.deepEqual(after.subarray(0, before.length), before);
  assert.equal(linesOf(root), 6);
  const again = readFileSync(logOf(root));
  await openDirectoryShelf(root).records.keep(6);
  assert.deepEqual(readFileSync(logOf(root)), again);
});

test("a process that goes on reads only the names that are new, and sees prunes", async (t) => {
  const { root, shelf } = await newShelf(t, 4);
  const reader = openDirectoryShelf(root);
  const first = await reader.records.index();
  assert.equal((await reader.records.index()).records, first.records, "the same list while nothing changes");
  await publish(shelf, record(5));
  const next = await reader.records.index();
  assert.deepEqual(next.records.slice(0, 4), first.records);
  assert.ok(
    next.records.slice(0, 3).every((one, at) => one === first.records[at]),
    "the older ones are the same objects",
  );
  assert.equal(next.byId.get(sha256("5"))?.sequence, 5);
  assert.equal(next.byId.get(sha256("unknown")), undefined);
  await shelf.deleteRecord(1);
  assert.deepEqual(await sequencesIn(reader), [2, 3, 4, 5]);
});

test("wherever the log is flipped, cut or longer, the records decide, verify's check says so, and the next publication writes it anew", async (t) => {
  const { root } = await newShelf(t, 6);
  const good = readFileSync(logOf(root));
  const before = await saidOf(root);
  const damages: (readonly [string, () => void])[] = [
    ["lost", () => rmSync(logOf(root))],
    ["empty", () => truncateSync(logOf(root), 0)],
    ["longer", () => appendFileSync(logOf(root), "x")],
    ...Array.from({ length: 60 }, (_, n): readonly [string, () => void] => {
      const at = Math.floor((good.length * n) / 60);
      return [`flipped at ${at}`, () => writeFileSync(logOf(root), Buffer.from(good).fill((good[at] ?? 0) ^ 1, at, at + 1))];
    }),
    ...Array.from({ length: 20 }, (_, n): readonly [string, () => void] => {
      const at = Math.floor((good.length * n) / 20);
      return [`cut at ${at}`, () => truncateSync(logOf(root), at)];
    }),
  ];
  for (const [name, damage] of damages) {
    writeFileSync(logOf(root), good);
    damage();
    assert.deepEqual(await saidOf(root), before, name);
    const problem = await openDirectoryShelf(root).records.findProblem();
    // Whole lines that are missing at the end are no damage: a publication that was cut short leaves them out.
    const ends = good.subarray(0, 0).equals(good) || /^(lost|empty|cut)/.test(name);
    if (!ends) assert.notEqual(problem, null, name);
    await openDirectoryShelf(root).records.keep(6);
    assert.deepEqual(readFileSync(logOf(root)), good, name);
  }
});

test("a log that belongs to other records is not believed", async (t) => {
  const { root } = await newShelf(t, 4);
  const { root: other } = await newShelf(t, 0);
  const shelf = openDirectoryShelf(other);
  for (const sequence of all(4)) await publish(shelf, record(sequence, `other ${sequence}`));
  writeFileSync(logOf(root), readFileSync(logOf(other)));
  const said = await openDirectoryShelf(root).records.index();
  assert.deepEqual(
    said.records,
    all(4).map((sequence) => record(sequence)),
  );
  assert.equal(said.served, 0);
  assert.match((await openDirectoryShelf(root).records.findProblem()) ?? "", /snapshot 1/);
});

test("one record that cannot be read costs that snapshot alone", async (t) => {
  const { root } = await newShelf(t, 4);
  rmSync(logOf(root));
  writeFileSync(join(root, "snapshots/2.json"), "{");
  assert.deepEqual(await sequencesIn(openDirectoryShelf(root)), [1, 3, 4]);
  await openDirectoryShelf(root).records.keep(4);
  assert.equal(linesOf(root), 3);
});

test("changes are the same from the log as from their own files, and of what is pruned there are none", async (t) => {
  const { root, shelf } = await newShelf(t, 60);
  const logged = await Array.fromAsync(shelf.records.changes(0, 60));
  rmSync(logOf(root));
  assert.deepEqual(await Array.fromAsync(openDirectoryShelf(root).records.changes(0, 60)), logged);
  assert.deepEqual(
    logged,
    all(60).map((sequence) => [sequence, changesOf(sequence)]),
  );
  for (const sequence of all(40)) await shelf.deleteRecord(sequence);
  const left = await Array.fromAsync(openDirectoryShelf(root).records.changes(0, 60));
  assert.deepEqual(
    left.map(([sequence]) => sequence),
    all(60).slice(40),
  );
});

test("changes that another process wrote anew are read as they stand, and are no damage", async (t) => {
  const { root } = await newShelf(t, 2);
  const server = openDirectoryShelf(root);
  await server.records.index();
  const writer = openDirectoryShelf(root);
  const left = { added: { ...none, objects: ["notes/left.md", "notes/too.md"] }, changed: none, removed: none };
  assert.equal((await server.records.counts(2))?.added, 1);
  await writer.replaceChanges(2, left);
  await writer.records.keep(2);
  assert.equal((await server.records.counts(2))?.added, 2);
  assert.deepEqual((await Array.fromAsync(server.records.changes(0, 2))).at(-1)?.[1], left);
  assert.equal(server.records.trouble(), null);
});

test("a pointer that was put back is told from a publication that was cut short", async (t) => {
  const { root, shelf } = await newShelf(t, 3);
  const pointer = async (): Promise<SnapshotRecord | null> => openDirectoryShelf(root).readPointer();
  const setback = async (): Promise<string | null> => findSetback(await pointer(), await openDirectoryShelf(root).records.index());
  assert.equal(await setback(), null);
  await shelf.putRecord(record(4, "cut short"), changesOf(4));
  assert.equal(await setback(), null);
  writeFileSync(join(root, "current.json"), readFileSync(join(root, "snapshots/2.json")));
  assert.match((await setback()) ?? "", /names snapshot 2, but 3 was/);
  rmSync(logOf(root));
  assert.match((await setback()) ?? "", /names snapshot 2, but 4 was/, "without the log: more lies beyond than one publication leaves");
});
