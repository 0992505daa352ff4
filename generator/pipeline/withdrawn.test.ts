/** What is withdrawn is in no list, page, index, feed or answer from the next build on; its addresses say so, and its name stays taken. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { BuildSummary } from "./summary.ts";
import { openConfig } from "../config/config.ts";
import { describeLibrary, fixtureRegistry, SILENT, writeFiles } from "../testing/library.ts";
import { startServing } from "../testing/serving-process.ts";
import { type Asked, ask as askView, openFixtureView } from "../testing/view.ts";
import { mountOf, type View } from "../../snapshots/http/view.ts";
import { openDescription } from "../../snapshots/contract/contract.ts";
import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { type Ran, runHere } from "../testing/run-program.ts";
import { build, verifyLibrary } from "../testing/whole.ts";

const CONFIG = `${describeLibrary("Withdrawing library")}claims: { path: ./claims.yaml }
registry: { path: ./registry.json }
withdrawals: { path: ./withdrawals.yaml }
gates: { regressions: refuse }
embeddings: { kind: none }
`;

const CLAIMS = `claims:
  - { id: gone, title: A claim about cormorants, status: partial, scope: this, statement: Cormorants dive. }
  - { id: stays, title: A claim that stays, status: partial, scope: this, statement: It stays. }
`;

type Room = {
  readonly dir: string;
  withdraw(entries: string): Promise<void>;
  run(accept?: readonly string[]): Promise<BuildSummary>;
  cli(...args: string[]): Promise<Ran>;
  view(name?: "public" | "internal"): ReturnType<typeof openFixtureView>;
};

async function newRoom(t: TestContext): Promise<Room> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-withdrawn-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  const { meta, cubs } = fixtureRegistry();
  await writeFiles(dir, [
    ["proofshelf.yaml", CONFIG],
    ["claims.yaml", CLAIMS],
    ["registry.json", JSON.stringify({ meta, cubs: cubs.slice(0, 3) })],
    ["withdrawals.yaml", "withdrawals: []\n"],
    ["library/notes/old birds.md", "# Old birds\n\nThe heliotrope cormorant dives deep, and it was counted wrongly.\n"],
    ["library/notes/birds.md", "# Birds\n\nA bird.\n"],
    ["library/notes/other.md", "# Other\n\nSee [the old ones](old%20birds.md).\n"],
    ["library/drafts/hidden.md", "# Hidden\n\nA draft of the year.\n"],
  ]);
  return {
    dir,
    withdraw: (entries) => writeFiles(dir, [["withdrawals.yaml", `withdrawals:\n${entries}`]]),
    run: async (accept = []) =>
      build(
        await openConfig(file),
        { progress: SILENT, accept: new Map(accept.map((id) => [id, "It was right after all."])) },
        PAGED_PARTS,
      ),
    cli: (...args) => runHere([...args, "--config", file]),
    view: async (name) => openFixtureView(await openConfig(file), name),
  };
}

const OBJECT = `  - { key: notes/old birds.md, reason: superseded, date: 2026-05-01, note: The counts were wrong., replacement: notes/birds.md }\n`;
const RECORD = `  - { record: CUB-0002, reason: error, date: 2026-05-02, note: The proof has a hole. }\n`;
const CLAIM = `  - { claim: gone, reason: legal, date: 2026-05-03, note: "By order of a court.", replacement: "https://example.org/order" }\n`;

type Problem = { code: string; status: number; detail: string; fixes: string[]; withdrawn: object };
const problem = (answer: Asked): Problem => answer.json() as Problem;

const descriptions = new WeakMap<View, ReturnType<typeof openDescription>>();

/** ask asks a view, and holds whatever answers against the description of the interface. */
async function ask(view: View, target: string, headers: Readonly<Record<string, string>> = {}): Promise<Asked> {
  const answer = await askView(view, target, headers);
  const check =
    descriptions.get(view) ?? openDescription((await askView(view, "/api/openapi.json")).json() as Parameters<typeof openDescription>[0]);
  descriptions.set(view, check);
  const received = {
    status: answer.status,
    headers: new Map(Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: answer.body,
  };
  check({ method: "GET", target: mountOf(view) + target, headers }, received);
  return answer;
}

test("an object, a record and a claim are gone from everything, and each address has the notice", async (t) => {
  const room = await newRoom(t);
  const first = await room.run();
  await room.withdraw(OBJECT + RECORD + CLAIM);
  const { notes, removed } = await room.run();
  assert.equal(removed, 3);
  assert.match(
    notes.join("\n"),
    /left out, though the sources still have it: "object notes\/old birds\.md", "record CUB-0002", "claim gone"/,
  );
  assert.doesNotMatch(notes.join("\n"), /Got weaker/, "who withdraws says why, and no gate asks again");
  const html = { accept: "text/html" };
  for (const name of ["public", "internal"] as const) {
    const view = await room.view(name);
    for (const path of [
      "/objects/notes/old%20birds.md",
      "/object/notes/old=20birds.md/",
      "/object/notes/old=20birds.md/cite.bib",
      "/snapshots/object/notes/old=20birds.md/",
    ]) {
      const answer = await ask(view, path);
      assert.deepEqual([answer.status, problem(answer).code], [410, "withdrawn"], path);
      assert.match(problem(answer).detail, /notes\/old birds\.md was withdrawn on 2026-05-01 \(superseded\)\. The counts were wrong\./);
      assert.deepEqual(problem(answer).fixes, ["What takes its place: /object/notes/birds.md/"]);
      assert.equal(answer.headers["Content-Type"], "application/problem+json");
    }
    const twin = await ask(view, "/object/notes/old=20birds.md/index.md");
    assert.equal(twin.status, 410);
    assert.match(
      twin.text,
      /^# Withdrawn\n\nThe object notes\/old birds\.md was withdrawn on [^]*The counts were wrong\.\n\n- What takes its place: /,
    );
    const asked = await ask(view, "/object/notes/old=20birds.md/index.md", { accept: "application/json" });
    assert.equal(problem(asked).code, "withdrawn");
    const page = await ask(view, "/object/notes/old=20birds.md/", html);
    assert.equal(page.status, 410);
    assert.match(page.text, /<h1[^>]*>Withdrawn<\/h1>/);
    assert.match(page.text, /href="[./]*object\/notes\/birds\.md\/"/);
    for (const path of ["/api/cubs/CUB-0002", "/api/cubs/CUB-0002/code", "/registry/CUB-0002/"])
      assert.deepEqual([(await ask(view, path)).status, problem(await ask(view, path)).code], [410, "withdrawn"], path);
    const legal = await ask(view, "/claims/gone/", html);
    assert.equal(legal.status, 451);
    assert.match(legal.text, /href="https:\/\/example\.org\/order"/);
    assert.equal((await ask(view, "/objects/notes/never.md")).status, 404);
    for (const path of [
      "/api/catalog",
      "/api/list?prefix=notes/",
      "/api/claims",
      "/api/cubs",
      "/browse/notes/",
      "/claims/",
      "/registry/",
      "/",
    ])
      assert.doesNotMatch((await ask(view, path)).text, /old birds|old%20birds|CUB-0002|cormorant/i, `${name} ${path}`);
    assert.deepEqual(((await ask(view, "/api/search?q=cormorant")).json() as { results: unknown[] }).results, []);
    assert.match((await ask(view, "/rejected/")).text, /The counts were wrong/);
    assert.equal(((await ask(view, "/api/rejected")).json() as { withdrawn: unknown[] }).withdrawn.length, 3);
    assert.equal((await ask(view, `/api/proofs/objects/notes/old%20birds.md`)).status, 200, "that there is none is proved as before");
  }
  const view = await room.view();
  assert.equal((await ask(view, `/at/${first.snapshot}/objects/notes/old%20birds.md`)).status, 200, "what was published stays published");
  assert.doesNotMatch((await ask(view, "/object/notes/other.md/")).text, /href="[^"]*old/);
  const rolled = await room.cli("snapshots", "rollback", "1");
  assert.deepEqual(
    [rolled.status, /that snapshot has what is withdrawn, the object notes\/old birds/.test(rolled.stderr)],
    [1, true],
    rolled.stderr,
  );
  assert.deepEqual(await verifyLibrary(await openConfig(join(room.dir, "proofshelf.yaml")), { snapshots: "all" }, PAGED_PARTS), []);
});

