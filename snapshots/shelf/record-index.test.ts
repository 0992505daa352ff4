/** What a root has published: what its log saves, and that nothing is believed against the records. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../digest.ts";
import { extendLog } from "./log.ts";
import { findSetback } from "./record-index.ts";
import { type DirectoryShelf, openDirectoryShelf } from "./shelf-directory.ts";
import type { Changes, SnapshotRecord } from "./shelf.ts";

const record = (sequence: number, text = String(sequence)): SnapshotRecord => ({
  sequence,
  snapshot: sha256(text),
  created: "2026-01-01T00:00:00Z",
  previous: sequence === 1 ? null : sha256(String(sequence - 1)),
  inputs: { store: "1" },
});
const none = { objects: [], claims: [], records: [] };
const changesOf = (sequence: number): Changes => ({ added: { ...none, objects: [`notes/${sequence}.md`] }, changed: none, removed: none });

async function newShelf(t: TestContext, records: number): Promise<{ readonly root: string; readonly shelf: DirectoryShelf }> {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-records-"));
  t.after(() => rmSync(root, { recursive: true }));
  const shelf = openDirectoryShelf(root);
  for (let sequence = 1; sequence <= records; sequence++) await publish(shelf, record(sequence));
  return { root, shelf };
}

async function publish(shelf: DirectoryShelf, next: SnapshotRecord): Promise<void> {
  await shelf.history.putRecord(next, changesOf(next.sequence));
  await extendLog(shelf, next, SIGNER);
  await shelf.history.swapPointer(next, await shelf.readPointer());
  await shelf.records.keep(next.sequence);
}

const SIGNER = { origin: "records.example", key: null };
const sequencesIn = async (shelf: DirectoryShelf): Promise<number[]> =>
  (await shelf.records.index()).records.map(({ sequence }) => sequence);
const all = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

/** What a process that has just been started says of the shelf, in full. */
async function saidOf(root: string): Promise<unknown> {
  const shelf = openDirectoryShelf(root);
  const { records } = await shelf.records.index();
  const counts = [];
  for (const { sequence } of records) counts.push(await shelf.records.counts(sequence));
  return { records, counts, changes: await Array.fromAsync(shelf.records.changes(0, 1000)) };
}

test("a process that starts reads the log, and of many records the newest alone", async (t) => {
  const { root } = await newShelf(t, 50);
  const before = await saidOf(root);
  for (let sequence = 1; sequence < 50; sequence++) writeFileSync(join(root, `snapshots/${sequence}.json`), "not read");
  assert.deepEqual(await saidOf(root), before);
});

test("a record that is withdrawn is known as withdrawn before its file goes: no reader finds it neither kept nor withdrawn", async (t) => {
  const { shelf } = await newShelf(t, 4);
  const [first, second] = (await shelf.records.index()).records;
  assert.ok(first !== undefined && second !== undefined);
  const told: number[][] = [];
  const deleteRecord = async (sequence: number): Promise<void> => {
    told.push((await shelf.history.readWithdrawn()).map((one) => one.sequence));
    await shelf.history.deleteRecord(sequence);
  };
  await (Object.create(shelf.history, { deleteRecord: { value: deleteRecord } }) as typeof shelf.history).withdraw([first, second]);
  assert.deepEqual(told, [
    [1, 2],
    [1, 2],
  ]);
  assert.deepEqual(await sequencesIn(shelf), [3, 4]);
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
  await shelf.history.deleteRecord(1);
  assert.deepEqual(await sequencesIn(reader), [2, 3, 4, 5]);
});

test("wherever the log is flipped, cut or lost, the records decide", async (t) => {
  const { root } = await newShelf(t, 40);
  const before = await saidOf(root);
  for (const path of ["tile/entries/000.p/40", "checkpoints/40"]) {
    const file = join(root, path);
    const good = readFileSync(file);
    const places = Array.from({ length: 12 }, (_, n) => Math.floor((good.length * n) / 12));
    const damages: readonly (readonly [string, () => void])[] = [
      ["lost", () => rmSync(file)],
      ["empty", () => truncateSync(file, 0)],
      ...places.map((at): readonly [string, () => void] => [
        `flipped at ${at}`,
        () => writeFileSync(file, Buffer.from(good).fill((good[at] ?? 0) ^ 1, at, at + 1)),
      ]),
      ...places.map((at): readonly [string, () => void] => [`cut at ${at}`, () => truncateSync(file, at)]),
    ];
    for (const [name, damage] of damages) {
      writeFileSync(file, good);
      damage();
      assert.deepEqual(await saidOf(root), before, `${path} ${name}`);
    }
    writeFileSync(file, good);
  }
});

