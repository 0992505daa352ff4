/** What somebody meets who tries the program for the first time. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { load } from "js-yaml";
import { sha256 } from "../../snapshots/digest.ts";
import { useParts } from "../publish/parts.ts";
import { writeFiles } from "../testing/library.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { type Ran, runIn } from "../testing/run-program.ts";
import { CLI, PAGED_CLI } from "../testing/serving-process.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };

useParts(PLAIN_PARTS);

const run = (cwd: string, ...args: string[]): Promise<Ran> => runIn(cwd, args);

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
  mkdirSync(join(dir, "books/empty/deep"), { recursive: true });
  return dir;
}

test("--version says the version", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, "--version"], { encoding: "utf8" });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: `${version}\n`, stderr: "" });
});

test("init writes a configuration of the folder's own subfolders that is right, builds, and gates what sounds gated; it overwrites nothing", async (t) => {
  const dir = await openFolder(t);
  assert.equal((await run(dir, "init", "books")).status, 0);
  const text = readFileSync(join(dir, "proofshelf.yaml"), "utf8");
  assert.match(text, /^# yaml-language-server: \$schema=\.\/\.proofshelf\/proofshelf\.schema\.json\n/);
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
  const schema = JSON.parse(readFileSync(join(dir, ".proofshelf/proofshelf.schema.json"), "utf8")) as object;
  const validate = new Ajv2020({ strict: false }).compile(schema);
  assert.ok(validate(value), JSON.stringify(validate.errors));
  assert.ok(!validate({ ...value, titel: "x" }), "an editor marks an unknown key");
  assert.equal((await run(dir, "config", "schema")).stdout, readFileSync(join(dir, ".proofshelf/proofshelf.schema.json"), "utf8"));
  const checked = await run(dir, "config", "check", "--config", "proofshelf.yaml");
  assert.equal(checked.status, 0, checked.stderr);
  assert.match(checked.stdout, /notes \(public\): 1 object\n/);
  const again = await run(dir, "init", "books");
  assert.deepEqual([again.status, readFileSync(join(dir, "proofshelf.yaml"), "utf8")], [2, text]);
  assert.equal((await run(dir, "init", "nowhere", "--config", "other.yaml")).status, 2);
  assert.ok(!existsSync(join(dir, "other.yaml")));
  writeFileSync(join(dir, "proofshelf.yaml"), text.replace("kind: embedded", "kind: none"));
  const built = await run(dir, "build", "--json", "--config", "proofshelf.yaml");
  assert.equal(built.status, 0, built.stderr);
  assert.equal((JSON.parse(built.stdout) as { added: number }).added, 5);
});

test("init in the library's own folder leaves out what belongs to the program", async (t) => {
  const dir = join(await openFolder(t), "books");
  const file = join(dir, "proofshelf.yaml");
  await writeFiles(dir, [["code/tool.py", "print(1)\n"]]);
  assert.equal((await run(dir, "init")).status, 0);
  assert.match(readFileSync(file, "utf8"), /prefix: "code\/".*[^]*^# code: /m, "without records a folder of that name is one as any other");
  rmSync(file);
  await writeFiles(dir, [["registry.json", '{"cubs":[]}']]);
  assert.equal((await run(dir, "init")).status, 0);
  const text = readFileSync(file, "utf8");
  assert.match(text, /^registry: /m);
  assert.match(text, /^claims: /m);
  writeFileSync(file, text.replace("kind: embedded", "kind: none"));
  for (let time = 0; time < 2; time++) {
    const built = await run(dir, "build", "--json", "--config", file);
    assert.equal(built.status, 0, built.stderr);
    assert.equal((JSON.parse(built.stdout) as { unchanged: number; added: number }).added, time === 0 ? 5 : 0);
  }
});

test("init offers nothing that git ignores or that tools make, and says in one line what it left out", async (t) => {
  const dir = join(await openFolder(t), "books");
  rmSync(join(dir, ".git"), { recursive: true });
  spawnSync("git", ["init", "-q"], { cwd: dir });
  await writeFiles(dir, [
    [".gitignore", "build/\n*.secret\n"],
    ["build/key.md", "x"],
    ["my.secret", "x"],
    ["node_modules/a/README.md", "# A\n"],
    ["venv/lib/A.v", "Lemma a : True.\n"],
    ["notes/dist/x.md", "x"],
    ["tls.key", "x"],
  ]);
  const { stdout } = await run(dir, "init");
  assert.match(stdout, /^Left out: build\/, my\.secret, node_modules\/, notes\/dist\/, tls\.key, venv\/\. build --verbose says why\.$/m);
  assert.doesNotMatch(stdout, /proof checker/, "a proof in what is left out is none of the library");
  const { collections } = load(readFileSync(join(dir, "proofshelf.yaml"), "utf8")) as { collections: { prefix: string }[] };
  assert.deepEqual(
    collections.map(({ prefix }) => prefix),
    ["My Papers/", "drafts/", "my-papers/", "notes/", 'odd "name": #/', ""],
  );
  const file = join(dir, "proofshelf.yaml");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace("collections:\n", "collections:\n  - { id: made, prefix: build/, title: M, visibility: public }\n"),
  );
  const checked = (await run(dir, "config", "check")).stdout;
  assert.match(checked, /^ {2}left out: .*build\/.*node_modules\/.*/m);
  assert.match(checked, /made \(public\): 0 objects; "build\/": \w/);
});

