import assert from "node:assert/strict";
import { test } from "node:test";
import { CubRecord } from "../schema/cubs.ts";
import { fileGraph } from "./file-graph.ts";

let last = 0;
const record = (module: string, ...uses: readonly CubRecord[]): CubRecord => {
  const id = `CUB-${String(++last).padStart(4, "0")}`;
  const edges = uses.map((used) => ({ id: used.id, name: used.theorem_name, from: "proof" as const, basis: "kernel" as const }));
  return CubRecord.parse({ id, repo: "r", theorem_name: `t${last}`, module, statement: "s", uses: { count: edges.length, edges } });
};

test("a file stands one step behind the last that it uses, and a line that follows from others is left out", () => {
  const base = record("Dev.base");
  const lists = record("Dev.lists", base);
  const sort = record("Dev.sort", lists, base);
  const graph = fileGraph([base, lists, sort, record("Dev.base", base), record("Dev.alone")]);
  assert.deepEqual(
    graph?.nodes.map(({ name, step }) => [name, step]),
    [
      ["alone", 0],
      ["base", 0],
      ["lists", 1],
      ["sort", 2],
    ],
  );
  const nameOf = new Map(graph?.nodes.map(({ id, name }) => [id, name]));
  assert.deepEqual(
    graph?.edges.map(({ from, to }) => `${nameOf.get(from)} on ${nameOf.get(to)}`),
    ["lists on base", "sort on lists"],
  );
});

test("files that use each other in a ring end, and what has no edges or too many files has no picture", () => {
  const one = record("a");
  const other = record("b", one);
  assert.equal(
    fileGraph([{ ...one, uses: { count: 1, edges: [{ id: other.id, name: "t", from: "proof", basis: "source" }] } }, other])?.nodes.length,
    2,
  );
  assert.equal(fileGraph([record("a"), record("b")]), null);
  const many = Array.from({ length: 70 }, (_, at) => record(`m${at}`, one));
  assert.equal(fileGraph([one, ...many]), null);
});
