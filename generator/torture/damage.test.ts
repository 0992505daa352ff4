/** A sample of `npm run torture -- --part damage`. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tortureWithDamage } from "./damage.ts";
import { makeDamagedLibrary } from "./damaged-library.ts";
import { changeEveryFile } from "./every-file.ts";

const dir = mkdtempSync(join(tmpdir(), "proofshelf-torture-"));
after(() => rmSync(dir, { recursive: true, force: true }));
const library = await makeDamagedLibrary(dir);

test("each damage to a file of a shelf is refused, harmless or named, and then repaired", async () => {
  const { damages, repairs, failures } = await tortureWithDamage(library, { seed: 1, count: 4, together: 4 });
  assert.deepEqual(failures, []);
  assert.deepEqual([damages, repairs], [4, 1]);
});

test("a changed byte is told in what names snapshots out of service, in a tile that was put aside, in a notice, and is harmless in a lock", async () => {
  await library.reset();
  const only = /^public\/(withdrawn\.json|tile\/0\/000\.p\/2|keys\.json|pointer\.lock|redacted\/0)/;
  const { files, told, harmless, failures } = await changeEveryFile(library, { seed: 1, only });
  assert.deepEqual(failures, []);
  assert.ok(told >= 3 && harmless.size === 1, `${files} files, ${told} told`);
});
