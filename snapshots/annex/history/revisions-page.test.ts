import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldLines } from "./revisions-page.ts";

test("a record is compared by its fields, a line each, without the signs of JSON and without what says nothing", () => {
  const record = {
    statement: "forall n : nat,\n n = n",
    no_holes: true,
    verification_state: "VERIFIED",
    note: "",
    use_cases: [],
    axioms: ["classic", "funext"],
    reproduce: { recheck: 'coqc "a b.v"', proof_files: ["a b.v"] },
    checks: [{ state: "accepted", version: "8.16.1" }, { state: "not_run" }],
    anchor: null,
  };
  assert.deepEqual(fieldLines(record), [
    "statement: forall n : nat,\n n = n",
    "no holes: true",
    "verification state, as the registry says it: VERIFIED",
    "axioms: classic, funext",
    'reproduce recheck: coqc "a b.v"',
    "reproduce proof files: a b.v",
    "checks 1 state: accepted",
    "checks 1 version: 8.16.1",
    "checks 2 state: not_run",
  ]);
});
