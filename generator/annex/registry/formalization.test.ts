/** formalization.yaml, from a repository to the front page. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ShelfError } from "../../../snapshots/errors.ts";
import { formalizationSentence } from "../../../snapshots/format/author-words.ts";
import { writeFiles } from "../../testing/library.ts";
import { openRegistrySources } from "./config.ts";
import { readFormalization, withIds } from "./formalization.ts";
import { runRegistryInit } from "./init-command.ts";
import { scanAll } from "./scan-all.ts";
import { writeRegistry } from "./make-registry.ts";

const read = (text: string) => readFormalization("r", Buffer.from(text));

const NEW = `version: "v0.4"
project: { name: Small gaps, authors: [Ada, Bob], license: Apache-2.0 }
sources: [{ title: A paper, authors: [Carl], id: "doi:10.1/x" }]
automation: { methods: [{ method: agent, models: [m-1, m-2] }, { method: manual }], spend_usd: 12 }
status: { main_results: [{ declaration: Gaps.main, file: A.v }, { declaration: nowhere }] }
fidelity: { divergences: "n > 2 in place of n > 1" }
review: { status: peer-reviewed, reviewers: [Eve] }
alignment: { anything: [1] }
`;

test("both forms of the file are read, and what has another form than is expected counts as not there", () => {
  const now = read(NEW);
  assert.ok(typeof now !== "string");
  assert.deepEqual(
    [now.methods, now.models, now.main],
    [
      ["agent", "manual"],
      ["m-1", "m-2"],
      [{ name: "Gaps.main" }, { name: "nowhere" }],
    ],
  );
  assert.equal(
    formalizationSentence(now),
    "The authors of r write: “Small gaps; by Ada, Bob; of A paper (doi:10.1/x); made as agent, manual; with m-1, m-2; it leaves its source: n > 2 in place of n > 1; review: peer-reviewed, Eve”",
  );
  const old = read('version: "v0.2"\nautomation: { method: autonomous, models: [m] }\nreview: { status: "", reviewers: [] }\n');
  assert.ok(typeof old !== "string");
  assert.deepEqual([old.methods, old.models, old.review], [["autonomous"], ["m"], ""]);
  const odd = read("project: 7\nstatus: { main_results: many }\nautomation: [1]\nreview: yes\n");
  assert.ok(typeof odd !== "string");
  assert.deepEqual([odd.name, odd.main, odd.methods], ["", [], []]);
  assert.match(String(read("a: [")), /^formalization\.yaml:\d+: /);
  assert.match(String(read("- one")), /^formalization\.yaml:1: is no list of members/);
  const long = read(`project: { name: ${"x".repeat(5000)} }\n`);
  assert.ok(typeof long !== "string" && long.name.length === 1000);
});

test("a main result is the record of its whole name, or of the last part where one alone has that", () => {
  const said = read(NEW);
  assert.ok(typeof said !== "string");
  const record = (id: string, name: string, repo = "r") => ({ id, repo, name });
  const main = (...records: ReturnType<typeof record>[]) => withIds({ ...said, main: [{ name: "main" }] }, records).main[0]?.id;
  assert.equal(main(record("CUB-0001", "A.main"), record("CUB-0002", "main")), "CUB-0002");
  assert.equal(main(record("CUB-0001", "A.main")), "CUB-0001");
  assert.equal(main(record("CUB-0001", "A.main"), record("CUB-0002", "B.main")), undefined, "two may be meant");
  assert.equal(main(record("CUB-0001", "A.main", "other")), undefined);
});

test("init takes it over, the registry has it with ids, and a broken one is told and left out", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-formalization-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const git = join(folder, "repo");
  const commit = async (text: string): Promise<void> => {
    await writeFiles(git, [
      ["Gaps.v", "Theorem main : True. Proof. exact I. Qed.\n"],
      ["formalization.yaml", text],
    ]);
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ])
      execFileSync("git", ["-C", git, ...args]);
  };
  await commit(NEW);
  const init = async (name: string): Promise<string> => {
    t.mock.method(process.stdout, "write", () => true);
    const sources = join(folder, name, "registry.yaml");
    await writeFiles(join(folder, name), [["keep", ""]]);
    await runRegistryInit({ git, sources });
    t.mock.restoreAll();
    return sources;
  };
  const sources = await init("one");
  const config = openRegistrySources(sources);
  const { meta } = JSON.parse(Buffer.from(writeRegistry(config, await scanAll(config))).toString()) as {
    meta: { formalizations: { main: object[] }[] };
  };
  assert.deepEqual(meta.formalizations[0]?.main, [{ name: "Gaps.main", id: "CUB-0001" }, { name: "nowhere" }]);
  await assert.rejects(runRegistryInit({ git, sources }), ({ fixes }: ShelfError) =>
    /^ {2}- \{ repo: "repo".*prover: coq/m.test(fixes.join("\n")),
  );
  await commit("a: [\n");
  assert.doesNotMatch(readFileSync(await init("two"), "utf8"), /formalizations/);
});
