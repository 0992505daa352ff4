/** What one build leaves to the next: what it knew, what it could not read, what it could not write down. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import type { View } from "../../snapshots/http/view.ts";
import { PASSAGES } from "../../snapshots/index/tables.ts";
import { createTreeCache, openSnapshot } from "../../snapshots/shelf/read.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";

import { type Config, openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { fileOfBlob, spoilBlob } from "../../snapshots/contract/spoil-blob.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import type { ObjectStore } from "../sources/object-store.ts";

import { formatState, readState, writeState } from "../kept/state.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { codeDigest } from "../files/program-code.ts";
import { build, openObjectStore, openShelves } from "../testing/whole.ts";

const quiet = { progress: SILENT };

async function makeLibrary(t: TestContext): Promise<{ config: Config; buildDir: string }> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-rebuild-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["library/a/first.md", "# First\n\nText.\n"],
    ["library/a/second.md", "# Second\n\nText.\n"],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\ncollections: [{ id: a, prefix: a/, title: A, visibility: public }]\nembeddings: { kind: none }\n",
    ],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  await settle(config);
  return { config, buildDir: openShelves(config).buildDir };
}

/** A file that was changed within one tick of the file system's clock is looked at twice. */
async function settle({ store }: Config): Promise<void> {
  const files = openObjectStore(store);
  for (let settled = false; !settled; ) {
    settled = true;
    for await (const { version } of files.list()) settled &&= !version.includes("~");
  }
}

test("a file that could not be read is tried again and said again, also when nothing else has changed", async (t) => {
  const { config } = await makeLibrary(t);
  const files = openObjectStore(config.store);
  let broken = true;
  const store: ObjectStore = {
    ...files,
    read(key) {
      if (!broken || key !== "a/second.md") return files.read(key);
      return Promise.reject(new ShelfError("bad_source", "The object cannot be read: reading it failed (EIO)."));
    },
  };
  const refusal = [{ source: "store", key: "a/second.md", reason: "The object cannot be read: reading it failed (EIO)." }];
  const first = await build(config, { ...quiet, store }, PLAIN_PARTS);
  assert.deepEqual([first.added, first.rejected], [1, refusal]);
  const second = await build(config, { ...quiet, store }, PLAIN_PARTS);
  assert.deepEqual([second.published, second.rejected, second.snapshot], [false, refusal, first.snapshot]);
  broken = false;
  const third = await build(config, { ...quiet, store }, PLAIN_PARTS);
  assert.deepEqual([third.published, third.added, third.rejected], [true, 1, []]);
  const fourth = await build(config, { ...quiet, store }, PLAIN_PARTS);
  assert.deepEqual([fourth.published, fourth.work.read], [false, 0], "and then there is nothing to do");
});

test("pages of a folder are looked at only when its objects or what all pages share changed, and every page is as in a build from nothing", async (t) => {
  const { config: files, buildDir } = await makeLibrary(t);
  const dir = join(buildDir, "../../..");
  const claims = (digest: string, title: string): string =>
    JSON.stringify({
      meta: { title: "Claims", subtitle: "", generated: "2026-01-01", fact_checked: "2026-01-01", note: "", pins: {} },
      claims: [
        {
          id: "cited",
          title,
          statement: "It is written.",
          scope: "Here.",
          status: "scoped",
          evidence: [{ artifact: "A file", kind: "document", access: "public", sha256: digest }],
          gaps: [],
        },
      ],
    });
  const text = (name: string): string => `# ${name}\n\nText.\n`;
  await writeFiles(dir, [
    ["library/a/b/third.md", text("Third")],
    ["library/a/c/fourth.md", text("Fourth")],
    ["claims.json", claims("0".repeat(64), "A claim")],
  ]);
  const open = (title: string): Config => ({
    ...files,
    claims: { path: join(dir, "claims.json") },
    collections: files.collections.map((collection) => ({ ...collection, title })),
  });
  let config = open("A");
  const known = await build(config, quiet, PLAIN_PARTS);
  assert.equal(known.added, 5);
  const step = async (what: string, change: () => Promise<void> | void, rendered: readonly string[]): Promise<void> => {
    const before = await readState(buildDir, codeDigest());
    await change();
    const summary = await build(config, quiet, PLAIN_PARTS);
    const after = await readState(buildDir, codeDigest());
    const changed = Object.keys(after.pages).filter((page) => after.pages[page]?.facts !== before.pages[page]?.facts);
    assert.deepEqual(
      changed.filter((page) => page.startsWith("pages/object/")).map((page) => page.slice("pages/object/a/".length, -"=.html".length)),
      rendered,
      what,
    );
    const shelf = mkdtempSync(join(tmpdir(), "proofshelf-fresh-"));
    t.after(() => rmSync(shelf, { recursive: true, force: true }));
    const fresh = await build({ ...config, shelf: { kind: "directory", root: shelf } }, quiet, PLAIN_PARTS);
    assert.equal(summary.snapshot, fresh.snapshot, `${what}: as a build from nothing`);
    assert.equal(summary.internal.snapshot, fresh.internal.snapshot, `${what}: as a build from nothing`);
  };
  await step("a text", () => writeFiles(dir, [["library/a/first.md", text("First, again")]]), ["first.md", "second.md"]);
  await step("a new neighbour", () => writeFiles(dir, [["library/a/b/fifth.md", text("Fifth")]]), ["b/fifth.md", "b/third.md"]);
  await step("a neighbour that goes", () => rmSync(join(dir, "library/a/second.md")), ["first.md"]);
  const digest = sha256(text("Fourth"));
  await step("a claim that cites", () => writeFiles(dir, [["claims.json", claims(digest, "A claim")]]), ["c/fourth.md"]);
  await step("another title of it", () => writeFiles(dir, [["claims.json", claims(digest, "The claim")]]), ["c/fourth.md"]);
  await step("a collection's title", () => void (config = open("B")), ["b/fifth.md", "b/third.md", "c/fourth.md", "first.md"]);
});

