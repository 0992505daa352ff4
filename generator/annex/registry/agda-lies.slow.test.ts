/** What Agda sources do to have something false said VERIFIED, or something that reads as something else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findAgda } from "./agda-tool.ts";
import { findSandbox } from "./sandbox.ts";
import { openSource } from "./source-fixture.ts";

const skip = findAgda() === null ? "agda is not installed" : findSandbox() === null ? "there is no sandbox here (bubblewrap)" : false;
const USUAL = "open import Agda.Builtin.Equality\nopen import Agda.Builtin.Nat\n";
const FALSE = "data ⊥ : Set where\nelim : {A : Set} → ⊥ → A\nelim ()\n";

test("a falsehood by what Agda compares wrongly where it is irrelevant is not verified; plain proofs beside it are", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const source = openSource(t, "", "agda", true);
  const head = (name: string): string => `{-# OPTIONS --safe #-}\nmodule ${name} where\n${USUAL}data ⊥ : Set where\n`;
  source.put({
    "src/Ends.agda": `${head("Ends")}record Sq : Set where
  constructor sq
  field .unsq : Nat
data T : Sq → Set where
  base : (m : Nat) → T (sq (suc m))
  c    : (m : Nat) → T (sq m) → T (sq (suc m))
f : (s : Sq) → T s → ⊥
f .(sq (suc m)) (base m) = f (sq m) (base m)
f .(sq (suc m)) (c m x)  = f (sq m) (c m x)
ends : ⊥
ends = f (sq 1) (base 0)
`,
    "src/Cycle.agda": `${head("Cycle")}data T : Set where\n  w : T\n  t : . T\n    → T\nf : (x : T) → x ≡ t x → ⊥\nf x ()\ncycle : ⊥\ncycle = f (t w) refl\n`,
    "src/Dropped.agda": `${head("Dropped")}record ⊤ : Set where
data D .(A : Set) : Set where
  c₁ c₂ : D A
data Two : Set where
  yes no : Two
select : {A : Set} → D A → A → A → A
select c₁ a = λ _ → a
select c₂ _ = λ b → b
lemma : (x : D ⊤) (a b : Two) → select {Two} x a b ≡ select {Two} x b b
lemma x a b = refl
dropped : yes ≡ no
dropped = lemma c₁ yes no
`,
    "src/Uses.agda": "{-# OPTIONS --safe #-}\nmodule Uses where\nopen import Ends\nopen import Agda.Builtin.Nat\nuses : ⊥\nuses = ends\n",
    "src/Plain.agda": `${head("Plain")}plus : (n : Nat) → n ≡ n\nplus n = refl\n`,
  });
  await source.recheck();
  const records = await source.records();
  const stateOf = (name: string) => records.find(({ theorem_name: one }) => one === name)?.verification_state;
  for (const lie of ["ends", "cycle", "dropped", "uses"]) assert.ok(stateOf(lie) !== undefined && stateOf(lie) !== "VERIFIED", lie);
  assert.equal(stateOf("plus"), "VERIFIED");
});

test("a check that is switched off in an interleaved block, where --safe does not see it, is not verified, nor what uses it", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { put, recheck, records } = openSource(t, "", "agda");
  const head = (name: string): string => `{-# OPTIONS --safe #-}\nmodule ${name} where\ndata ⊥ : Set where\n`;
  put({
    "src/Ends.agda": `${head("Ends")}interleaved mutual\n  ends : ⊥\n  {-# TERMINATING #-}\n  also : ⊥\n  also = ends\n  ends = also\n`,
    "src/Never.agda": `${head("Never")}interleaved mutual\n  {-# NON_TERMINATING #-}\n  never : ⊥\n  next : ⊥\n  next = never\n  never = next\n`,
    "src/Grows.agda": `${head("Grows")}interleaved mutual\n  {-# NO_POSITIVITY_CHECK #-}\n  data D : Set where\n  data D where\n    d : (D → ⊥) → D\napp : D → ⊥\napp x@(d f) = f x\ngrows : ⊥\ngrows = app (d app)\n`,
    "src/Large.agda": `${head("Large")}interleaved mutual\n  {-# NO_UNIVERSE_CHECK #-}\n  data B : Set where\n    b : Set → B\nlarge : Set\nlarge = B\n`,
    "src/Uses.agda": "{-# OPTIONS --safe #-}\nmodule Uses where\nopen import Ends\nuses : ⊥\nuses = ends\n",
    "src/Plain.agda": `${head("Plain")}interleaved mutual\n  plain : ⊥ → ⊥\n  other : ⊥ → ⊥\n  other x = x\n  plain x = other x\n`,
  });
  await recheck();
  const stateOf = new Map((await records()).map((record) => [record.theorem_name, record.verification_state]));
  for (const lie of ["ends", "never", "grows", "large", "uses"]) assert.equal(stateOf.get(lie), "NOT_VERIFIED", lie);
  assert.equal(stateOf.get("plain"), "VERIFIED");
});

test("parameters of modules and files, generalised variables: the statement has them all", { skip, timeout: 300_000 }, async (t) => {
  const { put, recheck, records } = openSource(t, "", "agda");
  put({
    "src/Module.agda": `module Module where\n${USUAL}${FALSE}module _ (absurd : ⊥) where\n  zero-is-one : 0 ≡ 1\n  zero-is-one = elim absurd\n`,
    "src/Named.agda": `module Named where\n${USUAL}${FALSE}module Consistent (absurd : ⊥) where\n  private\n    module Deep where\n      zero-is-one : 0 ≡ 1\n      zero-is-one = elim absurd\n`,
    "src/File.agda": `open import Agda.Builtin.Equality\nopen import Agda.Builtin.Nat\nmodule File (absurd : 0 ≡ 1) where\nzero-is-one : 0 ≡ 1\nzero-is-one = absurd\n`,
    "src/Instance.agda": `module Instance where\n${USUAL}module _ ⦃ absurd : 0 ≡ 1 ⦄ where\n  zero-is-one : 0 ≡ 1\n  zero-is-one = absurd\n`,
    "src/Variable.agda": `module Variable where\n${USUAL}variable absurd : 0 ≡ 1\nzero-is-one : absurd ≡ absurd\nzero-is-one = refl\n`,
    "src/Elsewhere.agda": `module Elsewhere where\n${USUAL}open import Variable\nhere : absurd ≡ absurd\nhere = refl\n`,
    "src/Plain.agda": `module Plain where\n${USUAL}plain : 1 ≡ 1\nplain = refl\n`,
    "src/Private.agda": `module Private where\n${USUAL}${FALSE}private variable\n  bad : ⊥\nzero-is-one : elim {Nat} bad ≡ 0 → 0 ≡ 1\nzero-is-one {bad} _ = elim bad\n`,
    "src/Braces.agda": `module Braces where\n${USUAL}${FALSE}variable\n  {bad} : ⊥\nzero-is-one : elim {Nat} bad ≡ 0 → 0 ≡ 1\nzero-is-one {bad} _ = elim bad\n`,
    "src/Bound.agda": `module Bound where\n${USUAL}${FALSE}variable bad : ⊥\nzero-is-one : ((bad : Nat) → Nat) → elim {Nat} bad ≡ 0 → 0 ≡ 1\nzero-is-one {bad} _ _ = elim bad\n`,
    "src/Stacked.agda": `module Stacked where\n${USUAL}${FALSE}private module M (absurd : ⊥) where\n  zero-is-one : 0 ≡ 1\n  zero-is-one = elim absurd\n`,
    "src/Nameless.agda": `module Nameless where\n${USUAL}${FALSE}private module _ (absurd : ⊥) where\n  zero-is-one : 0 ≡ 1\n  zero-is-one = elim absurd\n`,
  });
  for (const run of await recheck()) assert.ok(run.check, run.problems.join("\n"));
  const said = new Map((await records()).map((record) => [`${record.module}.${record.theorem_name}`, record]));
  const statement = (name: string) => said.get(name)?.statement;
  assert.equal(statement("Module.zero-is-one"), "(absurd : ⊥) → 0 ≡ 1");
  assert.equal(statement("Named.Consistent.Deep.zero-is-one"), "(absurd : ⊥) → 0 ≡ 1");
  assert.equal(statement("File.zero-is-one"), "(absurd : 0 ≡ 1) → 0 ≡ 1");
  assert.equal(statement("Instance.zero-is-one"), "⦃ absurd : 0 ≡ 1 ⦄ → 0 ≡ 1");
  assert.equal(statement("Variable.zero-is-one"), "{absurd : 0 ≡ 1} → absurd ≡ absurd");
  assert.equal(statement("Elsewhere.here"), "{absurd : 0 ≡ 1} → absurd ≡ absurd");
  assert.equal(statement("Private.zero-is-one"), "{bad : ⊥} → elim {Nat} bad ≡ 0 → 0 ≡ 1");
  assert.equal(statement("Braces.zero-is-one"), "{bad : ⊥} → elim {Nat} bad ≡ 0 → 0 ≡ 1");
  assert.equal(statement("Bound.zero-is-one"), "{bad : ⊥} → ((bad : Nat) → Nat) → elim {Nat} bad ≡ 0 → 0 ≡ 1");
  assert.equal(statement("Stacked.M.zero-is-one"), "(absurd : ⊥) → 0 ≡ 1");
  assert.equal(statement("Nameless.zero-is-one"), "(absurd : ⊥) → 0 ≡ 1");
  assert.equal(statement("Plain.plain"), "1 ≡ 1");
  assert.equal(said.get("Plain.plain")?.status, "VERIFIED_EXACT");
  for (const [name, { status }] of said) if (name !== "Plain.plain") assert.notEqual(status, "VERIFIED_EXACT", name);
});

/** Statements that bind a name of Agda's own, how they are proved, and the words that are marked. */
const BOUND: readonly (readonly [text: string, proof: string, words: string])[] = [
  ["let zero = 1 in zero ≡ 1", "= refl", "zero"],
  ["let zero = 1 ; T = (zero ≡ 1) in T", "= refl", "zero"],
  ["(λ zero → zero ≡ 1) 1", "= refl", "zero"],
  ["((zero : Nat) → zero ≡ zero) → zero ≡ 0", "_ = refl", "zero"],
  ["∀ zero → zero ≡ suc zero → zero ≡ suc zero", "_ p = p", "zero"],
  ["{zero : Nat} → ⦃ suc : Nat → Nat ⦄ → suc zero ≡ suc zero", "= refl", "zero suc"],
  ["(_≡_ : Nat → Nat → Set) → 0 ≡ 1 → 0 ≡ 1", "_ p = p", "_≡_ ≡"],
  ["let module M = Agda.Builtin.Nat renaming (zero to one) in M.one ≡ 0", "= refl", "M.one"],
];

