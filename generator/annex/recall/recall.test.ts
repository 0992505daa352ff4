import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { formatNote, generateKey, parseKey, parseSigningKey, signNote } from "../../../snapshots/log/index.ts";
import { findListProblem } from "./signed.ts";
import { findStrange, isAffected, readAdvisories } from "./advisories.ts";
import { countRecalls, recallOf } from "./recall.ts";
import { openSuspects } from "./suspects.ts";

const OWN = await readAdvisories([], []);
const find = (id: string) => OWN.find((one) => one.id === id) ?? assert.fail(id);
const none = () => false;
const folder = mkdtempSync(join(tmpdir(), "proofshelf-recall-"));
let files = 0;
const file = (text: string, ending = ".yaml"): string => {
  const name = join(folder, `a${files++}${ending}`);
  writeFileSync(name, text);
  return name;
};
const told = async (text: string, ...more: readonly string[]): Promise<string> => {
  try {
    await readAdvisories([...more, file(text)], []);
  } catch (error) {
    if (error instanceof ShelfError) return error.message;
    throw error;
  }
  return "";
};
const one = (more: string, id = "X-1"): string =>
  `advisories:\n  - id: ${id}\n    title: it errs\n    url: https://example.org/1\n    ${more}\n`;

test("the program's own advisories say of the provers that Debian 12 ships which have a hole", () => {
  assert.ok(OWN.length >= 15);
  const of = (name: string, version: string): string[] =>
    OWN.filter((advisory) => isAffected(advisory, { name, version })).map(({ id }) => id);
  assert.deepEqual(of("metamath", "0.195"), ["METAMATH-107"]);
  assert.ok(of("coq", "8.16.1").includes("ROCQ-20455") && of("coqchk", "8.16.1").includes("ROCQ-20455"));
  assert.ok(!of("coq", "8.15.2").includes("ROCQ-20455"));
  assert.ok(!of("coq", "9.0.1").includes("ROCQ-20455") && of("coq", "9.0.1").includes("ROCQ-21839"));
  assert.ok(of("agda", "2.6.2.2").includes("AGDA-8683"));
  assert.deepEqual(of("proofshelf-metamath", "1"), []);
  assert.deepEqual(of("metamath", "0.199"), []);
});

test("an acceptance is recalled where every checker has the hole and the texts may use it, and else says why not", () => {
  const coq = { name: "coq", version: "8.16.1" };
  const hole = [find("ROCQ-20455")];
  assert.equal(recallOf(hole, [coq], () => true)?.affected[0]?.by, "coq 8.16.1");
  assert.equal(recallOf(hole, [coq, { name: "coqchk", version: "8.16.1" }], () => true)?.affected.length, 1, "coqchk shares the kernel");
  assert.deepEqual(recallOf(hole, [coq], none)?.cannot_use, ["ROCQ-20455"]);
  assert.equal(
    recallOf(hole, [{ name: "coq", version: "9.3" }], () => true),
    null,
  );
  const metamath = [
    { name: "metamath", version: "0.195" },
    { name: "proofshelf-metamath", version: "1" },
  ];
  assert.deepEqual(recallOf([find("METAMATH-107")], metamath, none)?.also_accepted, [{ id: "METAMATH-107", by: "proofshelf-metamath 1" }]);
  assert.equal(
    recallOf([find("METAMATH-107")], metamath.slice(0, 1), none)?.affected.length,
    1,
    "without a pattern every proof is a suspect",
  );
  assert.equal(recallOf(hole, [{ name: "coq", version: "main" }], () => true)?.affected.length, 1, "a version that is none may be any");
});

