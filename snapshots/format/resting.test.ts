import assert from "node:assert/strict";
import { test } from "node:test";
import { type Claim, CubRecord } from "../schema/index.ts";
import { openResting, recalledAmong, restingWords } from "./resting.ts";

type From = "proof" | "witness";
const record = (id: string, used: readonly string[], status = "", from: From = "proof"): CubRecord => {
  const edges = used.map((name) => ({ id: name, name, from, basis: "kernel" }));
  return CubRecord.parse({ id, repo: "r", theorem_name: "t", statement: "s", status, uses: { count: edges.length, edges } });
};

test("what rests on a record is counted step by step, each once, in circles too, and a witness carries nothing", () => {
  const restingOn = openResting([
    record("CUB-0001", ["CUB-0004"]),
    record("CUB-0002", ["CUB-0001"]),
    record("CUB-0003", ["CUB-0001", "CUB-0002"]),
    record("CUB-0004", ["CUB-0003"]),
    record("CUB-0005", ["CUB-0001"], "", "witness"),
  ]);
  assert.deepEqual([...restingOn(["CUB-0001"])].sort(), ["CUB-0002", "CUB-0003", "CUB-0004"]);
  assert.deepEqual([...restingOn(["CUB-0005", "CUB-0009"])], []);
});

test("the list to recheck begins with that on which most records and claims rest, though fewer name it", () => {
  const chain = [record("CUB-0010", ["CUB-0002"]), record("CUB-0011", ["CUB-0010"]), record("CUB-0012", ["CUB-0011"])];
  const wide = [record("CUB-0020", ["CUB-0001"]), record("CUB-0021", ["CUB-0001"])];
  const cubs = [
    record("CUB-0001", [], "RECALLED"),
    record("CUB-0002", [], "RECALLED"),
    record("CUB-0003", [], "RECALLED"),
    ...chain,
    ...wide,
  ];
  const claim = (id: string): Claim => ({ id }) as Claim;
  const one = claim("c");
  const claimsOf = new Map([
    ["CUB-0012", [one]],
    ["CUB-0002", [one]],
  ]);
  assert.deepEqual(
    recalledAmong(cubs, claimsOf).map(({ record: { id }, ...counts }) => [id, restingWords(counts)]),
    [
      ["CUB-0002", "3 records and 1 claim rest on it"],
      ["CUB-0001", "2 records rest on it"],
      ["CUB-0003", ""],
    ],
  );
});

test("of thousands that are recalled at once each is counted so far, and no further", () => {
  const all = Array.from({ length: 5000 }, (_, at) => record(`CUB-${10_000 + at}`, at === 0 ? [] : [`CUB-${9_999 + at}`], "RECALLED"));
  const [first] = recalledAmong(all, new Map());
  assert.equal(restingWords(first ?? assert.fail()), "250 records or more rest on it");
});
