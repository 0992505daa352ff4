/** The guide's commands, one after the other, on a clone: what init writes, what a recheck without a key says, and what the next commit finds. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { writeFiles } from "../../testing/library.ts";
import { type Ran, runIn } from "../../testing/run-program.ts";
import { findAgda } from "./agda-tool.ts";
import { findMetamath } from "./metamath-tool.ts";
import { skip } from "./source-fixture.ts";

type Files = Readonly<Record<string, string>>;

/** A folder with a clone, and the commands in it. */
async function openClone(t: TestContext, files: Files) {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-guide-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  process.env["XDG_CACHE_HOME"] = join(folder, "cache");
  delete process.env["RECHECK_KEY"];
  const dev = join(folder, "dev");
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", dev, "-c", "user.name=A", "-c", "user.email=a@example.org", ...args], { encoding: "utf8" }).trim();
  const commit = async (more: Files): Promise<string> => {
    await writeFiles(dev, Object.entries(more));
    if (!existsSync(join(dev, ".git"))) spawnSync("git", ["init", "-q", dev]);
    git("add", "-A");
    git("commit", "-qm", "x");
    return git("rev-parse", "HEAD");
  };
  await commit(files);
  const run = (...args: string[]): Promise<Ran> => runIn(folder, ["registry", ...args]);
  const key = ({ stdout }: Ran): void => void (process.env["RECHECK_KEY"] = /RECHECK_KEY='([^']+)'/.exec(stdout)?.[1] ?? "");
  // What looks over it again is another test's.
  const recheck = (): Promise<Ran> => run("recheck", "--no-second");
  return { folder, git, commit, run, recheck, key };
}

