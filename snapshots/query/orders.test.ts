/** Orders of records, and the folders that results are told with. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hitFolder } from "../format/hit-folder.ts";
import { CubRecord } from "../schema/cubs.ts";
import { findCubs, parseCubQuery } from "./cubs.ts";
import { registryPath, toggled } from "./filters.ts";

const record = (number: number, theorem_name: string, verification_state: string, count: number, gone = false): CubRecord =>
  CubRecord.parse({
    id: `CUB-000${number}`,
    repo: "r",
    statement: "s",
    theorem_name,
    verification_state,
    ...(gone ? { evidence_state: "gone" } : {}),
    used_by: { count, edges: [] },
  });
const RECORDS = [
  record(1, "b", "NOT_VERIFIED", 2),
  record(2, "A", "OF_ITS_OWN", 7),
  record(3, "a_more", "VERIFIED", 0, true),
  record(4, "b", "VERIFIED", 2),
];
const ordered = (text: string, limit = 500): string => {
  const query = { ...parseCubQuery(new URLSearchParams(text)), limit };
  const numbers: string[] = [];
  for (let at: number | null = 0; at !== null; ) {
    const page = findCubs(RECORDS, query, at);
    numbers.push(...page.cubs.map(({ id }) => id.slice(-1)));
    at = page.next;
  }
  return numbers.join("");
};

test("records are put in order by name, by state with the best first, the most used or the newest first; equals by id", () => {
  for (const limit of [1, 3, 500]) {
    assert.equal(ordered("sort=name", limit), "2314");
    assert.equal(ordered("sort=state", limit), "4312");
    assert.equal(ordered("sort=used", limit), "2143");
    assert.equal(ordered("sort=newest", limit), "4321");
    assert.equal(ordered("q=b", limit), "14");
    assert.equal(ordered("q=b&sort=newest", limit), "41");
    assert.equal(ordered("verification_state=VERIFIED&sort=used", limit), "43");
  }
  for (const none of ["", "constructor", "id"])
    assert.throws(() => parseCubQuery(new URLSearchParams({ sort: none })), /takes name, state/);
});

test("a filter that is set keeps the order", () => {
  const query = { q: "a b", filters: new Map(), sort: "state" } as const;
  assert.equal(registryPath(query, 2), "/registry/?q=a+b&sort=state&part=2");
  assert.equal(toggled(query, "repo", "r"), "/registry/?q=a+b&repo=r&sort=state");
});

test("a result whose title says little is told with its folders", () => {
  assert.equal(hitFolder("README", "proofs/sorting/README.md", []), "proofs/sorting");
  assert.equal(hitFolder("a.json", "data/a.json", []), "data");
  assert.equal(hitFolder("Merkle", "x/y/z/m.v", ["Merkle", "Merkle"]), "y/z");
  assert.equal(hitFolder("Merkle", "x/m.v", ["Merkle", "Other"]), "");
});
