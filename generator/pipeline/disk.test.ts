/** What a shelf takes on the disk: few files, and no more than once what is needed. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

import { type Config, openConfig } from "../config/config.ts";
import { describeLibrary, SILENT, writeFiles } from "../testing/library.ts";
import { ask, openFixtureView } from "../testing/view.ts";

import type { Shelves } from "../shelves/shelves.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { build, openShelves, verifyLibrary } from "../testing/whole.ts";

const CONFIG = `${describeLibrary("Library on a disk")}embeddings: { kind: none }
`;
const quiet = { progress: SILENT };
const BUILDS = 12;
/** Small packs that are left alone, and those of one build. */
const MAX_PACKS = 8 + 2;

async function makeLibrary(t: TestContext): Promise<{ dir: string; config: Config; shelves: Shelves }> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-disk-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["proofshelf.yaml", CONFIG],
    ["library/notes/steady.md", "# Steady\n\nAlways the same.\n"],
    ["library/notes/turn.md", "# Turn\n\nTurn 0.\n"],
    ["library/drafts/gated.md", "# Gated\n\nNot for everybody.\n"],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  return { dir, config, shelves: openShelves(config) };
}

const rootsOf = ({ publicDir, internalDir }: Shelves): readonly string[] => [publicDir, internalDir];
const packsIn = (root: string): string[] => readdirSync(join(root, "packs"));
const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    : [];

test("a build leaves no blob in a file of its own, and an index of which every file is needed", async (t) => {
  const { config, shelves } = await makeLibrary(t);
  await build(config, quiet, PLAIN_PARTS);
  for (const [root, shelf] of [
    [shelves.publicDir, shelves.public],
    [shelves.internalDir, shelves.internal],
  ] as const) {
    assert.deepEqual(filesIn(join(root, "blobs")), []);
    const tag = (await shelf.readPointer())?.snapshot ?? "";
    for (const table of readdirSync(join(root, "index/manifests"))) {
      assert.deepEqual(readdirSync(join(root, "index/manifests", table)), [`${tag}.json`]);
      const { files } = JSON.parse(readFileSync(join(root, "index/manifests", table, `${tag}.json`), "utf8")) as { files: object };
      const there = filesIn(join(root, "index", `${table}.lance`)).filter((name) => !name.endsWith("latest_version_hint.json"));
      assert.deepEqual(there.sort(), Object.keys(files).sort());
    }
  }
  assert.deepEqual(await verifyLibrary(config, { snapshots: "all", derive: false }, PLAIN_PARTS), []);
});

test("a blob or a tree that both views have lies in the public root alone", async (t) => {
  const { dir, config, shelves } = await makeLibrary(t);
  for (let turn = 0; turn < 3; turn++) {
    await writeFiles(dir, [["library/notes/turn.md", `# Turn\n\nTurn ${turn}.\n`]]);
    await build(config, quiet, PLAIN_PARTS);
  }
  const [shown, gated] = await Promise.all(
    [shelves.public, shelves.internal].map(({ blobs }) => Array.fromAsync(blobs.list(), ({ digest }) => digest)),
  );
  assert.deepEqual(
    gated?.filter((digest) => shown?.includes(digest)),
    [],
  );
});

test("however many builds publish, packs stay few, and a server reads on", async (t) => {
  const { dir, config, shelves } = await makeLibrary(t);
  await build(config, quiet, PLAIN_PARTS);
  const view = await openFixtureView(config);
  for (let turn = 1; turn <= BUILDS; turn++) {
    await writeFiles(dir, [
      ["library/notes/turn.md", `# Turn\n\nTurn ${turn}.\n`],
      ["library/drafts/gated.md", `# Gated\n\nNot for everybody, turn ${turn}.\n`],
    ]);
    assert.equal((await build(config, quiet, PLAIN_PARTS)).published, true);
    assert.match((await ask(view, "/objects/notes/turn.md")).text, new RegExp(`Turn ${turn}\\.`));
    for (const root of rootsOf(shelves)) assert.ok(packsIn(root).length <= MAX_PACKS, `${packsIn(root).length} packs`);
  }
  assert.deepEqual(await verifyLibrary(config, { snapshots: "all", derive: false }, PLAIN_PARTS), []);
});
