/** What was public and is gated now leaves the public side: pages, search, history and files. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import type { Preview } from "../../pipeline/preview.ts";
import { SECRET, config, newRoom, tellers, cli, verifyAll } from "./gating-fixture.ts";
import { build, openShelves } from "../../testing/whole.ts";

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
  const planned = JSON.parse((await cli("build", "--plan", "--json", "--config", room.file)).stdout) as Preview;
  assert.match(
    (await cli("build", "--plan", "--config", room.file)).stdout,
    /Was public and is gated now: collection "plans", .* It is held by snapshots 1, 2, which a build would take out of service and off the shelf, for good;/,
  );
  const keeping = JSON.parse((await cli("build", "--plan", "--keep-history", "--json", "--config", room.file)).stdout) as Preview;
  assert.deepEqual(keeping.withdrawn, []);
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
  const rolled = await cli("snapshots", "rollback", "1", "--config", room.file);
  assert.equal(rolled.status, 1);
  assert.match(rolled.stderr, /Snapshot 1 held something that is no longer public/);
  assert.match((await cli("snapshots", "list", "--config", room.file)).stdout, / 1 {2}.*taken out of service\n$/);
  // Nothing is said again, and the history goes on.
  await room.turn(4);
  const fourth = await room.run("email-gated");
  assert.deepEqual([fourth.sequence, fourth.withdrawn, fourth.notes], [4, [], []]);
  assert.equal((await ask(view, `/at/${third.snapshot}/api/catalog`)).status, 200);
  // What is public again gets its old snapshot back.
  const open = await room.run("public");
  assert.equal((await ask(view, `/at/${open.snapshot}/objects/plans/rare/heliotrope-garden.md`)).status, 200);
});

test("a rollback is refused while something is public still that the configuration gates by now, until a build has taken it back", async (t) => {
  const room = await newRoom(t);
  const first = await room.run("public");
  const second = await room.run("email-gated");
  await room.turn(3);
  const third = await room.run("public");
  await writeFiles(room.dir, [["proofshelf.yaml", config("email-gated")]]);
  const view = await openFixtureView(await room.open());
  const open = async (id: string) => (await ask(view, `/at/${id}/objects/plans/rare/heliotrope-garden.md`)).status;
  assert.deepEqual([await open(first.snapshot), await open(third.snapshot)], [410, 200]);
  const refused = await cli("snapshots", "rollback", "2", "--config", room.file);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /what is gated now is public still, under \/at\/, in snapshots? 3\b[\s\S]*Run: proofshelf build/);
  assert.equal((await ask(view, "/api/catalog")).headers["X-Snapshot"], third.snapshot);
  await room.run("email-gated");
  assert.equal((await cli("snapshots", "rollback", "2", "--config", room.file)).status, 0);
  assert.equal((await ask(view, "/api/catalog")).headers["X-Snapshot"], second.snapshot);
  assert.equal(await open(third.snapshot), 410);
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
  // What was decided is told as such, each time, and makes no verification fail.
  const told = await verifyAll(room.file);
  assert.ok(told.some(({ code }) => code === "gated_in_history"));
  assert.ok(told.some(({ code, path }) => code === "leak_key" && path?.startsWith("index/")));
  assert.deepEqual(
    told.filter(({ severity }) => severity === "error"),
    [],
  );
  const decision = join(openShelves(await room.open()).buildDir, "decisions.json");
  const decided = readFileSync(decision);
  rmSync(decision);
  assert.ok(
    (await verifyAll(room.file)).some(({ code, severity }) => code === "leak_key" && severity === "error"),
    "undecided it is a leak",
  );
  writeFileSync(decision, decided);
  const refused = await cli("snapshots", "rollback", "1", "--config", room.file);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /would make public again what is gated now\.\n {2}collection "plans"\n {2}object "plans\/other\.md"\n/);
  assert.equal((await ask(view, "/api/catalog")).headers["X-Snapshot"], fourth.snapshot);
  assert.equal((await cli("snapshots", "rollback", "3", "--config", room.file)).status, 0, "one that holds nothing gated needs no word");
  assert.equal((await cli("snapshots", "rollback", "1", "--reveal", "--config", room.file)).status, 0);
  assert.equal((await ask(view, "/objects/plans/rare/heliotrope-garden.md")).status, 200);
  await room.run("email-gated");
  assert.equal((await ask(view, "/objects/plans/rare/heliotrope-garden.md")).status, 404);
});

test("what --keep-history lets stay is a snapshot: what is public under the same name later is withdrawn when it is gated again", async (t) => {
  const room = await newRoom(t);
  const first = await room.run("public");
  await room.run("email-gated", { keepHistory: true });
  await writeFiles(join(room.dir, "library"), [["plans/other.md", "# Another plan\n\nA new confidential salary table.\n"]]);
  const third = await room.run("public");
  await room.turn(4);
  const fourth = await room.run("public");
  const fifth = await room.run("email-gated");
  assert.deepEqual(
    fifth.withdrawn.map(({ snapshot }) => snapshot),
    [third.snapshot, fourth.snapshot],
  );
  assert.match(fifth.notes.join(), /It was held by snapshots 3, 4, taken out of service/);
  const view = await openFixtureView(await room.open());
  const statusAt = async (id: string): Promise<number> => (await ask(view, `/at/${id}/objects/plans/other.md`)).status;
  assert.deepEqual([await statusAt(first.snapshot), await statusAt(third.snapshot)], [200, 410]);
  assert.deepEqual(
    (await verifyAll(room.file)).filter(({ severity }) => severity === "error"),
    [],
  );
  await room.turn(6);
  assert.deepEqual((await room.run("email-gated")).withdrawn, []);
});

test("what --keep-history lets stay is decided before anything is published: a build that ends there has said so for the next", async (t) => {
  const room = await newRoom(t);
  const first = await room.run("public");
  await writeFiles(room.dir, [["proofshelf.yaml", config("email-gated")]]);
  let publishing = false;
  const dying = {
    progress: { ...SILENT, step: (name: string) => void (publishing ||= name === "publish") },
    now: () => {
      if (publishing) throw new Error("killed");
      return new Date();
    },
  };
  await assert.rejects(build(await room.open(), { ...dying, keepHistory: true }), /killed/);
  const second = await room.run("email-gated");
  assert.deepEqual([second.published, second.withdrawn], [true, []]);
  const view = await openFixtureView(await room.open());
  assert.equal((await ask(view, `/at/${first.snapshot}/objects/plans/other.md`)).status, 200);
});
