/** What records state beside what files declare: no other statement passes as the same, and no spelling is a difference. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { CubRecord } from "../../../snapshots/schema/index.ts";
import { holdStatements } from "../../sources/statements.ts";
import { openStatements } from "./statements.ts";

const COQ = `(* Theorem hidden : False. *)
Theorem plus_comm : forall n m : nat, n + m = m + n.
Proof. Admitted.
Lemma bound (n : nat) : n <= n. Proof. auto. Qed.
Definition one : nat := 1.
Section S.
Variable A : Type.
Lemma inside : forall x : A, x = x. Proof. auto. Qed.
End S.
Module M. Theorem deep : 1 = 1. Proof. auto. Qed. End M.
`;
const LEAN = `theorem add_comm' (n m : Nat) : n + m = m + n := by omega
theorem ex : ∀ n : Nat, ∃ k, n ≤ k := by simp
`;

const cases: readonly (readonly [system: string, name: string, statement: string, state: string])[] = [
  // Attacks: each is another statement, however alike.
  ["coq", "plus_comm", "forall n m : nat, n + m = n + m", "differs"],
  ["coq", "plus_comm", "forall n m : nat, n + m = m + n + 0", "differs"],
  ["coq", "plus_comm", "n + m = m + n", "differs"],
  ["coq", "plus_comm", "forall n m : nat, (n + m = m + n) /\\ False", "differs"],
  ["coq", "plus_comm", "Theorem plus_comm : False.", "differs"],
  ["coq", "bound", "forall n : nat, n < n", "differs"],
  ["lean", "add_comm'", "(n m : Nat) : n - m = m - n", "differs"],
  ["coq", "hidden", "False", "not_found"],
  ["coq", "comm", "forall n m : nat, n + m = m + n", "not_found"],
  ["lean", "plus_comm", "True", "not_found"],
  // Spellings.
  ["coq", "plus_comm", "forall n m : nat, n + m = m + n", "same"],
  ["coq", "plus_comm", "∀ n m : nat,\n  n+m = m+n.", "same"],
  ["coq", "plus_comm", "forall (n m : nat), n + m = m + n", "same"],
  ["coq", "plus_comm", "Theorem plus_comm : forall n m : nat, n + m = m + n.", "same"],
  ["coq", "bound", "forall n : nat, n ≤ n", "same"],
  ["coq", "M.deep", "1 = 1", "same"],
  ["coq", "deep", "1 = 1", "same"],
  ["lean", "add_comm'", "(n m : Nat) : n + m = m + n", "same"],
  ["lean", "add_comm'", "∀ (n m : Nat), n + m = m + n", "same"],
  ["lean", "add_comm'", "theorem add_comm' (n m : Nat) : n + m = m + n", "same"],
  ["lean", "ex", "forall n : Nat, exists k, n <= k", "same"],
  // What texts do not tell.
  ["coq", "plus_comm", "Addition of natural numbers commutes.", "unknown"],
  ["coq", "one", "nat", "unknown"],
  ["coq", "inside", "forall (A : Type) (x : A), x = x", "unknown"],
  ["agda", "plus_comm", "False", "unknown"],
];

const OPEN: readonly (readonly [system: string, name: string, text: string])[] = [
  ["coq", "t", "Lemma t : 0 = 1. Admitted."],
  ["coq", "t", "Lemma t : 0 = 1.\nProof. admit. Admitted."],
  ["lean", "t", "theorem t : 0 = 1 := sorry"],
  ["lean", "t", "theorem t : 0 = 1 := by\n  sorry"],
  ["agda", "t", "module A where\nt : Set\nt = {! !}\n"],
  ["agda", "t", "module A where\nt : Set\nt = ?\n"],
  ["metamath", "t", "$c |- wff ( ) $. $v p $. wp $f wff p $. t $p |- p $= ? $.\n"],
  ["isabelle", "t", 'theory A imports Main begin\nlemma t: "0 = 1"\n  sorry\nend\n'],
  // What is assumed is not proved.
  ["coq", "t", "Axiom t : 0 = 1."],
  ["coq", "t", "Parameter s t : 0 = 1."],
  ["lean", "t", "axiom t : 0 = 1"],
  ["agda", "t", "module A where\npostulate\n  t : Set\n"],
  ["metamath", "t", "$c |- wff ( ) $. $v p $. wp $f wff p $. t $a |- p $.\n"],
];

test("a file in which the theorem is left open contradicts VERIFIED, and nothing else", () => {
  const hold = openStatements();
  for (const [system, name, text] of OPEN) {
    const of = (verification_state: string) =>
      hold({ theorem_name: name, statement: "0 = 1", verification_state }, { path: "A", system }, text).state;
    assert.equal(of("VERIFIED"), "open", `${system}: ${text}`);
    assert.notEqual(of("NOT_VERIFIED"), "open", `${system}: ${text}`);
  }
  const literate = "```agda\nt : Set\nt = ?\n```\n";
  const record = { theorem_name: "t", statement: "", verification_state: "VERIFIED" };
  assert.equal(hold(record, { path: "A.lagda.md", system: "agda" }, literate).state, "open");
});

test("who names no system, or names it in another way, means the files that are pinned", async () => {
  const said = async (systems: object) =>
    (await heldOf({ files: { coq_file: "A.v" }, ...systems }, { "A.v": "Lemma t : 0 = 0. Admitted." }))[0];
  for (const systems of ["", "Rocq 9.0", "coq", "Coq+Lean", "a proof assistant"])
    assert.equal(await said({ formal_systems: systems }), "open", systems);
  assert.equal(await said({}), "open");
  assert.notEqual(await said({ formal_systems: "Lean" }), "open", "a draft of a twin");
});

test("a statement is held against the declaration of its name", () => {
  const hold = openStatements();
  for (const [system, name, statement, state] of cases)
    assert.equal(
      hold({ theorem_name: name, statement, verification_state: "" }, { path: "A", system }, system === "lean" ? LEAN : COQ).state,
      state,
      `${name}: ${statement}`,
    );
  const held = hold({ theorem_name: "plus_comm", statement: "False", verification_state: "" }, { path: "A.v", system: "coq" }, COQ);
  assert.deepEqual(held, { state: "differs", declared: "forall n m : nat, n + m = m + n", line: 2 });
});

/** heldOf holds a record against files of its repository, as a build does. */
async function heldOf(record: object, files: Readonly<Record<string, string>>) {
  const cub = CubRecord.parse({
    id: "CUB-0001",
    repo: "r",
    theorem_name: "t",
    statement: "0 = 0",
    verification_state: "VERIFIED",
    ...record,
  });
  const rows = Object.entries(files).map(([path, text]) => ({
    path,
    role: "proof" as const,
    system: path.endsWith(".v") ? "coq" : "lean",
    size: text.length,
    sha256: sha256(text),
    media_type: "text/plain",
    gated: true as const,
    available: true,
    state: "holds" as const,
    href: "",
  }));
  const code = new Map([[cub.id, { id: cub.id, repo: "r", head: "a".repeat(40), files: rows }]]);
  const read = async ({ path }: { path: string }) => {
    const bytes = Buffer.from(files[path] ?? "");
    return { bytes, sha256: sha256(bytes), size: bytes.length };
  };
  const annex = { openStatements: async () => openStatements(), kept: null, keep: false, maker: "" };
  const { states, findings } = await holdStatements([cub], code, { read } as never, annex);
  return [states.get(cub.id) ?? null, findings.map(({ field }) => field)];
}