test("agents and questions are told that it is withdrawn, and nothing of it", async (t) => {
  const room = await newRoom(t);
  await room.run();
  await room.withdraw(OBJECT + RECORD + CLAIM);
  await room.run();
  const { url, stop } = await startServing(["--config", join(room.dir, "proofshelf.yaml")]);
  t.after(stop);
  const post = async (path: string, body: unknown): Promise<string> => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    return (await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })).text();
  };
  const call = (name: string, input: object): Promise<string> =>
    post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } });
  for (const [tool, input] of [
    ["get_object", { key: "notes/old birds.md" }],
    ["get_cub", { id: "CUB-0002" }],
    ["get_claim", { id: "gone" }],
  ] as const) {
    const said = await call(tool, input);
    assert.match(said, /was withdrawn on 2026-05-0/, tool);
    assert.doesNotMatch(said, /cormorant/i, tool);
  }
  for (const said of [
    await call("search_library", { query: "cormorant" }),
    await call("list_claims", {}),
    await post("/api/ask", { question: "What does the heliotrope cormorant do?" }),
  ])
    assert.doesNotMatch(said, /old birds|Cormorants dive|dives deep/, said);
});

test("a withdrawal is a kind of change of its own", async (t) => {
  const room = await newRoom(t);
  const first = await room.run();
  await room.withdraw(OBJECT + RECORD + CLAIM);
  const second = await room.run();
  const view = await room.view();
  type Changed = { changes: { change: string; name: string; weaker: string[]; fields: unknown[] }[] };
  const named = ({ changes }: Changed): string[] => changes.map(({ change, name }) => `${change} ${name}`).sort();
  const expected = ["withdrawn CUB-0002", "withdrawn gone", "withdrawn notes/old birds.md"];
  assert.deepEqual(named((await ask(view, "/api/changes?since=1")).json() as Changed), expected);
  const diff = (await ask(view, `/api/diff/${first.snapshot}/${second.snapshot}`)).json() as Changed;
  // The notices of refusals and the counts of the registry follow from what is withdrawn.
  const own = diff.changes.filter(({ name }) => name !== "rejected" && name !== "registry meta");
  assert.deepEqual(named({ changes: own }), expected);
  assert.match((await ask(view, `/snapshots/${first.snapshot}..${second.snapshot}/`)).text, /withdrawn/);
  assert.match((await ask(view, "/snapshots/")).text, /3 removed|withdrawn/);
  const listed = await room.cli("snapshots", "diff", first.snapshot.slice(0, 10), second.snapshot.slice(0, 10));
  assert.match(listed.stdout, /withdrawn/);
  for (const path of ["/feed.xml", "/claims/feed.json", "/registry/feed.xml", "/browse/notes/feed.json"]) {
    const feed = (await ask(view, path)).text;
    assert.match(feed, /was withdrawn/, path);
    assert.doesNotMatch(feed, /cormorant|was added in snapshot 1[^0-9][^<]*(old birds|CUB-0002|gone)/i, path);
  }
});

