import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { collection, runEval } from "./eval-fixture.ts";

test("a collection becomes a library, and both routes of a real server are judged beside the other libraries", (t) => {
  const corpus = ["heap", "stack", "queue", "graph"].map((word, at) => ({
    id: at === 0 ? "a/../b c" : at,
    title: at === 1 ? "" : `On the ${word}`,
    text: `What a ${word} is for, and how a ${word} is built.\nMore about it.`,
  }));
  const queries = [
    { id: 1, text: "heap built", relevant: { "a/../b c": 1 } },
    { id: 2, text: `${"stack ".repeat(200)}😀`, relevant: { 1: 2, 2: 0 } },
    { id: 3, text: "nobody wrote of zebras", relevant: { 3: 1 } },
    { id: 4, text: "judged for nothing", relevant: { 3: 0 } },
  ];
  const folder = collection(t, corpus, queries);
  const { stdout, stderr, status } = runEval(folder, "--json");
  assert.equal(status, 0, stderr);
  const report = JSON.parse(stdout) as { documents: number; queries: number; results: { system: string; ndcg10: number; mrr: number }[] };
  assert.deepEqual([report.documents, report.queries], [4, 3]);
  assert.deepEqual(
    report.results.map(({ system }) => system),
    ["/api/search", "/api/ai-search", "SQLite FTS5 (porter)", "MiniSearch"],
  );
  assert.equal(report.results[0]?.mrr.toFixed(3), "0.667");
  for (const { ndcg10 } of report.results) assert.ok(ndcg10 > 0.6 && ndcg10 <= 1);
  const table = runEval(folder, "--no-semantic");
  assert.match(table.stdout, /^judged-\w+: 4 documents, 3 queries\ncollection +system .*\njudged-\w+ +\/api\/search  +0\.6667/);
  assert.doesNotMatch(table.stdout, /ai-search/);
});

test("a broken collection is refused with the file and the line, and a wrong command line with its usage", (t) => {
  const folder = collection(t, [{ id: 1, text: "x" }, { id: 2 }], [{ id: 1, text: "x", relevant: { 1: 1 } }]);
  const broken = runEval(folder);
  assert.equal(broken.status, 1);
  assert.match(broken.stderr, /corpus\.jsonl:2: /);
  assert.doesNotMatch(broken.stderr, /\n {4}at /);
  assert.match(runEval(join(folder, "absent")).stderr, /cannot be read/);
  const all = mkdtempSync(join(tmpdir(), "all-"));
  t.after(() => rmSync(all, { recursive: true, force: true }));
  cpSync(folder, join(all, "a-broken"), { recursive: true });
  cpSync(collection(t, [{ id: 1, text: "x" }], [{ id: 1, text: "x", relevant: { 1: 1 } }]), join(all, "whole"), { recursive: true });
  const others = runEval(all, "--all", "--no-semantic");
  assert.equal(others.status, 1);
  assert.match(others.stderr, /a-broken: .*corpus\.jsonl:2: /);
  assert.match(others.stdout, /^whole +\/api\/search /m, "the others go on");
  assert.match(runEval("--help").stdout, /^usage: [^]*--no-semantic /);
  for (const args of [[], [folder, folder], [folder, "--what"], [folder, "--all", "--queries", "x"]]) {
    const { status, stderr } = runEval(...args);
    assert.equal(status, 2);
    assert.match(stderr, /usage: /);
  }
});
