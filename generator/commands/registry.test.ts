import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../../snapshots/digest.ts";
import type { BuildSummary } from "../pipeline/summary.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { describeFindings } from "../sources/registry-findings.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { type Ran, runIn } from "../testing/run-program.ts";
import { build } from "../testing/whole.ts";

const HEAD = "0123456789abcdef0123456789abcdef01234567";
const BASE = { repo: "proofs", statement: "True", theorem_name: "t", no_holes: true };
const CUBS = [
  // As it should be.
  {
    ...BASE,
    id: "CUB-0001",
    verification_state: "VERIFIED",
    files: { coq_file: "A.v" },
    file_shas: { "A.v": sha256("A") },
    internal_owner: "x",
  },
  { ...BASE, id: "CUB-0002", file_shas: { "A.v": sha256("other"), "gone.v": sha256("gone") } },
  { ...BASE, id: "CUB-0003", files: { lean_file: "B.lean", coq_file: "A.v" }, reproduce: { proof_files: ["C.lean"] } },
  { ...BASE, id: "CUB-0004", exec_file: "src/nowhere.rs" },
  { ...BASE, id: "CUB-0005", exec_file: "src/run.rs" },
  { ...BASE, id: "CUB-0006", verification_state: "VERIFIED", no_holes: false },
  { ...BASE, id: "CUB-0007", verification_state: "VERIFIED", no_holes: undefined },
  { ...BASE, id: "CUB-0008", theorem_name: undefined, theoremName: "t" },
  { ...BASE, id: "CUB-0009", files: { coqfile: "A.v" }, wobble: 1 },
];
const META = {
  service: "S",
  updatedIso: "x",
  sources: { proofs: { head: HEAD } },
  verification_counts: { VERIFIED: 9 },
  readiness_counts: { verified_not_runtime: 2, other: 7 },
};

async function openLibrary(t: TestContext): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "registry-check-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["library/a.md", "# A\n"],
    [`code/proofs/${HEAD}/A.v`, "A"],
    [`code/proofs/${HEAD}/B.lean`, "B"],
    [`code/proofs/${HEAD}/src/run.rs`, "run"],
    ["registry.json", `${JSON.stringify({ meta: META, cubs: CUBS }, null, 2)}\n`],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\ncode: { kind: directory, root: ./code }\nregistry: { path: ./registry.json, internalFields: [internal_owner] }\ncollections:\n  - { id: a, prefix: '', title: A, visibility: public }\n",
    ],
  ]);
  return dir;
}

const EXPECTED = [
  /CUB-0002: .*"A\.v" as [0-9a-f]{64}, but the code store has [0-9a-f]{64}/,
  /CUB-0002: .*"gone\.v", which is not in the code store/,
  /CUB-0003: .*no digest of the proof file "A\.v"$/m,
  /CUB-0003: .*no digest of the proof file "C\.lean", and the code store does not have it/,
  /CUB-0004: exec_file "src\/nowhere\.rs" is nowhere/,
  /CUB-0006: no_holes is false, but verification_state is VERIFIED/,
  /CUB-0007: no_holes is left out/,
  /theoremName is not a known field in CUB-0008; did you mean theorem_name\?/,
  /files\.coqfile .*did you mean files\.coq_file\?/,
  /wobble .*internalFields/,
  /meta\.updatedIso .*did you mean meta\.updated_iso\?/,
  /verification_counts\.VERIFIED declares 9, the records count 3/,
  /readiness_counts\.verified_not_runtime declares 2, the records count 3/,
];
const UNTRUE = [/CUB-0001: /, /CUB-0005: /, /internal_owner/];

const check = (dir: string, ...args: string[]): Promise<Ran> => runIn(dir, ["registry", "check", ...args]);

test("every build names what is wrong with the registry, to the operator alone, and the check says the same without a build", async (t) => {
  const dir = await openLibrary(t);
  const run = async () => build(await openConfig(join(dir, "proofshelf.yaml")), { progress: SILENT }, PLAIN_PARTS);
  const textOf = ({ notes, registry }: BuildSummary): string => [...notes, ...describeFindings(registry)].join("\n");
  const first = textOf(await run());
  const second = await run();
  assert.equal(second.published, false);
  const checked = await check(dir, "registry.json", "--config", "proofshelf.yaml");
  assert.equal(checked.status, 3);
  for (const text of [first, textOf(second), checked.stdout]) {
    for (const expected of EXPECTED) assert.match(text, expected);
    for (const untrue of UNTRUE) assert.doesNotMatch(text, untrue);
  }
  const json = JSON.parse((await check(dir, "registry.json", "--config", "proofshelf.yaml", "--json")).stdout) as {
    findings: { record: string; field: string }[];
  };
  assert.ok(json.findings.some(({ record, field }) => record === "CUB-0006" && field === "no_holes"));
  const published = spawnSync("grep", ["-rlaE", "theoremName|wobble", join(dir, "shelf/public")], { encoding: "utf8" });
  assert.equal(published.stdout, "", "names of unknown fields reach no public byte");
});

test("without a configuration the code store is not asked; a file that is no registry is a finding, and so is one that is not there an error", async (t) => {
  const dir = await openLibrary(t);
  rmSync(join(dir, "proofshelf.yaml"));
  const { status, stdout } = await check(dir, "registry.json");
  assert.equal(status, 3);
  assert.match(stdout, /theoremName/);
  assert.doesNotMatch(stdout, /code store/);
  await writeFiles(dir, [
    ["broken.json", "{"],
    ["good.json", JSON.stringify({ cubs: [{ ...BASE, id: "CUB-0001" }] })],
  ]);
  const broken = await check(dir, "broken.json");
  assert.deepEqual([broken.status, (await check(dir, "good.json")).status, (await check(dir, "none.json")).status], [3, 0, 1]);
  assert.match(broken.stdout, /not valid JSON/);
});

test("--counts writes what the records count into the file and leaves the rest as it was", async (t) => {
  const dir = await openLibrary(t);
  const { stdout } = await check(dir, "registry.json", "--counts");
  assert.doesNotMatch(stdout, /declares/);
  const text = readFileSync(join(dir, "registry.json"), "utf8");
  const { meta, cubs } = JSON.parse(text) as { meta: typeof META & Record<string, unknown>; cubs: unknown[] };
  assert.deepEqual(cubs, JSON.parse(JSON.stringify(CUBS)));
  assert.deepEqual(meta.verification_counts, { UNSPECIFIED: 5, VERIFIED: 3 });
  assert.deepEqual([meta.readiness_counts.verified_not_runtime, meta.readiness_counts.other, meta.updatedIso], [3, 7, "x"]);
  assert.match(text, /^\{\n {2}"meta": \{\n {4}"service"/);
});