test("a withdrawal that is taken back by mistake publishes nothing, and one that is meant says why", async (t) => {
  const room = await newRoom(t);
  await room.withdraw(CLAIM + `  - { key: drafts/hidden.md, reason: privacy, date: 2026-05-03, note: Somebody asked. }\n`);
  const first = await room.run();
  assert.doesNotMatch((await ask(await room.view(), "/api/rejected")).text, /hidden/, "what is gated has no public notice");
  assert.equal((await ask(await room.view(), "/objects/drafts/hidden.md")).status, 404);
  assert.equal((await ask(await room.view("internal"), "/objects/drafts/hidden.md")).status, 410);
  await writeFiles(room.dir, [["withdrawals.yaml", ""]]);
  const refused = await room.cli("build");
  assert.equal(refused.status, 5, refused.stderr);
  assert.match(refused.stderr, /Taken back: claim gone, its withdrawal stands in the file no more/);
  assert.equal((await ask(await room.view(), "/claims/gone/")).status, 451);
  const back = await room.run(["gone", "drafts/hidden.md"]);
  assert.deepEqual([back.sequence, back.published], [first.sequence + 1, true]);
  const view = await room.view();
  assert.equal((await ask(view, "/claims/gone/")).status, 200);
  assert.match((await ask(view, "/claims/gone/")).text, /It was right after all/);
  assert.doesNotMatch((await ask(view, "/shelf/snapshots/2.json")).text, /hidden/);
  assert.deepEqual((await room.run()).published, false);
});

