import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Library } from "../../snapshots/format/view-data.ts";
import { objectPath, pagePath } from "../../snapshots/format/layout.ts";
import { createTreeCache, openSnapshot, type Snapshot } from "../../snapshots/shelf/read.ts";
import type { BuildSummary } from "./summary.ts";
import { type BuildOptions } from "./build.ts";

import { type Config, openConfig } from "../config/config.ts";
import { fixtureRegistry, SILENT, writeFiles, writeFixture, writeSmallFixture } from "../testing/library.ts";
import { filesUnder as shelfFiles } from "../testing/shelf-files.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import type { ObjectStore } from "../sources/object-store.ts";

import { withoutPrivileges } from "../testing/unprivileged.ts";
import type { Parts } from "../publish/parts.ts";
import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { runHere } from "../testing/run-program.ts";
import { build, openObjectStore, openShelves } from "../testing/whole.ts";

function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-build-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const quiet = (options: BuildOptions = {}): BuildOptions => ({ progress: SILENT, ...options });

type Fixture = { dir: string; config: Config; run(options?: BuildOptions): Promise<BuildSummary> };

/** @param parts those that readers' pages come of, where a test reads pages */
async function openFixture(t: TestContext, parts: Parts = PLAIN_PARTS, write = writeSmallFixture): Promise<Fixture> {
  const dir = tempDir(t);
  const config = await openConfig(await write(dir));
  await settle();
  return { dir, config, run: (options) => build(config, quiet(options), parts) };
}

/** A file that was changed within one tick of the file system's clock is looked at twice: longer than that. */
function settle(): Promise<void> {
  return wait(100);
}

/** A library of one public collection, "a/", with nothing else configured. */
async function openPlain(t: TestContext): Promise<{ dir: string; library: string; config: Config }> {
  const dir = tempDir(t);
  await writeFiles(dir, [
    ["library/a/first.md", "# First\n\nText.\n"],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\ncollections: [{ id: a, prefix: a/, title: A, visibility: public }]\n",
    ],
  ]);
  return { dir, library: join(dir, "library"), config: await openConfig(join(dir, "proofshelf.yaml")) };
}

