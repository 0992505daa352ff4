/** `npm run torture -- --part leaks` does more of it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { tortureWithLeaks } from "./leaks.ts";

test("whatever gated is planted into extracts, pages, API files, feeds, assets and both indexes is found, and nothing else", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-torture-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const { planted, failures } = await tortureWithLeaks(dir, { seed: 1, count: 1000 });
  assert.deepEqual(failures, []);
  assert.equal(
    planted.values().reduce((sum, count) => sum + count, 0),
    1000 + 100,
  );
  assert.equal(planted.size, 12);
});