test("words that read as others are marked, with what they stand for and where that is", { skip, timeout: 300_000 }, async (t) => {
  const { put, recheck, records } = openSource(t, "", "agda");
  put({
    "src/Syntax.agda": `module Syntax where\n${USUAL}Sure : Nat → Nat → Set\nSure _ _ = Nat\nsyntax Sure x y = x ＝ y\nlie : 0 ＝ 1\nlie = 0\n`,
    "src/Own.agda":
      "module Own where\nopen import Agda.Builtin.Nat\ndata _≡_ (a b : Nat) : Set where\n  refl : a ≡ b\nlie : 0 ≡ 1\nlie = refl\n",
    "src/Renamed.agda": `module Renamed where\nopen import Agda.Builtin.Equality\nopen import Agda.Builtin.Nat renaming (zero to one)\nlie : one ≡ 0\nlie = refl\n`,
    "src/Pattern.agda": `module Pattern where\n${USUAL}pattern one = zero\nlie : one ≡ 0\nlie = refl\n`,
    "src/Number.agda": `module Number where\nopen import Agda.Builtin.Equality\ndata N : Set where\n  zero : N\n  suc : N → N\nopen import Agda.Builtin.FromNat renaming (fromNat to make)\nopen import Agda.Builtin.Unit\nopen import Agda.Builtin.Nat using (Nat)\ninstance\n  number : Number N\n  number = record { Constraint = λ _ → ⊤ ; fromNat = λ _ → zero }\nlie : Set\nlie = N\nwrong : (the : N) → 0 ≡ the → 0 ≡ the\nwrong _ p = p\n`,
    "src/Empty.agda": `module Empty where\n${USUAL}⊥ : Set\n⊥ = Nat\nlie : ⊥\nlie = 0\n`,
    "src/Letter.agda": `module Letter where\n${USUAL}Nаt : Set\nNаt = Nat\nlie : (x : Nаt) → x ≡ x\nlie _ = refl\n`,
    "src/Formula.agda": `module Formula where\n${USUAL}P=NP : Set\nP=NP = Nat\nlie : P=NP\nlie = 0\n_and_are-equal : Nat → Nat → Set\n_ and _ are-equal = Nat\ntwo : 0 and 1 are-equal\ntwo = 0\n`,
    "src/Literal.agda":
      "module Literal where\nopen import Agda.Builtin.Equality\nopen import Agda.Builtin.Unit\nopen import Agda.Builtin.FromNat\ninstance\n  number : Number ⊤\n  number = record { Constraint = λ _ → ⊤ ; fromNat = λ _ → tt }\nx : ⊤\nx = 0\nlie : x ≡ 1\nlie = refl\n",
    "src/Natural.agda":
      "module Natural where\nopen import Agda.Builtin.Equality\ndata Mine : Set where\n  o : Mine\n  s : Mine → Mine\n{-# BUILTIN NATURAL Mine #-}\nlie : 1 ≡ s 0\nlie = refl\n",
    "src/Plain.agda": `module Plain where\n${USUAL}plain : (n : Nat) → n + 0 ≡ n + 0\nplain n = refl\n`,
    "src/Several.agda": `module Several where\n${USUAL}data D : Set where\n  zero : D\n  suc : .D → D\nis : D → D → Set\nis = _≡_\nlie : is (suc zero) (suc (suc zero))\nlie = refl\n`,
    ...Object.fromEntries(
      BOUND.map(([text, proof], at) => [`src/B${at}.agda`, `module B${at} where\n${USUAL}lie : ${text}\nlie ${proof}\n`]),
    ),
  });
  for (const run of await recheck()) assert.ok(run.check, run.problems.join("\n"));
  const said = new Map((await records()).map((record) => [`${record.module}.${record.theorem_name}`, record]));
  const marked = (name: string) =>
    (said.get(name)?.statement_words ?? []).map(
      ({ word, kind, stands_for, path, line }) => `${word} ${kind} ${stands_for} ${path ?? ""}:${line ?? ""}`,
    );
  assert.deepEqual(marked("Syntax.lie"), ["＝ notation Syntax.Sure Syntax.agda:4"]);
  assert.deepEqual(marked("Own.lie"), ["≡ name Own._≡_ Own.agda:3"]);
  assert.deepEqual(marked("Renamed.lie"), ["one notation Agda.Builtin.Nat.zero :"]);
  assert.deepEqual(marked("Empty.lie"), ["⊥ name Empty.⊥ Empty.agda:4"]);
  assert.deepEqual(marked("Letter.lie"), ["Nаt letters Letter.Nаt Letter.agda:4"]);
  assert.deepEqual(marked("Formula.lie"), ["P=NP notation Formula.P=NP Formula.agda:4"]);
  assert.deepEqual(
    marked("Formula.two").map((one) => one.split(" ")[0]),
    ["and", "are-equal"],
  );
  const literal = "coercion what these sources say that a literal is";
  assert.deepEqual(marked("Literal.lie"), [`1 ${literal} Literal.agda:4`]);
  assert.deepEqual(
    marked("Natural.lie"),
    ["1", "0"].map((word) => `${word} ${literal} Natural.agda:6`),
  );
  assert.deepEqual(marked("Plain.plain"), []);
  assert.deepEqual(
    marked("Several.lie").map((one) => one.split(" ", 1)[0]),
    ["suc", "zero"],
  );
  const bound = BOUND.map((_, at) => [...new Set(marked(`B${at}.lie`).map((one) => one.split(" ", 1)[0]))].join(" "));
  assert.deepEqual(
    bound,
    BOUND.map(([, , words]) => words),
  );
  for (const [name, { status }] of said) if (name.endsWith(".lie")) assert.notEqual(status, "VERIFIED_EXACT", name);
});

