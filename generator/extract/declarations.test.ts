import assert from "node:assert/strict";
import { test } from "node:test";
import { extract } from "./extract.ts";

async function cut(key: string, text: string): Promise<string[]> {
  const { passages } = await extract(key, Buffer.from(text));
  return passages.map((part) => `${part.start_line}-${part.end_line} ${part.name ?? "-"} [${part.heading.join(" > ")}]`);
}

test("Coq: comments, strings and dots inside a proof do not end it; docs stay with their declaration", async () => {
  const source = `Require Import List.

(** * Sorting *)
Section Sort.
Variable A : Type.

(** Inserts (* nested. *) x. *)
Fixpoint insert (x : nat) (l : list nat) : list nat :=
  match l with nil => x :: nil | y :: l' => x :: l.(tl) end.

#[local] Lemma insert_perm x l : Permutation (x :: l) (insert x l).
Proof.
  (* Lemma not_one : False. *)
  - idtac "Qed. ". auto.
  { now auto. }
Qed.

Definition two : nat. exact 2. Defined.
Theorem trivial' : True. Proof I.
Record r := { a : nat; b : list nat }.
End Sort.
Axiom open : forall x, x = x
`;
  assert.deepEqual(await cut("a.v", source), [
    "1-9 insert [Sorting > Sort]",
    "11-16 insert_perm [Sorting > Sort]",
    "18-18 two [Sorting > Sort]",
    "19-19 trivial' [Sorting > Sort]",
    "20-21 r [Sorting > Sort]",
    "22-22 open [Sorting]",
  ]);
});

test("Coq: an open comment, an open string and an open proof end with the file", async () => {
  assert.deepEqual(await cut("a.v", "Lemma a : True.\nProof. (* never closed\nQed.\n"), ["1-3 a []"]);
  assert.deepEqual(await cut("a.v", `Lemma a : "x.\nLemma b : True. Qed.`), ["1-2 a []"]);
  assert.deepEqual(await cut("a.v", "Lemma a : True.\nLemma b : True.\nProof. auto. Qed."), ["1-1 a []", "2-3 b []"]);
});

test("Lean: attributes and doc comments belong to what they stand on, and comments hide code", async () => {
  const source = `import Mathlib
/-! # Sorting -/
namespace Sort
/-
theorem hidden : True := trivial
-/
/-- Inserts. -/
@[simp]
def insert (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => x :: y :: ys
termination_by l => l.length

@[simp] private theorem insert_perm.aux {x : Nat} : x = x := by
  simp
instance : Inhabited Nat := ⟨0⟩
mutual
  def even : Nat → Bool
    | 0 => true
  def odd : Nat → Bool
    | 0 => false
end
end Sort
`;
  assert.deepEqual(await cut("a.lean", source), [
    "1-1 - []",
    "2-12 Sort.insert [Sorting > Sort]",
    "14-15 Sort.insert_perm.aux [Sorting > Sort]",
    "16-16 - [Sorting > Sort]",
    "17-19 Sort.even [Sorting > Sort]",
    "20-23 Sort.odd [Sorting > Sort]",
  ]);
});

test("Rust: braces in strings, characters and comments do not count; methods have their impl as heading", async () => {
  const source = `//! Sorting.
use std::fmt::{self, Debug};

/// A point.
#[derive(Debug, Clone = "]")]
pub struct Point<'a> { x: &'a [u8; 4] }
pub const N: [u8; 2] = [1; 2];
impl<T: Ord> Sort for Vec<T> {
    /// Inserts "}".
    pub fn insert(&mut self, c: char) -> bool {
        let s = r#"}"{"#; // }
        c == '{' || c == '\\'' /* } /* } */ */
    }
    fn other(&self);
}
verus! {
pub open spec fn sorted(s: Seq<int>) -> bool { true }
proof fn lemma_sorted() ensures sorted(s) { }
}
macro_rules! m { ($x:expr) => { } }
fn open() {
`;
  assert.deepEqual(await cut("a.rs", source), [
    "1-6 Point []",
    "7-7 N []",
    "8-13 insert [impl<T: Ord> Sort for Vec<T>]",
    "14-15 other [impl<T: Ord> Sort for Vec<T>]",
    "16-17 sorted []",
    "18-19 lemma_sorted []",
    "20-20 m []",
    "21-21 open []",
  ]);
  const plain = "mod shapes {\n    impl Circle {\n        fn area(&self) {}\n    }\n    trait Round {\n        fn r(&self);\n    }\n}\n";
  assert.deepEqual(await cut("b.rs", plain), ["1-4 area [shapes > impl Circle]", "5-5 Round [shapes > Round]", "6-8 r [shapes > Round]"]);
  const strings = 'mod tests {\n    fn a() {\n        let s = r"one\nfn no() /* {\n".len() + b\'"\';\n    }\n    fn b() {}\n}\n';
  assert.deepEqual(await cut("c.rs", strings), ["1-6 a [tests]", "7-8 b [tests]"]);
});

test("LaTeX: sections nest, and verbatim text has none", async () => {
  const source =
    "\\title{On \\emph{Sort\\'e}}\n\\begin{document}\n\\section{One}\nText.\n\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n\\subsection*{Two $x$}\nMore.\n% \\section{no}\n\\end{document}\n";
  const { title } = await extract("a.tex", Buffer.from(source));
  assert.equal(title, "On Sorté");
  assert.deepEqual(await cut("a.tex", source), ["1-7 - [One]", "8-11 - [One > Two x]"]);
});

test("reStructuredText: the order of the signs gives the levels; rules and tables are no headings", async () => {
  const source = `=====\nTitle\n=====\n\nIntro.\n\nPart\n----\n\nText one.\n\n----\n\n===  ===\na    b\n===  ===\n\nSub\n~~~\nText two.\n\nNext\n----\nEnd.\n`;
  assert.deepEqual(await cut("a.rst", source), [
    "1-5 - [Title]",
    "7-16 - [Title > Part]",
    "18-20 - [Title > Part > Sub]",
    "22-24 - [Title > Next]",
  ]);
});

test("JSON and YAML: large members stand alone under their name, small ones share", async () => {
  const long = Array.from({ length: 20 }, (_, index) => `    "item number ${index} of it"`).join(",\n");
  const json = `{\n  "a": 1,\n  "b": "},{",\n  "big": [\n${long}\n  ],\n  "c": 2\n}\n`;
  assert.deepEqual(await cut("a.json", json), ["1-3 - []", "4-25 - [big]", "26-27 - []"]);
  const yaml = `# comment\na: &x 1\nbig:\n${long.replaceAll("    ", "  - ").replaceAll(",", "")}\nc: *x\n`;
  assert.deepEqual(await cut("a.yaml", yaml), ["1-2 - []", "3-23 - [big]", "24-24 - []"]);
});

test("CSV: rows carry their header, and a line break inside quotes ends no row", async () => {
  const row = `"${"x".repeat(400)}\nsecond line",2\n`;
  const source = `name,"the ""count"""\n${row.repeat(4)}`;
  const { passages } = await extract("a.csv", Buffer.from(source));
  assert.deepEqual(
    passages.map((part) => [part.start_line, part.end_line]),
    [
      [1, 5],
      [6, 9],
    ],
  );
  assert.deepEqual(passages[1]?.heading, [`name, the "count"`]);
});
