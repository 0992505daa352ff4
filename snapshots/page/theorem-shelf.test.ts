import assert from "node:assert/strict";
import { test } from "node:test";
import { CubRecord, RecordCheck } from "#snapshots/schema";
import { axiomsOf } from "./axioms.ts";
import { theoremShelf } from "./theorem-shelf.ts";

const accepted = [RecordCheck.parse({ state: "accepted_with_axioms", prover: "coq", version: "8", finished: "2026-01-01T00:00:00Z" })];
const record = (number: number, more: object = {}): CubRecord =>
  CubRecord.parse({ id: `CUB-000${number}`, repo: "r", statement: "s", theorem_name: `t${number}`, module: "L.A", ...more });
const verified = { verification_state: "VERIFIED", evidence_state: "holds", checks: accepted };
const outside = (...axioms: string[]): object => ({
  verification_state: "NOT_VERIFIED",
  checks: accepted,
  axioms: [...axioms, "classic"],
  axioms_outside: axioms,
});
const records = [
  record(1, { anchor: { path: "A.v", line: 9, end_line: 9 } }),
  record(2, { ...verified, axioms: ["classic"], anchor: { path: "A.v", line: 3, end_line: 3 } }),
  record(3, { module: "", anchor: { path: "B.v", line: 1, end_line: 1 }, ...outside("choice") }),
  record(4, { module: "", files: { coq_file: "B.v" }, ...outside("choice", "irrelevance") }),
];

test("a shelf has a row a file and a mark a theorem, in the order of the source; where there are too many, counts alone", () => {
  const { rows, byStanding, more } = theoremShelf(records);
  assert.deepEqual(
    rows.map(({ file, marks }) => [file, ...marks.map(({ id, state }) => `${id} ${state}`)]),
    [
      ["B.v", "CUB-0004 proved_outside", "CUB-0003 proved_outside"],
      ["L.A", "CUB-0002 verified", "CUB-0001 unspecified"],
    ],
  );
  assert.equal(rows[1]?.path, "/registry/?module=L.A");
  assert.deepEqual([byStanding[0], more], [{ value: "verified", count: 1 }, 0]);
  assert.deepEqual(
    theoremShelf(records, { marks: 3 }).rows.map(({ runs, marks, count }) => [runs.length, marks.length, count]),
    [
      [0, 0, 2],
      [0, 0, 2],
    ],
  );
});

test("a light page has the marks without links, alike ones together, and the files with the most records", () => {
  const { rows, more } = theoremShelf([...records, record(5, { module: "L.A" })], { links: 3, rows: 1 });
  assert.deepEqual(
    rows.map(({ file, runs, marks }) => [file, runs.map(({ state, count }) => `${count} ${state}`), marks]),
    [["L.A", ["1 unspecified", "1 verified", "1 unspecified"], []]],
  );
  assert.equal(more, 1);
});

test("an axiom is allowed where a verified record rests on it, and tells how many records one more would make verified", () => {
  assert.deepEqual(axiomsOf(records), [
    { name: "classic", count: 3, basis: "allowed", would: 0 },
    { name: "choice", count: 2, basis: "outside", would: 1 },
    { name: "irrelevance", count: 1, basis: "outside", would: 0 },
  ]);
  assert.equal(axiomsOf([record(5, { axioms: ["open_lemma"] })])[0]?.basis, "open");
});
