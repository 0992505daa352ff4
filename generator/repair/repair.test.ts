/** A shelf that is damaged: what goes on all the same, what repair mends, and that it names exactly what is lost. */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { openIndex } from "../../snapshots/index/open.ts";
import { createTreeCache, openSnapshot } from "../../snapshots/shelf/read.ts";
import { prune } from "../../snapshots/shelf/prune.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import type { SnapshotRecord } from "../../snapshots/shelf/shelf.ts";
import { build } from "../build.ts";
import { type Config, openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../fixtures/library.ts";
import { spoilBlob } from "../../snapshots/contract/spoil-blob.ts";
import { ask, openFixtureView } from "../fixtures/view.ts";
import { openShelves } from "../shelves.ts";
import { repair } from "./repair.ts";

const CONFIG = `title: Library that breaks
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
embeddings: { kind: none }
`;

/** A library of three snapshots, built once; each test damages a copy. */
let base: string;
before(async () => {
  base = mkdtempSync(join(tmpdir(), "proofshelf-repair-"));
  await writeFiles(base, [
    ["proofshelf.yaml", CONFIG],
    ["library/notes/steady.md", "# Steady\n\nAlways the same.\n"],
    ["library/drafts/gated.md", "# Gated\n\nNot for everybody.\n"],
  ]);
  for (const turn of [1, 2, 3]) {
    await writeFiles(base, [["library/notes/turn.md", `# Turn\n\nTurn ${turn}.\n`]]);
    await build(await openConfig(join(base, "proofshelf.yaml")), { progress: SILENT, now: () => new Date(`2026-04-0${turn}T00:00:00Z`) });
  }
});
after(() => rmSync(base, { recursive: true, force: true }));

async function copy(t: TestContext): Promise<{ dir: string; config: Config; shelf: string }> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-repair-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(base, dir, { recursive: true, preserveTimestamps: true });
  return { dir, config: await openConfig(join(dir, "proofshelf.yaml")), shelf: join(dir, "shelf") };
}

/** What a shelf says and holds: path or digest → bytes. */
async function contents(shelf: string): Promise<Map<string, string>> {
  const files = readdirSync(shelf, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(shelf.length + 1))
    .filter((path) => /^(public|internal)\/(snapshots\/|changes\/|current\.json$|records\.log$)/.test(path));
  const found = new Map(files.map((path) => [path, readFileSync(join(shelf, path)).toString("latin1")]));
  for (const root of ["public", "internal"]) {
    const opened = openDirectoryShelf(join(shelf, root));
    for await (const { digest } of opened.listBlobs())
      found.set(digest, Buffer.from((await opened.getBlob(digest)) ?? []).toString("latin1"));
  }
  return found;
}

async function blobOf(config: Config, path: string, sequence?: number): Promise<string> {
  const { public: shelf } = openShelves(config);
  const record = sequence === undefined ? await shelf.readPointer() : await shelf.readRecord(sequence);
  const entry = await (await openSnapshot(shelf, record as SnapshotRecord, createTreeCache())).find(path);
  return entry?.sha256 ?? assert.fail(path);
}

