/** Declarations from text alone: forty things that make a reader of Coq go wrong, beside what Coq itself says of them; and Lean. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readGlob } from "./glob-fixture.ts";
import { scanCoq } from "./coq.ts";
import { scanLean } from "./lean.ts";

const PITFALLS = fileURLToPath(new URL("pitfalls.v", import.meta.url));
const text = readFileSync(PITFALLS, "utf8");
const coq = spawnSync("coqc", ["--version"]).status === 0;

test("each of the forty pitfalls has the declarations that its answer says, and no others", () => {
  const answers = text
    .split("\n")
    .flatMap((line, at) =>
      at < 3
        ? []
        : [...line.matchAll(/\(\*= (\S+) (\S+)( holes)?( abstract)? \*\)/g)].map(
            ([, kind, name, holes = "", abstract = ""]) => `${at + 1} ${kind} ${name}${holes}${abstract}`,
          ),
    );
  const found = scanCoq(text)
    .filter(({ kind }) => kind !== "Goal")
    .map((one) => `${one.line} ${one.kind} ${one.name}${one.holes.length > 0 ? " holes" : ""}${one.abstract ? " abstract" : ""}`);
  assert.deepEqual(found.sort(), answers.sort());
  assert.equal(new Set(text.match(/^\(\* \d+\./gm)).size, 40);
});

test("Coq lists the same lemmas on the same lines", { skip: coq ? false : "coqc is not installed" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-pitfalls-"));
  try {
    copyFileSync(PITFALLS, join(folder, "pitfalls.v"));
    execFileSync("coqc", ["pitfalls.v"], { cwd: folder, stdio: "ignore" });
    const bytes = readFileSync(PITFALLS);
    const listed = readGlob(readFileSync(join(folder, "pitfalls.glob"), "utf8"), bytes, ["prf"]);
    const found = scanCoq(text).filter(({ class: kind }) => kind === "theorem");
    // What was given up, failed or has no name is listed there, and is no declaration; a goal is listed without the name that it gets.
    const declared = listed.filter(({ name }) => !["aborted", "failing"].includes(name) && !name.startsWith("Unnamed_thm"));
    assert.ok(declared.length > 25);
    assert.deepEqual(
      declared.map(({ name, line }) => `${line} ${name}`).sort(),
      found
        .filter(({ name }) => name !== "saved")
        .map(({ name, line }) => `${line} ${name.split(".").at(-1)}`)
        .sort(),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a statement is its binders and its type, without comments; what sections assume stands beside it, and its doc comment is its summary", () => {
  const [lemma, definition, bare] = scanCoq(`Section S.
  Variable A : Type. (* of anything *)
  Hypothesis eq : forall x y : A, x = y.
  (** All are   alike. *)
  Lemma same (x y : A) (* two *) : x = y.
  Proof. apply eq. Qed.
  Definition first (x : A) : A := x.
End S.
Definition bare := 3.
`);
  assert.equal(lemma?.statement, "forall (x y : A), x = y");
  assert.deepEqual(lemma?.context, ["A : Type", "eq : forall x y : A, x = y"]);
  assert.equal(lemma?.summary, "All are alike.");
  assert.deepEqual([lemma?.line, lemma?.endLine], [5, 6]);
  assert.equal(definition?.statement, "forall (x : A), A");
  assert.equal(bare?.statement, ":= 3");
  assert.deepEqual(bare?.context, []);
});

test("text that opens everything and closes nothing is read to its end", () => {
  for (const open of ["(*", '"', "Lemma a : (", "Section A. ", "Module A. ", "Proof. ", "match ", "let ", "{ ", "#[", "Lemma a : True. "])
    assert.ok(Array.isArray(scanCoq(open.repeat(20_000))), open);
  for (const open of ["/-", '"', "theorem a : (", "namespace A\n", "theorem a : 1 = 1 :=\n", "variable (\n", "@[\n"])
    assert.ok(Array.isArray(scanLean(open.repeat(20_000))), open);
  const [open] = scanCoq("Lemma a : True. Proof. exact");
  assert.equal(open?.holes[0]?.what, "no end of the proof");
});

test("Lean: kinds, full names, lines, statements, holes and doc comments; what a comment or a string says is none", () => {
  const found = scanLean(`/-! # Title -/
namespace A
variable (n : Nat)

/-- It is
so. -/
@[simp]
theorem one (h : n = 1) : n = 1 := h

/- theorem hidden : 1 = 1 := rfl
sorry -/
lemma two : 2 = 2 := by
  -- sorry
  sorry
def text := "sorry"
def len : List Nat → Nat
  | [] => 0
  | _ :: t => len t + 1
theorem _root_.out.{u} {α : Type u} : True := trivial
instance : Inhabited Nat := ⟨0⟩
structure P where
  x : Nat
section
variable (m : Nat)
private theorem three : m = m := rfl
end
axiom ax : 1 = 2
end A
`);
  assert.deepEqual(
    found.map(({ kind, name, line, holes }) => `${line} ${kind} ${name}${holes.map((hole) => ` ${hole.what}:${hole.line}`).join("")}`),
    [
      "8 theorem A.one",
      "12 lemma A.two sorry:14",
      "15 def A.text",
      "16 def A.len",
      "19 theorem out",
      "21 structure A.P",
      "25 theorem A.three",
      "27 axiom A.ax",
    ],
  );
  assert.deepEqual(
    found.map(({ statement }) => statement),
    ["(h : n = 1) : n = 1", "2 = 2", ':= "sorry"', "List Nat → Nat", "{α : Type u} : True", "where x : Nat", "m = m", "1 = 2"],
  );
  assert.equal(found[0]?.summary, "It is so.");
  assert.deepEqual(found.find(({ name }) => name === "A.three")?.context, ["(n : Nat)", "(m : Nat)"]);
  assert.deepEqual(found.find(({ name }) => name === "A.ax")?.context, ["(n : Nat)"]);
});
