import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import fastGlob from "fast-glob";
import { openSources } from "./import-closure.ts";
import { ROOT } from "./house.ts";
import type { Costs } from "./processor.ts";
import { dealGroups } from "./shared-process.ts";

const PROCESSOR = new URL("./processor.ts", import.meta.url).href;

const files = fastGlob.sync("{snapshots,generator,site,sidecar}/**/*.test.ts", { cwd: ROOT, ignore: ["**/dist/**", "**/*.slow.*"] }).sort();

test("every file is in one group or alone, and what could touch another's through the process is alone", () => {
  const { groups, alone } = dealGroups(files, openSources());
  assert.deepEqual([...groups.flat(), ...alone].sort(), files);
  assert.ok(groups.flat().length > 140 && groups.every(({ length }) => length > 1 && length <= 12));
  const groupOf = (path: string): readonly string[] => groups.find((group) => group.includes(path)) ?? [];
  // Other parts of a build are of the whole process.
  assert.ok(groupOf("generator/annex/repair/repair.test.ts").includes("generator/pipeline/canary.test.ts"));
  assert.ok(!groupOf("generator/shelves/owner.test.ts").includes("generator/pipeline/canary.test.ts"));
  // So is the environment that a fixture sets.
  assert.ok(groupOf("generator/annex/registry/kernel.test.ts").includes("generator/annex/registry/recall.test.ts"));
  assert.ok(!groupOf("generator/annex/registry/kernel.test.ts").includes("generator/annex/registry/scan.test.ts"));
  for (const [path, why] of [
    ["sidecar/http/limits.test.ts", "sets a clock"],
    ["snapshots/own-text.test.ts", "sets a flag of V8"],
    ["generator/annex/trust/open-shelf.test.ts", "sets a variable of the environment"],
    ["generator/extract/pool.test.ts", "starts threads"],
    ["snapshots/annex/bucket/s3-bucket.test.ts", "has its tests in a fixture"],
    ["sidecar/serve/app.test.ts", "is long"],
  ] as const)
    assert.ok(alone.includes(path), `${path} ${why}`);
});

test("of each test it is told how it ended and whose it is, of each file what it took, and of a report that was cut short no end", () => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-group-"));
  const costs = join(dir, "costs");
  const write = (name: string, text: string): string => {
    writeFileSync(join(dir, name), `import { test } from "node:test";\n${text}\n`);
    return join(dir, name);
  };
  const run = (...paths: readonly string[]): string => {
    const told = join(mkdtempSync(join(dir, "run-")), "told");
    const reporter = fileURLToPath(new URL("./count-reporter.ts", import.meta.url));
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = [
      "--import",
      PROCESSOR,
      "--test",
      "--test-isolation=none",
      `--test-reporter=${reporter}`,
      `--test-reporter-destination=${told}`,
    ];
    spawnSync(process.execPath, [...args, ...paths], { env: { ...env, PROOFSHELF_TEST_COST: costs }, stdio: "ignore" });
    return (existsSync(told) ? readFileSync(told, "utf8") : "").replaceAll(`${dir}/`, "");
  };
  try {
    const a = write("a.mjs", 'test("good", () => { for (let at = 0; at < 3e8; at++); }); test("left out", { skip: true }, () => {});');
    const b = write("b.mjs", 'test("bad", async (t) => { await t.test("below", () => { throw new Error("no"); }); });');
    const told = run(a, b);
    const { all, files } = JSON.parse(readFileSync(costs, "utf8")) as Costs;
    assert.ok((files[a] ?? 0) > 0.1 && (files[b] ?? 1) < 0.1 && all >= (files[a] ?? 0), "what each file took of the processor");
    assert.equal(told, "passed\ta.mjs\nskipped\ta.mjs\nfailed\tb.mjs\nfailed\tb.mjs\nend\n");
    assert.doesNotMatch(run(a, write("c.mjs", 'test("ends the process", () => process.kill(process.pid, "SIGKILL"));')), /^end$/m);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
