import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { OPEN } from "./modes.ts";
import { writeInRoot, writeWhole } from "./write-whole.ts";

test("a file appears whole with its modes, in folders that are made, and a failure leaves nothing", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "write-whole-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeWhole(join(dir, "a/b"), "one");
  writeWhole(join(dir, "a/b"), "two");
  assert.equal(readFileSync(join(dir, "a/b"), "utf8"), "two");
  assert.deepEqual([statSync(join(dir, "a")).mode & 0o777, statSync(join(dir, "a/b")).mode & 0o777], [0o700, 0o600]);
  writeWhole(join(dir, "open"), "x", { modes: OPEN, durable: false });
  assert.equal(statSync(join(dir, "open")).mode & 0o777, 0o644);
  mkdirSync(join(dir, "a/folder"));
  // Nothing can be renamed onto a folder.
  assert.throws(() => writeWhole(join(dir, "a/folder"), "x"));
  assert.deepEqual(readdirSync(join(dir, "a")).sort(), ["b", "folder"]);
  mkdirSync(join(dir, "root"), { mode: 0o700 });
  writeInRoot(join(dir, "root"), join(dir, "root/deep/file"), Buffer.from("x"));
  assert.equal(statSync(join(dir, "root/deep/file")).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(dir, "root/tmp")), []);
});