test("a constructor or field of Coq with a local definition is a suspect", () => {
  const suspect = (text: string): boolean => openSuspects(text, true)({ letins: true }) !== null;
  for (const plain of [
    "Inductive t : Set := a : nat -> t | b (x : nat) : t.",
    "Inductive even : nat -> Prop := z : even 0 | s n : odd n -> even (S n) with odd : nat -> Prop := o n : even n -> odd (S n).",
    "Record r := mk { x : nat; y : x = x }.",
    "Class C (A : Type) := op : A -> A.",
    "Definition d := let x := 1 in x.",
    "Inductive t : nat -> Set := a : forall (b : nat) (c : zero (A:=nat) (n:=b) b), forall d : f (A:=nat) b, t b.",
    "Inductive t : nat -> Set := a : forall b : nat, f (A:=nat) b (n := b) = 0 -> t b | c (x : nat) : t (f (A:=nat) x).",
    'Inductive e := plus : e -> e -> e where "a + b" := (plus a b).',
  ])
    assert.equal(suspect(plain), false, plain);
  for (const odd of [
    "Inductive t : Set := a : let n := 0 in nat -> t.",
    "Inductive t : Set := a (n := 0) (m : nat) : t.",
    "Inductive t : Set := b | a (m : nat) (n := m) : t.",
    "Inductive t : Set := a : forall (m : nat) (n := m), t.",
    "Inductive t : Set := a : forall (q : f (0, 1)) (n : nat := 0), t.",
    "Inductive t : Set := a : (forall (n := 0), t) -> t.",
    "Record r := mk { x : nat; y := x }.",
    "#[universes(polymorphic)] Record r := { x : nat; y : nat := x }.",
    "CoInductive t : Set := a : ltac:(exact (let n := 0 in t)).",
    "Polymorphic Cumulative Inductive t : Set := a : (let n := 0 in t -> t) with u := b : u.",
    "Notation arg x := (let n := 0 in x).",
  ])
    assert.equal(suspect(odd), true, odd);
});

test("what is irrelevant in Agda is a suspect however it is written, and a dot in a pattern is none", () => {
  const suspect = (text: string): boolean => openSuspects(text, false)({ irrelevance: true }) !== null;
  for (const plain of [
    "f : Nat → Nat\nf zero = zero\nf (suc n) = f n\n",
    "sound a ((j , .x) ∷ nf) ρ H | _ | equal refl = H\n",
    "lem ._ zero c refl = refl\nlem .(suc (k + i)) b with b\n... | c = c\n",
    "{-# OPTIONS --safe #-}\nmodule M where\nopen import Data.Nat using (ℕ)\nx = p .fst\n\ny : ℕ\n",
    '{- a record {- with .x : Nat -} -}\n-- .y : Nat\ns = ".z : Nat"\n',
  ])
    assert.equal(suspect(plain), false, plain);
  for (const odd of [
    "record Sq : Set where\n  constructor sq\n  field .unsq : Nat\n",
    "data D .(A : Set) : Set where\n",
    "data T : Set where\n  t : .T → T\n",
    "data T : Set where\n  t : . T\n    → T\n",
    "data T : Set where\n  t : .{- -}T {- -}\n    {- -} → T\n",
    "f : .{{_ : A}} -> B\n",
    "f : ..(x : A) → B\n",
    "f : @irr A → B\n",
    "{-# OPTIONS --prop #-}\n",
    "open import Data.Irrelevant\n",
    's = "{-"\ndata T : Set where\n  t : .T → T\nr = "-}"\n',
    "c = '\"'\ndata T : Set where\n  t : .T → T\nd = '\"'\n",
  ])
    assert.equal(suspect(odd), true, odd);
});

