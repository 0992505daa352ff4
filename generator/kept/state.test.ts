import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { clearHalfFiles, EMPTY_STATE, formatState, readState, writeState } from "./state.ts";

const STATE = { ...EMPTY_STATE, fingerprint: "of the last build", program: "one" };

function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-state-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("a state is known to a program that writes it the same way, and to no other", async (t) => {
  const dir = tempDir(t);
  writeState(dir, formatState(STATE));
  assert.deepEqual(await readState(dir, "one"), STATE);
  assert.deepEqual(await readState(dir, "two"), { ...EMPTY_STATE, program: "one" });
  writeFileSync(join(dir, "state.v8"), "{ not a state");
  assert.deepEqual(await readState(dir, "one"), EMPTY_STATE);
});

test("a state with any byte flipped, lost, added or emptied is no state", async (t) => {
  const dir = tempDir(t);
  const path = join(dir, "state.v8");
  writeState(dir, formatState(STATE));
  const good = readFileSync(path);
  const damaged = [
    ...Array.from(good, (byte, at) => Buffer.from(good).fill(byte ^ (1 << (at % 8)), at, at + 1)),
    ...Array.from(good, (_, at) => good.subarray(0, at)),
    ...Array.from(good, (_, at) => Buffer.from(good).fill(0, at)).filter((zeroed) => !zeroed.equals(good)),
    Buffer.concat([good, Buffer.of(0)]),
    Buffer.concat([good, good]),
  ];
  for (const bytes of damaged) {
    writeFileSync(path, bytes);
    assert.deepEqual(await readState(dir, "one"), EMPTY_STATE);
  }
});

test("a state that cannot be written leaves no half file, and what a killed build left is cleared", async (t) => {
  const dir = tempDir(t);
  mkdirSync(join(dir, "state.v8"));
  assert.throws(() => writeState(dir, formatState(STATE)));
  assert.deepEqual(readdirSync(dir), ["state.v8"]);
  rmSync(join(dir, "state.v8"), { recursive: true });
  writeState(dir, formatState(STATE));
  writeFileSync(join(dir, "state.v8.4711.tmp"), '{"version"');
  await clearHalfFiles(dir);
  assert.deepEqual(readdirSync(dir), ["state.v8"]);
});