test("with another program all that is kept is made again, and nothing is published", async (t) => {
  const { config, buildDir } = await makeLibrary(t);
  const first = await build(config, quiet, PLAIN_PARTS);
  const state = await readState(buildDir, codeDigest());
  assert.deepEqual([state.objects.length, state.program], [2, codeDigest()]);
  writeState(buildDir, formatState({ ...state, program: "0".repeat(64) }));
  const again = await build(config, quiet, PLAIN_PARTS);
  assert.deepEqual([again.published, again.snapshot, again.internal.snapshot], [false, first.snapshot, first.internal.snapshot]);
  assert.deepEqual(again.work, first.work);
  assert.deepEqual((await build(config, quiet, PLAIN_PARTS)).work, { read: 0, rendered: 0, indexed: 0 });
});

test("a build that finds nothing to do says what the last one said of the objects, and reads none of what is known of them", async (t) => {
  const { config, buildDir } = await makeLibrary(t);
  await writeFiles(dirname(config.file), [["library/a/half.md", Buffer.from([0x23, 0xff, 0xfe, 0x0a])]], new Date("2026-05-01T00:00:00Z"));
  await settle(config);
  const { unreadable, notes } = await build(config, quiet, PLAIN_PARTS);
  assert.equal(unreadable.length, 1);
  const state = await readState(buildDir, codeDigest());
  const { objects } = state.said;
  writeState(buildDir, formatState({ ...state, objects: [] }));
  const again = await build(config, quiet, PLAIN_PARTS);
  assert.deepEqual([again.published, again.unchanged, again.work.read], [false, objects, 0]);
  assert.deepEqual([again.unreadable, again.notes], [unreadable, notes]);
});

test("what cannot be written down after publication is a note, and the snapshot is served", async (t) => {
  const { config, buildDir } = await makeLibrary(t);
  const { public: shelf, publicDir } = openShelves(config);
  // Nothing can be renamed onto a folder.
  for (const path of [join(buildDir, "state.v8"), join(publicDir, "checked")]) mkdirSync(path, { recursive: true });
  const summary = await build(config, quiet, PLAIN_PARTS);
  assert.equal(summary.published, true);
  assert.equal((await shelf.readPointer())?.snapshot, summary.snapshot);
  assert.equal(summary.notes.filter((note) => /could not be kept \((EISDIR|EEXIST|ENOTEMPTY)\)/.test(note)).length, 2);
  assert.deepEqual(
    readdirSync(buildDir).filter((name) => name.startsWith("state.v8.")),
    [],
  );
  const again = await build(config, quiet, PLAIN_PARTS);
  assert.deepEqual([again.published, again.snapshot], [false, summary.snapshot]);
});

test("half a state that a killed build left is gone after the next", async (t) => {
  const { config, buildDir } = await makeLibrary(t);
  await build(config, quiet, PLAIN_PARTS);
  const left = join(buildDir, "state.v8.4711.tmp");
  writeFileSync(left, readFileSync(join(buildDir, "state.v8")).subarray(0, 10));
  await build(config, quiet, PLAIN_PARTS);
  assert.ok(!existsSync(left));
});

