/** Statements that would be read as others: each is refused, or shown as Coq prints it, and what is honest beside them is exact. One table, one run
 *  of a real Coq. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CubRecord } from "../../../snapshots/schema/index.ts";
import { openSource, skip } from "./source-fixture.ts";

const HYPOTHESIS = "Hypothesis absurd : False.\nLemma t : 0 = 1.\nProof. destruct absurd. Qed.\nEnd S.\n";
const TRUE = "Proof. exact I. Qed.\n";

/** A lie, a file that tells it, what may be shown of `t` as verified, and the kinds of words that are marked. */
const LIES: readonly (readonly [lie: string, text: string, shown: string, kinds: readonly string[]])[] = [
  // B1: a word before the command hides it.
  ["Timeout before a section", `Timeout 60 Section S.\n${HYPOTHESIS}`, "False -> 0 = 1", []],
  ["a comment in the prefix of a section", `Timeout (* s *) 6 (* . *) Section S.\n${HYPOTHESIS}`, "False -> 0 = 1", []],
  ["Redirect before a section", `Redirect "x" Section S.\n${HYPOTHESIS}`, "False -> 0 = 1", []],
  ["Time, and an attribute with a bracket in it", `#[local] Axiom u : True.\nTime Section S.\n${HYPOTHESIS}`, "False -> 0 = 1", []],
  ["a comment between Section and its name", `Section (* S. *) S.\n${HYPOTHESIS}`, "False -> 0 = 1", []],
  ["a hidden hypothesis in a section that is seen", `Section S.\nTimeout 60 ${HYPOTHESIS}`, "False -> 0 = 1", []],
  [
    "a hidden Context",
    "Section S.\nTimeout 9 Context {absurd : False}.\nLemma t : 0 = 1.\nProof. destruct absurd. Qed.\nEnd S.\n",
    "False -> 0 = 1",
    [],
  ],
  // B4: Let is a context.
  ["Let", "Section S. Let False := True. Lemma t : False. Proof. exact I. Qed. End S.\n", "True", ["name"]],
  [
    "Let with a proof",
    "Section S. Let False : Prop. Proof. exact True. Defined. Lemma t : False. Proof. exact I. Qed. End S.\n",
    "True",
    ["name"],
  ],
  // B5: words that read as others.
  ["a notation of words", `Notation "'P' = 'NP'" := True.\nTheorem t : P = NP. ${TRUE}`, "True", ["notation"]],
  ["a number that is another", 'Notation "1" := 0.\nTheorem t : 0 = 1. Proof. reflexivity. Qed.\n', "0 = 0", ["notation"]],
  [
    "a sign in a scope of its own",
    'Declare Scope my. Notation "x + y" := (x * y) : my. Open Scope my.\nTheorem t : 2 + 3 = 6. Proof. reflexivity. Qed.\n',
    "2 * 3 = 6",
    ["notation"],
  ],
  [
    "a sign in an opened scope",
    "Require Import PArith. Open Scope positive_scope.\nTheorem t : 1 - 2 = 1. Proof. reflexivity. Qed.\n",
    "BinPos.Pos.sub BinNums.xH (BinNums.xO BinNums.xH) = BinNums.xH",
    ["scope"],
  ],
  ["an own False", `Definition False := True.\nTheorem t : False. ${TRUE}`, "SHADOW.False", ["name"]],
  [
    "an own nat",
    "Inductive nat := O. Theorem t : forall x y : nat, x = y. Proof. intros [] []. reflexivity. Qed.\n",
    "forall x y : SHADOW.nat, x = y",
    ["name"],
  ],
  ["an own eq", "Definition eq (x y : nat) := True. Theorem t : eq 0 1. Proof. exact I. Qed.\n", "SHADOW.eq 0 1", ["name"]],
  [
    "an own le behind a sign",
    'Definition le (x y : nat) := True. Infix "<=" := le. Theorem t : 5 <= 2. Proof. exact I. Qed.\n',
    "SHADOW.le 5 2",
    ["notation"],
  ],
  [
    "an own le with its own notation unseen",
    "Module Import M. Definition le (x y : nat) := True. End M. Theorem t : le 5 2. Proof. exact I. Qed.\n",
    "SHADOW.M.le 5 2",
    ["name"],
  ],
  [
    "a coercion into sorts",
    `Inductive claim := zero_is_one. Definition holds (c : claim) := True. Coercion holds : claim >-> Sortclass.\nTheorem t : zero_is_one. ${TRUE}`,
    "SHADOW.holds SHADOW.zero_is_one",
    ["coercion"],
  ],
  [
    "a coercion of numbers",
    "Inductive num := n0 | n1. Definition val (n : num) : nat := 0. Coercion val : num >-> nat.\nTheorem t : n0 = n1 :> nat. Proof. reflexivity. Qed.\n",
    "SHADOW.val SHADOW.n0 = SHADOW.val SHADOW.n1",
    ["coercion"],
  ],
  [
    "an abbreviation",
    `Definition Q (n : nat) := True. Notation fermat := (@Q 0).\nTheorem t : fermat. ${TRUE}`,
    "SHADOW.Q 0",
    ["notation"],
  ],
  [
    "an instance that nobody sees",
    "Class Same := same : nat -> nat -> Prop. #[local] Instance any : Same := fun _ _ => True.\nTheorem t : same 0 1. Proof. exact I. Qed.\n",
    "SHADOW.same 0 1",
    ["implicit"],
  ],
  ["a tactic in the statement", `Theorem t : ltac:(exact True). ${TRUE}`, "True", ["tactic"]],
  ["a letter of another alphabet", `Definition F\u0430lse := True.\nTheorem t : F\u0430lse. ${TRUE}`, "SHADOW.F\u0430lse", ["letters"]],
  ["a Greek letter that looks Latin", `Definition T\u03bfp := True.\nTheorem t : T\u03bfp. ${TRUE}`, "SHADOW.T\u03bfp", ["letters"]],
  [
    "a notation of a module that is imported by its full name",
    `Module N. Notation "'P' = 'NP'" := True. End N. Module O := N. Import L.L25.O.\nTheorem t : P = NP. ${TRUE}`,
    "True",
    ["notation"],
  ],
  [
    "a module of one of the prelude's names",
    "Module Nat. Definition add (a b : nat) := 0. End Nat.\nTheorem t : Nat.add 1 1 = 0. Proof. reflexivity. Qed.\n",
    "SHADOW.Nat.add 1 1 = 0",
    ["name"],
  ],
  [
    "a name that is written longer than it has to be",
    `Module Logic. Definition False := True. End Logic.\nTheorem t : Logic.False. ${TRUE}`,
    "SHADOW.Logic.False",
    ["name"],
  ],
  [
    "a name by an alias of a module",
    `Module M. Definition le (a b : nat) := True. End M. Module Export N := M.\nTheorem t : le 5 2. ${TRUE}`,
    "SHADOW.N.le 5 2",
    ["name"],
  ],
  [
    "a name by an Include",
    "Module M. Definition nat := unit. End M. Include M.\nTheorem t : forall x y : nat, x = y. Proof. now intros [] []. Qed.\n",
    "forall x y : SHADOW.nat, x = y",
    ["name"],
  ],
  [
    "a name of a library by an import of another file",
    "From L Require Import Exports.\nTheorem t : forall x, le x x. Proof. intro x. apply BinNat.N.le_refl. Qed.\n",
    "forall x : BinNums.N, BinNat.N.le x x",
    ["name"],
  ],
  [
    "a name of a library by an import, behind words that take those of a question",
    "From L Require Import Exports.\nTheorem t : forall x, le x x. Proof. intro x. apply BinNat.N.le_refl. Qed.\nNotation \"'Locate' x\" := x (at level 9).\nNotation \"'End' x\" := x (at level 9).\n",
    "forall x : BinNums.N, BinNat.N.le x x",
    ["name"],
  ],
  [
    "Greek letters that all look Latin",
    `Definition \u039d\u03a1 := True.\nTheorem t : \u039d\u03a1. ${TRUE}`,
    "SHADOW.\u039d\u03a1",
    ["letters"],
  ],
  ["a variable of a usual name", `Theorem t (False := True) : False. ${TRUE}`, "let False := True in False", ["name"]],
  ["a let of one letter", "Theorem t : let O := 1 in O = 1. Proof. reflexivity. Qed.\n", "let O0 := 1 in O0 = 1", ["name"]],
  ["a pair's names", "Theorem t : let (O, S) := (1, 2) in O = 1. Proof. reflexivity. Qed.\n", "1 = 1", ["name", "name"]],
  ["a function's name", "Theorem t : (fun S => S = 1) 1. Proof. reflexivity. Qed.\n", "1 = 1", ["name"]],
  ["what there is", "Theorem t : exists O, O = 1. Proof. eexists; reflexivity. Qed.\n", "exists O0 : nat, O0 = 1", ["name"]],
  ["a name in a pattern", "Theorem t : match 1 with 0 => False | S nat => nat = 0 end. Proof. reflexivity. Qed.\n", "0 = 0", ["name"]],
  ["a name in a pattern of let", `Theorem t : let '(False, eq) := (True, 0) in False. ${TRUE}`, "True", ["name"]],
  [
    "numbers that are read otherwise",
    "Definition my (x : Number.uint) := 0. Definition back (x : nat) : Number.uint := Number.UIntDecimal Decimal.Nil.\nNumber Notation nat my back : nat_scope.\nTheorem t : 5 = 3. Proof. reflexivity. Qed.\n",
    "0 = 0",
    [],
  ],
];

