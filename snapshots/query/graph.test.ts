/** The neighbourhood of a record: what is near, and what is left out and counted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ViewData } from "../format/view-data.ts";
import { CubRecord } from "../schema/cubs.ts";
import { neighbourhood } from "./graph.ts";

/** Records by number, each with what it uses; a number that is none of them has no record here. */
function library(uses: Readonly<Record<number, readonly number[]>>): ViewData {
  const idOf = (number: number): string => `CUB-${String(number).padStart(4, "0")}`;
  const edges = (numbers: readonly number[]) => ({
    count: numbers.length,
    edges: numbers.map((number) => ({ id: idOf(number), name: `t${number}`, from: "proof", basis: "source" })),
  });
  const cubs = Object.entries(uses).map(([number, used]) =>
    CubRecord.parse({
      id: idOf(Number(number)),
      repo: "r",
      theorem_name: `t${number}`,
      statement: "True",
      uses: edges(used),
      used_by: edges(
        Object.keys(uses)
          .map(Number)
          .filter((other) => uses[other]?.includes(Number(number))),
      ),
    }),
  );
  return { cubs, claims: { claims: [] }, objects: [], library: { collections: [] } } as never;
}

test("two steps either way, no third, and an edge into what this view has not is counted and not named", () => {
  const data = library({ 1: [2, 99], 2: [3], 3: [4], 4: [], 5: [1], 6: [5], 7: [6] });
  const graph = neighbourhood(data, data.cubs[0] ?? assert.fail());
  assert.deepEqual(
    graph.nodes.map(({ name, step }) => [name, step]),
    [
      ["t1", 0],
      ["t2", 1],
      ["t3", 2],
      ["t5", -1],
      ["t6", -2],
    ],
  );
  assert.deepEqual(graph.edges.map(({ from, to }) => `${from} ${to}`).sort(), [
    "CUB-0001 CUB-0002",
    "CUB-0002 CUB-0003",
    "CUB-0005 CUB-0001",
    "CUB-0006 CUB-0005",
  ]);
  assert.equal(graph.without_record, 1);
  assert.doesNotMatch(JSON.stringify(graph), /0099|t99/);
});

test("a ring ends, and of a hundred neighbours sixty nodes are named and the others counted", () => {
  const ring = library({ 1: [2], 2: [1] });
  assert.equal(neighbourhood(ring, ring.cubs[0] ?? assert.fail()).nodes.length, 2);
  const star = library({
    1: Array.from({ length: 100 }, (_, at) => at + 2),
    ...Object.fromEntries(Array.from({ length: 100 }, (_, at) => [at + 2, []])),
  });
  const graph = neighbourhood(star, star.cubs[0] ?? assert.fail());
  assert.equal(graph.nodes.length, 60);
  assert.equal(graph.left_out, 41);
});

test("what is left out is counted in records, however many ways lead to one", () => {
  for (const shared of [1, 2, 3, 7, 20]) {
    const far = Array.from({ length: shared }, (_, at) => 1000 + at);
    const near = Array.from({ length: 59 }, (_, at) => 2 + at);
    const uses = Object.fromEntries([[1, near], ...near.map((number) => [number, far]), ...far.map((number) => [number, []])]);
    const data = library(uses as Record<number, number[]>);
    const { nodes, left_out: left } = neighbourhood(data, data.cubs.find(({ theorem_name: name }) => name === "t1") ?? assert.fail());
    assert.equal(nodes.length + left, 1 + near.length + shared, `${nodes.length} and ${left}`);
  }
});
