/** What was public and is gated now leaves the public side: pages, search, history and files. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Finding } from "../snapshots/verify/finding.ts";
import { build, type BuildSummary } from "./build.ts";
import { type Config, openConfig } from "./config/config.ts";
import { SILENT, writeFiles } from "./fixtures/library.ts";
import { filesUnder } from "./fixtures/shelf-files.ts";
import { ask, openFixtureView } from "./fixtures/view.ts";
import type { Preview } from "./preview.ts";
import { isWithdrawing, withdraw } from "./publish/gating.ts";
import { verifyLibrary } from "./publish/verify-library.ts";
import { openShelves, type Shelves } from "./shelves.ts";

const CLI = fileURLToPath(new URL("cli.ts", import.meta.url));
/** In the key, the title and the text of what is gated later, and in no other file. */
const SECRET = /heliotrope/i;

const config = (visibility: "public" | "email-gated"): string => `title: Gating library
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: plans, prefix: plans/, title: Plans, visibility: ${visibility} }
embeddings: { kind: none }
`;

const RARE = "  - { id: rare, prefix: plans/rare/, title: Rare plans, visibility: email-gated }\n";

type Room = {
  readonly dir: string;
  readonly file: string;
  run(visibility: "public" | "email-gated", options?: { keepHistory?: boolean }): Promise<BuildSummary>;
  turn(n: number): Promise<void>;
  open(): Promise<Config>;
};

async function newRoom(t: TestContext): Promise<Room> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-gating-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  await writeFiles(join(dir, "library"), [
    ["notes/steady.md", "# Steady\n\nAlways the same.\n"],
    [
      "plans/rare/heliotrope-garden.md",
      "# The heliotrope garden\n\nWhere the heliotrope flowers shall stand, and in what rows they are planted.\n",
    ],
    ["plans/other.md", "# Another plan\n\nA plan without a flower.\n"],
  ]);
  return {
    dir,
    file,
    turn: (n) => writeFiles(join(dir, "library"), [["notes/turn.md", `# Turn ${n}\n`]]),
    async run(visibility, options = {}) {
      await writeFiles(dir, [["proofshelf.yaml", config(visibility)]]);
      return build(await openConfig(file), { progress: SILENT, ...options });
    },
    open: () => openConfig(file),
  };
}

/** Files under a folder that say the secret, as they stand or unpacked. */
function tellers(dir: string): string[] {
  return [...filesUnder(dir)]
    .filter(({ path, bytes }) => {
      const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("latin1");
      return SECRET.test(text) || SECRET.test(path);
    })
    .map(({ path }) => path);
}

const cli = (...args: string[]) => spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8" });

const verifyAll = async (file: string): Promise<readonly Finding[]> => verifyLibrary(await openConfig(file), { snapshots: "all" });

const codeOf = (answer: { json(): unknown }): string => (answer.json() as { code: string }).code;