test("a wrong root is no refused proof, and a file that was forgotten and comes makes it unchecked", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { put, recheck, verdict, states } = openSource(t, "", "agda");
  put({
    "src/sub/Top.agda": `module Top where\n${USUAL}t : 1 ≡ 1\nt = refl\n`,
    "src/Main.agda": `module Main where\n${USUAL}open import Part\nm : n ≡ 1\nm = refl\n`,
  });
  await recheck();
  assert.equal((await verdict("sub.Top.t"))?.state, "environment");
  assert.match((await verdict("sub.Top.t"))?.log ?? "", /^root of registry\.yaml/);
  assert.equal((await verdict("Main.m"))?.state, "environment");
  put({ "src/Part.agda": "module Part where\nopen import Agda.Builtin.Nat\nn : Nat\nn = 2\n" });
  await recheck();
  assert.equal((await verdict("Main.m"))?.state, "rejected");
  put({ "src/Part.agda": "module Part where\nopen import Agda.Builtin.Nat\nn : Nat\nn = 1\n" });
  assert.equal((await states())["Main.m"], "UNSPECIFIED", "what was refused for an import is out of date when the import changes");
  await recheck();
  assert.equal((await states())["Main.m"], "VERIFIED");
});

test("a postulate by another name is that postulate", { skip, timeout: 300_000 }, async (t) => {
  const { put, recheck, states, verdict } = openSource(t, "", "agda");
  const post = "open import Post";
  put({
    "src/Post.agda": `module Post where\n${USUAL}postulate hole : 0 ≡ 1\n`,
    "src/Renamed.agda": `module Renamed where\n${USUAL}${post} renaming (hole to fact)\nlie : 0 ≡ 1\nlie = fact\n`,
    "src/Public.agda": `module Public where\n${post} public renaming (hole to fact)\n`,
    "src/Twice.agda": `module Twice where\n${USUAL}open import Public renaming (fact to known)\nlie : 0 ≡ 1\nlie = known\n`,
    "src/Module.agda": `module Module where\n${USUAL}import Post\nmodule P = Post renaming (hole to fact)\nlie : 0 ≡ 1\nlie = P.fact\n`,
    "src/Inside.agda": `module Inside where\n${USUAL}lie : 0 ≡ 1\nlie = fact\n  where ${post} renaming (hole to fact)\n`,
    "src/Pattern.agda": `module Pattern where\n${USUAL}${post}\nlie : 0 ≡ 1\nlie with hole\n... | fact = fact\n`,
    "src/Let.agda": `module Let where\n${USUAL}lie : 0 ≡ 1\nlie = let open import Post renaming (hole to fact) in fact\n`,
    "src/Fine.agda": `module Fine where\n${USUAL}${post}\nfine : 1 ≡ 1\nfine = refl\n`,
    "src/Fixity.agda": `module Fixity where\n${USUAL}${post} renaming (hole to infixl 5 fact)\nlie : 0 ≡ 1\nlie = fact\n`,
    // A line may hold several declarations, and those behind a list of names are no names.
    "src/Semicolon.agda": `module Semicolon where\n${USUAL}${post}\nlie : 0 ≡ 1\nx : Nat ; x = 0 ; lie = hole\n`,
    "src/Listed.agda": `module Listed where\n${USUAL}${post}\nlie : 0 ≡ 1\nopen import Agda.Builtin.Bool using () ; lie = hole\n`,
  });
  for (const run of await recheck()) assert.ok(run.check, run.problems.join("\n"));
  const said = await states();
  const verified = Object.keys(said).filter((name) => said[name] === "VERIFIED");
  assert.deepEqual(verified, ["Fine.fine"]);
  for (const name of ["Renamed.lie", "Twice.lie", "Module.lie", "Pattern.lie", "Inside.lie"])
    assert.deepEqual((await verdict(name))?.axioms, ["Post.hole"], name);
});

