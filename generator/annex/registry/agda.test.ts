/** Agda: what a text declares by its columns, and what Agda and its second question say of each declaration. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readAgda, scanAgda } from "./agda.ts";
import { findAgda } from "./agda-tool.ts";
import { findSandbox } from "./sandbox.ts";
import { openSource } from "./source-fixture.ts";

const skip = findAgda() === null ? "agda is not installed" : findSandbox() === null ? "there is no sandbox here (bubblewrap)" : false;

const told = (text: string, path?: string) =>
  scanAgda(text, path).map(
    ({ line, endLine, kind, class: of, name, holes }) =>
      `${line}-${endLine} ${kind} ${of} ${name}${holes.map((hole) => ` ${hole.what}:${hole.line}`).join("")}`,
  );

test("signatures, clauses, blocks and modules by their columns; what a where declares is a part of its proof", () => {
  const text = `module T where
open import Agda.Builtin.Nat using (Nat; zero) -- no declaration : here
{- commented : Set {- nested : Set -}
no : Set -}
-- | It is
-- so.
one two : Nat
one = zero
two = one
postulate hole1 : Nat
          hole2 : Nat
postulate
  hole3
    : Nat
private
  inside : Nat → Nat
  inside x = loc
    where
    loc : Nat
    loc = {! x !}
module M (A : Set) where
  id' : A → A
  id' x = x
  module _ where
    deep : A → A
    deep x = ?
module N = M Nat
_⊕_ : Nat → Nat → Nat
a ⊕ b = a
if_ : Nat → Nat
if_ zero = "? -- {! no !}"
if_ (suc x) with x
... | zero = zero
... | suc _ = ?
data D : Set where
  c : D
record R : Set where
  field f : Nat
Pred : Set → Set₁
Pred A = A → Set
{-# TERMINATING #-}
loop-- : Nat
loop-- = loop--
mutual
  ev : Nat → Set
  od : Nat → Set
`;
  assert.deepEqual(told(text), [
    "7-8 Function theorem one",
    "7-9 Function theorem two",
    "10-10 Postulate axiom hole1",
    "11-11 Postulate axiom hole2",
    "13-14 Postulate axiom hole3",
    "16-20 Function theorem inside {!!}:20",
    "22-23 Function theorem M.id'",
    "25-26 Function theorem M.deep ?:26",
    "28-29 Function theorem _⊕_",
    "30-34 Function theorem if_ ?:34",
    "35-36 Data type D",
    "37-38 Record type R",
    "39-40 Function definition Pred",
    "42-43 Function theorem loop--",
    "45-45 Function definition ev",
    "46-46 Function definition od",
  ]);
  const [one] = scanAgda(text);
  assert.equal(one?.summary, "It is so.");
  assert.equal(one.statement, "Nat");
});

test("a name that a signature binds is no generalised variable there", () => {
  const { declarations } = readAgda("module V where\nvariable b c : Level\nf : ∀ {a b} {A : Set a} → A → Set b\ng : (b : Nat) → P b c\n");
  assert.deepEqual(
    declarations.map(({ context }) => context),
    [[], ["{c : Level}"]],
  );
});

test("a literate file declares what its code does, on the lines of the file", () => {
  assert.deepEqual(told("# Title\nx : y\n```agda\nmodule L where\none : Set\n```\n```text\nno : Set\n```\n", "L.lagda.md"), [
    "5-5 Function definition one",
  ]);
  assert.deepEqual(told("text : Set\n\\begin{code}\none : Set\n\\end{code}\n", "L.lagda"), ["3-3 Function definition one"]);
});

test("text that opens everything and closes nothing is read to its end", () => {
  for (const open of [
    "{-",
    '"',
    "module A where ",
    "postulate ",
    "a : (",
    "private\n",
    "{! ",
    "{-# ",
    "where\n ",
    "mutual x : A\n",
    "data A : Set where\n",
  ])
    assert.ok(Array.isArray(scanAgda(open.repeat(5000))), open);
});

const STANDARD = "/usr/share/agda-stdlib";
test("what Debian's library declares at the top of a module is found on its line", {
  skip: existsSync(STANDARD) ? false : "agda-stdlib is not installed",
}, () => {
  const text = readFileSync(join(STANDARD, "Data/List/Properties.agda"), "utf8");
  const names = new Set(scanAgda(text).map(({ name, line }) => `${line} ${name}`));
  const lines = text.split("\n");
  const signed = lines.flatMap((line, at) =>
    /^[^\s:({-]\S* :(?: |$)/.test(line) && !line.startsWith("module") ? [`${at + 1} ${line.split(" ")[0]}`] : [],
  );
  assert.ok(signed.length > 50, `${signed.length}`);
  assert.deepEqual(
    signed.filter((one) => !names.has(one)),
    [],
  );
});

const EQUALITY = "open import Agda.Builtin.Equality\nopen import Agda.Builtin.Nat\n";
test("planted faults turn red, each by its cause, and what is sound beside them is VERIFIED", { skip, timeout: 300_000 }, async (t) => {
  const { put, recheck, states, verdict } = openSource(t, "policy: { axioms: [r: Allowed.ext] }\n", "agda");
  put({
    "src/Post.agda": `module Post where\n${EQUALITY}postulate hole2 : 1 ≡ 2\nsound : 1 ≡ 1\nsound = refl\nuses : 1 ≡ 2\nuses = loc\n  where\n  loc : 1 ≡ 2\n  loc = hole2\n`,
    "src/Deep/Far.agda": `module Deep.Far where\n${EQUALITY}open import Post\nfar : 1 ≡ 2\nfar = uses\nabout : (p : 1 ≡ 2) → p ≡ hole2 → 1 ≡ 1\nabout _ _ = refl\n`,
    "src/Hidden.agda": `module Hidden where\n${EQUALITY}record C : Set where\n  field get : 1 ≡ 2\npostulate instance given : C\nfind : ⦃ c : C ⦄ → 1 ≡ 2\nfind ⦃ c ⦄ = C.get c\nuse : 1 ≡ 2\nuse = find\n`,
    "src/Applied.agda": `module Applied where\n${EQUALITY}open import Post\nmodule M (p : 1 ≡ 2) where\n  it : 1 ≡ 2\n  it = p\nmodule N = M hole2\n`,
    "src/OfApplied.agda": `module OfApplied where\n${EQUALITY}open import Applied\nof : 1 ≡ 2\nof = N.it\n`,
    "src/Mutual.agda": `module Mutual where\n${EQUALITY}open import Post\nf : 1 ≡ 2\ng : 1 ≡ 1\nf = hole2\ng = refl\n`,
    "src/Loop.agda": `module Loop where\n${EQUALITY}{-# TERMINATING #-}\nloop : 1 ≡ 2\nloop = loop\n`,
    "src/Types.agda": `{-# OPTIONS --type-in-type #-}\nmodule Types where\n${EQUALITY}big : Set → Set\nbig x = Set\nsame : 1 ≡ 1\nsame = refl\n`,
    "src/Open.agda": `module Open where\n${EQUALITY}left : 1 ≡ 2\nleft = {!!}\n`,
    "src/Wrong.agda": `module Wrong where\n${EQUALITY}wrong : 1 ≡ 2\nwrong = refl\n`,
    "src/Lacks.agda": `module Lacks where\n${EQUALITY}open import Nowhere\nlacks : 1 ≡ 1\nlacks = refl\n`,
    "src/Allowed.agda": `module Allowed where\n${EQUALITY}postulate ext : 1 ≡ 2\nwith-ext : 1 ≡ 2\nwith-ext = ext\n`,
    "src/Safe.agda": `{-# OPTIONS --safe #-}\nmodule Safe where\n${EQUALITY}private\n  _⊕_ : Nat → Nat → Nat\n  zero ⊕ b = b\n  suc a ⊕ b = suc (a ⊕ b)\nzero-right : (n : Nat) → n ⊕ 0 ≡ n\nzero-right zero = refl\nzero-right (suc n) rewrite zero-right n = refl\n`,
    "src/Trust.agda": `module Trust where\n${EQUALITY}open import Agda.Builtin.TrustMe\ntrusted : 1 ≡ 2\ntrusted = primTrustMe\n`,
    "src/Agda/Builtin/Mine.agda": "module Agda.Builtin.Mine where\npostulate anything : {A : Set} → A\n",
  });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  const said = await states();
  const verified = Object.keys(said).filter((name) => said[name] === "VERIFIED");
  assert.deepEqual(verified.sort(), ["Allowed.with-ext", "Mutual.g", "Post.sound", "Safe._⊕_", "Safe.zero-right"], "and no others");
  const axioms = async (name: string) => (await verdict(name))?.axioms;
  assert.deepEqual(await axioms("Post.uses"), ["Post.hole2"], "by what a where declares");
  assert.deepEqual(await axioms("Deep.Far.far"), ["Post.hole2"], "behind an import");
  assert.deepEqual(await axioms("Deep.Far.about"), ["Post.hole2"], "in the statement alone");
  assert.deepEqual(await axioms("Hidden.use"), ["Hidden.given"], "found by Agda and named nowhere");
  assert.equal((await verdict("Hidden.use"))?.exact, false);
  assert.deepEqual(await axioms("OfApplied.of"), ["Post.hole2"], "given to a module");
  assert.deepEqual(await axioms("Mutual.f"), ["Post.hole2"]);
  assert.deepEqual(await axioms("Trust.trusted"), ["Agda.Builtin.TrustMe.primTrustMe"]);
  assert.deepEqual((await verdict("Loop.loop"))?.unsafe, ["Loop:4 TERMINATING"], "in no answer but that to --safe, and in the text");
  assert.match((await verdict("Types.same"))?.unsafe[0] ?? "", /--type-in-type/);
  assert.equal((await verdict("Open.left"))?.state, "holes");
  assert.equal((await verdict("Wrong.wrong"))?.state, "rejected");
  assert.equal((await verdict("Lacks.lacks"))?.state, "environment");
  assert.deepEqual(
    (await verdict("Safe.zero-right"))?.uses.map(({ to }) => to),
    ["Safe._⊕_"],
  );
});

test("what is changed below a declaration makes it unchecked, and nothing else", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { put, recheck, states } = openSource(t, "", "agda");
  put({
    "src/A.agda": "module A where\nopen import Agda.Builtin.Nat\nn : Nat\nn = 1\n",
    "src/B.agda": `module B where\n${EQUALITY}open import A\nis-one : n ≡ 1\nis-one = refl\n`,
  });
  assert.equal((await recheck())[0]?.asked, 2);
  assert.deepEqual(await recheck(), []);
  put({ "src/A.agda": "module A where\nopen import Agda.Builtin.Nat\nn : Nat\nn = 2\n" });
  assert.deepEqual(await states(), { "A.n": "UNSPECIFIED", "B.is-one": "UNSPECIFIED" });
  await recheck();
  assert.deepEqual(await states(), { "A.n": "VERIFIED", "B.is-one": "NOT_VERIFIED" });
});

test("what dies for want of memory refuses nothing, and takes no proof away", { skip }, async (t) => {
  const { put, recheck, states, folder } = openSource(t, "", "agda");
  put({ "src/A.agda": `module A where\n${EQUALITY}t : 1 ≡ 1\nt = refl\n` });
  await recheck();
  const yaml = readFileSync(join(folder, "registry.yaml"), "utf8");
  put({ "registry.yaml": `limits: { memory: 20 }\n${yaml}` });
  await recheck({ all: true });
  assert.deepEqual(await states(), { "A.t": "VERIFIED" });
});
