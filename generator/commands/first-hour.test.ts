/** What somebody meets who tries the program for the first time. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { load } from "js-yaml";
import { writeFiles } from "../fixtures/library.ts";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };

function run(cwd: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
}

async function openFolder(t: TestContext): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "first-hour-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["books/notes/one.md", "# One\n"],
    ["books/My Papers/two.md", "# Two\n"],
    ["books/my-papers/three.md", "# Three\n"],
    ['books/odd "name": #/four.md', "# Four\n"],
    ["books/drafts/gated.md", "# Gated\n"],
    ["books/.git/config", "x"],
    ["books/readme.md", "# Readme\n"],
  ]);
  return dir;
}

test("--version says the version", () => {
  assert.deepEqual(run(tmpdir(), "--version"), { status: 0, stdout: `${version}\n`, stderr: "" });
});

test("init writes a configuration of the folder's own subfolders that is right, builds, and gates what sounds gated; it overwrites nothing", async (t) => {
  const dir = await openFolder(t);
  assert.equal(run(dir, "init", "books").status, 0);
  const text = readFileSync(join(dir, "proofshelf.yaml"), "utf8");
  assert.match(text, /^# yaml-language-server: \$schema=\.\/proofshelf\.schema\.json\n/);
  const value = load(text) as { collections: { prefix: string; visibility: string }[] };
  assert.deepEqual(
    value.collections.map(({ prefix, visibility }) => [prefix, visibility]),
    [
      ["My Papers/", "public"],
      ["drafts/", "email-gated"],
      ["my-papers/", "public"],
      ["notes/", "public"],
      ['odd "name": #/', "public"],
      ["", "public"],
    ],
  );
  const schema = JSON.parse(readFileSync(join(dir, "proofshelf.schema.json"), "utf8")) as object;
  const validate = new Ajv2020({ strict: false }).compile(schema);
  assert.ok(validate(value), JSON.stringify(validate.errors));
  assert.ok(!validate({ ...value, titel: "x" }), "an editor marks an unknown key");
  assert.equal(run(dir, "config", "schema").stdout, readFileSync(join(dir, "proofshelf.schema.json"), "utf8"));
  const checked = run(dir, "config", "check", "--config", "proofshelf.yaml");
  assert.equal(checked.status, 0, checked.stderr);
  assert.match(checked.stdout, /notes \(public\): 1 objects\n/);
  const again = run(dir, "init", "books");
  assert.deepEqual([again.status, readFileSync(join(dir, "proofshelf.yaml"), "utf8")], [2, text]);
  assert.equal(run(dir, "init", "nowhere", "--config", "other.yaml").status, 2);
  assert.ok(!existsSync(join(dir, "other.yaml")));
  writeFileSync(join(dir, "proofshelf.yaml"), text.replace("kind: embedded", "kind: none"));
  const built = run(dir, "build", "--json", "--config", "proofshelf.yaml");
  assert.equal(built.status, 0, built.stderr);
  assert.equal((JSON.parse(built.stdout) as { added: number }).added, 5);
});

test("init in the library's own folder leaves out what belongs to the program", async (t) => {
  const dir = join(await openFolder(t), "books");
  await writeFiles(dir, [["registry.json", '{"cubs":[]}']]);
  assert.equal(run(dir, "init").status, 0);
  const file = join(dir, "proofshelf.yaml");
  const text = readFileSync(file, "utf8");
  assert.match(text, /^registry: /m);
  assert.match(text, /^# claims: /m);
  writeFileSync(file, text.replace("kind: embedded", "kind: none"));
  for (let time = 0; time < 2; time++) {
    const built = run(dir, "build", "--json", "--config", file);
    assert.equal(built.status, 0, built.stderr);
    assert.equal((JSON.parse(built.stdout) as { unchanged: number; added: number }).added, time === 0 ? 5 : 0);
  }
});

test("config check tells every problem with its line, exit 2", async (t) => {
  const dir = await openFolder(t);
  writeFileSync(join(dir, "bad.yaml"), "titel: x\nstore: { kind: directory, root: ./nowhere }\ncollections: []\n");
  const { status, stderr } = run(dir, "config", "check", "--config", "bad.yaml");
  assert.equal(status, 2);
  assert.match(stderr, /bad\.yaml:1: titel .*title.*\n.*bad\.yaml:2: store\.root does not exist/);
});

test("quiet says only what is worth a note; verbose tells each step", async (t) => {
  const dir = await openFolder(t);
  run(dir, "init", "books");
  const file = join(dir, "proofshelf.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("kind: embedded", "kind: none"));
  const quiet = run(dir, "build", "--quiet", "--config", file);
  assert.deepEqual(
    [quiet.status, quiet.stdout.includes("Published"), /Rejected store "\.git\/"/.test(quiet.stdout)],
    [0, false, true],
    quiet.stdout,
  );
  await writeFiles(dir, [["books/notes/one.md", "# Changed\n"]]);
  const verbose = run(dir, "build", "--verbose", "--config", file);
  assert.match(verbose.stdout, /Published snapshot 2/);
  assert.match(verbose.stderr, /^read 1 in .*$/m);
});

test("shells complete commands, their subcommands and options", () => {
  for (const shell of ["bash", "zsh", "fish"]) assert.equal(run(tmpdir(), "completion", shell).status, 0);
  const complete = (...words: string[]): string[] => {
    const script = `${run(tmpdir(), "completion", "bash").stdout}
COMP_WORDS=(proofshelf ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _proofshelf; echo "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim().split(" ");
  };
  assert.deepEqual(complete("sna"), ["snapshots"]);
  assert.deepEqual(complete("snapshots", "ro"), ["rollback"]);
  assert.deepEqual(complete("completion", "z"), ["zsh"]);
  assert.deepEqual(complete("build", "--accept-"), ["--accept-loss"]);
  assert.deepEqual(complete("registry", "check", "file.json", "--cou"), ["--counts"]);
  assert.equal(run(tmpdir(), "completion", "tcsh").status, 2);
});

test("serve --every builds by itself, and serves what it built", async (t) => {
  const dir = await openFolder(t);
  run(dir, "init", "books");
  const file = join(dir, "proofshelf.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("kind: embedded", "kind: none"));
  assert.equal(run(dir, "serve", "--every", "soon", "--config", file).status, 2);
  const child = spawn(
    process.execPath,
    [CLI, "serve", "--port", "0", "--only", "site", "--every", "1h", "--metrics", "0", "--config", file],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  // Before the folder goes: it builds there.
  const ended = once(child, "exit");
  try {
    let said = "";
    child.stderr.on("data", (text: Buffer) => (said += text.toString()));
    const line = await new Promise<string>((resolve) => child.stdout.once("data", (text: Buffer) => resolve(text.toString())));
    const url = /at (http\S+)\//.exec(line)?.[1] ?? "";
    for (;;) {
      const response = await fetch(`${url}/api/catalog`);
      const catalog = (await response.json()) as { snapshot: string | null };
      if (catalog.snapshot !== null) break;
      assert.equal(child.exitCode, null, said);
      await wait(50);
    }
    // It is served before it is told.
    while (!said.includes("Published snapshot 1")) {
      assert.equal(child.exitCode, null, said);
      await wait(50);
    }
    const at = /Metrics at ([^\s,]+)/.exec(said)?.[1] ?? "";
    const readMetrics = async (): Promise<string> => (await fetch(at)).text();
    // After its vectors.
    while (!/^proofshelf_builds_total\{outcome="published"\} 1$/m.test(await readMetrics())) {
      assert.equal(child.exitCode, null, said);
      await wait(50);
    }
    assert.match(await readMetrics(), /^proofshelf_build_duration_seconds [\d.]+$/m);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
});