/** Every file under a folder with its length and time, but those that say when a build last looked. */
function filesUnder(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(checked|build\.lock|pointer\.lock|(registry|claims)\.state)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${statSync(path).size} ${statSync(path).mtimeMs}`)
    .sort();
}

async function openCurrent(config: Config, view: "public" | "internal" = "public"): Promise<Snapshot> {
  const shelf = openShelves(config)[view];
  const record = await shelf.readPointer();
  assert.ok(record !== null);
  return openSnapshot(shelf, record, createTreeCache());
}

/** Path → digest of every file of a snapshot. */
async function contentsOf(snapshot: Snapshot, digest = snapshot.id, prefix = ""): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await snapshot.tree(digest)) {
    if (entry.kind === "blob") files.set(prefix + entry.name, entry.sha256);
    else for (const [path, sha] of await contentsOf(snapshot, entry.sha256, `${prefix}${entry.name}/`)) files.set(path, sha);
  }
  return files;
}

test("every byte but NUL and slash in a name, and every kind of broken file: the build goes on, serves the bytes, and says the rest", async (t) => {
  const { library, config } = await openPlain(t);
  const good = new Map<string, Buffer>([["a/first.md", Buffer.from("# First\n\nText.\n")]]);
  const bad: string[] = [];
  for (let byte = 1; byte < 256; byte++) {
    if (byte === 0x2f) continue;
    const name = Buffer.concat([Buffer.from("a/byte-"), Buffer.of(byte), Buffer.from(".txt")]);
    await writeFiles(library, [[name, `byte ${byte}\n`]]);
    if (byte < 0x80) good.set(name.toString(), Buffer.from(`byte ${byte}\n`));
  }
  const files: [string, Buffer][] = [
    ["a/fake.pdf", Buffer.from("%PDF-1.7\nthis is no PDF\n")],
    ["a/fake.png", Buffer.from("GIF89a nonsense")],
    ["a/latin-1.md", Buffer.from("caf\xe9\n", "latin1")],
    ["a/empty.md", Buffer.alloc(0)],
    ["a/nul.txt", Buffer.from("a\0b\n")],
    ["a/deep.json", Buffer.from("[".repeat(100_000))],
    ["a/broken.html", Buffer.from("<div>".repeat(5000))],
    ["a/one-line.md", Buffer.from(`# x\n\n${"*a ".repeat(50_000)}`)],
    ["a/large.txt", Buffer.from("The quick brown fox jumps over the lazy dog. 0123456789\n".repeat(37_500))],
    [`a/${"n".repeat(251)}.md`, Buffer.from("long name\n")],
    [`a/${"d".repeat(200)}/${"d".repeat(200)}/${"d".repeat(200)}/leaf.md`, Buffer.from("deep\n")],
  ];
  await writeFiles(library, files);
  for (const [key, bytes] of files) good.set(key, bytes);
  symlinkSync("/etc/passwd", join(library, "a/link-out"));
  symlinkSync("..", join(library, "a/link-up"));
  symlinkSync("link-loop", join(library, "a/link-loop"));
  symlinkSync("nowhere", join(library, "a/link-nowhere"));
  symlinkSync("first.md", join(library, "a/link-inside.md"));
  execFileSync("mkfifo", [join(library, "a/pipe")]);
  bad.push("a/link-out", "a/link-up", "a/link-loop", "a/link-nowhere", "a/pipe");
  good.set("a/link-inside.md", Buffer.from("# First\n\nText.\n"));

  const summary = await build(config, quiet(), PLAIN_PARTS);
  assert.equal(summary.published, true);
  for (const key of bad)
    assert.ok(
      summary.rejected.some((item) => item.key === key && item.reason.length > 5),
      `${key} is refused with a reason`,
    );
  assert.equal(summary.rejected.filter(({ reason }) => /UTF-8/.test(reason)).length, 128);
  assert.equal(summary.rejected.length, bad.length + 128);
  for (const key of ["a/fake.pdf", "a/latin-1.md", "a/empty.md"])
    assert.ok(
      summary.unreadable.some((item) => item.key === key && item.notes.length > 0),
      key,
    );

  const view = await openFixtureView(config);
  for (const [key, bytes] of good) {
    const found = await ask(view, objectPath(key));
    assert.equal(found.status, 200, key);
    assert.ok(found.body.equals(bytes), `${key} comes back byte for byte`);
    assert.equal((await ask(view, pagePath.object(key))).status, 200, `${key} has a page`);
  }
  const listing = (await ask(view, "/api/catalog")).json() as { counts: { objects: number } };
  assert.equal(listing.counts.objects, good.size);
  const rejected = (await ask(view, "/api/rejected")).json() as { rejected: { key: string }[] };
  for (const key of bad)
    assert.ok(
      rejected.rejected.some((item) => item.key === key),
      key,
    );
  assert.match((await ask(view, "/rejected/")).text, /link-out/);
});

test("a file that may not be read is refused with its reason, and the others are served", async (t) => {
  const { dir, library, config } = await openPlain(t);
  await writeFiles(library, [["a/closed.md", "closed\n"]]);
  chmodSync(join(library, "a/closed.md"), 0);
  const files = openObjectStore(config.store);
  const refusal = await withoutPrivileges([dir], () => files.read("a/closed.md")).catch((error: unknown) => error);
  const store: ObjectStore = {
    ...files,
    read: (key) => (key === "a/closed.md" ? Promise.reject(refusal) : files.read(key)),
  };
  const { rejected, added } = await build(config, { ...quiet(), store }, PLAIN_PARTS);
  assert.deepEqual(
    [rejected, added],
    [[{ source: "store", key: "a/closed.md", reason: "The object cannot be read: reading it is not permitted." }], 1],
  );
});