test("a recursive definition of Coq is plain or a suspect, and each that broke the guard checker is one", () => {
  const suspect = (text: string): boolean => openSuspects(text, true)({ recursion: true }) !== null;
  for (const plain of [
    "Fixpoint count (x : nat) (l : list nat) : nat := match l with nil => 0 | y :: r => if Nat.eqb x y then S (count x r) else count x r end.",
    "Fixpoint even (n : nat) : bool := match n with 0 => true | S m => odd m end with odd (n : nat) : bool := match n with 0 => false | S m => even m end.",
    "Theorem t : forall n, n + 0 = n. Proof. induction n. reflexivity. simpl. now rewrite IHn. Qed.",
    "(* a fix that is a comment *) Definition a := 0.",
    'Definition s := "Fixpoint fix".',
    "From Coq Require Import Program.Subset.",
    "Program Definition d : nat := 0.",
    "Fixpoint perm (p : nat) (l : list nat) {struct l} : list nat -> Prop := fun m => match l with nil => m = nil | cons x t => perm p t m end.",
    "Fixpoint vee (e : ens) : ens := match e with sup a f => union (sup a (fun x : a => power (vee (f x)))) end.",
    "Definition jj : nat -> nat := (fix jj (d : nat) : nat := match d with O => 0 | S n => c n (jj n) end).",
    "Fixpoint split (l : list nat) : list nat * list nat := match l with nil => (nil, nil) | x :: r => let (a, b) := split r in (x :: b, a) end.",
    "Fixpoint half (n : nat) : nat := match n with 0 => 0 | S n => match n with 0 => 0 | S n => S (half n) end end.",
    "Fixpoint app (A : Type) (l m : list A) {struct l} : list A := match l with nil => m | cons x r => cons x (app A r m) end.",
    "Set Implicit Arguments. Fixpoint app (A : Type) (l m : list A) {struct l} : list A := match l with nil => m | cons x r => cons x (app r m) end.",
    "Fixpoint zip {A B : Type} `{Eq A} (l : list A) (m : list B) : list (A * B) := match l, m with x :: r, y :: s => (x, y) :: zip r s | _, _ => nil end.",
    "Fixpoint rev (l a : list nat) := match l as k return list nat with nil => a | x :: r => rev r (x :: a) end.",
    "Lemma l : nat. Proof. pose (g := fix g n : nat := match n with O => O | S m => g m + n end). exact (g 1). Qed.",
    "Fixpoint f (n m : nat) : bool := match n with 0 => true | S k => match f k (f k m) with true => f k 0 | false => true end end.",
    "Fixpoint sum (t : tree) : nat := match t with leaf => 0 | node l r => sum l + sum r end.",
    "Fixpoint sorted (xs : list nat) : Prop := match xs with x :: ((y :: _) as rest) => x <= y /\\ sorted rest | _ => True end.",
  ])
    assert.equal(suspect(plain), false, plain);
  for (const odd of [
    "Fixpoint F (sz c : nat) (f : nat -> nat) : nat := match sz with S z => F z (S c) (fun s => F s 0 f) | O => S (f c) end.",
    "Fixpoint issue (n : nat) {struct n} : not_zero n -> False. Proof. Defined.",
    "Fixpoint error (t : unit) {struct t} : False := (fix rec (n : nat) := match n with 0 => error | S n => rec n end) 1 t.",
    "Definition oops : False := (fix rec (x : unit) : False := let g x := x in rec ((ltac:(fix rec' 1; exact g) : unit -> unit) x)) tt.",
    "Fixpoint f (n : nat) : nat := match n with 0 => 0 | S m => f (f m) end.",
    "Fixpoint g (n : nat) : nat := match n with 0 => 0 | S m => g (match m with 0 => m | S k => k end) end.",
    "Lemma t : False. Proof. fix IH 1. Qed.",
    "Fixpoint w (n : nat) : nat := let m := n in match m with 0 => 0 | S k => w k end.",
    "Definition two := (fix a (n : nat) : nat := (fix b (m : nat) : nat := 0) n).",
    "CoFixpoint c : stream := cons 0 c.",
    "Program Fixpoint h (n : nat) : nat := 0.",
    "Lemma a : forall n, P n with b : forall n, Q n. Proof. Admitted.",
    // A term in the place of what becomes smaller, by a definition, under a binder, behind a sign or a word of the file's own.
    "Fixpoint i (n : nat) : bool := match n with 0 => true | S m => i (sel true m) end.",
    "Fixpoint i (d n : nat) {struct n} : bool := match n with 0 => true | S m => i m (sel true m) end.",
    "Fixpoint i (n : nat) : bool := match n with 0 => true | S m => (fun y => i y) (sel true m) end.",
    "Fixpoint i (n : nat) : bool := match n with 0 => true | S m => match sel true m with 0 => true | S k => i k end end.",
    "Fixpoint i (n : nat) : bool := match n with 0 => true | S m => i m ! end.",
    "Fixpoint i (n : nat) : bool := match n with 0 => true | S m => m |> i end.",
    "Fixpoint i (n : nat) : bool := match n with 0 => true | S m => i m.(sel) end.",
    'Fixpoint i (n : nat) : bool := match n with 0 => true | S m => sel m ^^ true end where "a ^^ b" := (i a b).',
    "Set Implicit Arguments. Fixpoint i (A : Type) (d n : nat) {struct n} : bool := match n with 0 => true | S m => (fun y => i A m y) (sel m) end.",
    "Notation \"'mk' r x b\" := (fix r (x : nat) : bool := b) (at level 200, r name, x name).",
    "Notation \"x 'under' b\" := (sel b x) (at level 9).",
    "Notation magic := (ltac:(eauto)).",
    "Hint Extern 1 Absurd => match goal with [ f : _ |- _ ] => apply f end : typeclass_instances.",
    "Lemma t : False. Proof. refine (fix IH (n : nat) : False := _). Qed.",
    "Lemma l : nat. Proof. refine (let g := fix g n : nat := match n with O => O | S m => h (g m) end in _). Qed.".replace("h (", "h _ ("),
    "Ltac go := exact (fix g (n : nat) : nat := match n with O => O | S m => g m end).",
    "Class Bad n := bad : P n -> False. Fixpoint i (n : nat) : Bad n := match n with 0 => h | S m => g (i m) (bad (ok m)) end.",
    "Class Bad n := bad : P n -> False. Notation B := Bad. Fixpoint i (n : nat) : B n := match n with 0 => h | S m => g (i m) (bad (ok m)) end.",
    "Fixpoint i (n : nat) : Reflexive (R n) := match n with 0 => h | S m => g (i m) reflexivity end.",
    "Fixpoint i (n : nat) : T n := match n with 0 => h | S m => bad (ok m) end.",
    "#[refine] Definition t : nat -> False := fix IH (n : nat) : False := _.",
    "Definition t : nat -> False. Proof. Std.fix_ None 1. Defined.",
    "Definition t := Constr.Unsafe.make x.",
    "Fixpoint whole (xs : list nat) : Prop := match xs with ((y :: _) as rest) => whole rest | _ => True end.",
    "Fixpoint whole (xs : list nat) : Prop := match xs with (((y :: _)) as rest) | (nil as rest) => whole rest end.",
    "Fixpoint k (p : nat) : nat := match p with 0 => 0 | S q => foo k q end.",
    'Definition b := (*"*)"*) fix f (n : nat) : nat := match g n with 0 => 0 | S m => f (h m) end (*"*)"*).',
  ])
    assert.equal(suspect(odd), true, odd);
});

