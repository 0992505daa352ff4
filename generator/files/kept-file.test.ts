import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { keptFile } from "./kept-file.ts";

test("what is kept comes back exactly or not at all, and is written only when it is another", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "kept-file-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "deep/names");
  const kept = keptFile(z.array(z.string()), path);
  assert.equal(kept.read(), null);
  kept.write(["a", "é"]);
  assert.deepEqual(kept.read(), ["a", "é"]);
  const { ino } = statSync(path);
  kept.write(["a", "é"]);
  assert.equal(statSync(path).ino, ino);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(keptFile(z.number(), path).read(), null);
  const bytes = readFileSync(path);
  for (const at of bytes.keys()) {
    writeFileSync(
      path,
      bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)),
    );
    assert.equal(kept.read(), null);
    writeFileSync(path, bytes.subarray(0, at));
    assert.equal(kept.read(), null);
  }
  kept.remove();
  assert.equal(kept.read(), null);
});
