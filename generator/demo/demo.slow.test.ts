/** The programs of the demo, linked and run with their own tests, and its proofs, which Coq is asked for. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { compileRust, findTool, registry, rootOf } from "./demo-fixture.ts";
import { libraryName, listFiles, modulesInOrder, readRows } from "./pin-registry.ts";

const { cubs, meta } = registry;

test("the tests of each Rust crate pass", findTool("rustc") ?? {}, (t) => {
  const work = mkdtempSync(join(tmpdir(), "proofshelf-rust-"));
  t.after(() => rmSync(work, { recursive: true, force: true }));
  for (const repo of Object.keys(meta.sources)) {
    const program = join(work, repo);
    compileRust(repo, ["--test"], program);
    assert.match(execFileSync(program, ["-q"]).toString(), /test result: ok\. [1-9]/, repo);
  }
});

describe("Coq", findTool("coqc") ?? {}, () => {
  let work = "";
  /** repo → theorem → what Print Assumptions said */
  const assumptions = new Map<string, Map<string, string>>();

  before(() => {
    work = mkdtempSync(join(tmpdir(), "proofshelf-coq-"));
    for (const repo of Object.keys(meta.sources)) {
      const folder = join(work, repo);
      const logical = libraryName(repo);
      cpSync(join(rootOf(repo), "coq"), folder, { recursive: true });
      const modules = listFiles(folder).map((path) => path.replace(/\.v$/, ""));
      const order = [...new Set(modules.flatMap((module) => modulesInOrder(rootOf(repo), repo, module)))];
      for (const module of order) execFileSync("coqc", ["-Q", ".", logical, `${module}.v`], { cwd: folder });

      // One more file asks everything at once: `(name : statement)` type-checks only if the record's statement is exact.
      const audited = readRows(join(rootOf(repo), "audit.csv")).map((row) => row["theorem"] ?? "");
      const own = cubs.filter((record) => record.repo === repo);
      writeFileSync(
        join(folder, "Ask.v"),
        [
          "From Coq Require Import List Arith Bool.",
          ...order.map((module) => `From ${logical} Require Import ${module}.`),
          "Import ListNotations.",
          ...own.map((r) => `Definition exact_${r.id.replace("-", "_")} : (${r.statement}) := @${r.module}.${r.theorem_name}.`),
          ...[...new Set([...audited, ...own.map((r) => r.theorem_name)])].flatMap((name) => [
            `Goal True. idtac "@@ ${name}". Abort.`,
            `Print Assumptions ${name}.`,
          ]),
          "",
        ].join("\n"),
      );
      const said = execFileSync("coqc", ["-Q", ".", logical, "Ask.v"], { cwd: folder }).toString();
      const answers = said
        .split("@@ ")
        .slice(1)
        .map((part) => part.split(/\n(.*)/s) as [string, string]);
      assumptions.set(repo, new Map(answers.map(([name, answer]) => [name.trim(), answer.trim()])));
    }
  });
  after(() => rmSync(work, { recursive: true, force: true }));

  test("accepts every file, and every record's statement as the statement of its theorem", () => {
    assert.equal([...assumptions.values()].flatMap((answers) => [...answers.keys()]).length > cubs.length, true);
  });

  test("finds every verified theorem closed under the global context, and no other claims to be", () => {
    for (const { id, repo, theorem_name, verification_state } of cubs) {
      const answer = assumptions.get(repo)?.get(theorem_name);
      if (verification_state === "NOT_VERIFIED") assert.match(answer ?? "", /^Axioms:/, id);
      else assert.equal(answer, "Closed under the global context", id);
    }
  });

  test("agrees with each row of the audits", () => {
    for (const repo of Object.keys(meta.sources)) {
      for (const row of readRows(join(rootOf(repo), "audit.csv"))) {
        const answer = assumptions.get(repo)?.get(row["theorem"] ?? "") ?? "";
        const found = answer.startsWith("Closed") ? "closed" : answer.match(/^Axioms:\s+(\w+)/)?.[1];
        assert.equal(row["assumptions"], found, row["theorem"]);
      }
    }
  });

  test("the recheck recipe of one record per repository works when it is pasted", () => {
    for (const repo of Object.keys(meta.sources)) {
      const record = cubs.findLast((r) => r.repo === repo && r.verification_state === "VERIFIED");
      assert.ok(record);
      const before = listFiles(rootOf(repo));
      const out = execFileSync("bash", ["-c", record.reproduce.recheck], { cwd: rootOf(repo) }).toString();
      assert.equal(out.trim(), "Closed under the global context");
      assert.deepEqual(listFiles(rootOf(repo)), before, "the recipe leaves nothing behind");
    }
  });
});
