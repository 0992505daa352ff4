/** A sample of faults.slow.test.ts: of builds with plain parts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SKIP_WITHOUT_COMPILER } from "./compiler-fixture.ts";
import { useParts } from "../publish/parts.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { PLAIN_CLI } from "../testing/serving-process.ts";
import { tortureWithFaults } from "./faults.ts";

useParts(PLAIN_PARTS);

test("a build whose disk loses its power at a call leaves one whole snapshot served", SKIP_WITHOUT_COMPILER, async () => {
  const [result, ...more] = await tortureWithFaults({
    commands: ["next build"],
    kinds: ["power"],
    every: 1,
    call: 100,
    lanes: 1,
    program: PLAIN_CLI,
  });
  assert.deepEqual([result?.tried, result?.failures, more], [1, [], []]);
});
