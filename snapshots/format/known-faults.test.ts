import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordCheck } from "../schema/checked.ts";
import { faultSentences } from "./known-faults.ts";

const told = (version: string, more: object = {}): string =>
  faultSentences({ checks: [RecordCheck.parse({ state: "accepted", prover: "coq", version, ...more })] }).join(" ");

test("a version that is known to accept wrong proofs is named with the faults that it has", () => {
  assert.match(told("8.16.1"), /^This version is known .* Coq 8\.16\.1: .*#21685.*#20455.*#21839/);
  assert.doesNotMatch(told("8.15.2"), /20455/);
  assert.match(told("9.0.1"), /#21685.*#21839/);
  assert.doesNotMatch(told("9.0.1"), /20455/);
  assert.match(told("9.1.1"), /#21685/);
  assert.match(told("9.2.0"), /Coq 9\.2\.0: Rocq #21839\./);
  assert.equal(told("9.2.1"), "");
  assert.equal(told("9.3+rc1"), "");
  assert.match(told("0.195", { prover: "metamath" }), /Metamath 0\.195/);
  assert.equal(told("0.199", { prover: "metamath" }), "");
  for (const more of [{ state: "rejected" }, { counted: false }, { tool: "coqchk" }]) assert.equal(told("8.16.1", more), "");
});
