/** A shelf that is damaged: what goes on all the same, what repair mends, and that it names exactly what is lost. */
import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openIndex } from "../../../snapshots/index/open.ts";
import { createTreeCache, openSnapshot } from "../../../snapshots/shelf/read.ts";
import { prune } from "../../../snapshots/shelf/prune.ts";
import { openDirectoryShelf } from "../../../snapshots/shelf/shelf-directory.ts";
import type { SnapshotRecord } from "../../../snapshots/shelf/shelf.ts";
import { type Config, openConfig } from "../../config/config.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { spoilBlob } from "../../../snapshots/contract/spoil-blob.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import { contents, copy, mendHistoryOf } from "./repair-fixture.ts";
import { build, openShelves, repair, verifyLibrary } from "../../testing/whole.ts";

async function blobOf(config: Config, path: string, sequence?: number): Promise<string> {
  const { public: shelf } = openShelves(config);
  const record = sequence === undefined ? await shelf.readPointer() : await shelf.readRecord(sequence);
  const entry = await (await openSnapshot(shelf, record as SnapshotRecord, createTreeCache())).find(path);
  return entry?.sha256 ?? assert.fail(path);
}

/** Digests that the internal root holds and the public one does not. */
async function internalBlobs(config: Config): Promise<ReadonlySet<string>> {
  const { public: open, internal } = openShelves(config);
  const all = new Set(await Array.fromAsync(internal.blobs.list(), ({ digest }) => digest));
  for await (const { digest } of open.blobs.list()) all.delete(digest);
  return all;
}

test("one bad old record, and one bad list of changes, cost only that snapshot: builds, prune and pages go on, and health says so", async (t) => {
  const { dir, config, shelf } = await copy(t);
  for (const root of ["public", "internal"]) {
    for (const path of ["snapshots/1.json", "changes/1.json", "changes/2.json"]) truncateSync(join(shelf, root, path), 20);
  }
  const view = await openFixtureView(config);
  assert.equal((await ask(view, "/object/notes/steady.md/")).status, 200);
  const health = (await ask(view, "/health")).json() as { status: string; checks: Record<string, { detail: string }> };
  assert.equal(health.status, "warn");
  assert.match(health.checks["history"]?.detail ?? "", /snapshots\/1\.json.*changes\/2\.json.* cannot be read; run: proofshelf repair/);
  assert.equal((await ask(view, "/snapshots/")).status, 200);
  await writeFiles(dir, [["library/notes/turn.md", "# Turn\n\nTurn 4.\n"]]);
  const built = await build(config, { progress: SILENT });
  assert.deepEqual([built.published, built.sequence], [true, 4]);
  const { internal } = openShelves(config);
  assert.equal((await prune({ shelf: internal, keep: 2 })).removed_snapshots.length, 1);
});

test("what is served comes again from the sources; of older snapshots what is lost is named, and comes with a copy's files", async (t) => {
  const { config, shelf } = await copy(t);
  const twin = await copy(t);
  const whole = await contents(shelf);
  const served = [
    "objects/notes/turn.md",
    "extracts/notes/steady.md",
    "pages/index.html",
    "parts/objects/notes/0000000.json",
    "objects/notes",
    "assets",
  ];
  const older = ["pages/object/notes/turn.md=.html", "extracts/notes/turn.md"];
  const damages = await Promise.all([
    ...served.map((path) => blobOf(config, path)),
    ...older.map((path, at) => blobOf(config, path, at + 1)),
    blobOf(config, "api/library.json", 2),
  ]);
  for (const digest of new Set(damages)) spoilBlob(join(shelf, "public"), digest);
  const { findings, mended } = await repair(config, SILENT);
  const lost = findings.filter(({ severity }) => severity === "error");
  assert.deepEqual(new Set(lost.map(({ code, root }) => `${code} ${root}`)), new Set(["blob_missing public"]));
  assert.deepEqual(lost.map(({ path }) => path).sort(), older.toSorted());
  assert.ok(
    mended.some(({ how }) => how.startsWith("set aside")),
    JSON.stringify(mended),
  );
  const index = await openIndex(openShelves(config).public.indexUri);
  assert.equal(await index.findProblem((await openShelves(config).public.readPointer())?.snapshot ?? ""), null);
  index.close();
  for (const folder of ["blobs", "packs"])
    if (existsSync(join(twin.shelf, "public", folder)))
      cpSync(join(twin.shelf, "public", folder), join(shelf, "public", folder), { recursive: true, force: false });
  assert.deepEqual((await repair(config, SILENT)).findings, []);
  assert.deepEqual(await contents(shelf), whole);
});

test("a record of the internal view among the public ones is believed by nothing, and brings no gated byte with it", async (t) => {
  const { config, shelf } = await copy(t);
  const gated = await internalBlobs(config);
  const damages: readonly (readonly [name: string, to: readonly string[]])[] = [
    ["an old record", ["public/snapshots/1.json"]],
    ["the newest record and the pointer", ["public/snapshots/3.json", "public/current.json"]],
  ];
  const internal = readFileSync(join(shelf, "internal/snapshots/3.json"), "utf8");
  for (const [name, to] of damages) {
    for (const path of to) writeFileSync(join(shelf, path), internal);
    await repair(config, SILENT);
    const held = await Array.fromAsync(openShelves(config).public.blobs.list(), ({ digest }) => digest);
    assert.deepEqual(
      held.filter((digest) => gated.has(digest)),
      [],
      name,
    );
    assert.equal((await ask(await openFixtureView(config), "/object/drafts/gated.md/")).status, 404, name);
  }
});

