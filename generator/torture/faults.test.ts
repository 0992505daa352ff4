import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { FAULT_KINDS, tortureWithFaults } from "./faults.ts";

const skip = process.platform !== "linux" || spawnSync("cc", ["--version"]).status !== 0 ? "needs Linux and a C compiler" : false;

test("a build whose disk fails, fills up or loses its power at any call leaves one whole snapshot served", { skip }, async () => {
  const results = await tortureWithFaults({ commands: ["next build"], kinds: FAULT_KINDS, every: 600, lanes: 1 });
  assert.equal(results.length, FAULT_KINDS.length);
  for (const { kind, calls, tried, failures } of results) {
    assert.ok(calls > 100 && tried > 0, `${kind} had calls to strike`);
    assert.deepEqual(failures, [], kind);
  }
});
