/** The programs of the demo, linked and run with their own tests. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { compileRust, findTool, registry } from "./demo-fixture.ts";

test("the tests of each Rust crate pass", findTool("rustc") ?? {}, (t) => {
  const work = mkdtempSync(join(tmpdir(), "proofshelf-rust-"));
  t.after(() => rmSync(work, { recursive: true, force: true }));
  for (const repo of Object.keys(registry.meta.sources)) {
    const program = join(work, repo);
    compileRust(repo, ["--test"], program);
    assert.match(execFileSync(program, ["-q"]).toString(), /test result: ok\. [1-9]/, repo);
  }
});
