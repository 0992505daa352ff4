/** `npm run torture -- --part damage` does more of it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tortureWithDamage } from "./damage.ts";
import { cutPack, expectMended, makeDamagedLibrary } from "./damaged-library.ts";
import { changeEveryFile } from "./every-file.ts";

const dir = mkdtempSync(join(tmpdir(), "proofshelf-torture-"));
after(() => rmSync(dir, { recursive: true, force: true }));
const library = await makeDamagedLibrary(dir);

test("each damage to a file of a shelf is refused, harmless or named, and then repaired", async () => {
  const { damages, repairs, failures } = await tortureWithDamage(library, { seed: 1, count: 60, together: 20 });
  assert.deepEqual(failures, []);
  assert.deepEqual([damages, repairs], [60, 3]);
});

test("a changed byte in any file of a shelf is told, or is harmless for a reason", async () => {
  await library.reset();
  const { files, told, failures } = await changeEveryFile(library, { seed: 1 });
  assert.deepEqual(failures, []);
  assert.ok(files > 150 && told > 100, `${files} files, ${told} told`);
});

test("a pack that is cut at one place or another, with what earlier snapshots have of what was redacted, stops no build after repair", async () => {
  for (const share of [0.1, 0.3, 0.31, 0.6, 0.9]) {
    await cutPack(library, share);
    await expectMended(library);
  }
});
