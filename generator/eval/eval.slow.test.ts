/** Judging answers, and many collections at once. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { collection, runEval } from "./eval-fixture.ts";

test("answers are judged by what they cite, what the quotes hold, and where they are silent", (t) => {
  const corpus = ["heap", "stack", "queue", "graph"].map((word, at) => ({
    id: at,
    title: `On the ${word}`,
    text: `A ${word} is a structure that keeps ${word} things in ${word} order. It was described long ago. Nobody knows more about it than that.`,
  }));
  const folder = collection(t, corpus, [{ id: 1, text: "heap", relevant: { 0: 1 } }]);
  const file = join(folder, "questions.jsonl");
  const lines = [
    {
      id: 1,
      text: "What is a heap?",
      relevant: { 0: 1 },
      evidence: { 0: ["A heap is a structure that keeps heap things in heap order."] },
    },
    {
      id: 2,
      text: "What is a queue?",
      relevant: { 3: 1 },
      evidence: { 3: ["A graph is a structure that keeps graph things in graph order."] },
    },
    { id: 3, text: "Which zebras eat thistles in winter?", relevant: {} },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { stdout, stderr, status } = runEval(folder, "--answers", file, "--no-semantic", "--json");
  assert.equal(status, 0, stderr);
  const { figures } = JSON.parse(stdout) as { figures: Record<string, string> };
  const names = ["right file cited in three", "search: right file in three", "right passage in three", "silent although answered"];
  assert.deepEqual(
    [...names, "near: refused"].map((name) => figures[name]),
    ["0.500 (1 of 2)", "0.500 (1 of 2)", "0.500 (1 of 2)", "0.000 (0 of 2)", "1.000 (1 of 1)"],
  );
});

test("every collection of a folder stands in one table, source as source, and names are judged by the line that declares them", (t) => {
  const python = 'def empty_stack(stack):\n    """Whether nothing is left."""\n    return not stack'.concat(" or None".repeat(100));
  const one = collection(t, [{ id: "f", text: python }], [{ id: 1, text: "python nothing left", relevant: { f: 1 } }]);
  const all = mkdtempSync(join(tmpdir(), "all-"));
  t.after(() => rmSync(all, { recursive: true, force: true }));
  cpSync(one, join(all, "code"), { recursive: true });
  cpSync(one, join(all, "lean"), { recursive: true });
  mkdirSync(join(all, "no-collection"));
  mkdirSync(join(all, "lean", "files"));
  const source = "namespace Heap\n\n/-- The least comes first. -/\ntheorem least_first : True := trivial\n\nend Heap\n";
  writeFileSync(join(all, "lean", "files", "Heap.lean"), source);
  const names = [4, 5].map((line) => ({ name: line === 4 ? "Heap.least_first" : "Pile.zzz_such", path: "Heap.lean", line }));
  writeFileSync(join(all, "lean", "names.jsonl"), names.map((name) => `${JSON.stringify(name)}\n`).join(""));
  const { stdout, stderr, status } = runEval(all, "--all", "--no-semantic", "--json");
  assert.equal(status, 0, stderr);
  const reports = JSON.parse(stdout) as { collection: string; results: { mrr: number }[]; names: Record<string, number> | null }[];
  assert.deepEqual(
    reports.map(({ collection, names }) => [collection, names]),
    [
      ["code", null],
      ["lean", { names: 2, declaration_first: 0.5, file_in_ten: 0.5, unknown: 1000, unknown_found: 0 }],
    ],
  );
  assert.equal(reports[0]?.results[0]?.mrr, 1);
  assert.match(runEval(join(all, "no-collection"), "--all").stderr, /no folder with a corpus\.jsonl/);
});

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
