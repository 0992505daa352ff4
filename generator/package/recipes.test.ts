/** The recipes: the files of containers and systemd say what their programs take. The steps of the workflows run in recipes.slow.test.ts. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { program } from "../cli.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RECIPES = join(ROOT, "generator/package/recipes");
/** What a module was compiled to, of which an environment of its own would not know. */
const read = (name: string): string => readFileSync(join(RECIPES, name), "utf8");
const dir = mkdtempSync(join(tmpdir(), "proofshelf-recipes-"));
after(() => rmSync(dir, { recursive: true, force: true }));

type Service = { readonly command: readonly string[]; readonly volumes: readonly string[]; readonly ports?: readonly string[] };
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

test("the workflow that publishes has commands that a shell reads, scripts that are there, and the repository that a provenance needs", () => {
  type Workflow = { readonly jobs: Record<string, { readonly steps: readonly { readonly run?: string }[] }> };
  const { jobs } = parse(readFileSync(join(ROOT, ".github/workflows/publish.yml"), "utf8")) as Workflow;
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
  const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => (run === undefined ? [] : [run])));
  assert.ok(runs.length >= 5);
  for (const run of runs) {
    execFileSync("sh", ["-n", "-c", run.replaceAll(/\$\{\{[^}]*\}\}/g, "x")]);
    for (const [, script = ""] of run.matchAll(/npm run ([\w:]+)/g)) assert.ok(Object.hasOwn(scripts, script), script);
    for (const [, path = ""] of run.matchAll(/\b(generator\/[\w./-]+)/g)) assert.ok(existsSync(join(ROOT, path)), path);
  }
  assert.match(runs.join("\n"), /npm pkg set "repository\.url=git\+https:[^\n]*\n[^]*--provenance/);
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