test("a log that belongs to other records is not believed", async (t) => {
  const { root } = await newShelf(t, 40);
  const { root: other, shelf } = await newShelf(t, 0);
  for (const sequence of all(40)) await publish(shelf, record(sequence, `other ${sequence}`));
  for (const path of ["tile", "checkpoints"]) {
    rmSync(join(root, path), { recursive: true });
    cpSync(join(other, path), join(root, path), { recursive: true });
  }
  assert.deepEqual(
    (await openDirectoryShelf(root).records.index()).records,
    all(40).map((sequence) => record(sequence)),
  );
});

test("one record that cannot be read costs that snapshot alone, and is told", async (t) => {
  const { root } = await newShelf(t, 4);
  writeFileSync(join(root, "snapshots/2.json"), "{");
  const shelf = openDirectoryShelf(root);
  assert.deepEqual(await sequencesIn(shelf), [1, 3, 4]);
  assert.match(shelf.records.trouble() ?? "", /^snapshots\/2\.json cannot be read/);
});

test("changes come in order however many there are, and of what is pruned there are none", async (t) => {
  const { root, shelf } = await newShelf(t, 70);
  assert.deepEqual(
    await Array.fromAsync(openDirectoryShelf(root).records.changes(0, 70)),
    all(70).map((sequence) => [sequence, changesOf(sequence)]),
  );
  for (const sequence of all(40)) await shelf.history.deleteRecord(sequence);
  const left = await Array.fromAsync(openDirectoryShelf(root).records.changes(0, 70));
  assert.deepEqual(
    left.map(([sequence]) => sequence),
    all(70).slice(40),
  );
});

test("changes that another process wrote anew are read as they stand, and are no damage", async (t) => {
  const { root } = await newShelf(t, 2);
  const server = openDirectoryShelf(root);
  await server.records.index();
  const left = { added: { ...none, objects: ["notes/left.md", "notes/too.md"] }, changed: none, removed: none };
  assert.equal((await server.records.counts(2))?.added, 1);
  await openDirectoryShelf(root).history.putChanges(2, left);
  assert.equal((await server.records.counts(2))?.added, 2);
  assert.deepEqual((await Array.fromAsync(server.records.changes(0, 2))).at(-1)?.[1], left);
  assert.equal(server.records.trouble(), null);
});

test("a pointer that was put back is told from a publication that was cut short", async (t) => {
  const { root, shelf } = await newShelf(t, 3);
  const pointer = async (): Promise<SnapshotRecord | null> => openDirectoryShelf(root).readPointer();
  const setback = async (): Promise<string | null> => findSetback(await pointer(), await openDirectoryShelf(root).records.index());
  assert.equal(await setback(), null);
  await shelf.history.putRecord(record(4, "cut short"), changesOf(4));
  await extendLog(shelf, record(4, "cut short"), SIGNER);
  assert.equal(await setback(), null);
  writeFileSync(join(root, "current.json"), readFileSync(join(root, "snapshots/2.json")));
  assert.match((await setback()) ?? "", /names snapshot 2, but 3 was/);
  for (const text of ["999", "0", "", "three", "3\n"]) {
    writeFileSync(join(root, "served"), text);
    assert.match(
      (await setback()) ?? "",
      /names snapshot 2, but 4 was/,
      `${JSON.stringify(text)}: more lies beyond than one publication leaves`,
    );
  }
});

test("what is remembered as served is never less, whoever says it", async (t) => {
  const { root, shelf } = await newShelf(t, 3);
  await openDirectoryShelf(root).records.keep(2);
  assert.equal((await openDirectoryShelf(root).records.index()).served, 3);
  await shelf.records.keep(3);
  assert.equal(readFileSync(join(root, "served"), "utf8"), "3");
});
