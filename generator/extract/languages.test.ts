/** Languages that are read by their row in the table: kind, declarations with their lines, what is shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Extract } from "../../snapshots/schema/extract.ts";
import { blocksOf } from "../../snapshots/blocks/blocks.ts";
import { extract } from "./extract.ts";

const read = (key: string, text: string): Promise<Extract> => extract(key, Buffer.from(text));

/** The named passages, and what they are headed by. */
async function declared(key: string, text: string): Promise<string[]> {
  const { passages } = await read(key, text);
  return passages
    .filter(({ name }) => name !== null)
    .map(
      ({ start_line, end_line, name, heading }) =>
        `${start_line}-${end_line} ${name}${heading.length === 0 ? "" : ` [${heading.join(" > ")}]`}`,
    );
}

test("each extension has its kind, its language and colours", async () => {
  const samples: Readonly<Record<string, readonly [language: string, text: string, shown: RegExp]>> = {
    "a.fst": ["fstar", "let x = 1 // c\n", /<span class="k">let<\/span>.*<span class="c">\/\/ c/],
    "a.fsti": ["fstar", "val x : int\n", /<span class="k">val<\/span>/],
    "a.pv": ["proverif", "free c: channel.\n", /<span class="k">free<\/span>/],
    "a.pvl": ["proverif", "(* (* c *) fun *)\n", /<span class="c">\(\* <span class="c">\(\* c \*\)<\/span> fun \*\)/],
    "a.thy": ["isabelle", 'lemma a: "x = x" by simp\n', /<span class="k">lemma<\/span>/],
    "a.dfy": ["dafny", "lemma a() ensures true\n", /<span class="k">lemma<\/span>/],
    "a.agda": ["agda", "module A where\n", /<span class="k">module<\/span>/],
    "a.tla": ["tla", "EXTENDS Integers \\* c\n", /<span class="k">EXTENDS<\/span>.*<span class="c">\\\* c/],
    "a.smt2": ["smtlib", "(assert true) ; c\n", /<span class="k">assert<\/span>.*<span class="c">; c/],
    "a.mm": ["metamath", "$( c $)\nax $a |- x $.\n", /<span class="c">\$\( c \$\)<\/span>/],
    "a.mlw": ["why3", "predicate p (x: int) = x > 1\n", /<span class="k">predicate<\/span>/],
    "a.ec": ["easycrypt", "lemma a : true.\n", /<span class="k">lemma<\/span>/],
    "a.ml": ["ocaml", "let x = 1\n", /<span class="k">let<\/span>/],
    "a.hs": ["haskell", "module A where\n", /<span class="k">module<\/span>/],
    "a.py": ["python", "def f(): pass\n", /<span class="k">def<\/span>/],
    "a.c": ["c", "int f(void) { return 1; }\n", /<span class="k">return<\/span>/],
  };
  for (const [key, [language, text, shown]] of Object.entries(samples)) {
    const value = await read(key, text);
    assert.deepEqual([value.kind, value.language, value.media_type], ["code", language, `text/x-${language}; charset=utf-8`], key);
    assert.match(value.html ?? "", shown, key);
  }
  assert.equal((await read("a.mm", "@implementation A\n@end\n")).language, "cpp", "Objective-C++ has the same extension");
});

