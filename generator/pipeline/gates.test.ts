/** Nothing gets weaker in silence: proof files that are exchanged or deleted, records and claims that fall or vanish. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../../snapshots/digest.ts";
import type { SnapshotRecord } from "../../snapshots/shelf/shelf.ts";

import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import { useParts } from "../publish/parts.ts";
import { PAGED_PARTS, PLAIN_PARTS } from "../testing/plain-parts.ts";
import { runHere } from "../testing/run-program.ts";
import { PAGED_CLI } from "../testing/serving-process.ts";
import { build } from "../testing/whole.ts";

useParts(PAGED_PARTS);

const HEAD = "a".repeat(40);
const TEXTS = { "coq/A.v": "Theorem a.\n", "coq/B.v": "Theorem b.\n" };

type Claim = { readonly id: string; readonly status?: string; readonly evidence?: readonly object[] };
const DATA: Claim = {
  id: "data",
  evidence: [{ artifact: "The data", kind: "data", access: "public", path: "notes/data.csv", sha256: sha256("1,2\n") }],
};

async function makeLibrary(t: TestContext, gates: string) {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-gates-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  const registry = (...records: readonly (readonly [path: keyof typeof TEXTS, fields?: object])[]) =>
    JSON.stringify({
      meta: { sources: { sorting: { head: HEAD } } },
      cubs: records.map(([path, fields], at) => ({
        id: `CUB-000${at + 1}`,
        repo: "sorting",
        theorem_name: `theorem_${at + 1}`,
        statement: "A statement.",
        verification_state: "VERIFIED",
        no_holes: true,
        files: { coq_file: path },
        file_shas: { [path]: sha256(TEXTS[path]) },
        ...fields,
      })),
    });
  const claims = (...all: readonly Claim[]) =>
    JSON.stringify({
      claims: all.map((claim) => ({ title: "A claim", status: "verified", scope: "This test", statement: "It holds.", ...claim })),
    });
  const write = (files: Readonly<Record<string, string>>) => writeFiles(dir, Object.entries(files));
  await write({
    "proofshelf.yaml": `title: Gated by its proofs
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
code: { kind: directory, root: ./code }
collections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]
claims: { path: ./claims.json }
registry: { path: ./registry.json }
embeddings: { kind: none }
${gates}
`,
    "registry.json": registry(["coq/A.v"], ["coq/B.v"]),
    "claims.json": claims(DATA, { id: "other" }),
    "library/notes/data.csv": "1,2\n",
    [`code/sorting/${HEAD}/coq/A.v`]: TEXTS["coq/A.v"],
    [`code/sorting/${HEAD}/coq/B.v`]: TEXTS["coq/B.v"],
  });
  const run = (...args: readonly string[]) => runHere([...args, "--config", file]);
  const pointer = () => JSON.parse(readFileSync(join(dir, "shelf/public/current.json"), "utf8")) as SnapshotRecord;
  return { dir, file, registry, claims, write, run, pointer };
}

test("a proof file that is exchanged or deleted refuses the build, until somebody says why it is meant", async (t) => {
  const { dir, file, registry, claims, write, run, pointer } = await makeLibrary(t, "gates: { regressions: refuse, drift: refuse }");
  const first = await run("build");
  assert.equal(first.status, 0, first.stderr);
  await write({ [`code/sorting/${HEAD}/coq/A.v`]: "Theorem other.\n", "library/notes/data.csv": "1,3\n" });
  rmSync(join(dir, `code/sorting/${HEAD}/coq/B.v`));
  const before = pointer();
  const refused = spawnSync(process.execPath, [PAGED_CLI, "build", "--json", "--config", file], { encoding: "utf8" });
  assert.equal(refused.status, 5, refused.stderr);
  assert.equal((JSON.parse(refused.stdout) as { error: { code: string } }).error.code, "gate_refused");
  for (const said of [
    /Got weaker: record CUB-0001, "coq\/A.v": what is there has another digest/,
    /Got weaker: record CUB-0002, "coq\/B.v": it is pinned, and is not there/,
    /Drift: record CUB-0001/,
    /Got weaker: claim data, "notes\/data.csv": what is there has another digest than is pinned, and held before/,
  ])
    assert.match(refused.stderr, said);
  assert.match(refused.stderr, /--accept "CUB-0001"/);
  assert.deepEqual(pointer(), before, "what was served is served on");

  assert.equal((await run("build", "--accept", "CUB-0001")).status, 2, "without a reason nothing is accepted");
  assert.equal((await run("build", "--reason", "why")).status, 2);
  const half = await run("build", "--accept", "CUB-0001", "--reason", "Rewritten, see the minutes");
  assert.equal(half.status, 5);
  assert.doesNotMatch(half.stderr, /CUB-0001/);
  const accepted = await run("build", "--accept", "CUB-0001", "CUB-0002", "data", "--reason", "Rewritten, see the minutes");
  assert.equal(accepted.status, 0, accepted.stderr);
  assert.equal(pointer().inputs["accepted CUB-0002"], "Rewritten, see the minutes", "the reason is kept, where everybody can read it");

  const view = await openFixtureView(await openConfig(file));
  const files = async (id: string) => ((await ask(view, `/api/cubs/${id}/code`)).json() as { files: { state: string }[] }).files;
  assert.deepEqual([(await files("CUB-0001"))[0]?.state, (await files("CUB-0002"))[0]?.state], ["differs", "gone"]);
  const { claims: all } = (await ask(view, "/api/claims")).json() as { claims: { id: string; evidence: { state: string }[] }[] };
  assert.equal(all.find(({ id }) => id === "data")?.evidence[0]?.state, "differs");
  assert.match((await ask(view, "/claims/data/")).text, /verified once; what it pins has changed/);
  const page = await ask(view, "/registry/CUB-0001/");
  assert.match(page.text, /verified once; its files have changed/, "beside the status");
  assert.match((await ask(view, "/registry/dashboard/")).text, /Does what they pin still hold/);
  const { status, checks } = (await ask(view, "/health")).json() as { status: string; checks: Record<string, { detail: string }> };
  assert.equal(status, "warn");
  assert.match(checks["evidence"]?.detail ?? "", /CUB-0001, CUB-0002, data/);

  // What was accepted stays so for as long as it lasts, and no longer.
  await write({ "library/notes/more.md": "# More\n" });
  assert.equal((await run("build")).status, 0);
  assert.ok("accepted CUB-0001" in pointer().inputs);
  await write({ [`code/sorting/${HEAD}/coq/A.v`]: TEXTS["coq/A.v"] });
  assert.equal((await run("build")).status, 0);
  assert.ok(!("accepted CUB-0001" in pointer().inputs) && "accepted CUB-0002" in pointer().inputs);
  await write({ [`code/sorting/${HEAD}/coq/A.v`]: "Theorem again.\n" });
  assert.equal((await run("build")).status, 5, "a second time has to be accepted a second time");
  await write({ [`code/sorting/${HEAD}/coq/A.v`]: TEXTS["coq/A.v"] });

  await write({
    "registry.json": registry(["coq/A.v", { verification_state: "NOT_VERIFIED", no_holes: false }]),
    "claims.json": claims({ ...DATA, status: "partial" }),
  });
  const fallen = await run("build");
  assert.equal(fallen.status, 5, fallen.stderr);
  for (const said of [
    /record CUB-0001, verification_state was VERIFIED and is NOT_VERIFIED/,
    /record CUB-0001, no_holes was true and is false/,
    /record CUB-0002, it is gone/,
    /claim other, it is gone/,
  ])
    assert.match(fallen.stderr, said);
  // What was accepted for its drift is not accepted for anything else.
  assert.match(fallen.stderr, /claim data, its status was verified and is partial/);
});

test("by default a build says what got weaker, and publishes", async (t) => {
  const { file, write } = await makeLibrary(t, "");
  const config = await openConfig(file);
  assert.deepEqual(
    (await build(config, { progress: SILENT }, PLAIN_PARTS)).notes.filter((note) => /weaker|Drift/.test(note)),
    [],
  );
  await write({ [`code/sorting/${HEAD}/coq/A.v`]: "Theorem other.\n" });
  const { published, notes } = await build(config, { progress: SILENT }, PLAIN_PARTS);
  assert.ok(published);
  assert.deepEqual(
    notes.filter((note) => /weaker|Drift/.test(note)).map((note) => note.split(",")[0]),
    ["Got weaker: record CUB-0001", "Drift: record CUB-0001"],
  );
});

test("a gate that is closed over a drift refuses the next build too, which finds nothing new; what accepts nothing is said", async (t) => {
  const { file, write, run } = await makeLibrary(t, "");
  assert.equal((await run("build")).status, 0);
  await write({ [`code/sorting/${HEAD}/coq/A.v`]: "Theorem other.\n" });
  const open = await run("build", "--accept", "CUB-9999", "--reason", "A slip of the pen");
  assert.equal(open.status, 0, open.stderr);
  assert.match(open.stdout + open.stderr, /--accept "CUB-9999": nothing of this name got weaker or is wrong/);
  await write({ "proofshelf.yaml": `${readFileSync(file, "utf8")}gates: { drift: refuse }\n` });
  for (const _ of [1, 2]) {
    const closed = await run("build", "--accept", "CUB-9999", "--reason", "A slip of the pen");
    assert.equal(closed.status, 5, closed.stderr);
    assert.match(closed.stderr, /--accept "CUB-9999": nothing of this name got weaker or is wrong/);
    assert.match(closed.stderr, /Drift: record CUB-0001/);
  }
  // What is accepted with nothing to publish is kept as well, and of other bytes nothing is.
  const accepted = await run("build", "--accept", "CUB-0001", "--reason", "A slip of the pen");
  assert.equal(accepted.status, 0, accepted.stderr);
  assert.equal((await run("build")).status, 0);
  await write({ [`code/sorting/${HEAD}/coq/A.v`]: "Theorem a third.\n" });
  assert.equal((await run("build")).status, 5);
});

test("what follows from the rest of a record is filled in, and a status that contradicts its state is told", async (t) => {
  const { file, registry, write } = await makeLibrary(t, "");
  await write({
    "registry.json": registry(
      ["coq/A.v", { status: "NOT_VERIFIED_YET" }],
      ["coq/B.v", { status: "VERIFIED_EXACT", verification_state: "UNSPECIFIED" }],
    ),
  });
  const config = await openConfig(file);
  const { registry: findings } = await build(config, { progress: SILENT }, PLAIN_PARTS);
  const told = findings.map(({ record, field, what }) => `${record}: ${field} ${what}`).join("\n");
  assert.match(told, /CUB-0001: status is "NOT_VERIFIED_YET", but verification_state is VERIFIED/);
  assert.match(told, /CUB-0002: status is "VERIFIED_EXACT", but verification_state is UNSPECIFIED/);
  const { reproduce } = (await ask(await openFixtureView(config), "/api/cubs/CUB-0001")).json() as { reproduce: Record<string, unknown> };
  assert.deepEqual(reproduce, {
    proof_files: ["coq/A.v"],
    verify_hash: `printf '%s  %s\\n' ${sha256(TEXTS["coq/A.v"])} coq/A.v | sha256sum -c`,
    recheck: "coqc coq/A.v",
    get_code: "GET /api/cubs/CUB-0001/code",
  });
});

test("how a prover is asked follows from a record's files and module, and is left out where a path is more than a word", async (t) => {
  const { file, registry, write } = await makeLibrary(t, "");
  const records: readonly (readonly [files: object, module: string, command: string])[] = [
    [{ coq_file: "coq/A.v" }, "Lib.A", "coqc -Q coq Lib coq/A.v"],
    [{ coq_file: "coq/deep/A.v" }, "Lib.Core.deep.A", "coqc -Q coq Lib.Core coq/deep/A.v"],
    [{ coq_file: "A.v" }, "Lib.A", "coqc -Q . Lib A.v"],
    [{ coq_file: "coq/A.v" }, "coq.A", "coqc coq/A.v"],
    [{ coq_file: "coq/A.v" }, "Elsewhere.B", "coqc coq/A.v"],
    [{ coq_file: "coq/A.v" }, "$(id).A", "coqc coq/A.v"],
    [{ coq_file: "a b.v", lean_file: "Lib/A.lean" }, "", "lake env lean Lib/A.lean"],
    [{ coq_file: "-R.v" }, "", ""],
    [{ coq_file: "A.txt" }, "", ""],
  ];
  const text = JSON.parse(registry(...records.map(([files, module]) => ["coq/A.v", { files, module }] as const))) as {
    cubs: Record<string, unknown>[];
  };
  text.cubs[0] = { ...text.cubs[0], reproduce: {} };
  await write({ "registry.json": JSON.stringify(text) });
  const config = await openConfig(file);
  await build(config, { progress: SILENT }, PLAIN_PARTS);
  const { cubs } = (await ask(await openFixtureView(config), "/api/cubs.json")).json() as { cubs: { reproduce: { recheck: string } }[] };
  assert.deepEqual(
    cubs.map(({ reproduce }) => reproduce.recheck),
    records.map(([, , command]) => command),
  );
});

test("a record that states something else than its file is told with both, doubted where it stands, and refused by a gate", async (t) => {
  const { dir, file, registry, write, run } = await makeLibrary(t, "gates: { statements: refuse }");
  const text = "Theorem theorem_1 : 1 = 1.\nProof. reflexivity. Qed.\n";
  const pins = (statement: string) => ["coq/A.v", { statement, file_shas: { "coq/A.v": sha256(text) } }] as const;
  await write({ [`code/sorting/${HEAD}/coq/A.v`]: text, "registry.json": registry(pins("1  =  1")) });
  assert.equal((await run("build")).status, 0);
  const read = async (path: string) => ask(await openFixtureView(await openConfig(file)), path);
  const members = async (): Promise<unknown[]> => {
    const { statement_state: state, standing } = (await read("/api/cubs/CUB-0001")).json() as Record<string, { says: string }>;
    return [state, standing?.says];
  };
  assert.deepEqual(await members(), ["same", "said to be verified"]);

  await write({ "registry.json": registry(pins("P = NP")) });
  const refused = await run("build");
  assert.equal(refused.status, 5, refused.stderr);
  const both = /is "P = NP", but "coq\/A.v":1 declares "1 = 1"/;
  assert.match(refused.stderr, both);
  assert.deepEqual(await members(), ["same", "said to be verified"], "what was served is served on");
  const accepted = await run("build", "--accept", "CUB-0001", "--reason", "The file follows on Monday");
  assert.equal(accepted.status, 0, accepted.stderr);
  assert.match(accepted.stdout + accepted.stderr, both);
  const says = "said to be verified; its file declares another statement";
  assert.deepEqual(await members(), ["differs", says]);
  for (const path of ["/registry/", "/registry/CUB-0001/", "/registry/CUB-0001/index.md", "/api/cubs.csv", "/api/search?q=CUB-0001", "/"])
    assert.match((await read(path)).text, path === "/" ? /said to be verified/ : new RegExp(says), path);
  assert.match((await read("/registry/CUB-0001/")).text, /nothing that was checked here bears it out/);
  assert.equal((await run("build")).status, 0, "what was accepted stays so for as long as it lasts");
  await write({ "registry.json": registry(pins("P = NP again")) });
  assert.equal((await run("build")).status, 5, "of another false statement nothing is accepted");
  await write({ "registry.json": registry(pins("P = NP")) });

  await write({ "proofshelf.yaml": readFileSync(file, "utf8").replace("statements: refuse", "statements: ignore") });
  assert.equal((await run("build")).status, 0);
  assert.deepEqual(await members(), [undefined, "said to be verified"]);
  rmSync(join(dir, "shelf/internal/build/statements.state"));
});

test("counts that are left out are those of the records, and false ones are refused by a gate, in an unchanged build too", async (t) => {
  const { file, registry, write, run } = await makeLibrary(t, "gates: { counts: refuse }");
  assert.equal((await run("build")).status, 0);
  const { verification_counts: counted } = (await ask(await openFixtureView(await openConfig(file)), "/api/cubs/meta")).json() as {
    verification_counts: unknown;
  };
  assert.deepEqual(counted, { VERIFIED: 2 });
  const unknown = await run("build", "--accept", "CUB-9999", "--reason", "A slip of the pen");
  assert.match(unknown.stdout + unknown.stderr, /--accept "CUB-9999": nothing of this name/, "where nothing has changed, too");

  const { cubs } = JSON.parse(registry(["coq/A.v"], ["coq/B.v"])) as { cubs: unknown };
  const meta = { sources: { sorting: { head: HEAD } }, verification_counts: { VERIFIED: 200 } };
  await write({ "registry.json": JSON.stringify({ meta, cubs }) });
  const refused = await run("build");
  assert.equal(refused.status, 5, refused.stderr);
  assert.match(refused.stderr, /verification_counts.VERIFIED, declared as 200, and the records count 2/);
  const name = "verification_counts.VERIFIED";
  assert.equal((await run("build", "--accept", name, "--reason", "Of all our registries")).status, 0);
  assert.equal((await run("build")).status, 0);
});

test("a code store that cannot be read is nobody's fault but ours: nothing is said to be gone", async (t) => {
  const { dir, file, write } = await makeLibrary(t, "gates: { regressions: refuse, drift: refuse }");
  const config = await openConfig(file);
  await build(config, { progress: SILENT }, PLAIN_PARTS);
  renameSync(join(dir, "code"), join(dir, "elsewhere"));
  await write({ "library/notes/more.md": "# More\n" });
  await build(config, { progress: SILENT }, PLAIN_PARTS);
  const view = await openFixtureView(config);
  const { files } = (await ask(view, "/api/cubs/CUB-0001/code")).json() as { files: { state: string }[] };
  assert.equal(files[0]?.state, "unreachable");
  assert.doesNotMatch((await ask(view, "/registry/CUB-0001/")).text, /verified once/);
});

test("a registry that is refused ends the build with 5, and its last good copy is served", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-refused-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const write = (files: Readonly<Record<string, string>>) => writeFiles(dir, Object.entries(files));
  const config = ["--config", join(dir, "proofshelf.yaml")];
  await write({
    "proofshelf.yaml": `title: Refused
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]
registry: { sources: ./registry.yaml }
embeddings: { kind: none }
`,
    "registry.yaml": "sources:\n  - { repo: r, folder: ./src, rev: one, prover: lean }\n",
    "src/A.lean": "theorem t : 1 = 1 := rfl\n",
    "library/notes/a.md": "# A note\n",
  });
  assert.equal((await runHere(["registry", "scan", ...config])).status, 0);
  // As if a prover had accepted it.
  const lock = join(dir, "registry.lock.jsonl");
  const { statement, ...line } = JSON.parse(readFileSync(lock, "utf8")) as { statement: string };
  await write({ "registry.lock.jsonl": `${JSON.stringify({ ...line, statement, verified: statement })}\n` });
  const first = await runHere(["build", ...config]);
  assert.equal(first.status, 0, first.stderr);
  await write({ "src/A.lean": "theorem t : 1 = 2 := sorry\n", "library/notes/b.md": "# Another\n" });
  const refused = await runHere(["build", "--json", ...config]);
  const said = JSON.parse(refused.stdout) as { refused: boolean; published: boolean; notes: readonly string[] };
  assert.deepEqual([refused.status, said.refused, said.published], [5, true, true], "what else is new is published");
  assert.match(said.notes.join("\n"), /The registry could not be used.*not what a prover accepted/s);
  const view = await openFixtureView(await openConfig(config[1] ?? ""));
  assert.equal(((await ask(view, "/api/cubs/CUB-0001")).json() as { statement: string }).statement, "1 = 1");
  assert.equal((await runHere(["build", ...config])).status, 5, "also where nothing else is new");
  rmSync(join(dir, "shelf"), { recursive: true });
  assert.equal((await runHere(["build", ...config])).status, 5, "and where there is no copy");
});
