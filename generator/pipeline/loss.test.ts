import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { BuildSummary } from "./summary.ts";
import { type BuildOptions } from "./build.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { readPointers, readServed } from "../shelves/shelves.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { build, openShelves } from "../testing/whole.ts";

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
        `store: { kind: directory, root: ./library${store} }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections:\n${collections}\n`,
      ],
    ]);
  await configure(COLLECTIONS);
  const run = async (options: BuildOptions = {}): Promise<BuildSummary> =>
    build(await openConfig(join(dir, "proofshelf.yaml")), { progress: SILENT, ...options }, PLAIN_PARTS);
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

/** Six records and four claims, one of them with evidence that is gated. */
const RECORDS = Array.from({ length: 6 }, (_, at) => ({
  id: `CUB-000${at}`,
  repo: "proofs",
  theorem_name: `theorem_${at}`,
  statement: "True",
  internal_owner: "CANARY-OWNER",
}));
const CLAIMS = Array.from({ length: 4 }, (_, at) => ({
  id: `claim-${at}`,
  title: `Claim ${at}`,
  status: "verified",
  scope: "all",
  statement: "It holds.",
  evidence: [{ artifact: "Plan", kind: "text", access: "email-gated", path: "gated/CANARY-PATH.md" }],
}));
const registryOf = (cubs: unknown): string => JSON.stringify({ meta: { service: "S" }, cubs });
const claimsOf = (claims: unknown): string => JSON.stringify({ claims });

/** A library of records and claims, published once. */
async function openLists(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "loss-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const write = (name: string, text: string): Promise<void> => writeFiles(dir, [[name, text]]);
  await write("library/a/one.md", "# One\n");
  await write("registry.json", registryOf(RECORDS));
  await write("claims.json", claimsOf(CLAIMS));
  await write(
    "proofshelf.yaml",
    `store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\nregistry: { path: ./registry.json }\nclaims: { path: ./claims.json }\ncollections:\n  - { id: a, prefix: a/, title: A, visibility: public }\n`,
  );
  const open = () => openConfig(join(dir, "proofshelf.yaml"));
  const run = async (options: BuildOptions = {}): Promise<BuildSummary> =>
    build(await open(), { progress: SILENT, ...options }, PLAIN_PARTS);
  const served = async () => {
    const shelves = openShelves(await open());
    const { public: shown, internal } = await readPointers(shelves);
    assert.ok(shown !== null && internal !== null);
    return { public: await readServed(shelves.public, shown), internal: await readServed(shelves.internal, internal) };
  };
  const counts = async () => {
    const { public: shown, internal } = await served();
    return [shown?.cubs.length, internal?.cubs.length, shown?.claims.claims.length, internal?.claims.claims.length];
  };
  const forgetCopies = async (): Promise<void> => {
    const { buildDir } = openShelves(await open());
    for (const name of ["registry", "claims"]) rmSync(join(buildDir, name), { recursive: true, force: true });
  };
  await run();
  return { dir, write, run, served, counts, forgetCopies };
}

const ALL = [6, 6, 4, 4];

test("a registry or claims file that is broken, empty or has lost more than half never empties the library, in neither view", async (t) => {
  const { write, run, served, counts } = await openLists(t);
  const good = { "registry.json": registryOf(RECORDS), "claims.json": claimsOf(CLAIMS) };
  const broken = {
    "registry.json": [
      registryOf(RECORDS).slice(0, 90),
      "",
      registryOf([]),
      registryOf(RECORDS.slice(4)),
      registryOf([{ id: "no record" }]),
      "[]",
    ],
    "claims.json": [claimsOf(CLAIMS).slice(0, 90), "", claimsOf([]), claimsOf(CLAIMS.slice(3)), claimsOf(null), "[]"],
  };
  // Both in turn, so that each is also broken beside a good one, and at last together.
  const names = Object.keys(broken) as (keyof typeof broken)[];
  for (const at of broken["registry.json"].keys()) {
    const bad = at === 0 ? [names[0]] : at === 1 ? [names[1]] : names;
    for (const name of names) await write(name, bad.includes(name) ? (broken[name][at] ?? "") : good[name]);
    const summary = await run();
    const { public: shown, internal } = await served();
    for (const name of names) {
      const said = `${name}: ${bad.join()} ${at}`;
      const what = name === "registry.json" ? "registry" : "claims";
      assert.equal(summary.notes.join("\n").includes(`The ${what} could not be used`), bad.includes(name), said);
      assert.equal(shown?.library[what] === "kept", bad.includes(name), said);
    }
    assert.deepEqual(await counts(), ALL, `${bad.join()} ${at}`);
    assert.ok(
      shown?.library.notes.some((note) => note.includes("could not be used")),
      "readers are told",
    );
    assert.ok(!JSON.stringify([shown?.claims, shown?.cubs]).includes("CANARY"), "what is gated stays gated");
    assert.ok(JSON.stringify(internal?.claims).includes("CANARY-PATH"), "and is there for those who may see it");
  }
  for (const name of names) await write(name, good[name]);
  assert.ok(!(await run()).notes.join("\n").includes("could not be used"));
});

test("half of a list, and two entries of a few, are no loss", async (t) => {
  const { write, run, counts } = await openLists(t);
  await write("registry.json", registryOf(RECORDS.slice(3)));
  await write("claims.json", claimsOf(CLAIMS.slice(2)));
  await run();
  assert.deepEqual(await counts(), [3, 3, 2, 2]);
  await write("registry.json", registryOf(RECORDS.slice(5)));
  await run();
  assert.deepEqual(await counts(), [1, 1, 2, 2]);
});

test("where no copy is left, a broken list publishes nothing; accepting the loss publishes, and what was accepted stays so", async (t) => {
  const { write, run, counts, forgetCopies } = await openLists(t);
  await forgetCopies();
  await write("registry.json", "{");
  await assert.rejects(run(), { code: "build_failed", message: /^Nothing was published, because 6 registry entries are served/ });
  await forgetCopies();
  await write("registry.json", registryOf(RECORDS));
  await write("claims.json", claimsOf([]));
  await assert.rejects(run(), { code: "build_failed", message: /4 claims entries/ });
  assert.deepEqual(await counts(), ALL);
  await run({ acceptLoss: true });
  assert.deepEqual(await counts(), [6, 6, 0, 0]);
  await run();
  assert.deepEqual(await counts(), [6, 6, 0, 0]);
});

test("a list that is broken on purpose: the loss is accepted, also though a copy is kept, and is not undone by the next build", async (t) => {
  const { write, run, counts } = await openLists(t);
  await write("registry.json", "{");
  await write("claims.json", "[]");
  await run({ acceptLoss: true });
  assert.deepEqual(await counts(), [0, 0, 0, 0]);
  await assert.rejects(run(), { code: "bad_source" }, "claims that cannot be read and were never good");
  await write("claims.json", claimsOf([]));
  await run();
  assert.deepEqual(await counts(), [0, 0, 0, 0]);
});
