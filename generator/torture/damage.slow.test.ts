/** `npm run torture -- --part damage` does more of it. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tortureWithDamage } from "./damage.ts";
import { cutPack, expectMended, makeDamagedLibrary } from "./damaged-library.ts";
import { changeEveryFile } from "./every-file.ts";
import { countErrors } from "../publish/verify-library.ts";
import { SILENT } from "../testing/library.ts";
import { build, repair, verifyLibrary } from "../testing/whole.ts";

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
  assert.ok(files > 140 && told > 100, `${files} files, ${told} told`);
});

test("a pack that is cut at one place or another, with what earlier snapshots have of what was redacted, stops no build after repair", async () => {
  for (const share of [0.1, 0.3, 0.305, 0.31, 0.6, 0.9]) {
    await cutPack(library, share);
    await expectMended(library);
  }
});

test("where older snapshots stood in the way of the build, a second one without them ends the repair, and no note says otherwise", async () => {
  await library.reset();
  rmSync(join(library.shelf, "public/packs"), { recursive: true });
  await expectMended(library);
});

test("pointers that changed places while the newest public record is gone are put right from the log, and nothing older is served", async () => {
  await library.reset();
  const [open, gated] = ["public", "internal"].map((root) => join(library.shelf, root, "current.json")) as [string, string];
  const before = [readFileSync(open), readFileSync(gated)];
  rmSync(join(library.shelf, "public/snapshots/4.json"));
  renameSync(open, `${open}.aside`);
  renameSync(gated, open);
  renameSync(`${open}.aside`, gated);
  await expectMended(library);
  assert.deepEqual([readFileSync(open), readFileSync(gated)], before);
});

test("a head of the log whose signature is not of its text any more is made anew", async () => {
  await library.reset();
  const head = join(library.shelf, "public/checkpoints/4");
  const lines = readFileSync(head, "utf8").split("\n");
  // The bytes of the signature, behind the name and the number of its key.
  writeFileSync(
    head,
    lines.map((line) => line.replace(/^(\u2014 \S+ .{20})(.)/, (_, start, one) => start + (one === "A" ? "B" : "A"))).join("\n"),
  );
  truncateSync(join(library.shelf, "internal/snapshots/3.json"), 20);
  await expectMended(library);
});

test("a list of the log's keys with a key that is none any more is named anew", async () => {
  await library.reset();
  const keys = join(library.shelf, "public/keys.json");
  writeFileSync(
    keys,
    readFileSync(keys, "utf8").replace(/\+[0-9a-f]/, (sign) => (sign === "+0" ? "+1" : "+0")),
  );
  await expectMended(library);
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
