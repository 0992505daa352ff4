/** What makes a prover, or a reader of its files, say more than it has seen: a trap a test, each against a real Coq where Coq is in it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { scanAll } from "./scan-all.ts";
import { openSource, skip } from "./source-fixture.ts";

const timeout = 300_000;
const PITFALLS = readFileSync(new URL("pitfalls.v", import.meta.url), "utf8");

const yamlOf = (more: string): string =>
  `sources:\n  - { repo: r, folder: ./src, rev: one, prover: coq, logical: L, kinds: [theorem, definition]${more} }\n`;

test("each declaration of the forty pitfalls is asked of Coq under the name that it has there, and what nobody can ask is not run", {
  skip,
  timeout,
}, async (t) => {
  const { put, recheck, config } = openSource(t);
  put({ "src/pitfalls.v": PITFALLS });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  const { records, checks } = await scanAll(config());
  const state = new Map(
    records.map(({ one, source }) => [one.name, checks.of(one, source)[0]?.state ?? (one.abstract ? "abstract" : "not_run")]),
  );
  const others = new Map([...state].filter(([, said]) => said !== "accepted"));
  // The body of a module with a parameter is no thing of Coq's: only what it is applied to is.
  assert.deepEqual(Object.fromEntries(others), { open_: "holes", admits: "holes", "F.of_x": "abstract" });
  for (const name of ["saved", "inner", "M.one", "in_section", "W.t_eq", "univ", "α_β'", "has_nat", "left_of", "right_of"])
    assert.equal(state.get(name), "accepted", name);
  assert.equal(state.has("aborted"), false);
});

test("universes that contradict each other: each file is asked where the other is not loaded", { skip, timeout }, async (t) => {
  const { put, recheck, states } = openSource(t);
  put({
    "src/U0.v": "Definition A := Type.\nDefinition B := Type.\n",
    "src/U1.v": "From L Require Import U0.\nDefinition f : B := A.\nLemma one : f = A. Proof. reflexivity. Qed.\n",
    "src/U2.v": "From L Require Import U0.\nDefinition g : A := B.\nLemma two : g = B. Proof. reflexivity. Qed.\n",
  });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  const said = await states();
  assert.deepEqual([said["U1.one"], said["U2.two"]], ["VERIFIED", "VERIFIED"]);
});

for (const flag of ["-vos", "-vok", "-quick", "-vio", "-type-in-type", "-impredicative-set"])
  test(`with ${flag} proofs are left out, or the logic is another: nothing is verified`, { skip, timeout }, async (t) => {
    const { put, recheck, states } = openSource(t);
    put({
      "registry.yaml": yamlOf(`, flags: ["${flag}"]`),
      "src/A.v": "Lemma a : 1 = 2. Proof. reflexivity. Qed.\nLemma b : 1 = 1. Proof. reflexivity. Qed.\n",
    });
    await recheck();
    assert.ok(!Object.values(await states()).includes("VERIFIED"));
  });

test("native_compute where no compiler is there is told as what this machine lacks, and not as a proof that fails", {
  skip,
  timeout,
}, async (t) => {
  const { put, recheck, verdict, states } = openSource(t);
  put({ "src/N.v": "Lemma n : 2 * 3 = 6. Proof. native_compute. reflexivity. Qed.\n" });
  await recheck();
  const state = (await verdict("N.n"))?.state;
  assert.ok(state === "environment" || state === "accepted", state);
  assert.equal((await states())["N.n"], state === "accepted" ? "VERIFIED" : "UNSPECIFIED");
});

test("axioms of one short name are told apart by their full ones", { skip, timeout }, async (t) => {
  const { put, recheck, verdict } = openSource(t);
  put({
    "src/A.v": "Axiom hole : nat.\nModule M. Axiom hole : nat. End M.\n",
    "src/B.v": "Axiom hole : nat.\n",
    "src/T.v":
      "From L Require Import A B.\nLemma t : L.A.hole + L.B.hole + L.A.M.hole = L.A.hole + L.B.hole + L.A.M.hole. Proof. reflexivity. Qed.\n",
  });
  await recheck();
  assert.deepEqual((await verdict("T.t"))?.axioms, ["L.A.M.hole", "L.A.hole", "L.B.hole"]);
});

test("an obligation that is left open is what a program rests on, also where no sentence names it", { skip, timeout }, async (t) => {
  const { put, recheck, states, verdict } = openSource(t);
  const program = (end: string): string =>
    `Require Import Program Arith.\nProgram Definition same (n m : nat) : { k : nat | k = m + n } := n + m.\nNext Obligation. ${end}\nLemma after : proj1_sig (same 0 1) = proj1_sig (same 0 1). Proof. reflexivity. Qed.\n`;
  put({ "src/Shut.v": program("apply Nat.add_comm. Qed."), "src/Open.v": program("Admitted.") });
  await recheck();
  assert.equal((await verdict("Shut.after"))?.state, "accepted");
  assert.equal((await states())["Open.after"], "NOT_VERIFIED");
  assert.deepEqual((await verdict("Open.after"))?.axioms, ["L.Open.same_obligation_1"]);
});

test("a file that fails leaves its list of names and no compiled file: nothing is taken from the list", { skip, timeout }, async (t) => {
  const { put, recheck, verdict } = openSource(t);
  put({
    "src/R.v":
      "Lemma one : 1 = 1. Proof. reflexivity. Qed.\nLemma two : 1 = 1. Proof. exact one. Qed.\nLemma wrong : 1 = 2. Proof. reflexivity. Qed.\n",
  });
  await recheck({ graph: false });
  const two = await verdict("R.two");
  assert.deepEqual([two?.state, two?.uses, two?.axioms], ["rejected", [], null]);
});

test("a statement that is made weaker under its name is another one: the old check is not of it, and the new one is refused", {
  skip,
  timeout,
}, async (t) => {
  const { put, recheck, states } = openSource(t);
  put({ "src/A.v": "Lemma a : forall n : nat, n = n. Proof. reflexivity. Qed.\n" });
  await recheck();
  put({ "src/A.v": "Lemma a : forall n : nat, n = 0 -> n = n. Proof. reflexivity. Qed.\n" });
  await assert.rejects(states(), /CUB-0001 has other words/);
  await recheck();
  await assert.rejects(states(), /CUB-0001/);
});

test("a clone whose history is cut off says so of a revision that it lacks", async (t) => {
  const { put, config, folder } = openSource(t);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  git("init", "-q", "whole");
  for (const text of ["Lemma a : 1 = 1. Proof. trivial. Qed.\n", "Lemma a : 2 = 2. Proof. trivial. Qed.\n"]) {
    put({ "whole/A.v": text });
    git("-C", "whole", "add", "-A");
    git("-C", "whole", "commit", "-qm", "next");
  }
  const first = git("-C", "whole", "rev-parse", "HEAD~1").trim();
  git("clone", "-q", "--depth", "1", `file://${join(folder, "whole")}`, "cut");
  const of = (rev: string): void => put({ "registry.yaml": `sources:\n  - { repo: r, git: ./cut, rev: "${rev}", prover: coq }\n` });
  of("HEAD");
  assert.equal((await scanAll(config())).records.length, 1);
  of(first);
  await assert.rejects(scanAll(config()), /has no revision .*; its history is cut off, so fetch more of it/);
});

/** A program of somebody else's that answers with these words. */
function openProgram(t: TestContext, script: string) {
  const opened = openSource(t, "limits: { wall: 5, cpu: 5, memory: 1024, output: 1, processes: 16 }\n");
  opened.put({
    "registry.yaml": `limits: { wall: 5, cpu: 5, memory: 1024, output: 1, processes: 16 }\nsources:\n  - { repo: r, folder: ./src, rev: one, prover: coq, adapter: { command: [./bin/says], prover: coq } }\n`,
    "src/A.v": "Lemma a : 1 = 1. Proof. trivial. Qed.\nLemma b : 2 = 2. Proof. trivial. Qed.\n",
    "bin/says": `#!/bin/sh\n${script}\n`,
  });
  for (const path of ["", "bin", "bin/says"]) chmodSync(join(opened.folder, path), 0o755);
  return opened;
}

