import assert from "node:assert/strict";
import { test } from "node:test";
import { breakStatement, findStatement, firstSentence, partsOfStatement } from "./statement.ts";

test("a long statement is set in its parts, at operators outside of brackets and of binders alone", () => {
  assert.equal(
    breakStatement("forall (D : Type) (node : D -> D -> D), (forall a b, node a b = node b a) -> P node -> exists x : nat -> nat, x 0 = 1"),
    "forall (D : Type) (node : D -> D -> D),\n  (forall a b, node a b = node b a)\n  -> P node\n  -> exists x : nat -> nat,\n  x 0 = 1",
  );
  for (const whole of ["nat -> list nat", `forall x,\n${"x ".repeat(40)}`]) assert.equal(breakStatement(whole), whole);
});

test("what is set in parts is the same statement, whatever stands in it", () => {
  for (const text of ["((((".repeat(30), `${"a -> ".repeat(30)}b`, `∀ ${"x ".repeat(40)}, x → y ∧ z`, `,${")".repeat(80)},forall ,`])
    assert.equal(breakStatement(text).replaceAll(/\s+/g, ""), text.replaceAll(/\s+/g, ""), text);
});

test("the statement of a theorem is found in its file, its binders before it", () => {
  const coq =
    "(** Sorted. *)\nTheorem t_more : True.\nLemma t (x : nat)\n  (l : list nat) : sorted l -> Nat.le x\n x.\nProof. exact I. Qed.\n";
  assert.equal(findStatement(coq, "A.t", "coq"), "forall (x : nat) (l : list nat), sorted l -> Nat.le x x");
  assert.equal(findStatement(coq, "t_more", "coq"), "True");
  assert.equal(findStatement("theorem N.t (x : Nat := 1) : x = x := by rfl", "t", "lean"), "∀ (x : Nat := 1), x = x");
  for (const [text, name, system] of [
    ["Definition t : nat := 1.", "t", "coq"],
    ["Theorem t : True", "t", "coq"],
    ["fn t() {}", "t", "rust"],
  ] as const)
    assert.equal(findStatement(text, name, system), null, text);
});

test("two provers' statements of one theorem have the same parts", () => {
  assert.deepEqual(partsOfStatement("forall (x : nat) (l : list nat), sorted l -> x <= 3 /\\ P l -> forall y, Q y"), {
    signature: "forall (x : nat) (l : list nat),",
    hypotheses: ["sorted l", "x <= 3 /\\ P l"],
    conclusion: "forall y,\n  Q y",
  });
  assert.deepEqual(partsOfStatement("∀ (x : Nat) {l : List Nat} (h₁ : Sorted l), (h : x ≤ 3) → Q x"), {
    signature: "∀ (x : Nat) {l : List Nat},",
    hypotheses: ["Sorted l", "(h : x ≤ 3)"],
    conclusion: "Q x",
  });
  assert.deepEqual(partsOfStatement("exists x : nat, x = 1"), { signature: "", hypotheses: [], conclusion: "exists x : nat,\n  x = 1" });
  assert.deepEqual(partsOfStatement("forall x y : nat, x = y <-> y = x")?.signature, "forall x y : nat,");
  assert.equal(partsOfStatement("x".repeat(9999)), null);
});

test("the sentence above a declaration is told without the signs of comments", () => {
  for (const [comment, sentence] of [
    ["(** A list that is in order already is not touched. More of it. *)", "A list that is in order already is not touched."],
    ["/-- What goes in\ncomes out. -/\n@[simp]", "What goes in comes out."],
    ["/// Sorts: by e.g. hand\n#[inline]", "Sorts: by e.g. hand"],
    ["(** ** Partial correctness of [gcd] *)", "Partial correctness of [gcd]"],
    ["(** * Combining them *)\nGlobal Hint Resolve wp_sound: hoare.\n", ""],
    ["(** Of the hint. *)\nHint Resolve a.\n(** Of the theorem. *)\n", "Of the theorem."],
    ["", ""],
  ] as const)
    assert.equal(firstSentence(comment), sentence);
});