test("a collection that is gated takes every snapshot that holds it out of service, and leaves no byte of it in the public root", async (t) => {
  const room = await newRoom(t);
  const first = await room.run("public");
  await room.turn(2);
  const second = await room.run("public");
  const loaded = await room.open();
  const publicDir = openShelves(loaded).publicDir;
  // A server that has been running all along, with everything of the old snapshots in memory.
  const view = await openFixtureView(loaded);
  const internal = await openFixtureView(loaded, "internal");
  for (const { snapshot } of [first, second]) {
    assert.equal((await ask(view, `/at/${snapshot}/objects/plans/rare/heliotrope-garden.md`)).status, 200);
    assert.match((await ask(view, `/at/${snapshot}/api/search?q=heliotrope`)).text, SECRET);
  }
  assert.notDeepEqual(tellers(publicDir), []);

  await writeFiles(room.dir, [["proofshelf.yaml", config("email-gated")]]);
  const planned = JSON.parse(cli("build", "--plan", "--json", "--config", room.file).stdout) as Preview;
  assert.match(planned.index.public.why ?? "", /gated/);
  assert.match(
    cli("build", "--plan", "--config", room.file).stdout,
    /Was public and is gated now: collection "plans", .* It is held by snapshots 1, 2, which a build would take out of service and off the shelf, for good;/,
  );
  const keeping = JSON.parse(cli("build", "--plan", "--keep-history", "--json", "--config", room.file).stdout) as Preview;
  assert.deepEqual([keeping.withdrawn, keeping.index.public.why], [[], "content"]);
  assert.match(keeping.notes.join(), /--keep-history leaves it in what was published before \(snapshots 1, 2\)/);
  const third = await room.run("email-gated");
  assert.deepEqual(planned.withdrawn, third.withdrawn, "build --plan announces it");
  assert.deepEqual(
    third.withdrawn.map(({ sequence, snapshot }) => [sequence, snapshot]),
    [
      [1, first.snapshot],
      [2, second.snapshot],
    ],
  );
  assert.match(
    third.notes.join(),
    /Was public and is gated now: collection "plans", object "plans\/other\.md", object "plans\/rare\/heliotrope-garden\.md"\. It was held by snapshots 1, 2/,
  );
  for (const { snapshot } of [first, second]) {
    for (const path of [
      "/objects/plans/rare/heliotrope-garden.md",
      "/objects/notes/steady.md",
      "/api/search?q=heliotrope",
      "/",
      "/api/catalog",
    ]) {
      const answer = await ask(view, `/at/${snapshot}${path}`);
      assert.deepEqual([answer.status, codeOf(answer)], [410, "snapshot_withdrawn"], path);
    }
  }
  assert.equal((await ask(view, "/objects/plans/rare/heliotrope-garden.md")).status, 404);
  const search = await ask(view, "/api/search?q=flower");
  assert.equal(search.status, 200, "what is served can be searched");
  assert.doesNotMatch(search.text, SECRET);
  assert.equal((await ask(view, `/snapshots/${second.snapshot}..${third.snapshot}/`)).status, 410);
  const list = await ask(view, "/snapshots/");
  assert.match(list.text, /no longer available/);
  assert.doesNotMatch(list.text, new RegExp(`at/${first.snapshot}`));
  assert.doesNotMatch((await ask(view, "/")).text, new RegExp(second.snapshot), "the front page links no comparison that is gone");
  assert.equal((await ask(internal, "/objects/plans/rare/heliotrope-garden.md")).status, 200);
  assert.match((await ask(internal, "/api/search?q=heliotrope")).text, SECRET);
  assert.deepEqual(tellers(publicDir), []);
  assert.deepEqual(await verifyAll(room.file), []);
  const rolled = cli("snapshots", "rollback", "1", "--config", room.file);
  assert.equal(rolled.status, 1);
  assert.match(rolled.stderr, /Snapshot 1 held something that is no longer public/);
  assert.match(cli("snapshots", "list", "--config", room.file).stdout, / 1 {2}.*taken out of service\n$/);
  // Nothing is said again, and the history goes on.
  await room.turn(4);
  const fourth = await room.run("email-gated");
  assert.deepEqual([fourth.sequence, fourth.withdrawn, fourth.notes], [4, [], []]);
  assert.equal((await ask(view, `/at/${third.snapshot}/api/catalog`)).status, 200);
  // What is public again gets its old snapshot back.
  const open = await room.run("public");
  assert.equal((await ask(view, `/at/${open.snapshot}/objects/plans/rare/heliotrope-garden.md`)).status, 200);
});

test("snapshots from before stay, also when only the history names what is gated", async (t) => {
  const room = await newRoom(t);
  await room.run("public");
  rmSync(join(room.dir, "library/plans"), { recursive: true });
  const clean = await room.run("public");
  await room.turn(3);
  await room.run("public");
  assert.equal(cli("prune", "--keep", "2", "--config", room.file).status, 0);
  const { publicDir } = openShelves(await room.open());
  assert.notDeepEqual(tellers(publicDir), [], "changes and index remember it");
  await writeFiles(room.dir, [["proofshelf.yaml", config("public").replace("embeddings:", `${RARE}embeddings:`)]]);
  const summary = await build(await room.open(), { progress: SILENT });
  assert.deepEqual(summary.withdrawn, []);
  assert.match(summary.notes.join(), /object "plans\/rare\/heliotrope-garden\.md"\. It is taken out of what the history says/);
  assert.deepEqual(tellers(publicDir), []);
  const view = await openFixtureView(await room.open());
  assert.equal((await ask(view, `/at/${clean.snapshot}/api/catalog`)).status, 200);
  assert.deepEqual(await verifyAll(room.file), []);
});

test("earlier snapshots that hold nothing of it are searched as before, by servers that run and by new ones", async (t) => {
  const room = await newRoom(t);
  const move = (from: string, to: string): void => renameSync(join(room.dir, from), join(room.dir, to));
  move("library/plans/rare", "rare");
  const first = await room.run("public");
  await room.turn(2);
  const second = await room.run("public");
  move("rare", "library/plans/rare");
  const third = await room.run("public");
  const view = await openFixtureView(await room.open());
  const queries = ["steady", "turn", "always the same", "turn 2", "heliotrope", "flower"];
  const results = async (from: typeof view, snapshot: string): Promise<unknown[]> => {
    const found = [];
    for (const q of queries) {
      const { status, text } = await ask(from, `/at/${snapshot}/api/search?q=${encodeURIComponent(q)}`);
      found.push([q, status, text]);
    }
    return found;
  };
  const before = { first: await results(view, first.snapshot), second: await results(view, second.snapshot) };
  assert.match(JSON.stringify(before.second), /notes\/turn\.md/);
  await writeFiles(room.dir, [["proofshelf.yaml", config("public").replace("embeddings:", `${RARE}embeddings:`)]]);
  const fourth = await build(await room.open(), { progress: SILENT });
  assert.deepEqual(
    fourth.withdrawn.map(({ snapshot }) => snapshot),
    [third.snapshot],
  );
  const { publicDir } = openShelves(await room.open());
  assert.deepEqual(tellers(publicDir), []);
  const fresh = await openFixtureView(await room.open());
  for (const server of [fresh, view]) {
    // A server that runs looks at its index about once a second.
    for (let tries = 0; tries < 100 && (await ask(server, `/at/${first.snapshot}/api/search?q=steady`)).status !== 200; tries++)
      await wait(100);
    assert.deepEqual(await results(server, first.snapshot), before.first);
    for (let tries = 0; tries < 100 && (await ask(server, `/at/${second.snapshot}/api/search?q=steady`)).status !== 200; tries++)
      await wait(100);
    assert.deepEqual(await results(server, second.snapshot), before.second);
  }
  assert.deepEqual(await verifyAll(room.file), []);
  await room.turn(5);
  await build(await room.open(), { progress: SILENT });
  assert.deepEqual(await results(await openFixtureView(await room.open()), first.snapshot), before.first);
  assert.deepEqual(await verifyAll(room.file), []);
});

