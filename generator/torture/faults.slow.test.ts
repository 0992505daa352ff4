/** `npm run torture -- --part faults` tries every 25th call of each command; this tries a few. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULT_KINDS, tortureWithFaults } from "./faults.ts";
import { SKIP_WITHOUT_COMPILER } from "./compiler-fixture.ts";

test(
  "a build whose disk fails, fills up or loses its power at any call leaves one whole snapshot served",
  SKIP_WITHOUT_COMPILER,
  async () => {
    const results = await tortureWithFaults({ commands: ["next build"], kinds: FAULT_KINDS, every: 600, lanes: 1 });
    assert.equal(results.length, FAULT_KINDS.length);
    for (const { kind, calls, tried, failures } of results) {
      assert.ok(calls > 100 && tried > 0, `${kind} had calls to strike`);
      assert.deepEqual(failures, [], kind);
    }
  },
);
