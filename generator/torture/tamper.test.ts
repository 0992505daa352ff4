/** A sample of `npm run torture -- --part tamper`. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { tortureWithTampering } from "./tamper.ts";

test("a public shelf that is tampered with is found out by who audits or copies it, and one that is not passes", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-torture-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  t.after(() => delete process.env["LOG_KEY"]);
  const { verdicts, failures } = await tortureWithTampering(dir, { seed: 1, count: 6, clean: 1 });
  assert.deepEqual(failures, []);
  assert.deepEqual([...(verdicts.get("untouched") ?? [])], [["harmless", 1]]);
});
