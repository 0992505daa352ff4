/** What moves is no other statement, and what is another one is told, wherever it hides: with a real Coq. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readLock } from "./lock.ts";
import { type Files, moveFrom } from "./moves-fixture.ts";
import { skip } from "./source-fixture.ts";

const BASE = `Definition double (n : nat) := n + n.
Inductive tree := leaf | node (l r : tree).
Module Inner. Fixpoint size (t : tree) := match t with leaf => 1 | node l r => size l + size r end. Axiom open : size leaf = 1. End Inner.
Lemma two : double 1 = 2. Proof. reflexivity. Qed.
Lemma one : Inner.size leaf = double 1 - 1. Proof. reflexivity. Qed.
`;
const USE = (name: string): string =>
  `From L Require Import ${name}.\nLemma four : double 2 = 4. Proof. reflexivity. Qed.\nLemma of_two : two = two. Proof. reflexivity. Qed.\n`;

test("files and modules that are renamed or moved say what they said, and ids and states stay", { skip, timeout: 120_000 }, async (t) => {
  const moved = await moveFrom(
    t,
    { "Base.v": BASE, "Use.v": USE("Base") },
    { "sub/Ground.v": BASE.replaceAll("Inner", "Within"), "Use.v": USE("sub.Ground") },
  );
  assert.deepEqual(moved.told, { two: ["moved", false], one: ["wording", false] });
  assert.deepEqual(await moved.states(), {
    "sub.Ground.two": "VERIFIED",
    "sub.Ground.one": "VERIFIED",
    "Use.four": "VERIFIED",
    "Use.of_two": "VERIFIED",
  });
  for (const { id, drift, theorem_name: name } of await moved.records()) {
    assert.ok(id <= "CUB-0004", id);
    // Of the module's own name in the words only the spelling is another.
    assert.equal(drift?.cause, name === "one" ? "wording" : undefined);
  }
  assert.deepEqual(
    readLock(moved.config().lock).map(({ was }) => was),
    [["r coq L.Base.two"], ["r coq L.Base.one"], [], []],
  );
});

test("what says something else while it moves is told by its cause", { skip, timeout: 120_000 }, async (t) => {
  const { told } = await moveFrom(
    t,
    { "Base.v": BASE, "Use.v": USE("Base") },
    { "Ground.v": BASE.replace("n + n", "2 * n"), "Use.v": USE("Ground") },
  );
  assert.deepEqual(told, {
    two: ["meaning", "L.Ground.double", true],
    one: ["meaning", "L.Ground.double", true],
    four: ["meaning", "L.Ground.double", true],
    // It names the theorem, and the theorem the definition.
    of_two: ["meaning", "L.Ground.double", true],
  });
});

test("how a proposition is proved means nothing, of a lemma that is named in a statement either", { skip, timeout: 120_000 }, async (t) => {
  const write = (tactic: string): Files => ({
    "A.v": `Lemma p : 0 = 0. Proof. ${tactic}. Qed.\nLemma main : p = p. Proof. reflexivity. Qed.\n`,
  });
  const { told } = await moveFrom(t, write("reflexivity"), write("exact (eq_refl (0 + 0))"));
  assert.deepEqual(told, {});
});
