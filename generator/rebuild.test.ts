/** What one build leaves to the next: what it knew, what it could not read, what it could not write down. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { ShelfError } from "../snapshots/errors.ts";
import { build, openShelves, stateBasis } from "./build.ts";
import { compileSite } from "./compile-site.ts";
import { type Config, openConfig } from "./config.ts";
import { SILENT, writeFiles } from "./fixture-library.ts";
import { type ObjectStore, openObjectStore } from "./sources/object-store.ts";
import { readState, writeState } from "./state.ts";

const quiet = { progress: SILENT };

async function makeLibrary(t: TestContext): Promise<{ config: Config; buildDir: string }> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-rebuild-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["library/a/first.md", "# First\n\nText.\n"],
    ["library/a/second.md", "# Second\n\nText.\n"],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\ncollections: [{ id: a, prefix: a/, title: A, visibility: public }]\n",
    ],
  ]);
  const files = openObjectStore((await openConfig(join(dir, "proofshelf.yaml"))).store);
  // A file that was changed within one tick of the file system's clock is looked at twice.
  for (let settled = false; !settled; ) {
    settled = true;
    for await (const { version } of files.list()) settled &&= !version.includes("~");
  }
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  return { config, buildDir: openShelves(config).buildDir };
}

test("a file that could not be read is tried again and said again, also when nothing else has changed", async (t) => {
  const { config } = await makeLibrary(t);
  const files = openObjectStore(config.store);
  let broken = true;
  const store: ObjectStore = {
    list: () => files.list(),
    read(key) {
      if (!broken || key !== "a/second.md") return files.read(key);
      return Promise.reject(new ShelfError("bad_source", "The object cannot be read: reading it failed (EIO)."));
    },
  };
  const refusal = [{ source: "store", key: "a/second.md", reason: "The object cannot be read: reading it failed (EIO)." }];
  const first = await build(config, { ...quiet, store });
  assert.deepEqual([first.added, first.rejected], [1, refusal]);
  const second = await build(config, { ...quiet, store });
  assert.deepEqual([second.published, second.rejected, second.snapshot], [false, refusal, first.snapshot]);
  broken = false;
  const third = await build(config, { ...quiet, store });
  assert.deepEqual([third.published, third.added, third.rejected], [true, 1, []]);
  const fourth = await build(config, { ...quiet, store });
  assert.deepEqual([fourth.published, fourth.work.read], [false, 0], "and then there is nothing to do");
});

test("what was made with other parsers, pages or program is made again", async (t) => {
  const { config, buildDir } = await makeLibrary(t);
  const first = await build(config, quiet);
  const state = await readState(buildDir, stateBasis(await compileSite()));
  assert.equal(state.objects.length, 2, "the build writes its state with the basis of its own");
  await writeState(buildDir, "0.0.0 0123456789abcdef", state);
  const again = await build(config, quiet);
  assert.deepEqual([again.published, again.snapshot], [false, first.snapshot]);
  assert.deepEqual([again.work.read, again.work.bundles], [2, 1]);
  assert.equal((await build(config, quiet)).work.read, 0);
});

test("what cannot be written down after publication is a note, and the snapshot is served", async (t) => {
  const { config, buildDir } = await makeLibrary(t);
  const { public: shelf, publicDir } = openShelves(config);
  // Nothing can be renamed onto a folder.
  for (const path of [join(buildDir, "state.json"), join(publicDir, "checked")]) mkdirSync(path, { recursive: true });
  const summary = await build(config, quiet);
  assert.equal(summary.published, true);
  assert.equal((await shelf.readPointer())?.snapshot, summary.snapshot);
  assert.equal(summary.notes.filter((note) => /could not be kept \((EISDIR|EEXIST|ENOTEMPTY)\)/.test(note)).length, 2);
  assert.deepEqual(
    readdirSync(buildDir).filter((name) => name.startsWith("state.json.")),
    [],
  );
  const again = await build(config, quiet);
  assert.deepEqual([again.published, again.snapshot], [false, summary.snapshot]);
});

test("half a state that a killed build left is gone after the next", async (t) => {
  const { config, buildDir } = await makeLibrary(t);
  await build(config, quiet);
  const left = join(buildDir, "state.json.4711");
  writeFileSync(left, readFileSync(join(buildDir, "state.json")).subarray(0, 10));
  await build(config, quiet);
  assert.ok(!existsSync(left));
});
