/** Orders of the registry's page, and the folders that results are told with. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hitFolder } from "../format/hit-folder.ts";
import { inSort, parseRegistrySort, registryPath, toggled } from "./filters.ts";

const RECORDS = [
  { id: 1, name: "b", state: "not_verified", uses: 2 },
  { id: 2, name: "A", state: "of_its_own", uses: 7 },
  { id: 3, name: "a_more", state: "verified_lost", uses: 0 },
  { id: 4, name: "b", state: "verified", uses: 2 },
];
const inOrder = (sort: string | null): readonly number[] =>
  inSort(
    RECORDS,
    parseRegistrySort(sort),
    ({ name }) => name,
    ({ state }) => state,
    ({ uses }) => uses,
  ).map(({ id }) => id);

test("records are put in order by name, by state with the best first, the most used or the newest first; equals by id", () => {
  assert.deepEqual(inOrder("name"), [2, 3, 1, 4]);
  assert.deepEqual(inOrder("state"), [4, 3, 1, 2]);
  assert.deepEqual(inOrder("used"), [2, 1, 4, 3]);
  assert.deepEqual(inOrder("newest"), [4, 3, 2, 1]);
  for (const none of [null, "", "constructor", "id"]) assert.deepEqual(inOrder(none), [1, 2, 3, 4]);
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
