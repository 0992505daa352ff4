/** The steps of the workflows of the recipes run in a shell. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { generateKey } from "../../snapshots/log/note.ts";
import { findSandbox } from "../annex/registry/sandbox.ts";
import { writeFiles } from "../testing/library.ts";
import { PAGED_CLI, startServing } from "../testing/serving-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RECIPES = join(ROOT, "generator/package/recipes");
/** What a module was compiled to, of which an environment of its own would not know. */
const COMPILED = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "proofshelf-compiled") };
const read = (name: string): string => readFileSync(join(RECIPES, name), "utf8");
const dir = mkdtempSync(join(tmpdir(), "proofshelf-recipes-"));
after(() => rmSync(dir, { recursive: true, force: true }));

type Step = { readonly name?: string; readonly run?: string };

test("the steps of the workflow build a library, say what changed, refuse what gets weaker, export it and audit what is published", async (t) => {
  const { jobs } = parse(read("workflow.yml")) as { jobs: Record<string, { steps: readonly Step[] }> };
  const runOf = (job: string, name: string): string => jobs[job]?.steps.find((step) => step.name === name)?.run ?? assert.fail(name);
  const bin = join(dir, "bin");
  const temp = join(dir, "runner");
  for (const folder of [bin, temp]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(bin, "proofshelf"), `#!/bin/sh\nexec "${process.execPath}" "${PAGED_CLI}" "$@"\n`, {
    mode: 0o755,
  });
  const library = join(dir, "library");
  const env = { ...COMPILED, PATH: `${bin}:${process.env["PATH"]}`, HOME: dir, RUNNER_TEMP: temp };
  const step = (job: string, name: string, more: Record<string, string> = {}) =>
    spawnSync("bash", ["-e", "-o", "pipefail", "-c", runOf(job, name)], { cwd: library, env: { ...env, ...more }, encoding: "utf8" });
  const passes = (name: string): void => {
    const { status, stdout, stderr } = step("build", name);
    assert.equal(status, 0, `${name}: ${stdout}${stderr}`);
  };
  await writeFiles(library, [
    [
      "proofshelf.yaml",
      `baseUrl: http://library.example\nstore: { kind: directory, root: ./files }\nshelf: { kind: directory, root: ${temp}/shelf }\ncollections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]\nclaims: { path: ./claims.yaml }\ngates: { regressions: refuse }\nembeddings: { kind: none }\n`,
    ],
    [
      "claims.yaml",
      "claims:\n  - { id: one, title: One, status: verified, scope: This, statement: It holds., evidence: [{ artifact: A, kind: note, access: public, path: notes/one.md }] }\n",
    ],
    ["files/notes/one.md", "# One\n"],
  ]);
  for (const name of ["check", "build", "compare"]) passes(name);
  assert.equal(readFileSync(join(temp, "diff.md"), "utf8"), "Nothing would change.\n");
  await writeFiles(library, [["files/notes/two.md", "# Two\n"]]);
  for (const name of ["build", "compare", "export"]) passes(name);
  assert.match(readFileSync(join(temp, "diff.md"), "utf8"), /^```\n[^]*notes\/two\.md[^]*```\n$/);
  assert.match(readFileSync(join(temp, "pages/object/notes/two.md/index.html"), "utf8"), /Two/);

  const server = await startServing(["--only", "site", "--config", join(library, "proofshelf.yaml")]);
  t.after(() => server.stop());
  const audited = step("audit", "audit", { LIBRARY: server.url });
  assert.equal(audited.status, 0, audited.stdout + audited.stderr);
  assert.ok(existsSync(join(temp, "audit/state.json")));

  const claims = readFileSync(join(library, "claims.yaml"), "utf8");
  writeFileSync(join(library, "claims.yaml"), claims.replace("status: verified", "status: partial"));
  const refused = step("build", "build");
  assert.deepEqual([refused.status, /"gate_refused"|got weaker/.test(refused.stderr)], [5, true], refused.stderr);
});

const coq =
  spawnSync("coqc", ["--version"]).status !== 0 ? "coqc is not installed" : findSandbox() === null ? "there is no sandbox here" : false;
