import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { build, type BuildOptions, type BuildSummary } from "./build.ts";
import { openConfig } from "./config/config.ts";
import { SILENT, writeFiles } from "./fixtures/library.ts";
import { openShelves } from "./shelves.ts";

const COLLECTIONS = [
  "  - { id: a, prefix: a/, title: A, visibility: public }",
  "  - { id: b, prefix: b/, title: B, visibility: public }",
  "  - { id: c, prefix: c/, title: C, visibility: email-gated }",
].join("\n");

/** Four objects under a/, ten under b/, four under c/, published once. */
async function openLibrary(t: TestContext): Promise<{
  dir: string;
  remove(...keys: string[]): void;
  configure(collections: string, store?: string): Promise<void>;
  run(options?: BuildOptions): Promise<BuildSummary>;
}> {
  const dir = mkdtempSync(join(tmpdir(), "loss-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}/${at}.md`);
  const keys = [...names("a", 4), ...names("b", 10), ...names("c", 4)];
  await writeFiles(
    join(dir, "library"),
    keys.map((key) => [key, `# Object ${key}\n`] as const),
  );
  const configure = (collections: string, store = ""): Promise<void> =>
    writeFiles(dir, [
      [
        "proofshelf.yaml",
        `store: { kind: directory, root: ./library${store} }\nshelf: { kind: directory, root: ./shelf }\ncollections:\n${collections}\n`,
      ],
    ]);
  await configure(COLLECTIONS);
  const run = async (options: BuildOptions = {}): Promise<BuildSummary> =>
    build(await openConfig(join(dir, "proofshelf.yaml")), { progress: SILENT, ...options });
  await run();
  return { dir, configure, run, remove: (...gone) => gone.forEach((key) => rmSync(join(dir, "library", key), { recursive: true })) };
}

test("more than half of a collection is not published as lost, also when nothing is known but the snapshot; half is", async (t) => {
  const { dir, remove, run } = await openLibrary(t);
  remove("a/0.md", "a/1.md", "b/0.md", "b/1.md", "b/2.md", "b/3.md", "b/4.md");
  assert.equal((await run()).removed, 7, "half of each");
  remove("b/5.md", "b/6.md", "b/7.md");
  const refused = { code: "build_failed", message: /^Nothing was published.*: 3 of 5 in collection b\.$/ };
  await assert.rejects(run(), refused);
  rmSync(join(openShelves(await openConfig(join(dir, "proofshelf.yaml"))).buildDir, "state.v8"));
  await assert.rejects(run(), refused);
  assert.equal((await run({ acceptLoss: true })).removed, 3);
});

test("a gated collection that is gone is told like any other", async (t) => {
  const { remove, run } = await openLibrary(t);
  remove("c");
  await assert.rejects(run(), /4 of 4 in collection c/);
});

test("what moved, what is gated or left out from now on, and two objects of a few are no loss", async (t) => {
  const { dir, remove, configure, run } = await openLibrary(t);
  renameSync(join(dir, "library/a"), join(dir, "library/b/moved"));
  assert.equal((await run()).published, true, "moved");
  remove("c/0.md", "c/1.md");
  assert.equal((await run()).internal.published, true, "two of four");
  remove("c/2.md", "c/3.md");
  assert.equal((await run()).internal.published, true, "two of two");
  await configure(COLLECTIONS.replace("title: B, visibility: public", "title: B, visibility: email-gated"));
  assert.equal((await run()).published, true, "gated");
  await configure(COLLECTIONS, ", exclude: [b]");
  assert.equal((await run()).published, true, "left out");
});

test("an empty store is a loss however little it held; one object that takes the place of another is none", async (t) => {
  const { dir, remove, run } = await openLibrary(t);
  remove("a", "b", "c");
  await writeFiles(join(dir, "library"), [["a/only.md", "Only.\n"]]);
  await run({ acceptLoss: true });
  remove("a/only.md");
  await assert.rejects(run(), /1 of 1 in collection a/);
  await writeFiles(join(dir, "library"), [["a/other.md", "Other.\n"]]);
  assert.equal((await run()).published, true);
});