test("languages of models, proofs and specifications are code with declarations, and no prose is made of them", async () => {
  const samples: Readonly<Record<string, readonly [language: string, text: string, name: string]>> = {
    "a.als": ["alloy", "module foo\nsig A {}\npred p { some A }\n", "p"],
    "a.bpl": ["boogie", "procedure P() returns (x: int);\n", "P"],
    "a.vpr": ["viper", "method foo(x: Int) returns (y: Int)\n", "foo"],
    "a.p": ["tptp", "% c\nfof(a1,axiom,(p(X) => q(X))).\n", "a1"],
    "a.lp": ["lambdapi", "symbol a : TYPE;\n", "a"],
    "a.dk": ["dedukti", "def plus : Nat -> Nat.\n", "plus"],
    "a.idr": ["idris", "module Main\n\nmain : IO ()\n", "main"],
    "a.pvs": ["pvs", "t: THEORY\nBEGIN\n  plus_comm: LEMMA x + y = y + x\nEND t\n", "plus_comm"],
    "a.acl2": ["acl2", "(defthm app-assoc (equal 1 1))\n", "app-assoc"],
    "a.maude": ["maude", "fmod FOO is\n  sort S .\nendfm\n", "S"],
    "a.k": ["k", "module IMP\n  syntax Exp ::= Int\nendmodule\n", "Exp"],
    "a.cry": ["cryptol", "module Main where\nproperty inv x = x == x\n", "inv"],
    "a.sail": ["sail", "function add(x, y) = x + y\n", "add"],
    "a.pml": ["promela", "proctype P() { skip }\n", "P"],
    "a.smv": ["smv", "MODULE main\nVAR x : boolean;\n", "main"],
    "a.spthy": ["tamarin", "lemma secret: all-traces\n", "secret"],
    "a.sol": ["solidity", "contract C {\n  function f() public {}\n}\n", "f"],
    "a.zig": ["zig", "pub fn main() void {}\n", "main"],
    "a.tf": ["terraform", 'resource "aws_vpc" "main" {}\n', "aws_vpc"],
  };
  for (const [key, [language, text, name]] of Object.entries(samples)) {
    const value = await read(key, text);
    assert.deepEqual([value.kind, value.language, value.summary], ["code", language, ""], key);
    assert.match(value.html ?? "", /<span class="[kc]"/, key);
    assert.ok(
      (await declared(key, text)).some((line) => line.includes(` ${name}`)),
      `${key} ${JSON.stringify(await declared(key, text))}`,
    );
  }
  for (const [key, text, language] of [
    ["a.ex", "defmodule Foo do\n  def bar, do: 1\nend\n", "elixir"],
    ["a.nix", "{ pkgs }: let x = 1; in x\n", "nix"],
    ["a.f90", "program hello\nend program\n", "fortran"],
    ["a.m", "@implementation A\n@end\n", "objectivec"],
    ["a.m", "function y = f(x)\n  y = 1;\nend\n", "matlab"],
  ] as const) {
    const value = await read(key, text);
    assert.deepEqual(
      [value.kind, value.language, value.summary, /<span class="k"/.test(value.html ?? "")],
      ["code", language, "", true],
      key,
    );
  }
  assert.deepEqual(
    await Promise.all([read("a.p", "plot sin(x)\n"), read("a.lp", "Minimize\n obj: x\nEnd\n")].map(async (one) => (await one).kind)),
    ["text", "text"],
  );
});

test("F*: a signature and its definition are one, modifiers and attributes belong to what follows", async () => {
  assert.deepEqual(
    await declared(
      "a.fst",
      `(* Copyright X *)
module A.B
open FStar.Seq
#set-options "--fuel 1"

(** The length (* nested *) of a sequence. *)
val length: #a:Type -> seq a -> Tot nat
let length #a s =
  let n = 1 in
  n

[@@"opaque_to_smt"]
private
let rec go (x:nat) = x
noeq type t =
  | A: nat -> t
and u = t
let ( @| ) a b = append a b
(* let hidden = 1 *)
let lemma_a ()
  : Lemma (True)
= ()
`,
    ),
    ["6-10 length", "12-14 go", "15-16 t", "17-17 u", "18-18 @|", "19-22 lemma_a"],
  );
});

test("Isabelle: sections head, statements have names with or without attributes, symbols are signs on the page only", async () => {
  const text = `theory A imports Main begin
section \\<open>Sets of \\<nat>\\<close>
text \\<open>Words about
lemma nothing: here.\\<close>
lemma less_le [simp]: "a \\<le> b \\<Longrightarrow> \\<forall>x. x \\<in> \\<Inter>S\\<^sub>1"
  by auto

lemma (in order) eq:
  "x = x" ..
lemma "y = y" by simp
datatype 'a tree = Leaf | Node "'a tree"
primrec
  size :: "'a tree \\<Rightarrow> nat"
where
  "size Leaf = 0"
end
`;
  assert.deepEqual(await declared("a.thy", text), [
    "2-6 less_le [Sets of ℕ]",
    "8-9 eq [Sets of ℕ]",
    "11-11 tree [Sets of ℕ]",
    "12-15 size [Sets of ℕ]",
  ]);
  const { html, passages } = await read("a.thy", text);
  assert.ok(html?.includes("a ≤ b ⟹ ∀x. x ∈ ⋂S⇩1"), html ?? "");
  assert.ok(
    passages.some((part) => part.text.includes("\\<Longrightarrow>")),
    "a passage is the file's own bytes",
  );
  assert.match(html ?? "", /id="L5">.*less_le/);
});