test("modules are suspects where a functor's body has a second name, or one that is not of this text has", () => {
  const suspect = (text: string): boolean => openSuspects(text, true)({ modules: true }) !== null;
  const body = (inside: string, after = ""): string =>
    `Module Type T. Parameter n : nat. End T. Module F (E : T). ${inside} End F. ${after}`;
  const inner = "Module I. Definition x := E.n. End I.";
  for (const plain of [
    "Module M. Module Import M_1. End M_1. End M.",
    'Definition Module\' := 0. Declare ML Module "ring_plugin".',
    "Module Type T. Parameter n : nat. End T. Module M : T. Definition n := 0. End M. Declare Module D : T.",
    "Module M <: T. Definition n := 0. End M. Module A := M.",
    "Module S := Make Nat_as_OT. Include Facts S.",
    body(inner, "Module M. Definition n := 0. End M. Module R := F M."),
    body("Module G (X Y : S.T) (Import Z : !T) <: T. Definition n := E.n. End G."),
    "Section M. Variable n : nat. End M. Module P. End P.",
  ])
    assert.equal(suspect(plain), false, plain);
  for (const odd of [
    body(`${inner} Module G := I.`),
    body(`${inner} Time Module G := I.`),
    body(`${inner} #[local] Module (* a *) G (* b *) := I.`),
    body(`${inner} Section F. End F. Module G := I.`),
    body("Include E."),
    body("Module G <: T := E."),
    body("Declare Module D : T."),
    body("Module D : T. Definition n := 0. End D."),
    "Module F (E : T) := G E.",
    "Module F (E : T) : S E. End F.",
    "Module F (E : T with Module M := N). End F.",
    "Module Type F (E : T) := S with Module M := E.",
    "Module A := B.",
    "Module A' := Lib.",
    "Module H. Module Lib. End Lib. End H. Module A := Lib.",
    "Module Lib. End Lib. From Coq Require FSets.Lib. Module A := Lib.",
    "Module Lib. End Lib. Include T X. Module A := Lib.",
    "Module A := B <+ C.",
    "Include F.",
    "Module M : T with Module N := P. End M.",
  ])
    assert.equal(suspect(odd), true, odd);
});

