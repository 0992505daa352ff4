import assert from "node:assert/strict";
import { test } from "node:test";
import { CubRecord, RecordCheck } from "#snapshots/schema";
import type { Change } from "#snapshots/shelf";
import { movesOf } from "./diff-story.ts";

const checks = [RecordCheck.parse({ state: "accepted", prover: "coq", version: "8", finished: "2026-01-01T00:00:00Z" })];
const record = (id: string, statement = "a = a", more: object = {}): [string, CubRecord] => [
  id,
  CubRecord.parse({ id, repo: "r", theorem_name: `name_of_${id.at(-1)}`, statement, verification_state: "NOT_VERIFIED", ...more }),
];
const change = (name: string): Change => ({ what: "record", name, path: `/registry/${name}/` }) as Change;

test("records are told by what moved: where they stand now, what they state, what is new, what is gone, and the rest", () => {
  const before = new Map([
    record("CUB-0001"),
    record("CUB-0002", "a = b"),
    record("CUB-0003", "x:T"),
    record("CUB-0004"),
    record("CUB-0005"),
  ]);
  const after = new Map([
    record("CUB-0001", "a = a", { verification_state: "VERIFIED", evidence_state: "holds", checks }),
    record("CUB-0002", "a = c"),
    record("CUB-0003", "x : T"),
    record("CUB-0005", "a = a", { license: "MIT" }),
    record("CUB-0006"),
  ]);
  const moves = movesOf(
    ["1", "2", "3", "4", "5", "6"].map((digit) => change(`CUB-000${digit}`)),
    before,
    after,
  );
  assert.deepEqual(
    moves.map(({ kind, state, rows }) => [kind, state, ...rows.map(({ name }) => name)]),
    [
      ["state", "verified", "name_of_1"],
      ["statement", "", "name_of_2"],
      ["added", "", "name_of_6"],
      ["removed", "", "name_of_4"],
      ["elsewhere", "", "name_of_3", "name_of_5"],
    ],
  );
  assert.deepEqual([moves[0]?.rows[0]?.was, moves[1]?.rows[0]?.lines.map(({ kind }) => kind)], ["not_verified", ["removed", "added"]]);
});