test("--keep-history leaves them and says so once; a rollback to before needs --reveal", async (t) => {
  const room = await newRoom(t);
  const first = await room.run("public");
  await room.turn(2);
  await room.run("public");
  const third = await room.run("email-gated", { keepHistory: true });
  assert.deepEqual(third.withdrawn, []);
  assert.match(third.notes.join(), /--keep-history leaves it in what was published before \(snapshots 1, 2\)/);
  const view = await openFixtureView(await room.open());
  assert.equal((await ask(view, `/at/${first.snapshot}/objects/plans/rare/heliotrope-garden.md`)).status, 200);
  await room.turn(4);
  // What the builds knew is lost: what was decided is not.
  rmSync(join(openShelves(await room.open()).buildDir, "state.v8"));
  const fourth = await room.run("email-gated");
  assert.deepEqual(fourth.withdrawn, []);
  assert.equal((await ask(view, `/at/${first.snapshot}/objects/plans/rare/heliotrope-garden.md`)).status, 200);
  assert.ok((await verifyAll(room.file)).some(({ code }) => code === "gated_in_history"));
  const refused = cli("snapshots", "rollback", "1", "--config", room.file);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /would make public again what is gated now\.\n {2}collection "plans"\n {2}object "plans\/other\.md"\n/);
  assert.equal((await ask(view, "/api/catalog")).headers["X-Snapshot"], fourth.snapshot);
  assert.equal(cli("snapshots", "rollback", "3", "--config", room.file).status, 0, "one that holds nothing gated needs no word");
  assert.equal(cli("snapshots", "rollback", "1", "--reveal", "--config", room.file).status, 0);
  assert.equal((await ask(view, "/objects/plans/rare/heliotrope-garden.md")).status, 200);
  await room.run("email-gated");
  assert.equal((await ask(view, "/objects/plans/rare/heliotrope-garden.md")).status, 404);
});

test("wherever it is killed, the next build ends it", async (t) => {
  const room = await newRoom(t);
  const first = await room.run("public");
  // Gated with the history kept, so that what is to be done can be begun and killed step by step.
  await room.run("email-gated", { keepHistory: true });
  const { buildDir, publicDir } = openShelves(await room.open());
  rmSync(join(buildDir, "kept-history.json"));
  rmSync(join(buildDir, "state.v8"));
  const [shelf, whole] = [join(room.dir, "shelf"), join(room.dir, "whole")];
  renameSync(shelf, whole);
  for (let dies = 0; ; dies++) {
    rmSync(shelf, { recursive: true, force: true });
    cpSync(whole, shelf, { recursive: true, preserveTimestamps: true });
    const shelves = openShelves(await room.open());
    const records = (await shelves.public.records.index()).records.filter((record) => record.snapshot === first.snapshot);
    assert.equal(records.length, 1);
    const held = records.map(({ sequence, snapshot }) => ({ sequence, snapshot, held: [] }));
    const killed = await withdraw(dyingShelves(shelves, dies), (await room.open()).collections, held, []).then(
      () => false,
      (error: unknown) => /killed/.test(String(error)) || Promise.reject(error as Error),
    );
    assert.equal(isWithdrawing(shelves), killed, `step ${dies}`);
    if (!killed) break;
    await room.run("email-gated");
    assert.equal(isWithdrawing(shelves), false);
    assert.deepEqual(tellers(publicDir), [], `step ${dies}`);
    assert.deepEqual(await verifyAll(room.file), [], `step ${dies}`);
    assert.ok(dies < 50);
  }
});

/** On which the process dies before one of its steps. */
function dyingShelves(shelves: Shelves, before: number): Shelves {
  let steps = 0;
  const count = <Args extends unknown[], T>(step: (...args: Args) => Promise<T>) => {
    return (...args: Args): Promise<T> => (steps++ === before ? Promise.reject(new Error("killed")) : step(...args));
  };
  const { public: shelf } = shelves;
  const records = { ...shelf.records, keep: count(shelf.records.keep) };
  return {
    ...shelves,
    public: {
      ...shelf,
      records,
      withdraw: count(shelf.withdraw),
      replaceChanges: count(shelf.replaceChanges),
      deleteRecord: count(shelf.deleteRecord),
      flush: count(shelf.flush),
      sweep: count(shelf.sweep),
    },
  };
}
