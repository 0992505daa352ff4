import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { compileSite } from "./pages/compile-site.ts";
import { stateBasis, VERSION } from "./build.ts";
import { clearHalfStates, EMPTY_STATE, formatState, readState, writeState } from "./state.ts";

const STATE = { ...EMPTY_STATE, fingerprint: "of the last build" };

function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-state-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("a state is known to a build with the same basis, and to no other", async (t) => {
  const dir = tempDir(t);
  await writeState(dir, await formatState("one", STATE));
  assert.deepEqual(await readState(dir, "one"), STATE);
  assert.deepEqual(await readState(dir, Promise.resolve("one")), STATE);
  assert.deepEqual(await readState(dir, "two"), EMPTY_STATE);
  assert.deepEqual(await readState(dir, Promise.reject(new Error("no pages"))), EMPTY_STATE);
});

test("the basis of a build names the program's version and that of its compiled pages, not where they lie", async () => {
  const { dist } = await compileSite();
  const basis = stateBasis({ dist });
  assert.equal(stateBasis({ dist: `/elsewhere/${dist.split("/").at(-1)}` }), basis);
  assert.notEqual(stateBasis({ dist: `${dist}0` }), basis);
  assert.ok(basis.startsWith(`${VERSION} `));
});

test("a state that cannot be written leaves no half file, and what a killed build left is cleared", async (t) => {
  const dir = tempDir(t);
  mkdirSync(join(dir, "state.v8"));
  await assert.rejects(writeState(dir, await formatState("one", STATE)));
  assert.deepEqual(readdirSync(dir), ["state.v8"]);
  rmSync(join(dir, "state.v8"), { recursive: true });
  await writeState(dir, await formatState("one", STATE));
  writeFileSync(join(dir, "state.v8.4711"), '{"version"');
  await clearHalfStates(dir);
  assert.deepEqual(readdirSync(dir), ["state.v8"]);
});