test("what lies under no collection is counted publicly and never named; what a gated collection leaves out is not even counted", async (t) => {
  const { dir, library, config: open } = await openPlain(t);
  const gated = { id: "g", prefix: "g/", title: "G", summary: "", visibility: "email-gated" } as const;
  const config: Config = { ...open, collections: [...open.collections, gated] };
  await build(config, quiet(), PAGED_PARTS);
  const said = async (): Promise<{ json: unknown; page: string; front: string }> => {
    const view = await openFixtureView(config);
    const of = async (target: string): Promise<string> => (await ask(view, target)).text;
    return {
      json: JSON.parse(await of("/api/rejected")),
      page: await of("/rejected/"),
      front: await of("/"),
    };
  };
  const nothing = await said();
  assert.match(nothing.page, /Nothing was left out/);
  await writeFiles(library, [["g/kept.md", "# Kept\n"]]);
  symlinkSync(dir, join(library, "g/lost-link"));
  await build(config, quiet(), PAGED_PARTS);
  assert.deepEqual(await said(), nothing, "a gated object that is left out changes nothing for the public");

  await writeFiles(library, [
    ["loose-one.md", "# One\n"],
    ["loose-two.md", "# Two\n"],
  ]);
  const summary = await build(config, quiet(), PAGED_PARTS);
  assert.equal(summary.rejected.length, 3);
  const { json, page, front } = await said();
  assert.equal((json as { withheld: number }).withheld, 2);
  assert.deepEqual((json as { rejected: unknown }).rejected, []);
  assert.match(page, /2\sinputs could not be taken into this snapshot/);
  assert.doesNotMatch(page, /Nothing was left out/);
  assert.match(front, /2\sinputs left out/);
  assert.doesNotMatch(JSON.stringify([json, page, front]), /loose-|lost-link/);
  const internal = await openFixtureView(config, "internal");
  const all = (await ask(internal, "/api/rejected")).json() as { rejected: { key: string }[]; withheld: number };
  assert.deepEqual([all.rejected.map(({ key }) => key), all.withheld], [["g/lost-link", "loose-one.md", "loose-two.md"], 0]);
});

test("a registry with bad records, duplicate ids, unknown values and wrong counts is used, and each of them is said", async (t) => {
  const { config, run } = await openFixture(t, PAGED_PARTS, writeFixture);
  const summary = await run();
  const reasons = summary.rejected.filter(({ source }) => source === "registry").map(({ key, reason }) => `${key}: ${reason}`);
  assert.ok(
    reasons.some((line) => line.startsWith("CUB-1:")),
    "a malformed id",
  );
  assert.ok(
    reasons.some((line) => line.startsWith("CUB-0900:") && /theorem_name|statement/.test(line)),
    "missing fields are named",
  );
  assert.ok(
    [...reasons, ...summary.notes].some((line) => /CUB-0001/.test(line) && /same id/.test(line)),
    reasons.join("\n"),
  );
  assert.ok(
    summary.registry.some(
      ({ record, field, what }) => record === "CUB-0009" && field === "the value of invocation" && /none of its values/.test(what),
    ),
    "an unknown value is reported",
  );
  assert.ok(
    summary.notes.some((note) => note.includes("999") && note.includes("48")),
    "a wrong count is reported",
  );
  assert.ok(summary.rejected.some(({ source, key }) => source === "claims" && key === "broken"));
  const view = await openFixtureView(config);
  assert.equal(((await ask(view, "/api/cubs/CUB-0009")).json() as { invocation: string }).invocation, "sometimes");
  const dashboard = (await ask(view, "/registry/dashboard/")).text;
  assert.match(dashboard, /999/);
  assert.match(dashboard, /\b48\b/);
  assert.match(dashboard, /sometimes/);
  const meta = (await ask(view, "/api/cubs/meta")).json() as { registry_sha256: string; bytes: number };
  const pulled = Buffer.from(JSON.stringify(fixtureRegistry()));
  assert.equal(meta.bytes, pulled.length);
});