test("a file of withdrawals that was emptied is noticed after a rollback, and beside a snapshot that cannot be read", async (t) => {
  const room = await newRoom(t);
  const withdrawal = "  - { key: notes/later.md, reason: legal, date: 2026-05-03, note: By order of a court. }\n";
  await room.run();
  await writeFiles(room.dir, [["library/notes/later.md", "# Later\n\nA later one.\n"]]);
  await room.run();
  await room.withdraw(withdrawal);
  await room.run();
  const rolled = await room.cli("snapshots", "rollback", "1");
  assert.match(rolled.stdout, /no notice of what was withdrawn later, so that is 404 until the next build: "object notes\/later\.md"/);
  const inputsOf = (n: number): unknown =>
    (JSON.parse(readFileSync(join(room.dir, `shelf/internal/snapshots/${n}.json`), "utf8")) as { inputs: unknown }).inputs;
  assert.deepEqual(inputsOf(4), inputsOf(1), "the internal record says again what was read for the internal view");
  assert.equal((await room.cli("snapshots", "rollback", "2")).status, 1, "what is served is older than the withdrawal, which stands");
  const refused = { code: "gate_refused", message: /Taken back: object notes\/later\.md/ };
  await writeFiles(room.dir, [["withdrawals.yaml", ""]]);
  await assert.rejects(room.run(), refused);
  await room.withdraw(withdrawal);
  await room.run();
  assert.equal((await ask(await room.view(), "/objects/notes/later.md")).status, 451, "the next build has the notice again");
  await writeFiles(room.dir, [["withdrawals.yaml", ""]]);
  for (const folder of ["packs", "blobs"]) rmSync(join(room.dir, "shelf/internal", folder), { recursive: true, force: true });
  await assert.rejects(room.run(), refused);
  assert.equal((await room.run(["notes/later.md"])).published, true);
});

