/** Builds that are told which keys have changed. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { BuildSummary } from "./summary.ts";
import { runBuild } from "../commands/build.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { readPointers, readServed } from "../shelves/shelves.ts";
import type { ObjectStore } from "../sources/object-store.ts";
import { type MemoryObject, openMemoryStore } from "../testing/memory-store.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { ANNEXES } from "../annexes.ts";
import { build, openShelves } from "../testing/whole.ts";

type Library = {
  readonly objects: Map<string, MemoryObject>;
  readonly path: string;
  /** What the store was asked since the last build, `list` or a key. */
  asked(): readonly string[];
  run(keys: readonly string[] | null): Promise<BuildSummary>;
  served(): Promise<readonly string[]>;
  write(config: string): Promise<void>;
};

const CONFIG = `store: { kind: directory, root: ., fullListingEvery: 4 }
shelf: { kind: directory, root: ./shelf }
embeddings: { kind: none }
collections: [{ id: a, prefix: a/, title: A, visibility: public }]
`;

async function openLibrary(t: TestContext): Promise<Library> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-keys-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "library", "proofshelf.yaml");
  const write = (config: string) => writeFiles(dir, [["library/proofshelf.yaml", config.replace("./shelf", "../shelf")]]);
  await write(CONFIG);
  const objects = new Map<string, MemoryObject>([
    ["a/one.md", { bytes: "# One\n" }],
    ["a/two.md", { bytes: "# Two\n" }],
    ["a/.hidden", { bytes: "x" }],
    ["a//odd", { bytes: "x" }],
    ["other", { bytes: "x" }],
  ]);
  const memory = openMemoryStore(objects);
  let asked: string[] = [];
  const store: ObjectStore = {
    ...memory,
    list() {
      asked.push("list");
      return memory.list();
    },
    find(key) {
      asked.push(key);
      return memory.find(key);
    },
  };
  return {
    objects,
    path,
    asked: () => asked.sort(),
    async run(keys) {
      asked = [];
      return build(await openConfig(path), { progress: SILENT, store, keys }, PLAIN_PARTS);
    },
    async served() {
      const shelves = openShelves(await openConfig(path));
      const { internal } = await readPointers(shelves);
      return ((internal === null ? null : await readServed(shelves.internal, internal))?.objects ?? []).map(({ key }) => key);
    },
    write,
  };
}

test("only the keys that are named are looked at, and what is said is what a full listing says", async (t) => {
  const library = await openLibrary(t);
  const first = await library.run(["a/one.md"]);
  assert.deepEqual(library.asked(), ["list"], "nothing is known yet");
  assert.match(first.notes.join(), /whole store was listed.*not known/);
  const same = await library.run(["a/one.md"]);
  assert.deepEqual([same.published, library.asked(), same.rejected], [false, ["a/one.md"], first.rejected]);

  library.objects.set("a/new.md", { bytes: "# New\n" });
  library.objects.set("a/two.md", { bytes: "# Two, again\n" });
  library.objects.set("a/unsaid.md", { bytes: "# Nobody was told\n" });
  library.objects.delete("a/one.md");
  library.objects.delete("other");
  const second = await library.run(["a/new.md", "a/two.md", "a/one.md", "other", "a/never.md", "a/../x", ""]);
  assert.deepEqual([second.added, second.changed, second.removed, second.work.read], [1, 1, 1, 2]);
  assert.ok(!library.asked().includes("list"));
  assert.deepEqual(await library.served(), ["a/new.md", "a/two.md"]);
  assert.deepEqual(
    second.rejected.map(({ key }) => key),
    ["a/.hidden", "a//odd"],
  );

  // Two builds by keys have gone on from the first.
  const third = await library.run(["a/two.md"]);
  assert.deepEqual([third.published, library.asked()], [false, ["a/two.md"]]);
  const fourth = await library.run(["a/two.md"]);
  assert.deepEqual([library.asked(), fourth.added], [["list"], 1]);
  assert.match(fourth.notes.join(), /each 4th build/);
  await library.run(["a/two.md"]);
  assert.deepEqual(library.asked(), ["a/two.md"]);
  const whole = await library.run(null);
  assert.deepEqual([library.asked(), whole.published, whole.rejected], [["list"], false, second.rejected]);
});

test("where the configuration has changed, or what is remembered is damaged, everything is listed", async (t) => {
  const library = await openLibrary(t);
  await library.run(null);
  await library.write(CONFIG.replace("fullListingEvery: 4", 'fullListingEvery: 4, exclude: ["a/two.md"]'));
  assert.deepEqual([(await library.run(["a/one.md"])).removed, library.asked()], [1, ["list"]]);
  const file = join(openShelves(await openConfig(library.path)).buildDir, "listing.json");
  for (const spoil of [(text: string) => text.slice(0, -5), (text: string) => text.replace(/"fingerprint":"./, '"fingerprint":"x')]) {
    writeFileSync(file, spoil(readFileSync(file, "utf8")));
    await library.run(["a/one.md"]);
    assert.deepEqual(library.asked(), ["list"]);
  }
  await library.run(["a/one.md"]);
  assert.deepEqual(library.asked(), ["a/one.md"]);
});

test("a file that is no list of keys is told before anything is built", async (t) => {
  const library = await openLibrary(t);
  const file = join(library.path, "..", "keys");
  for (const text of ["", "a/one.md", '{"keys":[]}', "[1]"]) {
    writeFileSync(file, text);
    await assert.rejects(
      runBuild({ config: library.path, keys: file }, ANNEXES),
      /--keys .*is no list of keys; give a file with a JSON list/,
    );
  }
  await assert.rejects(runBuild({ config: library.path, keys: `${file}.none` }, ANNEXES), /there is no such file/);
});
