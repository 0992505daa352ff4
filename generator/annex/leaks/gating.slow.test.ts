/** Gating beside snapshots that hold nothing of it, and by builds that are killed. */
import assert from "node:assert/strict";
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import { isWithdrawing, withdraw } from "./gating.ts";
import type { Shelves } from "../../shelves/shelves.ts";
import { overriding } from "../../../snapshots/shelf/overriding-fixture.ts";
import { config, newRoom, tellers, cli, verifyAll } from "./gating-fixture.ts";
import { build, openShelves } from "../../testing/whole.ts";

const RARE = "  - { id: rare, prefix: plans/rare/, title: Rare plans, visibility: email-gated }\n";

/** On which the process dies before one of its steps. */
function dyingShelves(shelves: Shelves, before: number): Shelves {
  let steps = 0;
  const count = <Args extends unknown[], T>(step: (...args: Args) => Promise<T>) => {
    return (...args: Args): Promise<T> => (steps++ === before ? Promise.reject(new Error("killed")) : step(...args));
  };
  const { public: shelf } = shelves;
  const { history, blobs } = shelf;
  const records = overriding(shelf.records, { keep: count(shelf.records.keep.bind(shelf.records)) });
  return {
    ...shelves,
    public: overriding(shelf, {
      records,
      history: overriding(history, {
        withdraw: count(history.withdraw.bind(history)),
        putChanges: count(history.putChanges.bind(history)),
        deleteRecord: count(history.deleteRecord.bind(history)),
      }),
      blobs: overriding(blobs, { flush: count(blobs.flush.bind(blobs)), sweep: count(blobs.sweep.bind(blobs)) }),
    }),
  };
}

test("snapshots from before stay, also when only the history names what is gated", async (t) => {
  const room = await newRoom(t);
  await room.run("public");
  rmSync(join(room.dir, "library/plans"), { recursive: true });
  const clean = await room.run("public");
  await room.turn(3);
  await room.run("public");
  assert.equal((await cli("prune", "--keep", "2", "--config", room.file)).status, 0);
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

test("wherever it is killed, the next build ends it", async (t) => {
  const room = await newRoom(t);
  const first = await room.run("public");
  // Gated with the history kept, so that what is to be done can be begun and killed step by step.
  await room.run("email-gated", { keepHistory: true });
  const { buildDir, publicDir } = openShelves(await room.open());
  rmSync(join(buildDir, "decisions.json"));
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

const CLAIM = (access: string): string =>
  JSON.stringify({
    claims: [
      {
        id: "cited",
        title: "A claim that is cited",
        status: "partial",
        scope: "Here",
        statement: "It is so.",
        evidence: [
          {
            artifact: "The place",
            kind: "file",
            access,
            path: "elsewhere/heliotrope-runbook.md",
            url: "https://hidden.example/heliotrope",
          },
        ],
      },
    ],
  });

const RECORD = (more: object): string =>
  JSON.stringify({ meta: {}, cubs: [{ id: "CUB-0001", repo: "r", theorem_name: "t", statement: "a = a", ...more }] });

/** What is gated the second time, as files. */
const GATINGS: Readonly<Record<string, readonly [before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>]>> = {
  "a collection": [{}, { "proofshelf.yaml": config("email-gated") }],
  "a collection within one": [{}, { "proofshelf.yaml": config("public").replace("embeddings:", `${RARE}embeddings:`) }],
  "bytes that are gated elsewhere": [
    {
      "proofshelf.yaml": config("public").replace("embeddings:", `${RARE.replace("plans/rare/", "gated/")}embeddings:`),
      "library/plans/once.md": "# Once\n\nA heliotrope in public, and then no more, in so many words.\n",
    },
    { "library/gated/once.md": "# Once\n\nA heliotrope in public, and then no more, in so many words.\n", "library/plans/once.md": "" },
  ],
  "evidence of a claim": [
    { "proofshelf.yaml": `${config("public")}claims: { path: ./claims.json }\n`, "claims.json": CLAIM("public") },
    { "claims.json": CLAIM("private") },
  ],
  "a value of a record": [
    {
      "proofshelf.yaml": `${config("public")}registry: { path: ./registry.json, internalFields: [owner] }\n`,
      "registry.json": RECORD({ note: "Heliotrope and partners own this" }),
    },
    { "registry.json": RECORD({ owner: "Heliotrope and partners own this" }) },
  ],
};

for (const [what, [before, after]] of Object.entries(GATINGS))
  test(`${what} that --keep-history lets stay makes no verification fail, and is decided for good`, async (t) => {
    const room = await newRoom(t);
    await writeFiles(room.dir, [["proofshelf.yaml", config("public")], ...Object.entries(before)]);
    const run = async (keepHistory: boolean) => build(await room.open(), { progress: SILENT, keepHistory, acceptLoss: true });
    const first = await run(false);
    await writeFiles(room.dir, Object.entries(after));
    const kept = await run(true);
    assert.match(kept.notes.join(), /--keep-history leaves it in what was published before/);
    const errors = async () => (await verifyAll(room.file)).filter(({ severity }) => severity === "error");
    assert.deepEqual(await errors(), []);
    await room.turn(3);
    const later = await run(false);
    assert.deepEqual([later.withdrawn, await errors()], [[], []]);
    assert.equal((await ask(await openFixtureView(await room.open()), `/at/${first.snapshot}/api/catalog`)).status, 200);
  });

test("bytes that stood in a pruned snapshot and are gated now leave the public index, too", async (t) => {
  const room = await newRoom(t);
  const text = "# The heliotrope garden\n\nWhere the heliotrope flowers shall stand.\n";
  for (const files of [[["notes/turn.md", text]], [["notes/turn.md", "# Turn\n"]], [["plans/again.md", text]]] as const) {
    rmSync(join(room.dir, "library/plans"), { recursive: true, force: true });
    await writeFiles(join(room.dir, "library"), files);
    await writeFiles(room.dir, [["proofshelf.yaml", `${config("email-gated")}keep: 1\n`]]);
    assert.equal((await cli("build", "--config", room.file)).status, 0);
  }
  assert.deepEqual(tellers(openShelves(await room.open()).publicDir), []);
  assert.deepEqual(await verifyAll(room.file), []);
});