test("without a configuration a command says so and how to make one; one further up is found and named, and the demo has a name", async (t) => {
  const dir = await openFolder(t);
  for (const command of [
    ["build"],
    ["serve"],
    ["verify"],
    ["prune"],
    ["snapshots", "list"],
    ["config", "check"],
    ["schedule"],
    ["repair"],
  ]) {
    const { status, stdout, stderr } = await run(dir, ...command);
    assert.deepEqual([status, stdout], [2, ""], command.join(" "));
    assert.match(stderr, /no proofshelf\.yaml .*\n.*proofshelf init\n.*--config FILE\n.*--demo\n/);
  }
  assert.equal((await run(dir, "config", "schema")).status, 0);
  assert.equal((await run(dir, "init", "books")).status, 0);
  const below = await run(join(dir, "books/notes"), "config", "check");
  assert.deepEqual([below.status, below.stderr], [0, "Using ../../proofshelf.yaml\n"]);
  const both = await run(dir, "config", "check", "--demo", "--config", "proofshelf.yaml");
  assert.equal(both.status, 2);
  assert.match(both.stderr, /keep one of the two/);
  assert.match((await run(dir, "config", "check", "--demo")).stdout, /notes \(public\): \d+ objects/);
});

test("init takes title, front page and summaries from the READMEs that are there, and writes claims that are right", async (t) => {
  const dir = await openFolder(t);
  await writeFiles(dir, [
    ["books/README.md", "# My shelf\n\n[![build](x)](y)\n\nBooks on *sorting* and\n[trees](trees.md).\n\nMore.\n"],
    ["books/notes/README.md", "---\ntitle: x\n---\n# Notes\n\nWhat I read.\n"],
    ["books/proofs/Sort.v", "Lemma x : True. Proof. exact I. Qed.\n"],
    ["books/proofs/README.asc", "= Proofs\n\nWhat is *proved*.\n"],
    ["books/drafts/README.rst", "Drafts\n======\n\n.. image:: x.png\n\nWhat is *not* done.\n"],
  ]);
  rmSync(join(dir, "books/readme.md"));
  const done = await run(dir, "init", "books");
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /Gated by their names: drafts\..*\n1 file of a proof checker/);
  const { title, front, collections } = load(readFileSync(join(dir, "proofshelf.yaml"), "utf8")) as {
    title: string;
    front: string;
    collections: { id: string; summary?: string }[];
  };
  assert.deepEqual([title, front], ["My shelf", "README.md"]);
  const summaries = Object.fromEntries(collections.map(({ id, summary }) => [id, summary]));
  assert.deepEqual(
    [summaries["notes"], summaries["proofs"], summaries["drafts"]],
    ["What I read.", "What is proved.", "What is not done."],
  );
  assert.equal((await run(dir, "config", "check")).status, 0);
  // The example is right as soon as the signs are taken away.
  const claims = readFileSync(join(dir, "claims.yaml"), "utf8");
  writeFileSync(
    join(dir, "claims.yaml"),
    claims
      .replace("claims: []", "claims:")
      .replaceAll(/^#(?= {2,})(?! {2,}proofshelf)/gm, "")
      .replace("64 hex digits of sha256sum", "0".repeat(64)),
  );
  const checked = await run(dir, "config", "check");
  assert.deepEqual([checked.status, checked.stderr], [0, ""]);
  for (const name of ["proofshelf", "claims", "registry", "withdrawals"])
    new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(join(dir, `.proofshelf/${name}.schema.json`), "utf8")) as object);
});