test("what nothing else says is lost, and verify names exactly that", async (t) => {
  const { config, shelf } = await copy(t);
  const object = await blobOf(config, "objects/notes/turn.md", 1);
  spoilBlob(join(shelf, "public"), object);
  const { findings } = await repair(config, SILENT);
  const lost = findings.filter(({ severity }) => severity === "error").map(({ code, path }) => [code, path]);
  assert.deepEqual(lost, [["blob_missing", "objects/notes/turn.md"]]);
  // A snapshot whose trees are lost is taken off the list: nothing is known of what it held.
  const tree = await blobOf(config, "objects/notes", 1);
  for (const root of ["public", "internal"].map((name) => join(shelf, name)))
    if (await openDirectoryShelf(root).hasBlob(tree)) spoilBlob(root, tree);
  const again = await repair(config, SILENT);
  assert.deepEqual(
    again.findings.filter(({ severity }) => severity === "error"),
    [],
  );
  assert.ok(again.mended.some(({ path, how }) => path === "snapshots/1.json" && how.includes("a tree of its snapshot is lost")));
  assert.ok(existsSync(join(shelf, "internal/lost/public/snapshots/1.json")));
  const { public: open } = openShelves(config);
  assert.equal((await prune({ shelf: open, alsoUsedBy: [openShelves(config).internal], keep: 5 })).removed_snapshots.length, 0);
});

test("a list of what is out of service that says another thing than the log is told by verify and by health, and mended from the log", async (t) => {
  const { config, shelf } = await copy(t);
  const { public: open } = openShelves(config);
  await open.history.withdraw((await open.history.listRecords()).slice(0, 2));
  const path = join(shelf, "public/withdrawn.json");
  const whole = readFileSync(path, "utf8");
  const { snapshot = "" } = (await open.history.readWithdrawn())[0] ?? {};
  const damages = [
    whole.replace(snapshot, `${snapshot.startsWith("0") ? "1" : "0"}${snapshot.slice(1)}`),
    whole.replace('"sequence":2', '"sequence":1'),
    whole.replace('"sequence":2', '"sequence":3'),
    whole.replace('"created":"2026-04-01', '"created":"2026-04-07'),
    whole.slice(1),
  ];
  for (const damaged of damages) {
    writeFileSync(path, damaged);
    assert.ok(
      (await verifyLibrary(config, { snapshots: "all", derive: false })).some((one) => one.path === "withdrawn.json"),
      damaged,
    );
    const health = JSON.parse((await ask(await openFixtureView(config), "/health")).text);
    assert.match(health.checks["history"]?.detail ?? "", /withdrawn\.json .*run: proofshelf repair/, damaged);
    const said = JSON.parse((await ask(await openFixtureView(config), "/shelf/withdrawn.json")).text) as SnapshotRecord[];
    assert.ok(
      said.every((one) => whole.includes(JSON.stringify(one.snapshot)) && one.sequence < 3),
      damaged,
    );
    assert.ok((await mendHistoryOf(config)).some((one) => one.path === "withdrawn.json"));
    assert.equal(readFileSync(path, "utf8"), whole, damaged);
  }
});

test("damaged decisions are told and refused by builds, and not written over; with them aside what is withdrawn stays withdrawn", async (t) => {
  const { dir, config, shelf } = await copy(t);
  const withdrawals = (list: string) => writeFiles(dir, [["withdrawals.yaml", `withdrawals: ${list}\n`]]);
  const file = join(shelf, "internal/build/decisions.json");
  const one = "[{ key: notes/steady.md, reason: legal, date: 2026-04-04, note: law }]";
  await withdrawals(one);
  await writeFiles(dir, [
    ["proofshelf.yaml", `${readFileSync(join(dir, "proofshelf.yaml"), "utf8")}withdrawals: { path: ./withdrawals.yaml }\n`],
  ]);
  const open = () => openConfig(config.file ?? "");
  await build(await open(), { progress: SILENT });
  const decided = readFileSync(file);
  const served = readFileSync(join(shelf, "public/current.json"), "utf8");
  await writeFiles(dir, [["library/notes/turn.md", "# Turn\n\nTurn 5.\n"]]);
  await withdrawals("[]");
  const damages = [
    decided.subarray(0, 20),
    Buffer.alloc(0),
    Buffer.concat([decided, Buffer.from("\n")]),
    decided.with(40, 0),
    Buffer.from("[]"),
  ];
  for (const bytes of damages) {
    writeFileSync(file, bytes);
    await assert.rejects(async () => build(await open(), { progress: SILENT }), {
      code: "snapshot_damaged",
      message: /^decisions\.json is not/,
    });
    assert.deepEqual([readFileSync(file), readFileSync(join(shelf, "public/current.json"), "utf8")], [Buffer.from(bytes), served]);
  }
  const told = await verifyLibrary(await open(), { snapshots: "current", derive: false });
  assert.deepEqual(
    told.flatMap(({ code, severity }) => (severity === "error" ? [code] : [])),
    ["decisions_damaged"],
  );
  writeFileSync(join(shelf, "public/format"), "q\n");
  await assert.rejects(async () => build(await open(), { progress: SILENT }), { code: "bad_config" });
  const { mended, notes } = await repair(await open(), SILENT);
  assert.deepEqual([mended.map(({ path }) => path), notes], [["format", "build/decisions.json"], []]);
  assert.equal(readFileSync(join(shelf, "internal/lost/internal/build/decisions.json"), "utf8"), "[]");
  await assert.rejects(async () => build(await open(), { progress: SILENT }), { code: "gate_refused" });
  await withdrawals(one);
  assert.equal((await build(await open(), { progress: SILENT })).published, true);
});
