/** Files that take all they can get: time, memory and disk. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openSource, skip } from "./source-fixture.ts";

test("hostile files end inside their limits and are told; nothing outside of their folder changes, and what stands beside them holds", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { put, recheck, verdict, folder } = openSource(t, "limits: { wall: 8, cpu: 6, memory: 4096, output: 1, processes: 64 }\n");
  const decoy = join(folder, "decoy");
  put({
    "decoy/Out.v": "untouched",
    "src/Good.v": "Lemma good : 1 = 1. Proof. reflexivity. Qed.\n",
    "src/Redirect.v": `Redirect "${decoy}/Out" Print nat.\nLemma r : 1 = 1. Proof. reflexivity. Qed.\n`,
    "src/Extract.v": `Require Extraction. Extraction "${decoy}/out.ml" Nat.add.\nLemma e : 1 = 1. Proof. reflexivity. Qed.\n`,
    "src/Other.v": `Redirect "../src/Good" Print nat. Redirect "Good" Print nat.\nLemma o : 1 = 1. Proof. reflexivity. Qed.\n`,
    "src/Loop.v":
      "Fixpoint f (n : nat) : nat := match n with 0 => 1 | S m => f m + f m end.\nLemma l : f 40 = 0. Proof. vm_compute. reflexivity. Qed.\n",
    "src/Print.v":
      'Ltac talk n := idtac "talking and talking and talking and talking and talking and talking and talking"; talk n.\nLemma p : 1 = 1. Proof. talk 1. Qed.\n',
    "src/Native.v": 'Declare ML Module "nowhere_plugin".\nLemma n : 1 = 1. Proof. reflexivity. Qed.\n',
  });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  assert.equal(readFileSync(join(decoy, "Out.v"), "utf8"), "untouched");
  assert.deepEqual(readdirSync(decoy), ["Out.v"]);
  assert.deepEqual(readdirSync(join(folder, "src")).length, 7, "and nothing was written beside the sources");
  const state = async (name: string) => (await verdict(name))?.state;
  assert.equal(await state("Good.good"), "accepted");
  assert.match((await state("Loop.l")) ?? "", /timeout|memory/);
  for (const name of ["Redirect.r", "Extract.e", "Other.o", "Print.p", "Native.n"]) assert.notEqual(await state(name), "accepted", name);
});

/** A hostile file beside a good one: what is asked of it ends and is told, and the good one holds. */
async function attack(t: TestContext, limits: string, text: string) {
  const { put, recheck, verdict, folder } = openSource(t, `limits: { ${limits} }\n`);
  put({ "src/Good.v": "Lemma good : 1 = 1. Proof. reflexivity. Qed.\n", "src/Bad.v": text, "decoy/untouched": "as it was" });
  const began = performance.now();
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  assert.equal((await verdict("Good.good"))?.state, "accepted");
  assert.equal(readFileSync(join(folder, "decoy/untouched"), "utf8"), "as it was");
  assert.deepEqual(readdirSync(join(folder, "decoy")), ["untouched"]);
  assert.deepEqual(readdirSync(join(folder, "src")).sort(), ["Bad.v", "Good.v"]);
  return {
    state: (await verdict("Bad.bad"))?.state,
    log: (await verdict("Bad.bad"))?.log ?? "",
    seconds: (performance.now() - began) / 1000,
  };
}

const USUAL = "wall: 20, cpu: 15, memory: 4096, output: 1, processes: 64";

test("what asks for memory without end is ended by its limit", { skip, timeout: 120_000 }, async (t) => {
  const text =
    "Fixpoint f (n : nat) : list nat := match n with 0 => cons 0 nil | S m => app (f m) (f m) end.\nLemma bad : f 60 = nil. Proof. vm_compute. reflexivity. Qed.\n";
  const { state } = await attack(t, "wall: 30, cpu: 30, memory: 1024, output: 1, processes: 64", text);
  assert.match(state ?? "", /^(?:memory|timeout)$/);
});

test("what prints without end, or fills a file, is ended by its limit", { skip, timeout: 120_000 }, async (t) => {
  const text =
    'Ltac talk := idtac "talking and talking and talking and talking and talking"; talk.\nLemma bad : 1 = 1. Proof. talk. Qed.\n';
  assert.match((await attack(t, USUAL, text)).state ?? "", /^(?:environment|timeout)$/);
  const file =
    'Fixpoint f (n : nat) : nat := match n with 0 => 1 | S m => f m + f m end.\nDefinition big := Eval vm_compute in f 20.\nLemma bad : 1 = 1. Proof. reflexivity. Qed.\nRedirect "big" Print big.\n';
  assert.notEqual((await attack(t, USUAL, file)).state, "accepted");
});
