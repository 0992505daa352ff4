/** What a repository does to have something false said VERIFIED. Each attack is carried out against a real Coq. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readAssumptions } from "./coq-ask.ts";
import { scanAll } from "./scan-all.ts";
import { openSource, skip } from "./source-fixture.ts";

test("a file that is used and not named as an import is not there: what changes in it would be seen by nobody", { skip }, async (t) => {
  const { put, recheck, states, verdict } = openSource(t);
  put({
    "src/D.v": "Axiom bad : False.\nDefinition n := 1.\n",
    "src/Named.v": "Require Import L.D.\nLemma named : n = 1. Proof. reflexivity. Qed.\n",
    // Coq's own finder of imports sees none of these.
    "src/Word.v": 'Comments "(*". Require Import L.D.\nLemma word : n = 1. Proof. reflexivity. Qed. (* " *)\n',
    "src/Turned.v": 'Redirect "/tmp/x" Require Import L.D.\nLemma turned : n = 1. Proof. reflexivity. Qed.\n',
    "src/Load.v": "Load D.\nLemma loaded : n = 1. Proof. reflexivity. Qed.\n",
    "src/Fine.v": "Lemma fine : 1 = 1. Proof. reflexivity. Qed.\n",
  });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  const said = await states();
  assert.equal(said["Named.named"], "VERIFIED");
  assert.equal(said["Fine.fine"], "VERIFIED");
  // What Load brings in is an import: a change of it is seen.
  assert.equal(said["Load.loaded"], "VERIFIED");
  for (const name of ["Word.word", "Turned.turned"]) {
    assert.notEqual(said[name], "VERIFIED", name);
    assert.equal((await verdict(name))?.state, "environment", name);
  }
  put({ "src/D.v": "Axiom bad : False.\nDefinition n := 2.\n" });
  assert.equal(await verdict("Load.loaded"), undefined);
});

test("two things of one full name: each is asked where the other is not loaded, or neither is", { skip }, async (t) => {
  const { put, recheck, states } = openSource(t);
  put({
    "src/A.v": "Module M. Lemma t : True. Proof. exact I. Qed. End M.\nModule B := M.\n",
    "src/A/B.v": "Axiom f : False.\nLemma t : 1 = 2. Proof. destruct f. Qed.\n",
  });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  assert.deepEqual(await states(), { "A.M.t": "VERIFIED", "A.B.t": "NOT_VERIFIED" });
});

test("a repository brings no library of Coq's own name: an axiom that the policy allows would be another", { skip }, async (t) => {
  const { put, recheck, states, config } = openSource(t, "policy: { axioms: [Coq.Logic.Classical_Prop.classic] }\n");
  put({
    "registry.yaml":
      "policy: { axioms: [Coq.Logic.Classical_Prop.classic] }\nsources:\n  - { repo: r, folder: ./src, rev: one, prover: coq, logical: '' }\n",
    "src/Coq/Logic/Classical_Prop.v": "Axiom classic : False.\n",
    "src/T.v": "Require Import Coq.Logic.Classical_Prop.\nLemma t : 1 = 2. Proof. destruct classic. Qed.\n",
  });
  await recheck();
  assert.notEqual((await states())["T.t"], "VERIFIED");
  const { notes } = await scanAll(config());
  assert.ok(
    notes.some((note) => /Classical_Prop\.v" is named like a module of Coq/.test(note)),
    notes.join("\n"),
  );
});

test("settings that a file leaves behind change neither questions nor answers", { skip }, async (t) => {
  const { put, recheck, states } = openSource(t);
  put({
    "src/S.v":
      "Global Set Silent. Global Set Printing All. Global Set Printing Width 10.\nAxiom ff : forall x y z : nat, x + y + z = 0 -> False.\nLemma liar : 1 = 2. Proof. destruct (ff 0 0 0 eq_refl). Qed.\nLemma good : 1 = 1. Proof. reflexivity. Qed.\n",
    "src/Z.v": "Lemma z : 0 = 0. Proof. reflexivity. Qed.\n",
  });
  await recheck();
  assert.deepEqual(await states(), { "S.liar": "NOT_VERIFIED", "S.good": "VERIFIED", "Z.z": "VERIFIED" });
});

test("an answer counts as closed only when nothing else stands in it, and one that cannot be read whole is none", () => {
  const closed = "asked_0 is defined\nFetching opaque proofs from disk for L.A\nClosed under the global context\n";
  assert.deepEqual(readAssumptions(closed), { names: [], unsafe: [] });
  for (const text of [
    "",
    "asked_0 is defined\n",
    "Closed under the global context\n",
    `${closed}Axioms:\nL.a : False\n`,
    "asked_0 is defined\nAxioms:\n",
    'asked_0 is defined\nAxioms:\nL.a : "\nClosed under the global context\n',
    "asked_0 is defined\nAxioms:\n:: what is this\n",
    "asked_0 is defined\nTheory:\nSet is impredicative\n",
  ])
    assert.equal(readAssumptions(text), null, text);
  assert.deepEqual(
    readAssumptions(
      "asked_0 is defined\nAxioms:\nL.a : True\n  and more\nL.b relies on definitional UIP.\nL.f is assumed to be guarded.\n",
    ),
    { names: ["L.a"], unsafe: ["L.b relies on definitional UIP", "L.f is assumed to be guarded"] },
  );
});

test("what was compiled without a sandbox is not taken where one is asked for, and no compiled file lies beside the checks", {
  skip,
}, async (t) => {
  const { put, recheck, verdict, config } = openSource(t);
  put({ "src/A.v": "Lemma a : 1 = 1. Proof. reflexivity. Qed.\n" });
  await recheck({ unsandboxed: true });
  await recheck({ all: true });
  assert.equal((await verdict("A.a"))?.check.isolation, "bubblewrap");
  const { store } = config().checks;
  assert.deepEqual(
    readdirSync(store).filter((name) => !/^[0-9a-f]{64}\.json$/.test(name)),
    [],
    join(store, "holds checks and nothing else"),
  );
});