test("words of a hole count as whole words, in Agda anywhere", () => {
  const text = "Lemma a : True.\n(* fix no 1. *) Proof. exact I. Qed.\nLemma b : True.\nProof.\n  fix f\n 5.\n";
  assert.deepEqual(openSuspects(text, true)({ recursion: true }), { line: 5, words: "fix f 5." }, "and where it is");
  assert.equal(openSuspects("Definition Inlined := 0.", true)({ words: ["Inline"] }), null);
  assert.equal(openSuspects("Parameter Inline t : nat.", true)({ words: ["Inline"] }) !== null, true);
  assert.equal(openSuspects("{-# OPTIONS --cubical --safe #-}", false)({ words: ["--cubical"] }) !== null, true);
  assert.equal(openSuspects("{-# OPTIONS --cubical-compatible #-}", false)({ words: ["--cubical"] }), null);
});

test("a list with a mistake is refused with its line, and nothing of it is used", async () => {
  assert.match(await told(one('checkers: [{ name: coq, introduced: "9", fixed: "8" }]')), /:5: .*ends before it begins/);
  assert.match(await told(one("checkers: [{ name: coq }]")), /names no version/);
  assert.match(await told(one('checkers: [{ name: coq, introduced: "8", fixed: "9", last: "9" }]')), /both fixed and last/);
  assert.match(await told(one("checkers: [{ name: coq, introduced: eight }]")), /is no version/);
  assert.match(await told(one('checkers: [{ name: coq, fixed: "9" }]', "ROCQ-20455")), /stands twice/);
  const mine = file(one('checkers: [{ name: coq, fixed: "9" }]'));
  assert.match(await told(one('checkers: [{ name: coq, fixed: "8" }]'), mine), /stands twice/, "two that contradict each other");
  assert.match(await told(one('checkers: [{ name: coq, fixed: "9" }]\n    nonsense: 1')), /nonsense/);
});

test("an advisory that would recall nothing in silence is refused, or told with its line", async () => {
  const agda = 'checkers: [{ name: agda, introduced: "2" }]';
  assert.match(await told(one(`${agda}\n    suspects: { recursion: true }`)), /:6: .*texts of Coq, and agda reads others/);
  assert.match(
    await told(one(agda.replace("agda", "coqchk") + "\n    suspects: { irrelevance: true }")),
    /:6: .*texts of Agda, and coqchk/,
  );
  assert.match(await told(one('checkers: [{ name: coq, introduced: "8", builds: [] }]')), /:5: .*builds is empty/);
  const list = file(one('checkers: [{ name: coqq, introduced: "8" }, { name: "*", introduced: "0" }]'));
  assert.deepEqual(
    findStrange(await readAdvisories([list], []), []).map((what) => what.replace(list, "list.yaml")),
    ["list.yaml:2: X-1 is of coqq, *, and nothing here is checked by that. Did you mean coq?"],
  );
  assert.deepEqual(findStrange(await readAdvisories([list], []), ["*"]), [], "a kernel of the library's own");
});

test("a later list withdraws an advisory: it recalls nothing then, and is told as withdrawn, with the reason", async () => {
  const list = await readAdvisories(
    [file(one('checkers: [{ name: coq, fixed: "9" }]\n    withdrawn: it was a mistake', "ROCQ-20455"))],
    [],
  );
  const [gone = assert.fail()] = list.filter(({ id }) => id === "ROCQ-20455");
  assert.equal(
    recallOf([gone], [{ name: "coq", version: "8.16.1" }], () => true),
    null,
  );
  assert.deepEqual(
    countRecalls(list, []).map(({ id, affected, withdrawn }) => [id, affected, withdrawn]),
    [["ROCQ-20455", 0, "it was a mistake"]],
  );
});

test("a list from elsewhere counts where a trusted key signed it", async () => {
  const { publicKey, privateKey } = generateKey("advisories.example.org");
  const text = one('checkers: [{ name: coq, fixed: "9" }]', "SIGNED-1");
  const note = formatNote({ text, signatures: [signNote(text, parseSigningKey(privateKey))] });
  assert.ok((await readAdvisories([file(note, ".note")], [parseKey(publicKey)])).some(({ id }) => id === "SIGNED-1"));
  await assert.rejects(readAdvisories([file(note, ".note")], []), /nobody who is trusted here has signed it/);
  await assert.rejects(readAdvisories([file(note.replace("errs", "erred"), ".note")], [parseKey(publicKey)]), /is not of this text/);
  await assert.rejects(readAdvisories([file(text, ".note")], [parseKey(publicKey)]), /nobody who is trusted/, "an unsigned one");
});