test("init never writes into the clone of the program", async () => {
  const clone = fileURLToPath(new URL("../..", import.meta.url));
  const { status, stderr } = await run(clone, "init");
  assert.equal(status, 2);
  assert.match(stderr, /is the clone of proofshelf itself.*\n.*npm --prefix/);
  assert.ok(!existsSync(join(clone, "proofshelf.yaml")));
});

test("config check reads claims and records as a build does: file, line, and what was meant", async (t) => {
  const dir = await openFolder(t);
  await run(dir, "init", "books");
  const file = join(dir, "proofshelf.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("# registry:", "registry:"));
  const check = (claims: string, registry: string): Promise<Ran> => {
    writeFileSync(join(dir, "claims.yaml"), claims);
    writeFileSync(join(dir, "registry.json"), registry);
    return run(dir, "config", "check");
  };
  const none = '{ "cubs": [] }';
  assert.equal((await check("claims: []\n", none)).status, 0);
  const list = await check("- id: a\n", '[{"id":"CUB-0001"}]');
  assert.equal(list.status, 2);
  assert.match(list.stderr, /^claims\.yaml:1: is a list; write it under claims\. .*\n {2}claims:\n {4}- id: /m);
  assert.match(list.stderr, /^registry\.json:1: is a list; write it under cubs\. .*\n {2}\{ "cubs": \[/m);
  const broken = await check("claims:\n  - id: a\n    title: A\n    status: proven\n    scope: s\n", none);
  assert.equal(broken.status, 2);
  assert.match(
    broken.stderr,
    /^claims\.yaml:4: claims\[0\]\.status .*"verified" or "scoped" or "partial"\nclaims\.yaml|^claims\.yaml:2: claims\[0\]\.statement is missing/m,
  );
  assert.match(broken.stderr, /claims\[0\]\.statement is missing/);
  const slip = await check("claims:\n  - id: a\n    titel: A\n    status: partial\n    scope: s\n    statement: s\n", none);
  assert.match(
    slip.stderr,
    /claims\[0\]\.title is missing[^]*claims\.yaml:3: claims\[0\]\.titel is not a known key; did you mean "title"\?/,
  );
  const lost = await check(
    "claims:\n  - id: a\n    title: A\n    status: partial\n    scope: s\n    statement: s\n    evidence:\n      - { artifact: A, kind: note, access: public, path: notes/one.mb }\n      - { artifact: B, kind: note, access: public, path: elsewhere/b.md, repo: r }\n",
    none,
  );
  assert.deepEqual(
    [lost.status, lost.stdout.match(/^Note: claims.*$/gm)],
    [
      0,
      [
        'Note: claims.yaml:8: claims[0].evidence[0].path is "notes/one.mb", which is no object of this library; did you mean "notes/one.md"?',
      ],
    ],
  );
  const pins = (path: string, sha: string): string =>
    `claims:\n  - id: a\n    title: A\n    status: partial\n    scope: s\n    statement: s\n    evidence:\n      - { artifact: A, kind: note, access: public, path: ${path}, sha256: '${sha}' }\n`;
  const digest = sha256(Buffer.from("# One\n"));
  const wrongPin = await check(pins("notes/one.md", "f".repeat(64)), none);
  assert.match(wrongPin.stdout, new RegExp(`^Note: claims\\.yaml:8: .*sha256 is f{64}, and "notes/one\\.md" has ${digest}$`, "m"));
  assert.doesNotMatch((await check(pins("notes/one.md", digest), none)).stdout, /claims\.yaml/);
  writeFileSync(file, `${readFileSync(file, "utf8")}\nfront: READ.md\n`.replace(/^# front.*$|^front: "readme.md"$/m, ""));
  assert.match(
    (await check("claims: []\n", none)).stdout,
    /^Note: front in proofshelf\.yaml is "READ\.md", which no object has as its key; did you mean "readme\.md"\?$/m,
  );
  const against = await check(
    "claims: []\n",
    `{ "cubs": [\n  { "id": "CUB-0001", "repo": "r", "theorem_name": "t", "statement": "s",\n    "status": "VERIFIED_EXACT",\n    "verification_state": "NOT_VERIFIED" },\n  { "id": "CUB-0001", "repo": "r", "theorem_name": "t", "statement": "s" }\n] }\n`,
  );
  assert.equal(against.status, 2);
  assert.match(against.stderr, /^registry\.json:3: cubs\[0\]\.status is VERIFIED_EXACT, and verification_state is NOT_VERIFIED/m);
  assert.match(against.stderr, /^registry\.json:5: cubs\[1\]\.id is the id of cubs\[0\] too/m);
  // Forgotten: the sign before registry:, the folder of the code, and which ids there are.
  const pinned = `{ "meta": { "sources": { "r": { "head": "${"a".repeat(40)}" } } }, "cubs": [\n  { "id": "CUB-0001", "repo": "r", "theorem_name": "t", "statement": "s", "file_shas": { "coq/A.v": "${"0".repeat(64)}" } }\n] }\n`;
  const rests = (id: string): string =>
    `claims:\n  - id: a\n    title: A\n    status: partial\n    scope: s\n    statement: s\n    evidence: [{ artifact: A, kind: record, access: public, path: ${id} }]\n`;
  const unknown = await check(rests("CUB-0002"), pinned);
  assert.match(
    unknown.stdout,
    /^Note: claims\.yaml:7: .*path is "CUB-0002", which is no record of the registry; did you mean "CUB-0001"\?$/m,
  );
  assert.match(unknown.stdout, new RegExp(`^Note: registry\\.json: .*code/r/a{40}/coq/A\\.v for instance`, "m"));
  assert.doesNotMatch((await check(rests("CUB-0001"), pinned)).stdout, /claims\.yaml/);
  writeFileSync(file, readFileSync(file, "utf8").replace("registry:", "# registry:"));
  assert.match((await check(rests("CUB-0001"), pinned)).stdout, /^Note: registry\.json is here and is not read; write registry: /m);
  writeFileSync(file, readFileSync(file, "utf8").replace("# registry:", "registry:"));
  const meant = await check(
    "claims: []\n",
    '{ "cubs": [\n  { "id": "CUB-0001", "repo": "r", "theorem_name": "t", "statement": "s",\n    "verified": true }\n] }\n',
  );
  assert.equal(meant.status, 0);
  assert.match(meant.stdout, /registry\.json:3: cubs\[0\]\.verified is not a known key; did you mean "verification_state"\?/);
});

test("PORT is heard; --try-internal is for this machine alone", async (t) => {
  const dir = await openFolder(t);
  await run(dir, "init", "books");
  const bad = spawnSync(process.execPath, [CLI, "serve"], { cwd: dir, encoding: "utf8", env: { ...process.env, PORT: "99999" } });
  assert.deepEqual([bad.status, bad.stderr], [2, "--port takes a number from 0 to 65535.\n"]);
  for (const more of [
    ["--host", "0.0.0.0"],
    ["--host", "192.0.2.1"],
    ["--host", "127.0.0.1.example.org"],
    ["--only", "site"],
  ]) {
    const { status, stderr } = await run(dir, "serve", "--try-internal", ...more);
    assert.equal(status, 2, more.join(" "));
    assert.match(stderr, /--try-internal/);
  }
});

test("the token of a trial comes into no log: neither of the command, nor of the server, whatever is asked with it", async (t) => {
  const dir = await openFolder(t);
  await run(dir, "init", "books");
  const file = join(dir, "proofshelf.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("kind: embedded", "kind: none"));
  await run(dir, "build");
  const log = join(dir, "serve.log");
  const out = openSync(log, "a");
  const child = spawn(process.execPath, [CLI, "serve", "--try-internal", "--access-log", "--port", "0"], {
    cwd: dir,
    stdio: ["ignore", out, out],
  });
  closeSync(out);
  t.after(() => child.kill("SIGKILL"));
  const said = async (pattern: RegExp): Promise<string> => {
    for (const end = performance.now() + 60_000; performance.now() < end; await wait(50)) {
      const [, found] = pattern.exec(readFileSync(log, "utf8")) ?? [];
      if (found !== undefined) return found;
    }
    throw new Error(readFileSync(log, "utf8"));
  };
  const place = await said(/the link is in (\S+)/);
  const link = readFileSync(place, "utf8").trim();
  assert.equal(statSync(place).mode & 0o777, 0o600);
  const token = new URL(link).searchParams.get("token") ?? "";
  assert.match(token, /^eyJ/);
  const { origin } = new URL(link);
  const signed = await fetch(link, { redirect: "manual" });
  const cookie = signed.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  // Let in, refused, lost and wrong; in the address, the query, the headers and the body.
  const asked: readonly (readonly [status: number, path: string, init?: RequestInit])[] = [
    [200, "/internal/api/catalog", { headers: { cookie } }],
    [200, "/internal/api/catalog", { headers: { "edge-access-token": token } }],
    [401, "/internal/api/catalog", { headers: { "edge-access-token": `${token}x` } }],
    [404, `/internal/objects/${token}`, { headers: { cookie } }],
    [404, `/objects/${token}`],
    [400, `/api/search?q=x&token=${token}`],
    [400, `/internal/api/search?q=x&token=${token}`, { headers: { cookie, referer: link } }],
    [400, "/internal/library/api/ask", { method: "POST", headers: { cookie }, body: `{"token":"${token}"}` }],
    [401, "/internal/mcp", { method: "POST", body: token }],
  ];
  for (const [status, path, init] of asked) assert.equal((await fetch(origin + path, init)).status, status, path.slice(0, 40));
  child.kill("SIGTERM");
  await once(child, "exit");
  const lines = readFileSync(log, "utf8");
  assert.ok(lines.includes("/internal/api/catalog") && lines.includes("[token]"), lines);
  for (const part of [token, ...token.split(".")])
    assert.ok(
      !lines.includes(part),
      lines.split("\n").find((line) => line.includes(part)),
    );
  assert.ok(!existsSync(place), "the file goes with the server");
});

test("config check tells every problem with its line, exit 2", async (t) => {
  const dir = await openFolder(t);
  writeFileSync(join(dir, "bad.yaml"), "titel: x\nstore: { kind: directory, root: ./nowhere }\ncollections: []\n");
  const { status, stderr } = await run(dir, "config", "check", "--config", "bad.yaml");
  assert.equal(status, 2);
  assert.match(stderr, /bad\.yaml:1: titel .*title.*\n.*bad\.yaml:2: store\.root does not exist/);
});

test("quiet says only what is worth a note; verbose tells each step", async (t) => {
  const dir = await openFolder(t);
  await run(dir, "init", "books");
  const file = join(dir, "proofshelf.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("kind: embedded", "kind: none"));
  const quiet = await run(dir, "build", "--quiet", "--config", file);
  assert.deepEqual(
    [quiet.status, quiet.stdout.includes("Published"), /Rejected store "\.git\/"/.test(quiet.stdout)],
    [0, false, true],
    quiet.stdout,
  );
  const again = await run(dir, "build", "--quiet", "--config", file);
  assert.deepEqual([again.status, again.stdout], [0, ""], "what was told is not new");
  await writeFiles(dir, [["books/.hidden", "x"]]);
  assert.match((await run(dir, "build", "--quiet", "--config", file)).stdout, /^Rejected store "\.hidden"[^\n]*\n$/);
  await writeFiles(dir, [["books/notes/one.md", "# Changed\n"]]);
  const verbose = await run(dir, "build", "--verbose", "--config", file);
  assert.match(verbose.stdout, /Published snapshot \d/);
  assert.match(verbose.stderr, /^read 1 in .*$/m);
});

test("shells complete commands, their subcommands and options", async () => {
  for (const shell of ["bash", "zsh", "fish"]) assert.equal((await run(tmpdir(), "completion", shell)).status, 0);
  const { stdout } = await run(tmpdir(), "completion", "bash");
  const complete = (...words: string[]): string[] => {
    const script = `${stdout}
COMP_WORDS=(proofshelf ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _proofshelf; echo "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim().split(" ");
  };
  assert.deepEqual(complete("sna"), ["snapshots"]);
  assert.deepEqual(complete("snapshots", "ro"), ["rollback"]);
  assert.deepEqual(complete("completion", "z"), ["zsh"]);
  assert.deepEqual(complete("build", "--accept-"), ["--accept-loss"]);
  assert.deepEqual(complete("registry", "check", "file.json", "--cou"), ["--counts"]);
  assert.equal((await run(tmpdir(), "completion", "tcsh")).status, 2);
});

test("serve --every builds by itself, serves what it built, and says when the next build begins", async (t) => {
  const dir = await openFolder(t);
  await run(dir, "init", "books");
  const file = join(dir, "proofshelf.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("kind: embedded", "kind: none"));
  assert.equal((await run(dir, "serve", "--every", "soon", "--config", file)).status, 2);
  const child = spawn(process.execPath, [PAGED_CLI, "serve", "--port", "0", "--every", "1h", "--metrics", "0", "--config", file], {
    stdio: ["ignore", "pipe", "pipe"],
  });
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
    const { next_build: next } = (await (await fetch(`${url}/api/capabilities`)).json()) as { next_build: string };
    assert.ok(Math.abs(Date.parse(next) - Date.now() - 3_690_000) < 600_000, next);
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_collections", arguments: {} } };
    const headers = { "content-type": "application/json" };
    const called = await (await fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(call) })).json();
    assert.equal((called as { result: { _meta: Record<string, string> } }).result._meta["proofshelf/next_build"], next);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
});
