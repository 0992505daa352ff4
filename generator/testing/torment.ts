/** A library whose builds are killed with signal 9 at random moments, or whose disk fills up. */
import assert from "node:assert/strict";
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sha256 } from "../../snapshots/digest.ts";
import { generateKey } from "../../snapshots/log/note.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { diffSnapshots } from "../../snapshots/shelf/diff.ts";
import { createTreeCache, openSnapshot } from "../../snapshots/shelf/read.ts";
import { describeLog } from "../../snapshots/shelf/log.ts";
import type { DirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import type { View } from "../../snapshots/http/view.ts";

import type { Shelves } from "../shelves/shelves.ts";
import { type Config, openConfig } from "../config/config.ts";
import { markedProcesses } from "./child-processes.ts";
import { SILENT, writeFiles } from "./library.ts";
import { PLAIN_CLI } from "./serving-process.ts";
import { ask, openFixtureView } from "./view.ts";
import { build, openShelves, verifyLibrary } from "./whole.ts";

/** After so many kills a build may finish. */
const RECOVER_EVERY = 6;
const CHILD = fileURLToPath(new URL("./crash-child.ts", import.meta.url));

const PAIR = generateKey("library.example/shelf");
// Here, and in every build that is killed.
process.env["LOG_KEY"] = PAIR.privateKey;

const CONFIG = `title: Crash library
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: SHELF }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
claims: { path: ./claims.yaml }
embeddings: { kind: none }
log: { origin: library.example/shelf, publicKey: "PUBLIC_KEY" }
`;

async function makeLibrary(t: TestContext, shelf = "./shelf"): Promise<{ dir: string; file: string; config: Config }> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-crash-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["proofshelf.yaml", CONFIG.replace("SHELF", shelf).replace("PUBLIC_KEY", PAIR.publicKey)],
    ["library/notes/steady.md", "# Steady\n\nAlways the same.\n"],
    ["library/notes/turn.md", "# Turn\n\nTurn 0.\n"],
    ["claims.yaml", "claims: []\n"],
    ["library/drafts/gated.md", "# Gated\n\nNot for everybody.\n"],
  ]);
  const file = join(dir, "proofshelf.yaml");
  return { dir, file, config: await openConfig(file) };
}

/** Changes what the next build finds: a claim each time; every fourth time bytes of an object, and which objects there are. */
async function turn(dir: string, number: number): Promise<void> {
  await writeFiles(dir, [
    ["claims.yaml", `claims: [{ id: turn, title: Turn ${number}, status: scoped, scope: This test, statement: It is turn ${number}. }]\n`],
  ]);
  if (number % 4 !== 0) return;
  const library = join(dir, "library");
  await writeFiles(library, [
    ["notes/turn.md", `# Turn\n\nTurn ${number}.\n`],
    [`notes/extra-${number % 3}.md`, `# Extra\n\nExtra ${number}.\n`],
  ]);
  rmSync(join(library, `notes/extra-${(number + 1) % 3}.md`), { force: true });
}

/** In the environment of a build, and so of what drives Pagefind, which is in no group of the build's. */
const MARK = "PROOFSHELF_CRASH_TEST";

type Waiting = { readonly child: ChildProcess; readonly mark: string; readonly ended: Promise<number | null>; said(): string };

/** A build in a process group of its own, ready to begin; known by its mark. */
async function prepareBuild(file: string): Promise<Waiting> {
  const mark = randomUUID();
  const child = fork(CHILD, [file], {
    detached: true,
    execArgv: [],
    env: { ...process.env, [MARK]: mark },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  // Children of a killed one may complain of broken pipes: shown only when a build was to succeed.
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("error", reject);
  });
  return { child, mark, ended, said: () => said };
}

/** Waits until no process of the build is left: parsers, indexers and Pagefind have to notice that it is gone. */
async function waitForEnd(group: number, mark: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (!isGroup(group) && markedProcesses(`${MARK}=${mark}`).length === 0) return;
    await wait(50);
  }
  if (isGroup(group)) process.kill(-group, "SIGKILL");
  assert.fail("a killed build left a process behind");
}