test("one bad old record, and one bad list of changes, cost only that snapshot: builds, prune and pages go on, and health says so", async (t) => {
  const { dir, config, shelf } = await copy(t);
  for (const root of ["public", "internal"]) {
    // Without the log nothing else says what they were.
    rmSync(join(shelf, root, "records.log"));
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

test("what the log, the pointer or the trees say is mended byte for byte", async (t) => {
  const { config, shelf } = await copy(t);
  const whole = await contents(shelf);
  const at = (path: string): string => join(shelf, path);
  const cut = (...paths: readonly string[]): void => paths.forEach((path) => truncateSync(at(path), 20));
  const rounds: readonly (readonly [name: string, damage: () => void])[] = [
    [
      "both pointers, an old record and a list of changes are gone or cut",
      () => {
        for (const path of ["public/current.json", "internal/current.json", "public/changes/2.json"]) rmSync(at(path));
        cut("public/snapshots/1.json");
      },
    ],
    [
      "both pointers are cut, and changes have a byte more",
      () => {
        cut("public/current.json", "internal/current.json");
        writeFileSync(at("internal/changes/3.json"), "\n", { flag: "a" });
      },
    ],
    [
      "a folder stands for the pointer, and a record says another time",
      () => {
        rmSync(at("public/current.json"));
        mkdirSync(at("public/current.json"));
        const record = at("public/snapshots/2.json");
        writeFileSync(record, readFileSync(record, "utf8").replace("2026-04-02", "2026-04-12"));
      },
    ],
    [
      "the internal pointer is the public one's, and changes are cut with the log",
      () => {
        cpSync(at("public/current.json"), at("internal/current.json"));
        cut("public/changes/1.json", "public/records.log");
      },
    ],
    ["an older pointer was put back", () => cpSync(at("public/snapshots/2.json"), at("public/current.json"))],
    [
      "the newest record is cut, and two others have changed places",
      () => {
        cut("internal/snapshots/3.json");
        const [one, two] = ["public/snapshots/1.json", "public/snapshots/2.json"].map((path) => readFileSync(at(path)));
        writeFileSync(at("public/snapshots/1.json"), two ?? "");
        writeFileSync(at("public/snapshots/2.json"), one ?? "");
      },
    ],
  ];
  for (const [name, damage] of rounds) {
    damage();
    const { mended, findings } = await repair(config, SILENT);
    assert.ok(mended.length > 0, name);
    assert.deepEqual(findings, [], name);
    assert.deepEqual(await contents(shelf), whole, name);
  }
  assert.deepEqual(await repair(config, SILENT), { mended: [], findings: [], notes: [] });
});

test("blobs come again from the sources, from the other root, and from what follows from the rest, older snapshots' too", async (t) => {
  const { config, shelf } = await copy(t);
  const whole = await contents(shelf);
  const paths = [
    "objects/notes/turn.md",
    "extracts/notes/steady.md",
    "pages/index.html",
    "parts/objects/notes/0000000.json",
    "objects/notes",
    "assets",
  ];
  const damages = await Promise.all(paths.map((path) => blobOf(config, path)));
  damages.push(await blobOf(config, "pages/object/notes/turn.md=.html", 1), await blobOf(config, "api/library.json", 2));
  for (const digest of new Set(damages)) spoilBlob(join(shelf, "public"), digest);
  const { findings, mended } = await repair(config, SILENT);
  assert.deepEqual(findings, []);
  assert.ok(
    ["set aside", "made again"].every((word) => mended.some(({ how }) => how.startsWith(word))),
    JSON.stringify(mended),
  );
  assert.deepEqual(await contents(shelf), whole);
  const index = await openIndex(openShelves(config).public.indexUri);
  assert.equal(await index.findProblem((await openShelves(config).public.readPointer())?.snapshot ?? ""), null);
  index.close();
});

test("a record of the internal view among the public ones is believed by nothing, and brings no gated byte with it", async (t) => {
  const { config, shelf } = await copy(t);
  const gated = await internalBlobs(config);
  const damages: readonly (readonly [name: string, to: readonly string[]])[] = [
    ["an old record", ["public/snapshots/1.json"]],
    ["the newest record and the pointer", ["public/snapshots/3.json", "public/current.json"]],
    ["the same of an earlier version of the program", ["public/snapshots/3.json", "public/current.json"]],
  ];
  const internal = readFileSync(join(shelf, "internal/snapshots/3.json"), "utf8");
  for (const [at, [name, to]] of damages.entries()) {
    rmSync(join(shelf, "public/records.log"), { force: true });
    // Earlier versions did not say with which public record one is served.
    for (const path of to) writeFileSync(join(shelf, path), at === 2 ? internal.replace(/"public":\d+,/, "") : internal);
    await repair(config, SILENT);
    const held = await Array.fromAsync(openShelves(config).public.listBlobs(), ({ digest }) => digest);
    assert.deepEqual(
      held.filter((digest) => gated.has(digest)),
      [],
      name,
    );
    assert.equal((await ask(await openFixtureView(config), "/object/drafts/gated.md/")).status, 404, name);
  }
});

/** Digests that the internal root holds and the public one does not. */
async function internalBlobs(config: Config): Promise<ReadonlySet<string>> {
  const { public: open, internal } = openShelves(config);
  const all = new Set(await Array.fromAsync(internal.listBlobs(), ({ digest }) => digest));
  for await (const { digest } of open.listBlobs()) all.delete(digest);
  return all;
}

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

test("records come from the log of publications where nothing else has them, and a bundle of entries makes its tile again", async (t) => {
  const { config, shelf } = await copy(t);
  const whole = await contents(shelf);
  const tile = readFileSync(join(shelf, "public/tile/0/000.p/3"));
  for (const path of ["current.json", "records.log", "snapshots/1.json", "snapshots/2.json", "snapshots/3.json", "tile/0/000.p/3"])
    truncateSync(join(shelf, "public", path), 20);
  const { findings } = await repair(config, SILENT);
  assert.deepEqual(findings, []);
  assert.deepEqual(await contents(shelf), whole);
  assert.deepEqual(readFileSync(join(shelf, "public/tile/0/000.p/3")), tile);
});

test("the log of publications is mended byte for byte: tiles and entries from the records, a lost head by the next build", async (t) => {
  const { config, shelf } = await copy(t);
  const whole = new Map(
    ["tile/0/000.p/3", "tile/entries/000.p/3", "checkpoints/3", "checkpoints/2"].map((path) => [
      path,
      readFileSync(join(shelf, "public", path)).toString("latin1"),
    ]),
  );
  const check = (): void => {
    for (const [path, bytes] of whole) assert.equal(readFileSync(join(shelf, "public", path)).toString("latin1"), bytes, path);
  };
  rmSync(join(shelf, "public/tile"), { recursive: true });
  truncateSync(join(shelf, "internal/tile/entries/000.p/3"), 20);
  const first = await repair(config, SILENT);
  assert.deepEqual(first.findings, []);
  assert.deepEqual(
    first.mended
      .map(({ root, path }) => `${root} ${path}`)
      .filter((name) => name.includes("tile"))
      .sort(),
    ["internal tile/entries/000.p/3", "public tile/0/000.p/3", "public tile/entries/000.p/3"],
  );
  check();
  truncateSync(join(shelf, "public/checkpoints/3"), 10);
  assert.deepEqual((await repair(config, SILENT)).findings, []);
  check();
  // With the last record changed nothing makes the head again: it is told, and nothing is signed over it.
  const record = readFileSync(join(shelf, "public/snapshots/3.json"), "utf8");
  for (const path of ["snapshots/3.json", "current.json"])
    writeFileSync(join(shelf, "public", path), record.replace("2026-04-03", "2026-04-04"));
  rmSync(join(shelf, "public/records.log"));
  const forged = await repair(config, SILENT);
  assert.ok(
    forged.findings.some(({ code }) => code === "log_differs"),
    JSON.stringify(forged.findings),
  );
});
