import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import { findSecrets } from "./secrets.ts";

test("a key is told by rule and line", async () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${"A".repeat(64)}\n${"B".repeat(40)}==\n-----END PRIVATE KEY-----\n`;
  assert.deepEqual(await findSecrets(`# Keys\n\n${key}`), ["privatekey in line 3"]);
  assert.deepEqual(await findSecrets("# Keys\n\nNone here.\n"), []);
});

test("nothing is kept of the texts that were looked through: one process reads a whole library", async () => {
  for (let at = 0; at < 50; at++) await findSecrets(`Note ${at}, and nothing else.\n`);
  assert.equal(performance.getEntries().length, 0);
});