test("Coq: what init writes runs; a recheck without the key says so, and after a commit the code store has the new revision", {
  skip,
}, async (t) => {
  const { folder, git, commit, run, recheck, key } = await openClone(t, {
    _CoqProject: "-R theories T\n-arg -w -arg -all\n",
    "theories/A.v": "Theorem a : True. Proof. exact I. Qed.\n",
    "theories/B.v": "Require Import A.\nTheorem b : True. Proof. exact a. Qed.\n",
  });
  git("remote", "add", "origin", "https://ada:secret@github.com/ada/dev.git");
  const init = await run("init", "--git", "./dev");
  assert.equal(init.status, 0, init.stderr);
  const yaml = readFileSync(join(folder, "registry.yaml"), "utf8");
  const library = readFileSync(join(folder, "proofshelf.yaml"), "utf8");
  assert.match(
    library,
    /^# yaml-language-server: [^]*^registry: \{ sources: \.\/registry\.yaml \}\n[^]*^code: /m,
    "the file that init writes",
  );
  assert.equal((await runIn(folder, ["config", "check"])).status, 0, "what a scan makes need not be there yet");
  assert.match(yaml, /web: "https:\/\/github\.com\/ada\/dev\/blob\/\{rev\}\/\{path\}#L\{line\}"/);
  assert.match(yaml, /^ {4}# - Coq\.Logic\.Classical_Prop\.classic$/m);
  assert.doesNotMatch(yaml, /secret/);
  const without = await recheck();
  assert.equal(without.status, 0, without.stderr);
  for (const said of [without.stdout, without.stderr])
    assert.match(said, /There is no RECHECK_KEY: these checks are unsigned, and will count for nothing/);
  assert.equal(
    (await run("advisories")).stdout,
    "No check that counts accepted a record, so that nothing is held against the advisories.\n",
  );
  key(init);
  const first = await recheck();
  const holes = await run("advisories");
  assert.deepEqual([holes.status, /ROCQ-\d+/.test(holes.stdout)], [0, true], holes.stderr);
  assert.match(first.stdout, /^accepted +2$/m);
  assert.doesNotMatch(first.stdout + first.stderr, /RECHECK_KEY/);
  const head = await commit({
    "theories/C.v": "Theorem c : True. Proof. exact I. Qed.\n",
    "theories/A.v": "(* told *)\nTheorem a : True. Proof. exact I. Qed.\n",
  });
  assert.match((await recheck()).stdout, /^accepted +3$/m);
  assert.ok(existsSync(join(folder, "code/dev", head, "theories/A.v")));
  assert.equal(readFileSync(join(folder, "registry.lock.jsonl"), "utf8").trim().split("\n").length, 3, "the new theorem has its id");
  const last = await commit({ "README.md": "No proof.\n" });
  assert.match((await recheck()).stdout, /no prover was started/);
  assert.ok(existsSync(join(folder, "code/dev", last, "theories/A.v")), "also where nothing was asked");
});

test("Agda: two libraries of one repository, one of which imports the other, and a root that is the whole", {
  skip: findAgda() === null ? "agda is not installed" : skip,
  timeout: 120_000,
}, async (t) => {
  const equal = "data _≡_ {A : Set} (x : A) : A → Set where refl : x ≡ x\n";
  const { folder, commit, run, recheck, key } = await openClone(t, {
    "base.agda-lib": "name: base\ninclude: src\n",
    "test/test.agda-lib": "name: test\ninclude: . ../src\n",
    "src/Base/Eq.agda": `module Base.Eq where\n${equal}`,
    "test/Use.agda": "module Use where\nopen import Base.Eq\nsame : {A : Set} (x : A) → x ≡ x\nsame x = refl\n",
  });
  const init = await run("init", "--git", "./dev");
  key(init);
  const first = await recheck();
  assert.match(first.stdout, /^accepted +1$/m, first.stdout + first.stderr);
  // What it imports from the other folder is a part of what was checked.
  await commit({ "src/Base/Eq.agda": `module Base.Eq where\n-- Told.\n${equal}` });
  assert.doesNotMatch((await recheck()).stdout, /no prover was started/);
  await writeFiles(folder, [
    ["registry.yaml", "sources:\n  - { repo: dev, git: ./dev, prover: agda, root: ., flags: [-i, src, -i, test] }\n"],
  ]);
  rmSync(join(folder, "registry.lock.jsonl"));
  const whole = await recheck();
  assert.match(whole.stdout, /^accepted +0$|^not run/m, whole.stdout);
});

test("Metamath: two databases of one name are told apart by their folders, and each is checked", {
  skip: findMetamath() === null ? "metamath is not installed" : skip,
}, async (t) => {
  const text =
    "$c wff |- ( -> ) $. $v ph ps $.\nwph $f wff ph $. wps $f wff ps $.\nwi $a wff ( ph -> ps ) $. ax-1 $a |- ( ph -> ( ps -> ph ) ) $.\nt $p |- ( ph -> ( ps -> ph ) ) $= wph wps ax-1 $.\n";
  const { run, recheck, key, folder } = await openClone(t, { "a/db.mm": text, "b c/db.mm": text, "b/lone.mm": text, "db.mm": text });
  key(await run("init", "--git", "./dev"));
  const { stdout } = await recheck();
  assert.match(stdout, /^accepted, with axioms +4$/m);
  const keys = readFileSync(join(folder, "registry.lock.jsonl"), "utf8").matchAll(/"key":"([^"]+)"/g);
  assert.deepEqual([...keys].map(([, name]) => name).sort(), [
    "dev metamath a.db.t",
    "dev metamath b c.db.t",
    "dev metamath db.t",
    "dev metamath lone.t",
  ]);
});

test("a source without a file is an error that says what is there", async (t) => {
  const { folder, run } = await openClone(t, { "theories/A.v": "Theorem a : True. Proof. exact I. Qed.\n", "theories/deep/B.v": "" });
  for (const [place, says] of [
    ["root: proofs", /dev has no file of Coq in "proofs" at [0-9a-f]{12}; it has such files in theories, theories\/deep\./],
    ["prover: agda", /dev has no file of Agda at [0-9a-f]{12}\./],
  ] as const) {
    const source = place.startsWith("prover") ? place : `prover: coq, ${place}`;
    await writeFiles(folder, [["registry.yaml", `sources:\n  - { repo: dev, git: ./dev, ${source} }\n`]]);
    const ran = await run("scan");
    assert.match(ran.stderr, says);
    assert.notEqual(ran.status, 0);
  }
  await writeFiles(folder, [["registry.yaml", "sources:\n  - { repo: dev, git: ./dev, prover: coq, root: ./ }\n"]]);
  assert.match((await run("scan")).stdout, /1 record\./, "a dot is the root");
  const required = await run("recheck", "--require", "Coq");
  assert.deepEqual([required.status, /Coq is no prover; there is coq, /.test(required.stderr)], [2, true], required.stderr);
});