test("a registry over HTTP: fresh, unchanged, down, and never there", async (t) => {
  const dir = tempDir(t);
  const first = await openConfig(await writeSmallFixture(dir));
  let mode: "up" | "down" = "up";
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers["if-none-match"]);
    if (mode === "down") response.writeHead(500).end();
    else if (request.headers["if-none-match"] === '"one"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"one"', "content-type": "application/json" }).end(readFileSync(join(dir, "registry.json")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const config: Config = {
    ...first,
    registry: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/registry.json`, internalFields: [], license: null },
  };
  const fresh = await build(config, quiet(), PAGED_PARTS);
  const again = await build(config, quiet(), PAGED_PARTS);
  assert.deepEqual([again.published, again.snapshot, asked.at(-1)], [false, fresh.snapshot, '"one"']);

  mode = "down";
  const stale = await build(config, quiet(), PAGED_PARTS);
  assert.ok(
    stale.notes.some((note) => /could not be used/.test(note)),
    "the summary says it",
  );
  const view = await openFixtureView(config);
  assert.equal(((await ask(view, "/api/cubs?limit=0")).json() as { count: number }).count, 8, "the last good one is used");
  const library = await readLibrary(config);
  assert.equal(library.registry, "kept");
  assert.ok(
    library.notes.some((note) => /could not be used/.test(note)),
    "the snapshot says it",
  );
  for (const page of ["/registry/dashboard/", "/registry/"])
    assert.match((await ask(view, page)).text, /could not be used when/, `readers of ${page} are told`);

  mode = "up";
  const recovered = await build(config, quiet(), PAGED_PARTS);
  assert.equal(recovered.snapshot, fresh.snapshot, "the same sources give the same snapshot again");
  assert.equal((await readLibrary(config)).registry, "read");

  const never: Config = { ...config, shelf: { kind: "directory", root: join(dir, "other-shelf") } };
  mode = "down";
  await assert.rejects(
    build(never, quiet(), PAGED_PARTS),
    /cannot be used and there is no copy of it\. The registry answered 500/,
    "no library begins without its records",
  );
  const without = await build(never, { ...quiet(), acceptLoss: true }, PAGED_PARTS);
  assert.equal(without.published, true);
  assert.equal((await readLibrary(never)).registry, "failed");
  assert.equal((await build(never, quiet(), PAGED_PARTS)).published, false, "said once, it holds");
  const bare = await openFixtureView(never);
  for (const target of ["/api/cubs", "/api/cubs/meta", "/api/cubs/CUB-0001", "/api/cubs.json"]) {
    const { status, json } = await ask(bare, target);
    assert.deepEqual([status, (json() as { code: string }).code], [503, "registry_unavailable"], target);
  }
  assert.equal((await ask(bare, "/api/cubs/CUB-1")).status, 503);
  for (const target of ["/", "/registry/", "/registry/dashboard/", "/api/catalog", "/claims/"])
    assert.equal((await ask(bare, target)).status, 200, target);

  const { config: plain } = await openPlain(t);
  await build(plain, quiet(), PAGED_PARTS);
  assert.equal((await readLibrary(plain)).registry, "none", "nothing failed where nothing was asked for");
});

async function readLibrary(config: Config): Promise<Library> {
  return JSON.parse((await readBlob(config, "api/library.json")).toString()) as Library;
}

async function readBlob(config: Config, path: string): Promise<Uint8Array & { toString(): string }> {
  const snapshot = await openCurrent(config);
  const entry = await snapshot.find(path);
  assert.ok(entry?.kind === "blob", path);
  return Buffer.from(await snapshot.read(entry));
}

test("a YAML bomb in the claims is refused: the last good ones are served on", async (t) => {
  const { dir, config, run } = await openFixture(t);
  await run();
  const before = await readBlob(config, "api/claims.json");
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 12; level++)
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(", ")}]`,
    );
  await writeFiles(dir, [["claims.yaml", `${lines.join("\n")}\nclaims: *a11\n`]]);
  const { notes } = await run();
  assert.match(notes.join("\n"), /The claims could not be used .*(alias|expand)/i);
  assert.ok(!notes.join("\n").includes(dir));
  assert.deepEqual(await readBlob(config, "api/claims.json"), before);
});

