/** The recipes: the files of containers and systemd say what their programs take, and the steps of the workflow run in a shell. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { generateKey } from "../../snapshots/log/note.ts";
import { findSandbox } from "../annex/registry/sandbox.ts";
import { program } from "../cli.ts";
import { writeFiles } from "../testing/library.ts";
import { PAGED_CLI, startServing } from "../testing/serving-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RECIPES = join(ROOT, "generator/package/recipes");
/** What a module was compiled to, of which an environment of its own would not know. */
const COMPILED = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "proofshelf-compiled") };
const read = (name: string): string => readFileSync(join(RECIPES, name), "utf8");
const dir = mkdtempSync(join(tmpdir(), "proofshelf-recipes-"));
after(() => rmSync(dir, { recursive: true, force: true }));

type Service = { readonly command: readonly string[]; readonly volumes: readonly string[]; readonly ports?: readonly string[] };
type Step = { readonly name?: string; readonly run?: string };
const services = (parse(read("compose.yaml"), { merge: true }) as { services: Record<string, Service> }).services;

/** Each command line of the program, from a unit, a container or a service. */
function commandLines(): readonly (readonly string[])[] {
  const units = readdirSync(RECIPES).filter((name) => name.endsWith(".service"));
  return [
    ...units.map((name) => (/^ExecStart=\/usr\/bin\/env proofshelf (.*)$/m.exec(read(name))?.[1] ?? assert.fail(name)).split(" ")),
    ...["Containerfile", "Containerfile.coq"].map((name) => JSON.parse(/^CMD (.*)$/m.exec(read(name))?.[1] ?? "") as string[]),
    ...Object.entries(services).flatMap(([name, { command }]) => (name === "nginx" ? [] : [command])),
  ];
}

test("what units, containers and services start are commands of the program, with options that it has", () => {
  const lines = commandLines();
  assert.ok(lines.length >= 7);
  for (const [name = "", ...rest] of lines) {
    const outer = program.commands.find((one) => one.name() === name);
    const command = outer?.commands.find((one) => one.name() === rest[0]) ?? outer;
    assert.ok(command !== undefined, name);
    const known = new Set(command.options.map(({ long }) => long));
    for (const word of rest.filter((one) => one.startsWith("--"))) assert.ok(known.has(word), `${name} ${word}`);
  }
});

test("what the container file copies and runs is in a clone, and what it installs is what the package is called", () => {
  const text = read("Containerfile");
  for (const [, path = ""] of text.matchAll(/\b(generator\/[\w./-]+)/g)) assert.ok(existsSync(join(ROOT, path)), path);
  const { name, version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, string>;
  assert.ok(text.includes("COPY --from=package /packed/proofshelf-[0-9]*.tgz"));
  assert.match(`${name}-${version}.tgz`, /^proofshelf-[0-9].*\.tgz$/);
  for (const file of ["workflow.yml", "proofs.yml"])
    assert.ok(read(file).includes(`PROOFSHELF: ${name}@${version}\n`), `${file} pins this version`);
});

test("nginx takes the file that the compose file makes for it, and each service that it names is there", (t) => {
  const command = services["nginx"]?.command.at(-1) ?? "";
  const source = join(ROOT, "sidecar/proxy/nginx.conf");
  const made = execFileSync("sh", ["-c", command.replace(/ > .*$/s, "").replace("/proofshelf.conf", source)], { encoding: "utf8" });
  const upstreams = [...made.matchAll(/^\s*server ([\w.]+):(\d+) /gm)].map(([, name = "", port = ""]) => [name, port]);
  assert.deepEqual(upstreams.sort(), [
    ["sidecar", "8081"],
    ["site", "8080"],
  ]);
  for (const [name = "", port = ""] of upstreams) assert.equal(services[name]?.command[services[name].command.indexOf("--port") + 1], port);
  assert.match(made, /listen 8080;/);
  for (const service of Object.values(services))
    for (const volume of service.volumes) {
      const [from = ""] = volume.split(":");
      if (from.startsWith("../")) assert.ok(existsSync(join(RECIPES, from)), volume);
    }
  if (spawnSync("sh", ["-c", 'PATH="$PATH:/usr/sbin"; command -v nginx']).status !== 0) return t.skip("nginx is not installed");
  const file = join(dir, "nginx.conf");
  mkdirSync(join(dir, "cache"), { recursive: true });
  const here = made
    .replaceAll(/server (?:site|sidecar):/g, "server 127.0.0.1:")
    .replaceAll(/proxy_cache_path \S+/g, `proxy_cache_path ${dir}/cache`);
  writeFileSync(file, `pid ${dir}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${here}\n}\n`);
  const checked = spawnSync("sh", ["-c", `PATH="$PATH:/usr/sbin" nginx -t -c ${file}`], { encoding: "utf8" });
  assert.equal(checked.status, 0, checked.stderr);
});

test("systemd takes the units, the users and the folders", (t) => {
  if (spawnSync("sh", ["-c", "command -v systemd-analyze systemd-sysusers systemd-tmpfiles"]).status !== 0)
    return t.skip("systemd is not installed");
  const root = join(dir, "root");
  for (const [name, folder] of [
    ["sysusers.conf", "sysusers.d"],
    ["tmpfiles.conf", "tmpfiles.d"],
  ] as const) {
    mkdirSync(join(root, "etc", folder), { recursive: true });
    cpSync(join(RECIPES, name), join(root, "etc", folder, "proofshelf.conf"));
  }
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\n");
  const users = spawnSync("systemd-sysusers", ["--root", root], { encoding: "utf8" });
  assert.equal(users.status, 0, users.stderr);
  const made = readFileSync(join(root, "etc/passwd"), "utf8");
  for (const name of readdirSync(RECIPES).filter((one) => one.endsWith(".service")))
    assert.match(made, new RegExp(`^${/^User=(.*)$/m.exec(read(name))?.[1]}:`, "m"), name);
  const folders = spawnSync("systemd-tmpfiles", ["--create", "--root", root], { encoding: "utf8" });
  assert.equal(folders.status, 0, folders.stderr);
  assert.ok(existsSync(join(root, "var/lib/proofshelf")));
  const units = readdirSync(RECIPES).filter((name) => /\.(?:service|timer)$/.test(name));
  const verified = spawnSync("systemd-analyze", ["verify", "--man=no", ...units.map((name) => join(RECIPES, name))], { encoding: "utf8" });
  assert.doesNotMatch(verified.stderr, /Unknown|Invalid|Failed to parse|ignoring/i);
});

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
