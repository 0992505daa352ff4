/** A sample of faults.slow.test.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SKIP_WITHOUT_COMPILER } from "./compiler-fixture.ts";
import { tortureWithFaults } from "./faults.ts";

test("a build whose disk loses its power at a call leaves one whole snapshot served", SKIP_WITHOUT_COMPILER, async () => {
  const [result, ...more] = await tortureWithFaults({ commands: ["next build"], kinds: ["power"], every: 1, call: 100, lanes: 1 });
  assert.deepEqual([result?.tried, result?.failures, more], [1, [], []]);
});