test("a file of withdrawals that is wrong is told with every line, and nothing is built", async (t) => {
  const room = await newRoom(t);
  await room.run();
  const view = await room.view();
  await room.withdraw(
    [
      "  - { key: notes/a.md, reason: dull, date: 2026-05-01, note: x }",
      "  - { key: notes/a.md, reason: legal, date: 1 May, note: x }",
      "  - { reason: legal, date: 2026-05-01, note: x }",
    ].join("\n"),
  );
  const forEditors = await runHere(["config", "schema", "--withdrawals"]);
  assert.ok(Object.hasOwn((JSON.parse(forEditors.stdout) as { properties: object }).properties, "withdrawals"));
  const shape = await room.cli("config", "check");
  assert.equal(shape.status, 2);
  assert.match(shape.stderr, /withdrawals\.yaml:2: withdrawals\[0\]\.reason is not one of the known values; write "legal" or "privacy"/);
  assert.match(shape.stderr, /withdrawals\.yaml:3: withdrawals\[1\]\.date is not a date; write one like 2026-01-31/);
  await room.withdraw(
    [
      "  - { reason: legal, date: 2026-05-01, note: x }",
      "  - { key: notes/a.md, claim: gone, reason: legal, date: 2026-05-01, note: x }",
      "  - { key: ../a.md, reason: legal, date: 2026-05-01, note: x }",
      "  - { record: CUB-1, reason: legal, date: 2026-05-01, note: x }",
      "  - { claim: gone, reason: legal, date: 2026-05-01, note: x }",
      "  - { claim: gone, reason: error, date: 2026-05-01, note: x }",
      "  - { claim: a, reason: error, date: 2026-05-01, note: x, replacement: b }",
      "  - { claim: b, reason: error, date: 2026-05-01, note: x, replacement: a }",
    ].join("\n"),
  );
  const rules = await room.cli("build");
  assert.equal(rules.status, 2, rules.stderr);
  for (const said of [
    /yaml:2: withdrawals\[0\] names nothing; write key, record or claim/,
    /yaml:3: withdrawals\[1\] names more than one thing/,
    /yaml:4: withdrawals\[2\]\.key cannot be withdrawn: the key has a dot segment/,
    /yaml:5: withdrawals\[3\]\.record is no id of a record; write it like CUB-0007/,
    /yaml:7: withdrawals\[5\]\.claim is withdrawn by withdrawals\[4\] already/,
    /yaml:8: withdrawals\[6\]\.replacement leads back to what it replaces/,
  ])
    assert.match(rules.stderr, said);
  await writeFiles(room.dir, [["withdrawals.yaml", "withdrawals: [{ key: notes/a.md"]]);
  assert.equal((await room.cli("build")).status, 2);
  rmSync(join(room.dir, "withdrawals.yaml"));
  assert.match((await room.cli("build")).stderr, /withdrawals\.path does not exist/);
  assert.equal((await ask(view, "/api/catalog")).status, 200);
});

test("what looks like a slip is told, and holds all the same", async (t) => {
  const room = await newRoom(t);
  await room.run();
  await room.withdraw(
    [
      "  - { key: notes/brids.md, reason: error, date: 2026-05-01, note: x }",
      "  - { claim: gone, reason: error, date: 2999-05-01, note: x, replacement: stays }",
      "  - { claim: stays, reason: error, date: 2026-05-01, note: x }",
    ].join("\n"),
  );
  const { notes } = await room.run();
  assert.match(notes.join("\n"), /nothing of that name was ever here; look whether it is spelled right: "object notes\/brids\.md"\./);
  assert.match(notes.join("\n"), /from a day on that is not come yet; it is left out all the same: "claim gone"/);
  assert.match(notes.join("\n"), /What is to take the place of it is not there, or withdrawn too: "claim gone"/);
  assert.equal((await ask(await room.view(), "/claims/gone/")).status, 410);
  // The object leaves the store: its name is still taken, and known to have been here.
  await room.withdraw(OBJECT);
  await room.run(["gone", "stays", "notes/brids.md"]);
  rmSync(join(room.dir, "library/notes/old birds.md"));
  assert.doesNotMatch((await room.run()).notes.join(), /Withdrawn/);
  await writeFiles(room.dir, [["library/notes/old birds.md", "# Another one\n\nUnder the same name.\n"]]);
  assert.match((await room.run()).notes.join(), /left out, though the sources still have it: "object notes\/old birds\.md"/);
  assert.equal((await ask(await room.view(), "/objects/notes/old%20birds.md")).status, 410);
});