test("a twin is held against its own language alone: it makes no other statement, and none the same", async () => {
  const both = { files: { coq_file: "A.v", lean_file: "A.lean" }, formal_systems: "Coq" };
  const lean = "theorem t : (0 : Nat) = 0 := rfl\n";
  assert.deepEqual(await heldOf(both, { "A.lean": lean }), [null, []], "the Coq file is gone, and its Lean twin is right");
  assert.deepEqual(await heldOf(both, { "A.v": "Lemma t : 0 = 0. Proof. auto. Qed.", "A.lean": lean }), ["same", []]);
  assert.deepEqual(await heldOf(both, { "A.v": "Lemma t : 0 = 1. Proof. auto. Qed.", "A.lean": "theorem t : 0 = 0 := sorry" }), [
    "differs",
    ["statement"],
  ]);
  // Who says that Lean proved it, too, says it of this file.
  assert.deepEqual(
    await heldOf(
      { ...both, formal_systems: "Coq+Lean" },
      { "A.v": "Lemma t : 0 = 0. Proof. auto. Qed.", "A.lean": "theorem t : 0 = 1 := sorry" },
    ),
    ["open", ["verification_state"]],
  );
  assert.deepEqual(await heldOf({ files: { lean_file: "A.lean" } }, { "A.lean": lean.replace("0 :", "1 :") }), ["differs", ["statement"]]);
});
