/** `npm run torture -- --part bucket` does more of it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bucketTest } from "../../snapshots/annex/bucket/memory-server-fixture.ts";
import { tortureWithBucket } from "./bucket.ts";

bucketTest("a bucket that fails at every third request does what it says, and holds what was exported", async (t, server) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-torture-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const { injected, failures } = await tortureWithBucket(server, dir, { seed: 1, count: 100 });
  assert.deepEqual(failures, []);
  assert.equal(injected.size, 7);
});
