/** The demo's registry follows from its sources and from checks that anybody can repeat: here a real Coq is asked again. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseSigningKey } from "../../../snapshots/log/index.ts";
import { open } from "./attest.ts";
import { readChecks } from "./checks.ts";
import { openRegistrySources, type RegistrySources } from "./config.ts";
import { findCoq } from "./coq-tool.ts";
import { findStale, recheckSource } from "./recheck.ts";
import { makeRegistry } from "./make-registry.ts";
import { scanAll } from "./scan-all.ts";
import { OWN, skip } from "./source-fixture.ts";

const DEMO = fileURLToPath(new URL("../../demo/", import.meta.url));
const config = openRegistrySources(join(DEMO, "registry.yaml"));

type Cub = Readonly<Record<string, unknown>>;
const recordsOf = async (sources: RegistrySources): Promise<readonly Cub[]> =>
  (JSON.parse(Buffer.from(await makeRegistry(sources)).toString()) as { cubs: readonly Cub[] }).cubs;

function checksIn(store: string) {
  return readdirSync(store).map((name) => {
    const opened = open(readFileSync(join(store, name)), []);
    return "statement" in opened ? opened.statement : assert.fail(JSON.stringify(opened));
  });
}

test("every record of the demo stands on its line, and is checked as its files are", async () => {
  const { records, drift, notes } = await scanAll(config);
  assert.deepEqual([drift, notes], [[], []]);
  assert.equal(records.length, 51);
  for (const { one, source } of records) {
    const line = new TextDecoder().decode(source.files.get(one.path)).split("\n")[one.line - 1] ?? "";
    assert.match(line, new RegExp(`\\b${one.theorem}\\b`), `${one.path}:${one.line}`);
  }
  const checks = readChecks(config.checks);
  assert.deepEqual(checks.refused, []);
  assert.deepEqual(
    findStale(records, checks, () => null),
    [],
  );
  const states = Map.groupBy(await recordsOf(config), (cub) => String(cub["verification_state"]));
  assert.deepEqual([...states].map(([state, cubs]) => [state, cubs.length]).sort(), [
    ["NOT_VERIFIED", 4],
    ["UNSPECIFIED", 5],
    ["VERIFIED", 42],
  ]);
});

/** The same sources with a store of their own. */
function withoutChecks(t: TestContext): RegistrySources {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-demo-registry-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  process.env["XDG_CACHE_HOME"] = join(folder, "cache");
  return { ...config, checks: { ...config.checks, store: join(folder, "checks"), trust: [] } };
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
  const pick = ({ id, verification_state, status, no_holes, axioms, statement, uses }: Cub): unknown => ({
    id,
    verification_state,
    status,
    no_holes,
    axioms,
    statement,
    uses,
  });
  assert.deepEqual((await recordsOf(own)).map(pick), (await recordsOf(config)).map(pick));
  const committed = checksIn(config.checks.store);
  // Another Coq may print a statement otherwise.
  if (committed.some(({ predicate }) => predicate.tool.version !== findCoq()?.version)) return;
  const digests = (of: typeof committed): string[] => of.map(({ predicate }) => predicate.reproducible_sha256).sort();
  assert.deepEqual(digests(checksIn(own.checks.store)), digests(committed));
});

test("a check that is changed in one sign counts nothing, and what it spoke of is not verified any more", async (t) => {
  const own = withoutChecks(t);
  cpSync(config.checks.store, own.checks.store, { recursive: true });
  const [name = ""] = readdirSync(own.checks.store);
  const file = join(own.checks.store, name);
  const whole = readFileSync(file, "utf8");
  const trusted = { ...own, checks: { ...own.checks, trust: config.checks.trust } };
  const verified = async (): Promise<number> =>
    (await recordsOf(trusted)).filter(({ verification_state: state }) => state === "VERIFIED").length;
  assert.equal(await verified(), 42);
  for (const at of [40, 400, whole.length - 30]) {
    writeFileSync(file, `${whole.slice(0, at)}${whole[at] === "A" ? "B" : "A"}${whole.slice(at + 1)}`);
    assert.ok((await verified()) < 42, `byte ${at}`);
    assert.equal(readChecks(trusted.checks).refused.length, 1);
  }
});