test("a build that finds nothing new does nothing: no read, no page, no row, no byte written", async (t) => {
  const { config, run } = await openFixture(t);
  const first = await run();
  const shelves = openShelves(config);
  const files = [...filesUnder(shelves.publicDir), ...filesUnder(shelves.internalDir)];
  const second = await run();
  assert.deepEqual(
    [second.published, second.internal.published, second.snapshot, second.sequence],
    [false, false, first.snapshot, first.sequence],
  );
  assert.deepEqual(second.work, { read: 0, rendered: 0, indexed: 0 });
  assert.deepEqual([second.added, second.changed, second.removed], [0, 0, 0]);
  assert.deepEqual(second.rejected, first.rejected, "what is refused is said every time");
  assert.deepEqual([...filesUnder(shelves.publicDir), ...filesUnder(shelves.internalDir)], files);
});

test("one changed object: it alone is read, and only the pages that show it are rendered", async (t) => {
  const { dir, config, run } = await openFixture(t);
  await run();
  const before = await contentsOf(await openCurrent(config));
  // Title and first prose stay, so that no list shows another card; the digest and the size do change.
  await writeFiles(join(dir, "library"), [["notes/deep/er/leaf.txt", `A leaf far down.\n${"More lines.\n".repeat(1000)}`]]);
  const summary = await run();
  const after = await contentsOf(await openCurrent(config));
  const differing = [...after].filter(([path, digest]) => path.startsWith("pages/") && before.get(path) !== digest).map(([path]) => path);
  assert.deepEqual(
    differing.sort(),
    [
      // Totals of bytes: the front page and the folders above.
      "pages/browse/notes/deep/er=.html",
      "pages/browse/notes/deep=.html",
      "pages/browse/notes=.html",
      "pages/browse=.html",
      "pages/index.html",
      "pages/llms.txt",
      "pages/object/notes/deep/er/leaf.txt=.html",
    ].sort(),
  );
  assert.equal(summary.work.read, 1);
  assert.equal(summary.work.rendered, differing.length - 1, "llms.txt is text and not rendered; nothing else was");
  assert.equal(summary.work.indexed, 2, "one row in each view");
  assert.deepEqual([summary.added, summary.changed, summary.removed], [0, 1, 0]);
});

test("a changed title also reaches the neighbours' pages and the claims that cite the object, and no other", async (t) => {
  const { dir, config, run } = await openFixture(t);
  await run();
  const before = await contentsOf(await openCurrent(config));
  await writeFiles(join(dir, "library"), [["notes/short.md", `# Shorter\n\nA zebra.\n\n${"More words. ".repeat(1000)}`]]);
  const summary = await run();
  const after = await contentsOf(await openCurrent(config));
  const differing = [...after]
    .filter(([path, digest]) => /^pages\/.*html$/.test(path) && before.get(path) !== digest)
    .map(([path]) => path);
  assert.deepEqual(
    differing.sort(),
    [
      "pages/browse/notes=.html",
      "pages/browse=.html",
      "pages/index.html",
      "pages/object/notes/digests.md=.html",
      "pages/object/notes/short.md=.html",
    ].sort(),
  );
  assert.equal(summary.work.rendered, differing.length);
});

test("an object that is gone is gone from lists, pages, search and bytes, and stays in the snapshot before", async (t) => {
  const { dir, config, run } = await openFixture(t);
  const first = await run();
  const view = await openFixtureView(config);
  assert.equal(
    ((await ask(view, "/api/search?q=zebra")).json() as { results: object[] }).results.filter((item) =>
      JSON.stringify(item).includes("short.md"),
    ).length,
    1,
  );
  rmSync(join(dir, "library/notes/short.md"));
  const second = await run();
  assert.deepEqual([second.removed, second.added, second.changed], [1, 0, 0]);
  for (const target of ["/objects/notes/short.md", "/object/notes/short.md/"]) assert.equal((await ask(view, target)).status, 404, target);
  assert.doesNotMatch((await ask(view, "/api/search?q=zebra")).text, /short\.md/);
  assert.doesNotMatch((await ask(view, "/api/list?prefix=notes/")).text, /short\.md/);
  assert.match((await ask(view, `/at/${first.snapshot}/api/search?q=zebra`)).text, /short\.md/);
  assert.equal((await ask(view, `/at/${first.snapshot}/objects/notes/short.md`)).status, 200);
});

