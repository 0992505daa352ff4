/** The demo's registry, held to its sources: what people wrote there is what the files declare, and what Coq says of them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openRegistrySources } from "./config.ts";
import { writeLock } from "./lock.ts";
import { recheckSource } from "./recheck.ts";
import { makeRegistry, scanAll } from "./records.ts";
import { findSandbox } from "./sandbox.ts";

const DEMO = fileURLToPath(new URL("../../demo/", import.meta.url));
type Cub = Readonly<Record<string, unknown>> & { readonly id: string };
type Written = { readonly meta: { readonly sources: Readonly<Record<string, { head: string }>> }; readonly cubs: readonly Cub[] };
const written = JSON.parse(readFileSync(join(DEMO, "registry.json"), "utf8")) as Written;

function openDemo(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-demo-registry-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const sources = Object.entries(written.meta.sources).map(([repo, { head }]) => {
    const logical = repo.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return `  - { repo: ${repo}, folder: ${JSON.stringify(join(DEMO, "code", repo, head))}, rev: ${head}, prover: coq, root: coq, logical: ${logical}, kinds: [theorem, definition, type], pair: "lean/{x}.lean" }\n`;
  });
  writeFileSync(join(folder, "registry.yaml"), `records: ${JSON.stringify(join(DEMO, "registry.json"))}\nsources:\n${sources.join("")}`);
  return openRegistrySources(join(folder, "registry.yaml"));
}

/** Members of the demo's records as the sources give them. */
async function recordsOf(config: ReturnType<typeof openRegistrySources>, members: readonly string[]): Promise<unknown[]> {
  const { cubs } = JSON.parse(Buffer.from(await makeRegistry(config)).toString()) as Written;
  const ids = new Set(written.cubs.map(({ id }) => id));
  return cubs.filter(({ id }) => ids.has(id)).map((cub) => members.map((name) => cub[name]));
}

test("the sources give the demo's records, with the same ids, names, kinds, files and digests", async (t) => {
  const config = openDemo(t);
  const { lock, records } = await scanAll(config);
  writeLock(config.lock, lock);
  const members = ["id", "repo", "theorem_name", "module", "kind", "formal_systems", "files", "file_shas", "exec_file"];
  assert.deepEqual(
    await recordsOf(config, members),
    written.cubs.map((cub) => members.map((name) => cub[name])),
  );
  for (const { one, source } of records) {
    const line = new TextDecoder().decode(source.files.get(one.path)).split("\n")[one.line - 1] ?? "";
    assert.match(line, new RegExp(`\\b${one.theorem}\\b`), `${one.path}:${one.line}`);
  }
});

const skip =
  spawnSync("coqc", ["--version"]).status !== 0
    ? "coqc is not installed"
    : findSandbox() === null
      ? "there is no sandbox here (bubblewrap)"
      : false;

test("Coq says of each record of the demo what is written there", { skip, timeout: 300_000 }, async (t) => {
  const config = openDemo(t);
  const { lock, records, sources } = await scanAll(config);
  writeLock(config.lock, lock);
  for (const source of sources) {
    const asked = records.filter((record) => record.source === source).map(({ one }) => one);
    const { check, problems } = await recheckSource(config, source, asked, {
      unsandboxed: false,
      exact: true,
      jobs: 1,
      key: null,
      now: () => new Date(),
    });
    assert.ok(check, problems.join("\n"));
  }
  const members = ["id", "verification_state", "status", "no_holes"];
  assert.deepEqual(
    await recordsOf(config, members),
    written.cubs.map((cub) => members.map((name) => cub[name])),
  );
  const lineage = (await recordsOf(config, ["id", "lineage"])) as [string, string][];
  assert.match(
    lineage.find(([id]) => id === "CUB-0049")?.[1] ?? "",
    /^Coq \S+ accepted this file at 4be2268 on \S+, but this rests on what nobody has proved: SmallNumbers\.Open\.sum_of_cubes\. Check [0-9a-f]{64}\.$/,
  );
  assert.match(lineage[3]?.[1] ?? "", /it rests on no axiom\. Check/);
});