const HONEST: readonly string[] = [
  "Theorem t : forall n m : nat, n + m = m + n. Proof. induction n; intros; simpl; [ induction m; simpl; congruence | rewrite IHn; clear; induction m; simpl; congruence ]. Qed.\n",
  "Require Import List. Import ListNotations. Theorem t : forall A (l : list A), l ++ [] = l. Proof. intros; apply app_nil_r. Qed.\n",
  "Definition double (n : nat) := n + n. Theorem t (n : nat) : double n = n + n. Proof. reflexivity. Qed.\n",
  "Section S. Variable A : Type. Theorem t : forall n : nat, n = n. Proof. reflexivity. Qed. End S.\n",
  "Require Import Reals. Theorem t (f : nat -> nat) (n : nat) (H : (n <= 1)%nat) : f n = f n :> nat. Proof. reflexivity. Qed.\n",
  "Module M. Definition one := 1. End M. Import M. #[local] Theorem t : one = 1. Proof. reflexivity. Qed.\n",
];

test("no statement that is verified is other than what Coq checked, and words of its own are marked", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { put, recheck, records } = openSource(t);
  put({ "src/Exports.v": "Require Export BinNat. Export N.\n" });
  put(Object.fromEntries([...LIES.map(([, text], at) => [`src/L${at}.v`, text]), ...HONEST.map((text, at) => [`src/H${at}.v`, text])]));
  const [run] = await recheck({ unsandboxed: true });
  assert.ok(run?.check, run?.problems.join("\n"));
  const made = await records();
  const of = (file: string): CubRecord | undefined =>
    made.find(({ files, theorem_name: name }) => files.coq_file === `${file}.v` && name === "t");
  const told = LIES.map(([lie], at) => {
    const record = of(`L${at}`);
    return [lie, record?.status, record?.statement, record?.statement_basis, (record?.statement_words ?? []).map(({ kind }) => kind)];
  });
  assert.deepEqual(
    told,
    LIES.map(([lie, , shown, kinds], at) => [lie, "VERIFIED_AS_PRINTED", shown.replaceAll("SHADOW", `L${at}`), "elaborated", kinds]),
  );
  for (const at of HONEST.keys())
    assert.deepEqual([of(`H${at}`)?.status, of(`H${at}`)?.statement_words], ["VERIFIED_EXACT", undefined], HONEST[at]);
});