test("a damaged shelf is whole again after a build without memory", async (t) => {
  const { config, buildDir } = await makeLibrary(t);
  const first = await build(config, quiet, PLAIN_PARTS);
  const roots = (({ publicDir, internalDir }) => [publicDir, internalDir])(openShelves(config));
  const listed = await Promise.all(roots.map((root) => Array.fromAsync(openDirectoryShelf(root).blobs.list())));
  const digests = listed.flat().map(({ digest }) => digest);
  assert.ok(digests.length > 50);
  const packs = roots.flatMap((root) => readdirSync(join(root, "packs")).map((name) => join(root, "packs", name)));
  for (const [at, path] of packs.entries()) {
    if (at % 3 === 0) rmSync(path);
    else writeFileSync(path, at % 3 === 1 ? readFileSync(path).subarray(1) : "");
  }
  rmSync(join(buildDir, "state.v8"));
  const again = await build(config, quiet, PLAIN_PARTS);
  assert.deepEqual([again.published, again.snapshot, again.internal.snapshot], [false, first.snapshot, first.internal.snapshot]);
  // What lies in both roots need not come back in both.
  const { internal } = openShelves(config);
  for (const digest of digests) assert.equal(sha256((await internal.getBlob(digest)) ?? ""), digest);
});

test("work of the last build that is damaged counts as absent: the build is as from nothing, and the shelf is whole again", async (t) => {
  const { config } = await makeLibrary(t);
  const { publicDir, public: shelf } = openShelves(config);
  await build(config, quiet, PLAIN_PARTS);
  const damages: readonly (readonly [name: string, damage: (extract: string) => void])[] = [
    ["flipped", (extract) => spoilBlob(publicDir, extract)],
    ["cut", (extract) => truncateSync(fileOfBlob(publicDir, extract), 10)],
    ["gone", (extract) => rmSync(fileOfBlob(publicDir, extract))],
  ];
  for (const [name, damage] of damages) {
    const open = await openSnapshot(shelf, await shelf.readPointer().then((record) => record ?? assert.fail()), createTreeCache());
    const extract = (await open.find("extracts/a/first.md"))?.sha256 ?? assert.fail();
    damage(extract);
    // All pages are rendered again, and read the extracts.
    const renamed: Config = { ...config, title: `Library with a file that is ${name}` };
    const built = await build(renamed, quiet, PLAIN_PARTS);
    const clean = await build(
      { ...renamed, shelf: { kind: "directory", root: join(publicDir, `../../clean-${name}`) } },
      quiet,
      PLAIN_PARTS,
    );
    assert.deepEqual([built.published, built.snapshot], [true, clean.snapshot], name);
    assert.equal(built.notes.length, 1, name);
    assert.equal(sha256((await openShelves(config).public.getBlob(extract)) ?? ""), extract, name);
  }
});

test("a search index that is damaged is told by health, not searched, and made anew by a build that finds nothing else new", async (t) => {
  const { config } = await makeLibrary(t);
  const first = await build(config, quiet, PLAIN_PARTS);
  const data = join(openShelves(config).public.indexUri, `${PASSAGES}.lance`, "data");
  const file = join(data, readdirSync(data)[0] ?? "");
  const whole = readFileSync(file);
  const status = async (view: View): Promise<string> =>
    ((await ask(view, "/health")).json() as { checks: { search: { status: string } } }).checks.search.status;
  const open = await openFixtureView(config);
  assert.deepEqual([await status(open), (await ask(open, "/api/search?q=first")).status], ["pass", 200]);
  writeFileSync(
    file,
    whole.map((byte, at) => (at === 100 ? byte ^ 1 : byte)),
  );
  const restarted = await openFixtureView(config);
  assert.deepEqual([await status(restarted), (await ask(restarted, "/api/search?q=second")).status], ["warn", 503]);
  for (let left = 100; (await status(open)) === "pass" && left > 0; left--) await wait(50);
  assert.deepEqual([await status(open), (await ask(open, "/api/search?q=second")).status], ["warn", 503]);
  const again = await build(config, quiet, PLAIN_PARTS);
  assert.deepEqual([again.published, again.snapshot, again.work.read, again.work.indexed], [false, first.snapshot, 0, 2]);
  assert.match(again.notes.join(), /The search index of the public view was made anew: .*is not what was written/);
  for (const view of [open, restarted]) {
    assert.equal((await ask(view, "/api/search?q=second")).status, 200);
    // What was found is said for a second.
    for (let left = 100; (await status(view)) !== "pass" && left > 0; left--) await wait(50);
    assert.equal(await status(view), "pass");
  }
  assert.deepEqual((await build(config, quiet, PLAIN_PARTS)).work.indexed, 0);
});

test("a snapshot whose trees are damaged does not keep the next one from being published", async (t) => {
  const { config } = await makeLibrary(t);
  const { publicDir, public: shelf } = openShelves(config);
  await build(config, quiet, PLAIN_PARTS);
  const record = (await shelf.readPointer()) ?? assert.fail();
  const open = await openSnapshot(shelf, record, createTreeCache());
  const tree = (await open.find("objects/a"))?.sha256 ?? assert.fail();
  spoilBlob(publicDir, tree);
  await writeFiles(join(publicDir, "../.."), [["library/a/first.md", "# First\n\nOther text.\n"]]);
  const built = await build(config, quiet, PLAIN_PARTS);
  assert.equal(built.published, true);
  assert.equal((await build(config, quiet, PLAIN_PARTS)).published, false);
});