test("the same sources give the same ids: another folder, another order of listing, another clock", async (t) => {
  const { dir, config, run } = await openFixture(t, PAGED_PARTS);
  const first = await run({ now: () => new Date("2026-05-01T00:00:00Z") });
  const elsewhere = join(tempDir(t), "a folder with spaces é");
  cpSync(dir, elsewhere, { recursive: true, preserveTimestamps: true, filter: (path) => !path.startsWith(join(dir, "shelf")) });
  const moved = await openConfig(join(elsewhere, "proofshelf.yaml"));
  const store = openObjectStore(config.store);
  const shuffled = await build(
    moved,
    quiet({
      now: () => new Date("2031-12-31T23:59:59Z"),
      store: {
        ...store,
        async *list() {
          const rows = [];
          for await (const row of store.list()) rows.push(row);
          yield* rows
            .map((row, at) => ({ row, at: (at * 7919) % 101 }))
            .sort((a, b) => a.at - b.at || (a.row.key < b.row.key ? 1 : -1))
            .map(({ row }) => row);
        },
      },
    }),
    PAGED_PARTS,
  );
  assert.equal(shuffled.snapshot, first.snapshot);
  assert.equal(shuffled.internal.snapshot, first.internal.snapshot);
});

test("a rebuild from nothing, and one that came by changes, give the same snapshot and the same answers to searches", async (t) => {
  const { dir, config, run } = await openFixture(t);
  await run();
  await writeFiles(join(dir, "library"), [
    ["notes/new.md", "# New\n\nA zebra among digests.\n"],
    ["notes/short.md", "# Short\n\nTwo zebras and a zebra.\n"],
  ]);
  rmSync(join(dir, "library/data/table.csv"));
  const changed = await run();
  const fresh: Config = { ...config, shelf: { kind: "directory", root: join(dir, "fresh-shelf") } };
  const cold = await build(fresh, quiet(), PLAIN_PARTS);
  assert.equal(cold.snapshot, changed.snapshot);
  assert.equal(cold.internal.snapshot, changed.internal.snapshot);
  const [warmView, coldView] = [await openFixtureView(config), await openFixtureView(fresh)];
  for (const q of ["zebra", "digests", "sorted", "awkward name", "number"]) {
    assert.equal(
      (await ask(warmView, `/api/search?q=${encodeURIComponent(q)}`)).text,
      (await ask(coldView, `/api/search?q=${encodeURIComponent(q)}`)).text,
      q,
    );
  }
});

test("losing the build's memory costs time and nothing else", async (t) => {
  const { config, run } = await openFixture(t);
  const first = await run();
  rmSync(join(openShelves(config).buildDir, "state.v8"));
  const again = await run();
  assert.deepEqual([again.published, again.snapshot, again.sequence], [false, first.snapshot, first.sequence]);
  assert.ok(again.work.read > 0);
  writeFileSync(join(openShelves(config).buildDir, "state.v8"), "{ not json");
  assert.equal((await run()).snapshot, first.snapshot);
});

test("the clock of a build is in its record and nowhere in the snapshot", async (t) => {
  const { config, run } = await openFixture(t, PAGED_PARTS);
  await run({ now: () => new Date("2033-03-03T03:03:03.333Z") });
  const record = await openShelves(config).public.readPointer();
  assert.equal(record?.created, "2033-03-03T03:03:03.333Z");
  const snapshot = await openCurrent(config);
  for (const [path, digest] of await contentsOf(snapshot)) {
    const bytes = await openShelves(config).public.getBlob(digest);
    assert.ok(bytes !== null && !Buffer.from(bytes).includes("2033-03-03"), path);
  }
});

