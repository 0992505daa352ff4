/** The demo's registry follows from its sources and from checks; `demo.slow.test.ts` asks a real Coq again. */
import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readChecks } from "./checks.ts";
import { DEMO_SOURCES, recordsOf, withoutChecks } from "./demo-fixture.ts";
import { findStale } from "./recheck.ts";
import { scanAll } from "./scan-all.ts";

test("every record of the demo stands on its line, and is checked as its files are", async () => {
  const { records, drift, notes } = await scanAll(DEMO_SOURCES);
  assert.deepEqual([drift, notes], [[], []]);
  assert.equal(records.length, 51);
  for (const { one, source } of records) {
    const line = new TextDecoder().decode(source.files.get(one.path)).split("\n")[one.line - 1] ?? "";
    assert.match(line, new RegExp(`\\b${one.theorem}\\b`), `${one.path}:${one.line}`);
  }
  const checks = readChecks(DEMO_SOURCES.checks);
  assert.deepEqual(checks.refused, []);
  assert.deepEqual(
    findStale(records, checks, () => null),
    [],
  );
  const states = Map.groupBy(await recordsOf(DEMO_SOURCES), (cub) => String(cub["verification_state"]));
  assert.deepEqual([...states].map(([state, cubs]) => [state, cubs.length]).sort(), [
    ["NOT_VERIFIED", 4],
    ["UNSPECIFIED", 5],
    ["VERIFIED", 42],
  ]);
});

test("a check that is changed in one sign counts nothing, and what it spoke of is not verified any more", async (t) => {
  const own = withoutChecks(t);
  cpSync(DEMO_SOURCES.checks.store, own.checks.store, { recursive: true });
  const [name = ""] = readdirSync(own.checks.store);
  const file = join(own.checks.store, name);
  const whole = readFileSync(file, "utf8");
  const trusted = { ...own, checks: { ...own.checks, trust: DEMO_SOURCES.checks.trust } };
  const verified = async (): Promise<number> =>
    (await recordsOf(trusted)).filter(({ verification_state: state }) => state === "VERIFIED").length;
  assert.equal(await verified(), 42);
  for (const at of [40, 400, whole.length - 30]) {
    writeFileSync(file, `${whole.slice(0, at)}${whole[at] === "A" ? "B" : "A"}${whole.slice(at + 1)}`);
    assert.ok((await verified()) < 42, `byte ${at}`);
    assert.equal(readChecks(trusted.checks).refused.length, 1);
  }
});
