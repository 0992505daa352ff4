import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { PART_BYTES, toOpenFile } from "./checked-read.ts";

const dir = mkdtempSync(join(tmpdir(), "checked-read-"));
after(() => rmSync(dir, { recursive: true, force: true }));

test("what is short is read while many wait to read much", async () => {
  const READERS = 600;
  writeFileSync(join(dir, "long"), Buffer.alloc(4 * PART_BYTES, "x"));
  writeFileSync(join(dir, "short"), "short");
  const [long, short] = await Promise.all(["long", "short"].map(async (name) => toOpenFile(await open(join(dir, name)))));
  assert.ok(long !== undefined && short !== undefined);
  let ended = 0;
  const many = Array.from({ length: READERS }, () => long.read(0, PART_BYTES).then(() => ended++));
  assert.equal((await short.read(0, short.size + 1)).toString(), "short");
  assert.ok(ended < READERS / 2, `${ended} of ${READERS} were read before`);
  await Promise.all(many);
  await Promise.all([long.close(), short.close()]);
});