function isGroup(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/** Everything that the pointer's snapshot names is there, whole, and searchable.
 *  @param read digests that were read and found whole before: those have only to be there
 *  @returns its id, null before the first */
async function checkShelf(shelf: DirectoryShelf, read = new Set<string>()): Promise<string | null> {
  const record = await shelf.readPointer();
  if (record === null) return null;
  const trees = createTreeCache();
  const snapshot = await openSnapshot(shelf, record, trees);
  const pending = [record.snapshot];
  for (let digest = pending.pop(); digest !== undefined; digest = pending.pop()) {
    for (const entry of await snapshot.tree(digest)) {
      if (entry.kind === "tree") pending.push(entry.sha256);
      else if (read.has(entry.sha256)) assert.ok(await shelf.hasBlob(entry.sha256), entry.name);
      else assert.equal((await snapshot.read(entry)).length, entry.size, entry.name);
      read.add(entry.sha256);
    }
  }
  const records = await shelf.history.listRecords();
  assert.ok(
    records.some(({ sequence, snapshot: id }) => sequence === record.sequence && id === record.snapshot),
    "the pointer is one of the records",
  );
  assert.notEqual(await shelf.readChanges(record.sequence), null);
  assert.equal((await describeLog(shelf, record)).state, "signed", "the log's head is signed, and its last entry is the pointer's record");
  const index = await openIndex(shelf.indexUri);
  try {
    assert.equal(await index.findProblem(record.snapshot), null, "the snapshot is in the index, whole");
  } finally {
    index.close();
  }
  return record.snapshot;
}

/** The internal view that is served has every object of the public one. */
async function checkTogether(shelves: Shelves): Promise<void> {
  const [shown, internal] = [await shelves.public.readPointer(), await shelves.internal.readPointer()];
  if (shown === null) return;
  assert.ok(internal !== null, "an internal view is served with the public one");
  const trees = createTreeCache();
  const { added, ...lost } = await diffSnapshots(
    await openSnapshot(shelves.public, shown, trees),
    await openSnapshot(shelves.internal, internal, trees),
  );
  assert.deepEqual([lost.changed.objects, lost.removed.objects], [[], []], `${added.objects.length} objects are gated`);
}

/** Reads as a client would, again and again: whatever is served belongs to one snapshot. @returns how many rounds, how many snapshots */
async function watch(view: View, stop: AbortSignal): Promise<{ rounds: number; seen: Set<string> }> {
  const seen = new Set<string>();
  let rounds = 0;
  while (!stop.aborted) {
    const catalog = await ask(view, "/api/catalog");
    if (catalog.status === 503) {
      assert.equal((catalog.json() as { code: string }).code, "no_snapshot");
      assert.equal(seen.size, 0, "what was served once is served on");
    } else {
      assert.equal(catalog.status, 200);
      const body = catalog.json() as { snapshot: string; collections: { objects: { key: string; sha256: string }[] }[] };
      const id = catalog.headers["X-Snapshot"] ?? "";
      assert.equal(body.snapshot, id, "a body and its header name one snapshot");
      seen.add(id);
      for (const { key, sha256: digest } of body.collections.flatMap(({ objects }) => objects)) {
        const found = await ask(view, `/at/${id}/objects/${key}`);
        assert.deepEqual([found.status, sha256(found.body)], [200, digest], `${key} is what the catalog says`);
      }
      const live = await ask(view, "/objects/notes/turn.md");
      assert.equal(`sha-256=:${Buffer.from(sha256(live.body), "hex").toString("base64")}:`, live.headers["Repr-Digest"]);
      const page = await ask(view, `/at/${id}/object/notes/turn.md/`);
      const digest = body.collections.flatMap(({ objects }) => objects).find(({ key }) => key === "notes/turn.md")?.sha256 ?? "";
      assert.ok(page.status === 200 && page.text.includes(digest), "a page shows the digest of its own snapshot");
      rounds++;
    }
    await wait(50);
  }
  return { rounds, seen };
}

/** torment kills `kills` builds of one shelf. @returns how many had published when they were killed */
export async function torment(t: TestContext, kills: number): Promise<{ published: number; recovered: number }> {
  const { dir, file, config } = await makeLibrary(t);
  const shelves = openShelves(config);
  const stop = new AbortController();
  const watching = watch(await openFixtureView(config), stop.signal);
  let next = prepareBuild(file);
  let published = 0;
  let recovered = 0;
  // How long a build takes here and now; learnt from those that finish.
  let duration = 1500;
  const read = { public: new Set<string>(), internal: new Set<string>() };
  let last: string | null = null;
  try {
    for (let number = 1; number <= kills; number++) {
      await turn(dir, number);
      const { child, mark, ended, said } = await next;
      const group = child.pid ?? 0;
      // The next one starts up while this one works.
      next = prepareBuild(file);
      const finishes = number % RECOVER_EVERY === 0;
      const began = performance.now();
      child.send("go");
      if (finishes) {
        assert.equal(await ended, 0, `a build after kills succeeds: ${said()}`);
        duration = 0.5 * duration + 0.5 * (performance.now() - began);
        recovered++;
      } else {
        await wait(Math.random() * duration * 1.1);
        child.kill("SIGKILL");
        await ended;
      }
      await waitForEnd(group, mark);
      const id = await checkShelf(shelves.public, read.public);
      await checkShelf(shelves.internal, read.internal);
      await checkTogether(shelves);
      if (id !== last && !finishes) published++;
      last = id;
    }
    const { child, ended, said } = await next;
    child.send("go");
    assert.equal(await ended, 0, `the last build succeeds: ${said()}`);
    // One more look for whoever reads along.
    await wait(1000);
  } finally {
    stop.abort();
    const left = await next;
    left.child.kill("SIGKILL");
  }
  const { rounds, seen } = await watching;
  assert.ok(rounds > 0 && seen.has((await pointer(shelves.public)).snapshot), "a reader read all the time");

  // The survivor serves what a build from nothing makes of the same sources.
  const cold = await build({ ...config, shelf: { kind: "directory", root: join(dir, "cold") } }, { progress: SILENT });
  assert.equal((await pointer(shelves.public)).snapshot, cold.snapshot);
  assert.equal((await pointer(shelves.internal)).snapshot, cold.internal.snapshot);
  assert.deepEqual(
    (await verifyLibrary(config, { snapshots: "current" })).filter(({ severity }) => severity === "error"),
    [],
  );
  const pruned = spawnSync(process.execPath, [PLAIN_CLI, "prune", "--keep", "1", "--json", "--config", file], { encoding: "utf8" });
  assert.equal(pruned.status, 0, pruned.stderr);
  assert.deepEqual(await verifyLibrary(config, { snapshots: "current" }), [], "prune removes whatever the killed builds left");
  return { published, recovered };
}

async function pointer(shelf: DirectoryShelf) {
  const record = await shelf.readPointer();
  assert.ok(record !== null);
  return record;
}

/** Only root may mount a small disk; elsewhere the test is skipped and says so. */
function mountSmallDisk(t: TestContext, size: string): string | null {
  const place = mkdtempSync(join(tmpdir(), "proofshelf-disk-"));
  const mounted =
    process.getuid?.() === 0 &&
    process.platform === "linux" &&
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", place]).status === 0;
  t.after(() => {
    if (mounted) spawnSync("umount", ["-l", place]);
    rmSync(place, { recursive: true, force: true });
  });
  return mounted ? place : null;
}

/** fillDisk fills the disk of a shelf with one object after another, then makes room. @param sizes of the objects, in megabytes */
export async function fillDisk(t: TestContext, sizes: readonly number[]): Promise<void> {
  const disk = mountSmallDisk(t, "24m");
  if (disk === null) {
    t.skip("this process may not mount a small disk");
    return;
  }
  const { dir, file, config } = await makeLibrary(t, join(disk, "shelf"));
  const run = () => spawnSync(process.execPath, [PLAIN_CLI, "build", "--json", "--config", file], { encoding: "utf8" });
  const first = run();
  assert.equal(first.status, 0, first.stderr);
  const before = await checkShelf(openShelves(config).public);
  for (const megabytes of sizes) {
    await writeFiles(join(dir, "library"), [["notes/large.bin", Buffer.alloc(megabytes * 1024 * 1024, megabytes)]]);
    const full = run();
    if (full.status === 0) break;
    assert.equal(full.status, 1, full.stderr);
    assert.match(full.stderr, /disk is full/i, "in words");
    assert.doesNotMatch(full.stderr, /\n\s+at /, "without a stack");
    assert.equal((JSON.parse(full.stdout) as { error: { code: string } }).error.code, "build_failed");
    assert.equal(await checkShelf(openShelves(config).public), before, "the old snapshot is served");
    await checkShelf(openShelves(config).internal);
    const view = await openFixtureView(config);
    assert.equal((await ask(view, "/api/catalog")).headers["X-Snapshot"], before);
    assert.equal((await ask(view, "/api/search?q=steady")).status, 200);
  }
  rmSync(join(dir, "library/notes/large.bin"));
  await turn(dir, 1);
  const last = run();
  assert.equal(last.status, 0, last.stderr);
  assert.notEqual(await checkShelf(openShelves(config).public), before);
  assert.ok(readdirSync(join(disk, "shelf")).length > 0);
}