test("a postulate that no word names, because it is an instance or what a number means, is at most what a proof rests on", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { put, recheck, states } = openSource(t, "", "agda");
  const record = "record R : Set where\n  field bad : 0 ≡ 1\n  good : 0 ≡ 1\n  good = bad\n";
  const hole = "postulate instance hole : R\n";
  const inSafe = (name: string, text: string) => `module ${name} where\n${USUAL}open import Safe\n${hole}${text}`;
  put({
    "src/Safe.agda": `{-# OPTIONS --safe #-}\nmodule Safe where\n${USUAL}${record}open R ⦃ ... ⦄ public
taken : ⦃ r : R ⦄ → 0 ≡ 1
taken ⦃ r ⦄ = R.bad r
module Inside ⦃ r : R ⦄ where
  inside : 0 ≡ 1
  inside = R.bad r
variable ⦃ v ⦄ : R
generalised : R.bad v ≡ R.bad v → 0 ≡ 1
generalised ⦃ v ⦄ _ = R.bad v
`,
    "src/Field.agda": inSafe("Field", "lie : 0 ≡ 1\nlie = bad\n"),
    "src/Part.agda": inSafe("Part", "lie : 0 ≡ 1\nlie = good\n"),
    "src/Taken.agda": inSafe("Taken", "lie : 0 ≡ 1\nlie = taken\n"),
    "src/Module.agda": inSafe("Module", "open Inside\nlie : 0 ≡ 1\nlie = inside\n"),
    "src/Variable.agda": inSafe("Variable", "lie : 0 ≡ 1\nlie = generalised refl\n"),
    "src/Tight.agda": `module Tight where\n${USUAL}${record}${hole}open R {{...}}\nlie : 0 ≡ 1\nlie = bad\n`,
    "src/Alias.agda": `module Alias where\n${USUAL}${record}${hole}module I = R ⦃ ... ⦄\nlie : 0 ≡ 1\nlie = I.bad\n`,
    "src/Constructor.agda": `module Constructor where\n${USUAL}data D : Set where\n  c : ⦃ 0 ≡ 1 ⦄ → D\ndata E : Set where\n  c : E\npostulate instance hole : 0 ≡ 1\nf : D → 0 ≡ 1\nf (c ⦃ x ⦄) = x\nlie : 0 ≡ 1\nlie = f c\n`,
    "src/Number.agda": `module Number where\n${USUAL}open import Agda.Builtin.FromNat\nopen import Agda.Builtin.Unit\npostulate hole : suc zero ≡ zero\ninstance\n  number : Number (suc zero ≡ zero)\n  number .Number.Constraint _ = ⊤\n  number .Number.fromNat _ = hole\nlie : suc zero ≡ zero\nlie = 5\n`,
    "src/Fine.agda": inSafe("Fine", "fine : 1 ≡ 1\nfine = refl\nuses : (r : R) → 0 ≡ 1\nuses r = R.bad r\n"),
  });
  for (const run of await recheck()) assert.ok(run.check, run.problems.join("\n"));
  const said = await states();
  const lies = Object.entries(said).filter(([name]) => name.endsWith(".lie"));
  assert.equal(lies.length, 9);
  for (const [name, state] of lies) assert.equal(state, "UNSPECIFIED", name);
  assert.deepEqual([said["Fine.fine"], said["Safe.taken"]], ["VERIFIED", "VERIFIED"]);
});
