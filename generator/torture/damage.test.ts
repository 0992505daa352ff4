/** A sample of `npm run torture -- --part damage`. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { tortureWithDamage } from "./damage.ts";
import { makeDamagedLibrary } from "./damaged-library.ts";

test("each damage to a file of a shelf is refused, harmless or named, and then repaired", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-torture-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const { damages, repairs, failures } = await tortureWithDamage(await makeDamagedLibrary(dir), { seed: 1, count: 12, together: 12 });
  assert.deepEqual(failures, []);
  assert.deepEqual([damages, repairs], [12, 1]);
});
