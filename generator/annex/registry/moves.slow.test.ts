/** What is another statement under the same words, in every place where it can hide: with a real Coq. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Files, moveFrom } from "./moves-fixture.ts";
import { skip } from "./source-fixture.ts";

const proof = (words: string): string => `Lemma main : ${words}. Proof. repeat split; reflexivity. Qed.\n`;
const F = "Definition f (n : nat) := n.\n";
const G = "Definition f (n : nat) := 0.\n";
const NAME = "n".repeat(1000);
const LONG = Array.from({ length: 30 }, () => `${NAME} = ${NAME}`).join(" /\\ ");
const FUNCTOR = "Module Type T. Parameter x : nat. End T. Module F (P : T). Definition y := P.x. End F. ";
const LET = `Definition ${NAME} := 0.\n`;
const CHAIN = (end: string): string =>
  `Definition t0 := ${end}.\n${Array.from({ length: 8 }, (_, at) => `Inductive t${at + 1} := c${at + 1} (x : t${at} = t${at}).\n`).join("")}`;

/** Each pair of revisions with the same words of `main`, or nearly, and what has to be told of the second. */
const SILENT: readonly (readonly [string, Files, Files, readonly unknown[]])[] = [
  [
    "a transparent theorem as a definition",
    { "A.v": `Theorem goal : Prop. Proof. exact (0 = 0). Defined.\n${proof("goal").replace("repeat split", "unfold goal")}` },
    { "A.v": `Theorem goal : Prop. Proof. exact (1 = 1). Defined.\n${proof("goal").replace("repeat split", "unfold goal")}` },
    ["meaning", "L.A.goal", true],
  ],
  [
    "an opaque theorem whose type is no proposition",
    { "A.v": `Theorem n : nat. Proof. exact 3. Qed.\n${proof("n = n")}` },
    { "A.v": `Theorem n : nat. Proof. exact 4. Qed.\n${proof("n = n")}` },
    ["meaning", "L.A.n", true],
  ],
  [
    "a type far below",
    { "A.v": CHAIN("nat") + proof("c8 = c8") },
    { "A.v": CHAIN("bool") + proof("c8 = c8") },
    ["meaning", "L.A.t0", true],
  ],
  [
    "another file is imported",
    { "F.v": F, "G.v": G, "A.v": `From L Require Import F G.\nFrom L Require Import F.\n${proof("f 0 = 0")}` },
    { "F.v": F, "G.v": G, "A.v": `From L Require Import F G.\n${proof("f 0 = 0")}` },
    ["meaning", "L.G.f", true],
  ],
  [
    "another scope is open",
    { "A.v": `Require Import ZArith.\n${proof("1 + 1 = 2")}` },
    { "A.v": `Require Import ZArith.\nOpen Scope Z_scope.\n${proof("1 + 1 = 2")}` },
    ["statement", true],
  ],
  [
    "two names change places",
    { "F.v": F, "G.v": G, "A.v": `From L Require Import F G.\n${proof("F.f 0 = G.f 0")}` },
    { "F.v": F, "G.v": G, "A.v": `From L Require Import F G.\n${proof("G.f 0 = F.f 0")}` },
    ["statement", "L.F.f", "L.G.f", true],
  ],
  [
    "the end of a statement that is too long to be shown",
    { "A.v": LET + proof(`${LONG} /\\ 1 = 1`) },
    { "A.v": LET + proof(`${LONG} /\\ 2 = 2`) },
    ["statement", true],
  ],
  [
    "a definition whose print is too long to be shown",
    { "A.v": `${LET}Definition all := ${LONG} /\\ 1 = 1.\n${proof("all").replace("repeat", "unfold all; repeat")}` },
    { "A.v": `${LET}Definition all := ${LONG} /\\ 2 = 2.\n${proof("all").replace("repeat", "unfold all; repeat")}` },
    ["meaning", "L.A.all", true],
  ],
  [
    "what a functor is applied to",
    { "A.v": `${FUNCTOR}Module X. Definition x := 3. End X. Module I := F X.\n${proof("I.y = I.y")}` },
    { "A.v": `${FUNCTOR}Module X. Definition x := 4. End X. Module I := F X.\n${proof("I.y = I.y")}` },
    ["meaning", "L.A.X.x", true],
  ],
  [
    "a field of a record with primitive projections",
    { "A.v": `Set Primitive Projections. Record r := mk { a : nat }. Definition c := mk 1.\n${proof("a c = a c")}` },
    { "A.v": `Set Primitive Projections. Record r := mk { a : bool }. Definition c := mk true.\n${proof("a c = a c")}` },
    ["statement", "L.A.a", "L.A.c", "L.A.mk", "L.A.r", true],
  ],
  [
    "an obligation that a program is made of",
    { "A.v": `Require Import Program. Program Definition n : nat := _. Next Obligation. exact 1. Defined.\n${proof("n = n")}` },
    { "A.v": `Require Import Program. Program Definition n : nat := _. Next Obligation. exact 2. Defined.\n${proof("n = n")}` },
    ["meaning", "L.A.n_obligation_1", true],
  ],
  [
    "a case of a type that is joined to another",
    {
      "A.v": `Inductive e : nat -> Prop := e0 : e 0 | eS n : o n -> e (S n) with o : nat -> Prop := oS n : e n -> o (S n).\nLemma main : e 0. Proof. constructor. Qed.\n`,
    },
    {
      "A.v": `Inductive e : nat -> Prop := e0 : e 0 | eS n : o n -> e (S n) with o : nat -> Prop := oS n : o (S n).\nLemma main : e 0. Proof. constructor. Qed.\n`,
    },
    ["meaning", "L.A.e", "L.A.o", true],
  ],
];

test("what is another statement under the same words is told, wherever it hides", { skip, timeout: 300_000 }, async (t) => {
  const into = (at: number, files: Files): [string, string][] =>
    Object.entries(files).map(([path, text]) => [
      `C${at}/${path}`,
      text.replaceAll("From L ", `From L.C${at} `).replace("main", `main${at}`),
    ]);
  const all = (which: 1 | 2): Files => Object.fromEntries(SILENT.flatMap((one, at) => into(at, one[which])));
  const { told } = await moveFrom(t, all(1), all(2));
  for (const [at, [what, , , expected]] of SILENT.entries())
    assert.deepEqual(
      [what, ...(told[`main${at}`] ?? [])],
      [what, ...expected.map((one) => String(one).replace(/^L/, `L.C${at}`)).slice(0, -1), true],
    );
});