test("Dafny and EasyCrypt: what stands inside a module is declared in it", async () => {
  assert.deepEqual(
    await declared(
      "a.dfy",
      "module M {\n  // Adds.\n  ghost function {:opaque} Add(x: int): int {\n    x\n  }\n\n  lemma {:induction false} AddZero()\n    ensures true\n  {\n  }\n}\n\nmethod Main() {\n  var x := 1;\n}\n",
    ),
    ["1-1 M [M]", "2-5 Add [M]", "7-11 AddZero [M]", "13-15 Main"],
  );
  assert.deepEqual(
    await declared(
      "a.ec",
      "require import AllCore.\n\nmodule M = {\n  proc f() = {\n    return 1;\n  }\n}.\n\nlemma nosmt a &m : true.\nproof. by []. qed.\n",
    ),
    ["3-3 M [M]", "4-7 f [M]", "9-10 a"],
  );
});

test("Agda and Haskell: a signature takes its clauses along, and blocks hold declarations", async () => {
  assert.deepEqual(
    await declared(
      "a.agda",
      "module A where\n\nopen import B\n\n------------------------------------------------------------\n-- Addition\n\n-- Adds two numbers.\n_+_ : Nat → Nat → Nat\nzero + n = n\nsuc m + n =\n  suc (m + n)\n\nprivate\n  help : Nat\n  help = zero\n\ndata Two : Set where\n  one two : Two\n",
    ),
    ["5-12 _+_ [Addition]", "14-16 help [Addition]", "18-19 Two [Addition]"],
  );
  assert.deepEqual(
    await declared(
      "a.hs",
      "{-# LANGUAGE GADTs #-}\nmodule A where\nimport B\n\n-- | Adds.\nadd, sub\n  :: Int -> Int\nadd x = x\n  where y = 1\n\ndata T a = T { f :: a }\n  deriving Show\n\nclass Eq a => C a where\n  m :: a\ninstance C Int where\n  m = 1\n(<+>) :: Int -> Int\nx <+> y = x\nmain = print 1\n",
    ),
    ["5-9 add", "11-12 T", "14-15 C", "18-19 <+>", "20-20 main"].map((line) => line.replace("<+>", "(<+>)")),
  );
});

test("OCaml, Why3 and Python: modules and classes hold what is deeper", async () => {
  assert.deepEqual(
    await declared(
      "a.ml",
      "open List\n\n(** {1 Trees} *)\n\n(** A tree. *)\ntype 'a t =\n  | Leaf\n\nmodule M = struct\n  let f x =\n    let g = 1 in\n    g\n\n  let rec h = 2\nend\n\nlet () = print ()\nlet ( >>= ) = bind\n",
    ),
    ["3-7 t [Trees]", "9-9 M [Trees > M]", "10-12 f [Trees > M]", "14-15 h [Trees > M]", "18-18 >>= [Trees]"],
  );
  assert.deepEqual(
    await declared(
      "a.mlw",
      "module List\n  use int.Int\n\n  let rec function length (l: list 'a) : int =\n    0\n\n  lemma Length_nil: true\nend\n",
    ),
    ["1-1 List [List]", "4-5 length [List]", "7-8 Length_nil [List]"],
  );
  assert.deepEqual(
    await declared(
      "a.py",
      '"""Doc.\n\ndef hidden(): pass\n"""\nimport os\n\n# Adds.\n@cache\ndef add(x):\n    """Doc\ndef hidden(): pass\n"""\n    def inner():\n        pass\n    return x\n\nclass C(Base):\n    """Doc."""\n    x = "#"\n\n    async def m(self):\n        pass\n\nif True:\n    add(1)\n',
    ),
    ["7-15 add", "17-18 C [C]", "21-22 m [C]"],
  );
});

test("C: functions of either style, types and macros; control words are none", async () => {
  assert.deepEqual(
    await declared(
      "a.h",
      "#include <a.h>\n#define MAX(a) \\\n  (a)\n\n/* Adds. */\nstatic inline int\nadd (int x)\n{\n  if (x) return 1;\n  while (1) f();\n}\nextern void *get(void);\ntypedef unsigned long size;\nstruct point {\n  int x;\n};\n",
    ),
    ["2-3 MAX", "5-11 add", "12-12 get", "13-13 size", "14-16 point"],
  );
});

