import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { clearOld, keepMade, readMade } from "./coq-cache.ts";

test("half of a file in the cache, another one's bytes or no room for it are no compiled file; what nobody uses goes", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-cache-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "a.made");
  const made = { glob: Buffer.from("DIGEST NO\n"), object: Buffer.from([0, 10, 255, 1]) };
  keepMade(file, made);
  const whole = readFileSync(file);
  assert.deepEqual(readMade(file), made);
  for (let size = 0; size < whole.length; size++) {
    truncateSync(file, size);
    assert.equal(readMade(file), null, `${size} bytes`);
    writeFileSync(file, whole);
  }
  for (const other of [Buffer.alloc(whole.length), Buffer.concat([whole, Buffer.from("x")]), Buffer.from("\n")]) {
    writeFileSync(file, other);
    assert.equal(readMade(file), null);
  }
  writeFileSync(join(folder, "full"), "");
  keepMade(join(folder, "full", "a.made"), made);
  assert.deepEqual(readdirSync(folder).sort(), ["a.made", "full"], "no half is left, and nothing is thrown");
  writeFileSync(file, whole);
  utimesSync(file, 0, 0);
  assert.deepEqual(readMade(file), made, "what is used stays");
  utimesSync(join(folder, "full"), 0, 0);
  clearOld(folder);
  assert.deepEqual(readdirSync(folder), ["a.made"]);
  clearOld(join(folder, "nowhere"));
});