test("a signed list with a bad range is refused with its line, and a note by a stranger with the line of its signature", async () => {
  const { publicKey, privateKey } = generateKey("advisories.example.org");
  const sign = (text: string): string => file(formatNote({ text, signatures: [signNote(text, parseSigningKey(privateKey))] }), ".note");
  const bad = sign(one('checkers: [{ name: coq, introduced: "9", fixed: "8" }]'));
  await assert.rejects(readAdvisories([bad], [parseKey(publicKey)]), /\.note:5: .*ends before it begins/);
  const changed = file(readFileSync(bad, "utf8").replace("it errs", "it is fine"), ".note");
  await assert.rejects(
    readAdvisories([changed], [parseKey(publicKey)]),
    /\.note:7: The signature of advisories\.example\.org .* is not of this text/,
  );
  await assert.rejects(readAdvisories([bad], []), /\.note:7: nobody who is trusted here/);
  await assert.rejects(readAdvisories([`${bad}.note`], []), { code: "bad_config", message: /\.note: does not exist/ });
});

test("a list at an address counts where its digest is pinned or a trusted key signed it, and is told when it is other bytes or away", async (t) => {
  const { publicKey, privateKey } = generateKey("advisories.example.org");
  const text = one('checkers: [{ name: coq, fixed: "9", builds: ["' + "a".repeat(64) + '"] }]\n    survives: [export]', "FAR-1");
  const note = formatNote({ text, signatures: [signNote(text, parseSigningKey(privateKey))] });
  const server = createServer(({ url }, response) =>
    url === "/list.yaml" ? response.end(text) : url === "/list.note" ? response.end(note) : response.writeHead(404).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [keys, pin] = [[parseKey(publicKey)], sha256(text)];
  for (const [list, trusted] of [
    [`${base}/list.yaml#sha256=${pin}`, []],
    [`${base}/list.note`, keys],
  ] as const) {
    const far = (await readAdvisories([list], trusted)).find(({ id }) => id === "FAR-1") ?? assert.fail(list);
    const coq = { name: "coq", version: "8.16.1" };
    assert.deepEqual(
      [isAffected(far, coq), isAffected(far, { ...coq, build: "a".repeat(64) }), isAffected(far, { ...coq, build: "b".repeat(64) })],
      [true, true, false],
      "of the builds that are named",
    );
  }
  await assert.rejects(readAdvisories([`${base}/list.note`], []), /nobody who is trusted here/);
  await assert.rejects(readAdvisories([`${base}/list.yaml#sha256=${"0".repeat(64)}`], []), /other bytes than are pinned: their digest is/);
  await assert.rejects(readAdvisories([`${base}/gone.note`], keys), /The list .*gone\.note answered 404/);
  assert.match(findListProblem(`${base}/list.yaml`) ?? "", /neither signed nor pinned/);
  assert.match(findListProblem("http://a.example/list.note") ?? "", /not https/);
  for (const good of ["./list.yaml", "https://a.example/list.note", `https://a.example/l#sha256=${pin}`])
    assert.equal(findListProblem(good), null);
});

test("what rests most on a hole is told first, step by step and each once, also of one that recalls everything", () => {
  const uses = (...ids: string[]) => ({ count: ids.length, edges: ids.map((id) => ({ id, name: id, from: "proof", basis: "kernel" })) });
  const record = (id: string, hole: string | null, ...used: string[]): never =>
    ({
      id,
      uses: uses(...used),
      ...(hole === null ? {} : { recall: { affected: [{ id: hole }], cannot_use: [], also_accepted: [] } }),
    }) as never;
  const counts = countRecalls(OWN, [
    record("A", "AGDA-8587"),
    record("B", "ROCQ-12155"),
    record("C", null, "B"),
    record("D", null, "C", "A"),
    record("E", null, "D"),
  ]);
  assert.deepEqual(
    counts.map(({ id, affected, used_by: used }) => [id, affected, used]),
    [
      ["ROCQ-12155", 1, 3],
      ["AGDA-8587", 1, 2],
    ],
  );
});

test("of each hole that not every proof can use it is said what a proof has to have", () => {
  const passed = (id: string): never =>
    ({ id, recall: { affected: [], cannot_use: OWN.map((one) => one.id), also_accepted: [] } }) as never;
  const told = countRecalls(OWN, [passed("A")]);
  assert.deepEqual(
    new Set(told.flatMap(({ id, needs }) => (needs === "" ? [id] : []))),
    new Set(OWN.flatMap(({ id, suspects }) => (suspects === undefined ? [id] : []))),
  );
});