const TOOL = JSON.stringify({ t: "tool", name: "coq", version: "8.16.1", executable_sha256: "c".repeat(64) });
const told = (name: string, axioms: readonly string[] = []): string[] =>
  [
    { t: "axioms", decl: `r coq A.${name}`, names: axioms, unsafe: [], exact: true },
    { t: "decl", key: `r coq A.${name}`, statement: null, type_sha256: "d".repeat(64) },
  ].map((line) => JSON.stringify(line));
const FILE = ['{"t":"check","path":"A.v","state":"accepted"}', '{"t":"imports","path":"A.v","imports":[]}'];
const print = (lines: readonly string[]): string => `cat <<'END'\n${lines.join("\n")}\nEND`;

for (const [what, script, why] of [
  ["nothing", "exit 0", /it has no end/],
  ["without end", "yes", /ended with/],
  ["nothing and does not end", "sleep 100", /ended with/],
  ["half and dies", `${print([TOOL, ...FILE])}\nkill -9 $$`, /ended with/],
  ["only the first of two", print([TOOL, ...FILE, ...told("a"), '{"t":"end","answered":2}']), /says nothing of "r coq A\.b"/],
  ["another theorem's answer", print([TOOL, ...FILE, ...told("a"), ...told("c"), '{"t":"end","answered":2}']), /nobody asked for/],
  ["a name that is none", print([TOOL.replace('"coq"', "7"), '{"t":"end","answered":2}']), /is no tool as the protocol has it/],
] as const)
  test(`a prover that says ${what} is told as that, and nothing is verified`, { skip, timeout }, async (t) => {
    const { recheck, states } = openProgram(t, script);
    const [run] = await recheck();
    assert.equal(run?.check, null);
    assert.match(run?.problems.join("\n") ?? "", why);
    assert.deepEqual(Object.values(await states()), ["UNSPECIFIED", "UNSPECIFIED"]);
  });

test("a prover that answers in another order is understood", { skip, timeout }, async (t) => {
  const { recheck, states } = openProgram(t, print([TOOL, ...told("b", ["bad"]), ...told("a"), ...FILE, '{"t":"end","answered":2}']));
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  assert.deepEqual(await states(), { "A.a": "VERIFIED", "A.b": "NOT_VERIFIED" });
});
