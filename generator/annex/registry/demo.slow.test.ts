/** The demo's checks are what anybody gets who asks: here a real Coq is asked again. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseSigningKey } from "../../../snapshots/log/index.ts";
import { open } from "./attest.ts";
import { findCoq } from "./coq-tool.ts";
import { DEMO_SOURCES, recordsOf, withoutChecks } from "./demo-fixture.ts";
import { recheckSource } from "./recheck.ts";
import { scanAll } from "./scan-all.ts";
import { OWN, skip } from "./source-fixture.ts";

function checksIn(store: string) {
  return readdirSync(store).map((name) => {
    const opened = open(readFileSync(join(store, name)), []);
    return "statement" in opened ? opened.statement : assert.fail(JSON.stringify(opened));
  });
}

test("Coq says again what the demo's checks say, in results that have the same digest", { skip, timeout: 300_000 }, async (t) => {
  const own = withoutChecks(t);
  const { records, sources } = await scanAll(own);
  const options = { unsandboxed: false, exact: true, jobs: 1, key: parseSigningKey(OWN.privateKey), now: () => new Date() };
  for (const source of sources) {
    const asked = records.filter((record) => record.source === source).map(({ one }) => one);
    const [{ check, problems } = { check: null, problems: [] }] = await recheckSource(own, source, asked, options);
    assert.ok(check, problems.join("\n"));
  }
  const pick = ({ id, verification_state, status, no_holes, axioms, statement, uses }: Readonly<Record<string, unknown>>): unknown => ({
    id,
    verification_state,
    status,
    no_holes,
    axioms,
    statement,
    uses,
  });
  assert.deepEqual((await recordsOf(own)).map(pick), (await recordsOf(DEMO_SOURCES)).map(pick));
  const committed = checksIn(DEMO_SOURCES.checks.store);
  // Another Coq may print a statement otherwise.
  if (committed.some(({ predicate }) => predicate.tool.version !== findCoq()?.version)) return;
  const digests = (of: typeof committed): string[] => of.map(({ predicate }) => predicate.reproducible_sha256).sort();
  assert.deepEqual(digests(checksIn(own.checks.store)), digests(committed));
});