test("a collection that becomes gated is gone from the public view, also from its blobs once old snapshots are pruned", async (t) => {
  const { dir, run } = await openFixture(t, PAGED_PARTS);
  await run();
  const file = join(dir, "proofshelf.yaml");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(
      "{ id: proofs, prefix: proofs/, title: Proofs, visibility: public }",
      "{ id: proofs, prefix: proofs/, title: Proofs, visibility: email-gated }",
    ),
  );
  // The claim cites the proof: what is said to be public of it would name it.
  const claims = join(dir, "claims.yaml");
  writeFileSync(claims, readFileSync(claims, "utf8").replace("access: public, path: proofs/", "access: email-gated, path: proofs/"));
  const gated = await openConfig(file);
  const summary = await build(gated, quiet(), PAGED_PARTS);
  assert.equal(summary.published, true);
  const view = await openFixtureView(gated);
  assert.equal((await ask(view, "/objects/proofs/Sort.v")).status, 404);
  const internal = await openFixtureView(gated, "internal");
  assert.equal((await ask(internal, "/objects/proofs/Sort.v")).status, 200);
  assert.equal((await runHere(["prune", "--keep", "1", "--config", file])).status, 0);
  assert.equal((await ask(internal, "/objects/proofs/Sort.v")).status, 200, "the internal view has its own copy");
  const { publicDir } = openShelves(gated);
  for (const { bytes } of shelfFiles(publicDir)) assert.ok(!bytes.includes("Proof. induction l"), "no gated bytes under the public root");
  assert.equal((await run().catch((error: unknown) => error)) instanceof Error, false, "and back again");
  assert.equal((await ask(view, "/objects/proofs/Sort.v")).status, 200);
});

test("what nobody meant to publish is left out and said, and the name of what is gated is said to nobody outside", async (t) => {
  const { dir, config, run } = await openFixture(t, PAGED_PARTS);
  await writeFiles(join(dir, "library"), [
    [".git/config", "[remote]\n"],
    ["notes/.env", "TOKEN=CANARY-DOT-ENV\n"],
    ["notes/.git/objects/aa/CANARY-OBJECT", "x"],
    ["notes/tls.pem", "CANARY-PEM\n"],
    ["notes/draft.md~", "CANARY-BACKUP\n"],
    ["drafts/.CANARY-GATED-NAME", "x"],
  ]);
  const summary = await run();
  const said = summary.rejected.filter(({ reason }) => /left out/.test(reason)).map(({ key }) => key);
  assert.deepEqual(said.sort(), [".git/", "drafts/.CANARY-GATED-NAME", "notes/.env", "notes/.git/", "notes/draft.md~", "notes/tls.pem"]);
  const view = await openFixtureView(config);
  const listed = (await ask(view, "/api/rejected")).json() as { rejected: { key: string }[]; withheld: number };
  const named = listed.rejected.map(({ key }) => key).filter((key) => said.includes(key));
  assert.deepEqual(named.sort(), ["notes/.env", "notes/.git/", "notes/draft.md~", "notes/tls.pem"]);
  assert.equal(listed.withheld, 2, "the stray file and the folder under no collection, counted only");
  assert.equal((await ask(view, objectPath("notes/.env"))).status, 404);
  for (const { bytes } of shelfFiles(openShelves(config).publicDir))
    assert.doesNotMatch(bytes.toString("latin1"), /CANARY-(DOT|OBJECT|PEM|BACKUP|GATED)/);
});

test("text that looks like a key or a token is told to the operator in every build, by line, and no public byte says so", async (t) => {
  const { library, config } = await openPlain(t);
  const { privateKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const token = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`;
  await writeFiles(library, [
    ["a/how-to.md", `# How to\n\n${privateKey}\n`],
    ["a/log.txt", `start\n${token}\n`],
    ["a/talk.md", "# Keys\n\nA private key begins with BEGIN PRIVATE KEY, a token with ghp_.\n"],
  ]);
  const first = await build(config, quiet(), PAGED_PARTS);
  const note = first.notes.find((line) => /look as if/.test(line)) ?? "";
  assert.match(note, /"a\/how-to\.md" \(privatekey in line 3\); "a\/log\.txt" \(github in line 2\)\./);
  assert.ok(!note.includes(token) && !note.includes("talk.md"));
  const again = await build(config, quiet(), PAGED_PARTS);
  assert.equal(again.published, false);
  assert.ok(again.notes.includes(note), "said as long as it lies there");
  const view = await openFixtureView(config);
  for (const path of ["/api/rejected", pagePath.object("a/log.txt"), "/rejected/", "/api/catalog"])
    assert.doesNotMatch((await ask(view, path)).text, /look as if|in line 2|secretlint/);
});
