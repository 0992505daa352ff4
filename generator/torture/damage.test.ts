/** A sample of `npm run torture -- --part damage`. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tortureWithDamage } from "./damage.ts";
import { makeDamagedLibrary } from "./damaged-library.ts";
import { changeEveryFile } from "./every-file.ts";
import { countErrors } from "../publish/verify-library.ts";
import { SILENT } from "../testing/library.ts";
import { build, repair, verifyLibrary } from "../testing/whole.ts";

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

test("notices of what was redacted that say nothing any more stop no build, and repair writes them anew", async () => {
  await library.reset();
  const notices = join(library.shelf, "public/redacted");
  for (const name of readdirSync(notices)) writeFileSync(join(notices, name), Buffer.from([0xff, 0xfe]));
  await build(library.config, { progress: SILENT });
  assert.ok(countErrors(await verifyLibrary(library.config, { snapshots: "all", derive: false })) > 0, "they are told");
  const { findings, notes } = await repair(library.config, SILENT);
  assert.equal(countErrors(findings), 0, JSON.stringify([notes, findings.slice(0, 2)]));
  assert.equal((await build(library.config, { progress: SILENT })).published, false);
});