test("C++, Java, JavaScript, TypeScript and Go: what classes and namespaces hold is headed by them, calls are no declarations", async () => {
  assert.deepEqual(
    await declared(
      "a.cpp",
      "#include <x>\nnamespace geo {\n// A vector.\nclass Vec {\n public:\n  double lengthOf() const {\n    if (x) f();\n    return g(1);\n  }\n  ~Vec();\n};\n}\ntemplate <class T>\nT Helper<T>::put(T x) { return x; }\nstd::vector<int> geo::flat::all(int a) {\n  return {};\n}\nenum class Mode { a };\nusing Row = int;\n",
    ),
    [
      "2-4 Vec [geo > Vec]",
      "6-9 lengthOf [geo > Vec]",
      "10-12 ~Vec [geo > Vec]",
      "13-14 Helper<T>::put [geo]",
      "15-17 geo::flat::all [geo]",
      "18-18 Mode [geo]",
      "19-19 Row [geo]",
    ],
  );
  assert.deepEqual(
    await declared(
      "a.java",
      "package org.x;\nimport a.B;\n/** A store. */\n@Deprecated\npublic final class Store<T> {\n  private int n = 0;\n  /** Counts. */\n  @Override\n  public static <T> List<T> count(int a) {\n    return f(a);\n  }\n  Store() { super(); }\n}\nrecord Pair(int a) {}\n",
    ),
    ["3-6 Store [Store]", "7-11 count [Store]", "12-13 Store [Store]", "14-14 Pair"],
  );
  const script =
    'import a from "a";\n/** A button. */\nexport class Button extends B {\n  static get name() {\n    return f(1);\n  }\n  async press(a, b) {\n    if (a) g();\n  }\n}\nexport const x = 1;\nexport default async function go() {\n  await f();\n}\ntest("it works", () => {\n  check("a", () => {\n  });\n});\n';
  const found = ["2-3 Button [Button]", "4-6 name [Button]", "7-10 press [Button]", "11-11 x", "12-18 go"];
  assert.deepEqual(await declared("a.js", script), found);
  assert.deepEqual(await declared("a.ts", script), found);
  assert.deepEqual(await declared("b.ts", "export namespace Ui {\n  export interface Row {\n    a: string;\n  }\n}\ntype A<T> = T;\n"), [
    "1-1 Ui [Ui]",
    "2-5 Row [Ui]",
    "6-6 A",
  ]);
  assert.deepEqual(
    await declared(
      "a.go",
      'package a\n\nimport "fmt"\n\n// Add adds.\nfunc (s *Store) Add(x int) int {\n\treturn f(x)\n}\n\ntype Store struct {\n\tn int\n}\n\nvar (\n\tx = 1\n)\n',
    ),
    ["5-8 Add", "10-12 Store"],
  );
});

test("TLA+, SMT-LIB, ProVerif and Metamath", async () => {
  assert.deepEqual(
    await declared(
      "a.tla",
      "---- MODULE A ----\nEXTENDS Integers\nVARIABLES x, y\n\n(* The start. *)\nInit == /\\ x = 1\n        /\\ y = 2\nmax(a, b) == IF a > b THEN a ELSE b\nf[n \\in Nat] == n\nTHEOREM Safe == Init => []Inv\nPROOF\n  <1> QED\nTHEOREM Init\n====\n",
    ),
    ["5-7 Init", "8-8 max", "9-9 f", "10-12 Safe"],
  );
  assert.deepEqual(
    await declared(
      "a.smt2",
      "(set-logic QF_LIA)\n; x\n(declare-const x Int)\n(declare-datatypes ((Tree 0)) (\n  (leaf)))\n(define-fun |a b| () Int\n  1)\n(assert (> x 1))\n",
    ),
    ["2-3 x", "4-5 Tree", "6-7 |a b|"],
  );
  assert.deepEqual(
    await declared(
      "a.pv",
      "free c: channel.\nreduc forall m: bitstring, k: key;\n  sdec(enc(m, k), k) = m.\n(* Encrypts. *)\nfun enc(bitstring, key): bitstring.\nquery x: key; attacker(x).\nlet P(k: key) =\n  out(c, k).\nprocess\n  !P(k)\n",
    ),
    ["1-1 c", "2-3 sdec", "4-5 enc", "7-8 P"],
  );
  assert.deepEqual(
    await declared(
      "a.mm",
      "$c |- $.\n$(\n#*#*#*#*#*#*#*#*#*#\n  Logic\n#*#*#*#*#*#*#*#*#*#\n$)\n${\n  min $e |- P $.\n  $( Modus ponens. $)\n  ax-mp $a |- Q $.\n$}\nth1 $p |- t $=\n  ax-mp $.\n",
    ),
    ["9-10 ax-mp [Logic]", "12-13 th1 [Logic]"],
  );
});