/** C1: what Print Assumptions calls closed, though a check was off where the inlined parameter was given. */
const FUNCTOR =
  "Module Type T. Parameter Inline bad : nat -> False. End T.\nModule F (X : T). Definition absurd : False := X.bad 0. End F.\n";
const END = "Module M := F X.\nTheorem t : False.\nProof. exact M.absurd. Qed.\n";
const HIDDEN: readonly string[] = [
  `${FUNCTOR}Module X. Unset Guard Checking.\nFixpoint bad (n : nat) {struct n} : False := bad n.\nSet Guard Checking. End X.\n${END}`,
  `${FUNCTOR}Module X. Local Unset Guard Checking.\nDefinition bad : nat -> False := fix f (n : nat) {struct n} : False := f n.\nSet Guard Checking. End X.\n${END}`,
  `${FUNCTOR}Module X. #[bypass_check(guard)] Fixpoint bad (n : nat) {struct n} : False := bad n. End X.\n${END}`,
  `${FUNCTOR}Module X. Unset (* (* *) *) Guard Checking.\nFixpoint bad (n : nat) {struct n} : False := bad n.\nSet Guard Checking. End X.\n${END}`,
  `${FUNCTOR}Module X. Unset(*"*)"*)Guard Checking.\nFixpoint bad (n : nat) {struct n} : False := bad n.\nSet Guard Checking. End X.\n${END}`,
  `${FUNCTOR}Module X. Export Unset Guard Checking.\nFixpoint bad (n : nat) {struct n} : False := bad n.\nSet Guard Checking. End X.\n${END}`,
  // A notation takes the marks of a comment for its own.
  `${FUNCTOR}Notation "x +(* y" := (x + y) (at level 50).\nNotation "x *)+ y" := (x + y) (at level 50).\nModule X.\nDefinition z := 1 +(* 2. Unset Guard Checking. Definition y := 1 *)+ 1.\nFixpoint bad (n : nat) {struct n} : False := bad n.\nSet Guard Checking. End X.\n${END}`,
  // What a type alone names, and what `abstract` makes.
  "Unset Guard Checking.\nFixpoint loop (n : nat) : False := loop n.\nSet Guard Checking.\nDefinition ty := (fun _ : False => nat) (loop 0).\nDefinition v : ty := 0.\nLemma t : v = v. Proof. reflexivity. Qed.\n",
  "Unset (* for now *) Universe Checking.\nDefinition u : Type := (Type : Type).\nLemma t : True. Proof. abstract exact I. Qed.\n",
];

test("False from an inlined parameter and a check that was off is not verified, in one file or in two", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { put, recheck, records } = openSource(t);
  const [functor, rest] = [FUNCTOR, (HIDDEN[0] ?? "").slice(FUNCTOR.length)];
  put({
    ...Object.fromEntries(HIDDEN.map((text, at) => [`src/C${at}.v`, text])),
    "src/Types.v": functor,
    "src/Use.v": `Require Import L.Types.\n${rest}`,
    "src/Odd.v": `Require (* (* *) *) Import L.Use.\n${END.split("\n").slice(1).join("\n")}`,
  });
  const [run] = await recheck({ unsandboxed: true });
  assert.ok(run?.check, run?.problems.join("\n"));
  const made = (await records()).filter(({ theorem_name: name }) => name === "t");
  assert.equal(made.length, HIDDEN.length + 2);
  for (const record of made) assert.notEqual(record.verification_state, "VERIFIED", record.files.coq_file);
});
