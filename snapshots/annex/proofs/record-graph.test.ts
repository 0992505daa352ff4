/** The whole graph of records as text: hostile names stay inside their quotes, and what a view does not show is counted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CubRecord } from "../../schema/cubs.ts";
import { recordStanding } from "../../format/standing.ts";
import { formatGraphDot, formatGraphNdjson } from "./record-graph.ts";

const edge = (id: string, from: "statement" | "proof", name = id) => ({ id, name, from, basis: "kernel" });
const record = (id: string, name: string, edges: object[] = [], count = edges.length) =>
  CubRecord.parse({ id, repo: "r", module: "M", theorem_name: name, statement: "True", kind: "Lemma", uses: { count, edges } });

const records = [
  record("CUB-0001", 'evil"];\n"x" -> "y', [edge("CUB-0002", "statement"), edge("CUB-0099", "proof", "gated.name")], 5),
  record("CUB-0002", "back\\\\slash\u202e", [edge("CUB-0001", "proof")]),
];

test("a line for each node, then for each edge, and an end that counts; what leads to nothing shown is not named", () => {
  const text = [...formatGraphNdjson(records)].join("");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ t, id, from, to, part, basis }) => [t, id ?? from, to, part, basis]),
    [
      ["node", "CUB-0001", undefined, undefined, undefined],
      ["node", "CUB-0002", undefined, undefined, undefined],
      ["edge", "CUB-0001", "CUB-0002", "statement", "kernel"],
      ["edge", "CUB-0002", "CUB-0001", "proof", "kernel"],
      ["end", undefined, undefined, undefined, undefined],
    ],
  );
  assert.deepEqual(lines.at(-1), { t: "end", nodes: 2, edges: 2, without_record: 4 });
  assert.doesNotMatch(text, /gated|0099/);
  // The same member as everywhere in JSON.
  for (const [at, record] of records.entries()) assert.deepEqual(lines[at]?.["standing"], recordStanding(record));
});

test("in DOT a name is one string on one line, whatever is in it", () => {
  const text = [...formatGraphDot(records)].join("");
  assert.doesNotMatch(text, /gated|0099|\u202e/);
  const lines = text.split("\n");
  assert.equal(lines.filter((line) => /^ {2}"CUB-000\d" \[label="(?:[^"\\]|\\.)*", tooltip="(?:[^"\\]|\\.)*"\];$/.test(line)).length, 2);
  assert.deepEqual(
    lines.filter((line) => line.includes("->") && !line.includes("label")),
    ['  "CUB-0001" -> "CUB-0002";', '  "CUB-0002" -> "CUB-0001" [style=dashed];'],
  );
  assert.match(text, /\/\/ 4 more uses are not named here\n\}\n$/);
});