test("a text of any language that opens everything and closes nothing ends", async () => {
  for (const extension of "fst pv thy dfy agda tla smt2 mm mlw ec ml hs py c".split(" ")) {
    for (const bomb of ["(*", "{-", '"""', "$(", "/*", "text \\<open>", "private ", "a*", "(a,", "[", "a b ", "\\<a", "let rec "]) {
      const text = `${bomb.repeat(20_000)}\n${`${bomb}\n`.repeat(20_000)}`;
      assert.ok((await read(`a.${extension}`, text)).passages.length > 0, `${extension} ${bomb}`);
    }
  }
});

test("a literate program is a document: its prose is read and quoted, its code is code with its lines", async () => {
  const markdown =
    '> module Foo where\n\n# Sorting\n\nThis *module* sorts `lists`.\n\n> sort = id\n\n> more = 1\n\nEnd.\n\\begin{code}\nx = "> y"\n\\end{code}\n';
  const tex =
    '\\documentclass{article}\n\\begin{document}\n\\title{Sorting}\n\\author{Ana Ruiz}\n\\maketitle\nThis \\emph{module} sorts \\texttt{lists}.\n\n> sort = id\n\n> more = 1\n\nEnd.\n\\begin{code}\nx = "> y"\n\\end{code}\n\\end{document}\n';
  for (const [key, text] of [
    ["a.lhs", markdown],
    ["a.lidr", markdown],
    ["b.lhs", tex],
  ] as const) {
    const { kind, title, summary, html, written, about, language } = await extract(key, Buffer.from(text));
    assert.deepEqual([kind, title, summary], ["literate", "Sorting", "This module sorts lists."], key);
    assert.match(html ?? "", /<pre class="code" id="L\d+"><code>[^]*sort[^]*= id\n\n[^]*more[^]*<\/pre>[^]*End\.[^]*&gt; y/);
    assert.doesNotMatch(html ?? "", /begin\{|```|<blockquote/);
    assert.match(written ?? "", /&gt; [^]*sort/);
    if (key === "b.lhs") assert.deepEqual([about?.authors, language], [["Ana Ruiz"], "haskell"]);
    const blocks = blocksOf(text, kind).map(({ form, plain }) => `${form}: ${plain}`);
    for (const said of ["prose: This module sorts lists.", "code: sort = id", "prose: End.", 'code: x = "> y"'])
      assert.ok(blocks.includes(said), `${said} in ${blocks.join(" | ")}`);
  }
});

test("a source of proofs that is a document is quoted by its prose, with its headings, and its code is no prose", () => {
  const verso =
    '#doc (Manual) "T" =>\n%%%\ntag := "t"\n%%%\n\nVerso is a *tool* for {lean}`Nat`.\n\n# A Section\n\n:::paragraph\nInside it.\n:::\n\n```lean\ndef x := 1\n```\n\n{include Foo}\n';
  const coq =
    "(*|\nTitle\n=====\n\nThis is *prose* of :coq:`nat`.\n\n.. coq:: none\n|*)\n\nRequire Import X.\n\nLemma x : True. (* plain comment *)\n\n(*| More of it. |*)\n(** A remark. *)\n";
  const lean = "/-|\nTitle\n=====\n\nSome *prose* here.\n|-/\n\ntheorem x : True := trivial\n";
  const quotes = (text: string): string[] => blocksOf(text, "code").map(({ heading, plain }) => `${heading.join(" > ")}: ${plain}`);
  assert.deepEqual(quotes(verso), [": Verso is a tool for Nat.", "A Section: Inside it.", "A Section: def x := 1"]);
  assert.deepEqual(quotes(coq), ["Title: This is prose of nat.", "Title: More of it.", "Title: A remark."]);
  assert.deepEqual(quotes(lean), ["Title: Some prose here."]);
});