test("the steps of the workflow for proofs scan, recheck, build, say what changed, keep the checks, and refuse what does not hold", {
  skip: coq,
}, async () => {
  const { jobs } = parse(read("proofs.yml")) as { jobs: { proofs: { steps: readonly Step[] } } };
  const temp = join(dir, "proofs-runner");
  const work = join(dir, "proofs");
  const bin = join(dir, "proofs-bin");
  for (const folder of [temp, bin]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(bin, "proofshelf"), `#!/bin/sh\nexec "${process.execPath}" "${PAGED_CLI}" "$@"\n`, {
    mode: 0o755,
  });
  const env = {
    ...COMPILED,
    PATH: `${bin}:${process.env["PATH"]}`,
    HOME: dir,
    XDG_CACHE_HOME: join(dir, "cache"),
    RUNNER_TEMP: temp,
    PROVERS: "coq",
    RECHECK_KEY: generateKey("recheck.example.org").privateKey,
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b.example",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b.example",
  };
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: work, env, encoding: "utf8" });
  const step = (name: string, more: Record<string, string> = {}) => {
    const run = jobs.proofs.steps.find((one) => one.name === name)?.run ?? assert.fail(name);
    return spawnSync("bash", ["-e", "-o", "pipefail", "-c", run], { cwd: work, env: { ...env, ...more }, encoding: "utf8" });
  };
  const passes = (name: string, more: Record<string, string> = {}): void => {
    const { status, stdout, stderr } = step(name, more);
    assert.equal(status, 0, `${name}: ${stdout}${stderr}`);
  };
  const lemma = "Lemma sound : 1 = 1. Proof. reflexivity. Qed.\n";
  await writeFiles(work, [
    ["src/A.v", lemma],
    [
      "registry.yaml",
      "checks: { store: ./library/checks }\ncode: ./code\nsources:\n  - { repo: mine, git: ., rev: HEAD, prover: coq, root: src, logical: L }\n",
    ],
    [
      "proofshelf.yaml",
      `baseUrl: http://proofs.example\nstore: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ${temp}/shelf }\ncollections: [{ id: checks, prefix: checks/, title: Checks, visibility: public }]\nregistry: { sources: ./registry.yaml }\ncode: { kind: directory, root: ./code }\nembeddings: { kind: none }\n`,
    ],
    [".gitignore", "code\n"],
  ]);
  execFileSync("git", ["init", "--quiet", "--bare", join(dir, "proofs.git")]);
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", join(dir, "proofs.git"));
  git("add", "-A");
  git("commit", "--quiet", "--message", "first");
  git("push", "--quiet", "--set-upstream", "origin", "main");
  const before = git("rev-parse", "HEAD").trim();
  for (const name of ["scan", "recheck", "build", "keep"]) passes(name);
  assert.match(git("show", "--name-only", "origin/main"), /library\/checks\/[0-9a-f]+\.json[^]*registry\.lock\.jsonl/);
  await writeFiles(work, [["src/B.v", "From L Require Import A.\nLemma next : 2 = 2. Proof. reflexivity. Qed.\n"]]);
  git("add", "-A");
  git("commit", "--quiet", "--message", "second");
  for (const name of ["scan", "recheck", "build", "export"]) passes(name);
  passes("compare", { BASE: before });
  assert.match(readFileSync(join(temp, "diff.md"), "utf8"), /^```\nnew +mine coq L\.B\.next\n1 declarations, then 2/);
  assert.match(readFileSync(join(temp, "pages/registry/CUB-0002/index.html"), "utf8"), /accepted this file/);
  // The comment of a pull request is written anew where there is none to edit. What it is written with is installed first.
  const install = jobs.proofs.steps.find(({ name }) => name === "install")?.run ?? "";
  assert.match(install, /apt-get install .*\bgh\b/);
  const said = join(dir, "comment");
  writeFileSync(
    join(bin, "gh"),
    `#!/bin/sh\n[ "$4" = --edit-last ] && exit 1\n[ "$1 $2 $3 $4" = "pr comment 7 --body-file" ] && cat "$5" > ${said}\n`,
    { mode: 0o755 },
  );
  passes("comment", { NUMBER: "7" });
  assert.match(readFileSync(said, "utf8"), /L\.B\.next/);
  // A hole is refused by the recheck, and another statement under a verified id already by the scan.
  await writeFiles(work, [["src/B.v", "Lemma next : 2 = 2. Proof. Admitted.\n"]]);
  git("commit", "--quiet", "--all", "--message", "a hole");
  passes("scan");
  assert.equal(step("recheck").status, 3);
  await writeFiles(work, [["src/A.v", lemma.replace("1 = 1", "0 = 0")]]);
  git("commit", "--quiet", "--all", "--message", "another statement");
  assert.equal(step("scan").status, 5);
});
