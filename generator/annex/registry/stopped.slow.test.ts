/** A recheck that is ended: its provers end with it, nothing stays in the temporary folder, and what was done is kept. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { OWN, skip } from "./source-fixture.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const LOOP =
  "Fixpoint f (n : nat) : nat := match n with 0 => 1 | S m => f m + f m end.\nLemma l : f 40 = 0. Proof. vm_compute. reflexivity. Qed.\n";

/** Two sources, the second of which comes to no end. @param beside files of that source that are quick */
function openEndless(t: TestContext, beside: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-stopped-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = {
    "good/A.v": "Lemma a : 1 = 1. Proof. reflexivity. Qed.\n",
    "loop/Loop.v": LOOP,
    ...Object.fromEntries(beside.map((name) => [`loop/${name}.v`, "Lemma b : 1 = 1. Proof. reflexivity. Qed.\n"])),
    "registry.yaml": `checks: { trust: ["${OWN.publicKey}"] }\nsources:\n  - { repo: good, folder: ./good, rev: one, prover: coq }\n  - { repo: loop, folder: ./loop, rev: one, prover: coq }\n`,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const temporary = mkdtempSync(join(tmpdir(), "proofshelf-stopped-tmp-"));
  t.after(() => rmSync(temporary, { recursive: true, force: true }));
  // Who runs in the sandbox has to enter it.
  chmodSync(temporary, 0o755);
  const start = (...args: string[]) => {
    const env = { ...process.env, TMPDIR: temporary, XDG_CACHE_HOME: join(folder, "cache") };
    const child = spawn(process.execPath, [CLI, "registry", "recheck", "--json", ...args], { cwd: folder, env });
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    const ended = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
    return {
      child,
      ended: ended.then((code) => ({
        code,
        said: JSON.parse(stdout || "{}") as { table: { accepted: number; notRun: { count: number } } },
      })),
    };
  };
  /** Processes whose words name the temporary folder. */
  const left = (): string[] =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
          return words.includes(temporary) ? [words] : [];
        } catch {
          return []; // it has ended
        }
      });
  return { folder, temporary, start, left };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 100));
}

for (const [signal, how, code] of [
  ["SIGINT", [], 130],
  ["SIGTERM", ["--unsandboxed"], 143],
  ["SIGHUP", [], 129],
] as const)
  test(`${signal}${how.length > 0 ? " without a sandbox" : ""} ends the provers, leaves nothing behind, and keeps what was done`, {
    skip,
    timeout: 60_000,
  }, async (t) => {
    const { folder, temporary, start, left } = openEndless(t);
    const { child, ended } = start(...how);
    await until(() => left().some((words) => words.includes("coqc") && words.includes("Loop.vo")));
    child.kill(signal);
    const { code: exit, said } = await ended;
    assert.equal(exit, code);
    assert.deepEqual([said.table.accepted, said.table.notRun.count], [1, 1]);
    assert.equal(readdirSync(join(folder, "checks")).length, 1);
    await until(() => left().length === 0);
    assert.deepEqual(readdirSync(temporary), []);
    assert.ok(existsSync(join(folder, "registry.lock.jsonl")));
  });

test("a recheck that is killed takes its provers along", { skip, timeout: 60_000 }, async (t) => {
  const { start, left } = openEndless(t);
  const { child } = start("--unsandboxed");
  await until(() => left().some((words) => words.includes("coqc") && words.includes("Loop.vo")));
  child.kill("SIGKILL");
  await until(() => left().length === 0);
});

test("--limit ends the whole run, and what came to no end is not run", { skip, timeout: 60_000 }, async (t) => {
  const { temporary, start, left } = openEndless(t);
  assert.equal((await start("CUB-0001").ended).code, 0);
  const { code, said } = await start("--limit", "0.05").ended;
  assert.equal(code, 4, "what is not run is told");
  assert.deepEqual([said.table.accepted, said.table.notRun.count], [1, 1]);
  await until(() => left().length === 0);
  assert.deepEqual(readdirSync(temporary), []);
});

test("--limit keeps what was done of the same source before the file that comes to no end", { skip, timeout: 240_000 }, async (t) => {
  let table = { accepted: 0, notRun: { count: 0 } };
  // A machine that has other work needs more of the clock for the files that are quick.
  for (const minutes of ["0.2", "0.6", "1.8"]) {
    if (table.accepted < 5) table = (await openEndless(t, ["B", "C", "D", "E"]).start("--limit", minutes).ended).said.table;
  }
  assert.deepEqual([table.accepted, table.notRun.count], [5, 1]);
});
