import assert from "node:assert/strict";
import { test } from "node:test";
import { CubRecord, RegistryMeta } from "../../snapshots/schema/cubs.ts";
import { withCounts } from "./record-set.ts";

const record = (id: string, more: object): CubRecord =>
  CubRecord.parse({ id, repo: "r", statement: "s", theorem_name: "t", verification_state: "VERIFIED", ...more });
const cubs = [record("CUB-0001", { invocation: "runtime", deployable: true }), record("CUB-0002", { invocation: "dead" })];

test("counts that a registry leaves out are counted, each group by itself, and what it declares stays", () => {
  const counted = withCounts(RegistryMeta.parse({}), cubs);
  assert.deepEqual([counted.verification_counts, counted.invocation_counts], [{ VERIFIED: 2 }, { dead: 1, runtime: 1 }]);
  assert.equal(counted.readiness_counts["verified_runtime_deployable"], 1);
  assert.equal(counted.readiness_counts["verified_not_runtime"], 1);
  assert.deepEqual(counted.proof_consumption_counts, {});
  const wired = withCounts(RegistryMeta.parse({}), [...cubs, record("CUB-0003", { proof_consumption: "RUNTIME-CONSUMER-WIRED" })]);
  assert.deepEqual(wired.proof_consumption_counts, { "": 2, "RUNTIME-CONSUMER-WIRED": 1 });
  const declared = { readiness_counts: { verified_not_runtime: 9 }, invocation_counts: { dead: 7 } };
  const kept = withCounts(RegistryMeta.parse(declared), cubs);
  assert.deepEqual([kept.readiness_counts, kept.invocation_counts], [declared.readiness_counts, declared.invocation_counts]);
  assert.deepEqual(kept.verification_counts, { VERIFIED: 2 });
});
