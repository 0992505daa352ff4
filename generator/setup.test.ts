import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const SETUP = fileURLToPath(new URL("setup.mjs", import.meta.url));

const LOCKED = {
  "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
  "node_modules/b": { version: "2.0.0", integrity: "sha512-b", dev: true },
  "node_modules/c": { version: "3.0.0", integrity: "sha512-c", optional: true },
};

/** A clone with nothing in it but the setup, a lock, and programs that write down how they were called. */
function makeClone(t: TestContext, options: { npmFails?: boolean; programs?: readonly string[] } = {}) {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-setup-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const bin = join(root, "bin");
  mkdirSync(join(root, "generator/files"), { recursive: true });
  mkdirSync(bin);
  copyFileSync(SETUP, join(root, "generator/setup.mjs"));
  copyFileSync(join(SETUP, "../files/node-version.mjs"), join(root, "generator/files/node-version.mjs"));
  const lock = (packages: Readonly<Record<string, object>>): void =>
    writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { "": {}, ...packages } }));
  lock(LOCKED);
  writeFileSync(
    join(root, "script.mjs"),
    "process.stdout.write(JSON.stringify(process.argv.slice(2))); process.exit(Number(process.argv[3] ?? 0));\n",
  );
  const program = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> "${root}/calls"\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program(
    "npm",
    options.npmFails === true
      ? "exit 1"
      : `mkdir -p "${root}/node_modules"; cp "${root}/package-lock.json" "${root}/node_modules/.package-lock.json"`,
  );
  program("apt-get", "");
  for (const name of options.programs ?? ["chromium-headless-shell", "coqc", "bwrap", "cc", "nginx", "varnishd", "metamath"])
    program(name, "");
  for (const name of ["sh", "mkdir", "cp"])
    symlinkSync(spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim(), join(bin, name));
  return {
    root,
    lock,
    calls: () => (existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8").trim().split("\n") : []),
    run: (...args: string[]) =>
      spawnSync(process.execPath, [join(root, "generator/setup.mjs"), ...args], { encoding: "utf8", env: { PATH: bin } }),
    install: () => spawnSync(process.execPath, [join(SETUP, "../testing/install-programs.ts")], { encoding: "utf8", env: { PATH: bin } }),
  };
}

test("a fresh clone is installed once, and again only when the lock has changed", (t) => {
  const clone = makeClone(t);
  assert.equal(clone.run("script.mjs").status, 0);
  assert.deepEqual(
    clone.calls().map((line) => line.split(" ").slice(0, 2).join(" ")),
    ["npm ci"],
  );
  assert.equal(clone.run("script.mjs").status, 0);
  assert.equal(clone.calls().length, 1);
  clone.lock({ ...LOCKED, "node_modules/a": { version: "1.0.1", integrity: "sha512-b" } });
  assert.equal(clone.run("script.mjs").status, 0);
  assert.equal(clone.calls().length, 2);
  clone.lock({ ...LOCKED, "node_modules/a": { version: "1.0.1", integrity: "sha512-c" } });
  assert.equal(clone.run("script.mjs").status, 0);
  assert.equal(clone.calls().length, 3);
});

test("what somebody installed with npm ci is not installed again, also without what is optional or for tests", (t) => {
  const clone = makeClone(t);
  const installed = (packages: object): void => {
    mkdirSync(join(clone.root, "node_modules"), { recursive: true });
    writeFileSync(join(clone.root, "node_modules/.package-lock.json"), JSON.stringify({ packages }));
  };
  installed({ "node_modules/a": LOCKED["node_modules/a"] });
  assert.equal(clone.run("script.mjs").status, 0);
  assert.deepEqual(clone.calls(), []);
  assert.equal(clone.run("--all", "script.mjs").status, 0);
  assert.equal(clone.calls().filter((line) => line.startsWith("npm")).length, 1, "tests need what is for tests");
  installed({ "node_modules/b": LOCKED["node_modules/b"] });
  assert.equal(clone.run("script.mjs").status, 0);
  assert.equal(clone.calls().filter((line) => line.startsWith("npm")).length, 2);
});

test("what fails to install stops everything with words, and is tried again the next time", (t) => {
  const clone = makeClone(t, { npmFails: true });
  for (const times of [1, 2]) {
    const { status, stderr, stdout } = clone.run("script.mjs");
    assert.equal(status, 1);
    assert.match(stderr, /npm ci.*failed/);
    assert.equal(stdout, "", "the script did not run");
    assert.equal(clone.calls().length, times);
  }
});

test("the script gets its arguments, and its exit code is the result", (t) => {
  const { status, stdout, stderr } = makeClone(t).run("script.mjs", "--json", "4", "a b");
  assert.deepEqual(JSON.parse(stdout), ["--json", "4", "a b"]);
  assert.equal(status, 4);
  assert.match(stderr, /^Installing packages.*…\nPackages are there after \d+ s\.\n$/, "nothing of the setup on stdout");
});

test("what only tests need is installed for them alone; the script runs where whoever called npm stands", (t) => {
  const clone = makeClone(t);
  clone.run("script.mjs");
  clone.lock({ ...LOCKED, "node_modules/a": { version: "1.0.1", integrity: "sha512-b" } });
  clone.run("--all", "script.mjs");
  assert.deepEqual(
    clone.calls().map((line) => line.includes("--omit=dev")),
    [true, false],
  );
  writeFileSync(join(clone.root, "where.mjs"), "process.stdout.write(process.cwd());\n");
  const where = (env: Record<string, string>): string =>
    spawnSync(process.execPath, [join(clone.root, "generator/setup.mjs"), "where.mjs"], { encoding: "utf8", cwd: clone.root, env }).stdout;
  const own = { INIT_CWD: tmpdir(), npm_package_json: join(clone.root, "package.json") };
  assert.equal(where(own), realpathSync(tmpdir()));
  assert.equal(where({ ...own, npm_package_json: "/elsewhere/package.json" }), realpathSync(clone.root), "npm runs another package");
  assert.equal(where({}), realpathSync(clone.root));
});

test("tests get the programs that they run: installed where that is allowed, named where it is not, left alone when there", (t) => {
  const there = makeClone(t);
  assert.equal(there.install().status, 0);
  assert.ok(!there.calls().some((line) => line.startsWith("apt-get")));
  const missing = makeClone(t, { programs: ["coqc"] });
  const { status, stderr } = missing.install();
  assert.equal(status, 0);
  if (process.getuid?.() === 0)
    assert.ok(missing.calls().some((line) => /^apt-get install .*chromium/.test(line) && !line.includes("coq")));
  else assert.match(stderr, /apt-get install chromium-headless-shell/);
  const other = makeClone(t, { programs: ["chromium", "coqc", "bwrap", "cc", "nginx", "varnishd", "metamath"] });
  const said = other.install().stderr;
  if (process.getuid?.() === 0) assert.ok(other.calls().some((line) => /^apt-get install .*chromium-headless-shell$/.test(line)));
  else assert.ok(!said.includes("chromium"), "the other browser does as well");
});
