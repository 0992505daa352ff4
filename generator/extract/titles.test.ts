/** What a file of source code is called, and what is said of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { extract } from "./extract.ts";

async function opening(key: string, text: string): Promise<readonly [title: string, summary: string]> {
  const { title, summary } = await extract(key, Buffer.from(text));
  return [title, summary];
}
const titleOf = async (key: string, text = ""): Promise<string> => (await opening(key, text))[0];

test("a file that says nothing of itself is called by its module's name, as its path gives it", async () => {
  assert.equal(await titleOf("coq/Hacspec_lib/Integers.v", "Definition a := 1.\n"), "Hacspec_lib.Integers");
  assert.equal(await titleOf("debian/coq-8.16/theories/Init/Logic.v"), "Init.Logic");
  assert.equal(await titleOf("a/Mathlib/Order/Basic.lean", "import A\n\ntheorem a : True := trivial\n"), "Mathlib.Order.Basic");
  assert.equal(await titleOf("proofs/chapter3/new_tests.lean"), "chapter3.new_tests");
  assert.equal(await titleOf("book/chapter3/tests/new_tests.lean"), "chapter3.tests.new_tests");
  assert.equal(await titleOf("theories/sorting.v"), "sorting");
  assert.equal(await titleOf("a.v"), "a");
  assert.equal(await titleOf("serde-1.0.1/src/de/mod.rs"), "serde::de");
  assert.equal(await titleOf("my-crate/src/lib.rs"), "my_crate");
  assert.equal(await titleOf("my-crate/src/io/read.rs"), "my_crate::io::read");
  assert.equal(await titleOf("src/main.rs"), "main.rs");
  assert.equal(await titleOf("usr/lib/python3.11/json/decoder.py"), "json.decoder");
  assert.equal(await titleOf("python3.11/json/__init__.py"), "json");
  assert.equal(await titleOf("linux/can/bcm.h", "int f(void);\n"), "can/bcm.h");
  assert.equal(await titleOf("scripts/build.sh", "echo\n"), "scripts/build.sh");
});

test("a file that declares its name is called so, wherever it lies", async () => {
  assert.equal(await titleOf("x/y.fst", "(* Copyright 2020 X *)\nmodule FStar.Seq.Base\n\nmodule L = FStar.List\n"), "FStar.Seq.Base");
  assert.equal(await titleOf("x/y.hs", "module Data.Map.Strict (a) where\n"), "Data.Map.Strict");
  assert.equal(await titleOf("x/tool/Main.hs", "module Main where\n"), "tool.Main");
  assert.equal(await titleOf("x/y.agda", "module Data.Nat.Base where\n"), "Data.Nat.Base");
  assert.equal(await titleOf("x/y.thy", "theory Sorted_List\n  imports Main\nbegin\n"), "Sorted_List");
  assert.equal(await titleOf("x/y.tla", "---- MODULE Paxos ----\nEXTENDS Integers\n====\n"), "Paxos");
});

test("a line of a comment loses its comment's own signs, and none of its author's", async () => {
  for (const sign of ["--force", "a[0](x)", "__x__", "*p", "//w", ";x", "%d", "`a`"])
    for (const [key, text] of [
      ["a.py", `"""A title.\n\nIt says what all of it is for, and\n${sign} begins a line.\n"""\nx = 1\n`],
      ["a.c", `/* A title.\n *\n * It says what all of it is for, and\n * ${sign} begins a line.\n */\nint x;\n`],
      ["a.js", `// It says what all of it is for, and\n// ${sign} begins a line.\nx = 1;\n`],
      ["a.v", `(* It says what all of it is for, and\n   ${sign} begins a line. *)\nDefinition x := 1.\n`],
    ] as const)
      assert.equal((await opening(key, text))[1], `It says what all of it is for, and ${sign} begins a line.`, text);
});

test("the first sentence of the module's documentation is its title, and the summary goes on from there", async () => {
  assert.deepEqual(await opening("a/src/lib.rs", "//! Sorting of lists. It is done by insertion,\n//! and proved.\n\nfn a() {}\n"), [
    "Sorting of lists",
    "It is done by insertion, and proved.",
  ]);
  assert.equal(await titleOf("a/src/b.rs", "//! A lock.\npub fn lock() {}\n"), "A lock");
  assert.equal(await titleOf("a/src/b.rs", "/// A lock.\npub fn lock() {}\n"), "a::b");
  assert.deepEqual(await opening("A/B.lean", "import X\n/-! Sorting of lists. -/\n\n/-- Inserts one element. -/\ndef a := 1\n"), [
    "Sorting of lists",
    "Inserts one element.",
  ]);
  assert.deepEqual(
    await opening("p/a.py", '#!/usr/bin/python3\n"""Sorting of long lists.\n\nBy insertion and by merging.\n"""\nimport os\n'),
    ["Sorting of long lists", "By insertion and by merging."],
  );
  assert.equal(
    await titleOf("p/a.ml", "(* Copyright X *)\n\n(** Balanced trees of intervals. *)\n\nopen List\nlet a = 1\n"),
    "Balanced trees of intervals",
  );
  assert.equal(
    await titleOf(
      "p/A.agda",
      "----------\n-- The Agda standard library\n--\n-- Natural numbers, basic types\n----------\n\nmodule A.B where\n\na : Set\n",
    ),
    "Natural numbers, basic types",
  );
  assert.equal(
    await titleOf(
      "p/A.hs",
      "{- |\nModule      : A.B\nDescription : Finite maps by balanced trees\nCopyright   : X\n-}\nmodule A.B where\n",
    ),
    "Finite maps by balanced trees",
  );
});

test("an explicit heading comes first", async () => {
  assert.equal(await titleOf("A/B.v", "(** * Insertion sort *)\n(** Sorts lists of numbers. *)\n"), "Insertion sort");
  for (const [name, text] of [
    ["B.lean", "/-! # Insertion sort -/\ndef a := 1\n"],
    ["B.lean", "/-! # Insertion sort -/"],
    ["B.hs", "{- # Insertion sort -}\na = 1\n"],
  ])
    assert.equal(await titleOf(`A/${name}`, text ?? ""), "Insertion sort");
  assert.equal(await titleOf("A/B.lean", "/-!\n# Insertion sort\n\nSorts lists of numbers.\n-/\n"), "Insertion sort");
  assert.deepEqual(
    await opening(
      "A/B.thy",
      "(* Author: X *)\n\nsection \\<open>Sets \\<open>\\<forall>\\<close> of numbers\\<close>\n\ntheory B\n  imports Main\nbegin\ntext \\<open>Sets are written as predicates here.\\<close>\n",
    ),
    ["Sets ‹∀› of numbers", "Sets are written as predicates here."],
  );
  assert.equal(await titleOf("a/b.mli", "(** {1 Balanced trees} *)\n\nval a : int\n"), "Balanced trees");
});

test("a licence, a long sentence, what is no prose, and what documents a declaration are no title", async () => {
  for (const [text, title] of [
    ["//! Copyright 2020 The Authors of this file.\n", "a::b"],
    [`//! ${"Very long words stand here ".repeat(8)}.\n`, "a::b"],
    ["//! {{{ ~~~ }}}\n", "a::b"],
    ["/// Inserts into a list.\nfn a() {}\n", "a::b"],
    ["// Only a remark of somebody.\n\nfn a() {}\n", "a::b"],
  ] as const) {
    assert.equal(await titleOf("a/src/b.rs", text), title, text);
  }
  assert.equal(await titleOf("a/B/C.v", "(** Inserts into a list. *)\nDefinition a := 1.\n"), "B.C");
});

test("what an author notes for himself is neither title nor summary", async () => {
  for (const note of [
    "FIXME: rewrite all of this before anybody reads it.",
    "TODO say how seals are fed, and when.",
    "XXX This is wrong here.",
  ]) {
    for (const [key, text] of [
      ["a/b.md", `# Seals\n\n${note}\n\nA seal eats fish, and sleeps on ice.\n`],
      ["a/b.tex", `\\section{Seals}\n${note}\n\nA seal eats fish, and sleeps on ice.\n`],
      ["a/b.txt", `Seals\n=====\n\n${note}\n\nA seal eats fish, and sleeps on ice.\n`],
      ["a/b.html", `<h1>Seals</h1><p>${note}</p><p>A seal eats fish, and sleeps on ice.</p>`],
    ] as const)
      assert.deepEqual(await opening(key, text), ["Seals", "A seal eats fish, and sleeps on ice."], key + note);
    assert.deepEqual(await opening("a/b.rs", `//! ${note}\n\nfn a() {}\n`), ["a::b", ""], note);
  }
});

test("no summary repeats its title", async () => {
  assert.deepEqual(await opening("a/src/b.rs", "//! Sorting of lists by insertion.\n\nfn a() {}\n"), ["Sorting of lists by insertion", ""]);
});

test("a page is titled by its heading where the site's name stands behind it", async () => {
  const page = (title: string, heading: string) =>
    titleOf("a/page.html", `<title>${title}</title><main><h1>${heading}</h1><p>Words.</p></main>`);
  assert.equal(await page("Futures \u2014 Python 3.11.2 documentation", 'Futures<a class="headerlink" href="#x">\u00b6</a>'), "Futures");
  assert.equal(
    await page("asyncio \u2014 Asynchronous I/O \u2014 Python 3", "<code>asyncio</code> \u2014 Asynchronous I/O"),
    "asyncio \u2014 Asynchronous I/O",
  );
  assert.equal(await page("Vec - Site | Docs", "Vec"), "Vec");
  assert.equal(await page("Futures and options", "Futures"), "Futures and options");
  assert.equal(await page("Page 7 of the manual", "Another heading"), "Page 7 of the manual");
});

test("where no comment is marked as documentation, the first one that says something is the title", async () => {
  for (const [key, text, title] of [
    ["pv/h.pv", "(* The handshake of the protocol. *)\n\nfree c: channel.\n", "The handshake of the protocol"],
    ["smt/div.smt2", "; Division is total.\n(set-logic QF_LIA)\n(declare-const x Int)\n", "Division is total"],
    ["c/lib.c", "/* This is a library header. */\n#include <x.h>\n", "c/lib.c"],
  ] as const)
    assert.equal((await extract(key, Buffer.from(text))).title, title, key);
});

test("what tells a wiki's program something is neither title nor summary", async () => {
  const text =
    '[[!meta robots="noindex, follow"]]\n[[!tag links]]\nWikiLinks provide easy linking between pages of the wiki.\n\n# [[!title]]\n\n# Links\n';
  const { title, summary } = await extract("wiki/wikilink.mdwn", Buffer.from(text));
  assert.deepEqual([title, summary], ["Links", "WikiLinks provide easy linking between pages of the wiki."]);
});

test("an id behind a heading is its id and no text, and what a template stands for is no title", async () => {
  const read = async (text: string): Promise<Awaited<ReturnType<typeof extract>>> => await extract("docs/a.md", Buffer.from(text));
  const named = await read("# Slots {#slots}\n\nText.\n\n## With `code` in it {#in-it}\n\nMore text.\n");
  assert.equal(named.title, "Slots");
  assert.match(named.html ?? "", /<h2 id="doc-in-it">/);
  assert.doesNotMatch(named.html ?? "", /\{#/);
  assert.deepEqual(named.passages.at(-1)?.heading, ["Slots", "With code in it"]);
  assert.equal((await read("---\ntitle: '{{ page.name }}'\n---\n\n# {% block title %}\n\n# Real\n\nText.\n")).title, "Real");
});

test("a remark below the first command of a Coq file is no title, and one that speaks of the file is", async () => {
  const coq = (text: string): Promise<string> => titleOf("theories/ZArith/Zx.v", text);
  assert.equal(
    await coq("Require Import A.\n\n(** About parity *)\n\nNotation a := b.\n\n(** The biggest power of two *)\nDefinition c := 1.\n"),
    "ZArith.Zx",
  );
  assert.equal(
    await coq("Definition a := 1.\n\n(** Most of the lemmas in this file are trivial by case analysis *)\n\nLemma b : True.\n"),
    "ZArith.Zx",
  );
  assert.equal(
    await coq("Require Import A.\n\n(** This file gives the powers of two. *)\n\nDefinition c := 1.\n"),
    "This file gives the powers of two",
  );
  assert.equal(await coq("(** Obsolete file, see BinNat now. *)\n\nRequire Import A.\n"), "ZArith.Zx");
  assert.equal(await coq("(** Binary Integers (Ann Example, LAB, Lyon, France) *)\n\nRequire Import A.\n"), "Binary Integers");
  assert.equal(
    await coq("(** * Numbers can be equipped\n      with a ring structure *)\n\nRequire Import A.\n"),
    "Numbers can be equipped with a ring structure",
  );
});

test("the header of a library of Agda has the title, and what it says of the module's end has none", async () => {
  const agda = (line: string): Promise<string> =>
    titleOf(
      "x/A.agda",
      `${"-".repeat(40)}\n-- The Agda standard library\n--\n-- ${line}\n${"-".repeat(40)}\n\n-- Note that laws are not included here.\n\nmodule A.B where\n`,
    );
  assert.equal(await agda("Functors"), "Functors");
  assert.equal(
    await agda("Generators of numbers\n-- that look like chance\n-- Beware of them."),
    "Generators of numbers that look like chance",
  );
  assert.equal(await agda("This module is DEPRECATED."), "A.B");
});

test("a short first line of documentation is a title, and a crate is called without its version and its system's folder", async () => {
  assert.equal(await titleOf("a/src/seh.rs", "//! Windows SEH\n//!\n//! It is quite different from others.\n\nfn a() {}\n"), "Windows SEH");
  assert.equal(await titleOf("usr/src/rustc-1.63.0/library/crates/core_simd/examples/nbody.rs"), "core_simd::examples::nbody");
  assert.equal(await titleOf("regex-1.7.1/tests/flags.rs"), "regex::tests::flags");
});

test("a signed statement is called by what it says, and what its envelope holds is shown, harmless", async () => {
  const seal = (payload: string): string =>
    JSON.stringify({ payloadType: "application/vnd.in-toto+json", payload: Buffer.from(payload).toString("base64"), signatures: [] });
  const check = { predicate: { repo: "sorted", revision: "f896873e7ddf", tool: { name: "coq", version: "8.16.1" } }, note: "<b>" };
  const { title, html } = await extract("checks/a.json", Buffer.from(seal(JSON.stringify(check))));
  assert.equal(title, "Check of sorted at f896873 by coq 8.16.1");
  assert.match(html ?? "", /^<h2>What is signed<\/h2><pre><code>\{\n &quot;predicate&quot;[^]*&quot;&lt;b&gt;&quot;\n\}<\/code><\/pre>/);
  assert.match(html ?? "", /^(?:<pre[^>]*><code>)?<span class="line" id="L1">/m, "its lines are found as those of any file are");
  assert.equal(await titleOf("a.json", seal("{}")), "Signed statement");
  for (const text of [seal("no JSON"), '{"payloadType":"a/json","payload":"%"}', '{"payload":"e30="}'])
    assert.equal(await titleOf("a.json", text), "a.json", text);
});

test("a page says nothing of itself rather than its ways to other pages, its rights, its people or its code", async () => {
  const summary = async (body: string): Promise<string> => (await opening("a/page.html", `<title>T</title><body>${body}</body>`))[1];
  const prose = "<p>It measures how a program uses the caches of a machine.</p>";
  for (const noise of [
    '<table class="nav" summary="Navigation header"><tr><td></td><td></td><th>Valgrind User Manual</th></tr></table>',
    '<div class="chlinktop"><a>[Top of Book]</a> <a>[Contents]</a> <a>[Next Chapter]</a></div>',
    '<div id="package-header">vector-0.12: Efficient arrays for everybody</div>',
    "<p>Copyright &copy; 2000-2022 by the people of this project</p>",
    "<p>Ann Example, Ben Beispiel</p>",
    "<p>Source code: Lib/asyncio/runners.py and its friends</p>",
    "<p>void set_timeout(lprec *lp, long seconds);</p>",
    "<p>New in version 3.3.</p>",
  ]) {
    assert.equal(await summary(noise + prose), "It measures how a program uses the caches of a machine.", noise);
    assert.equal(await summary(noise), "", noise);
  }
});

test("a page without a title of its own is called by its heading, or by the module that its file is named after", async () => {
  assert.equal(await titleOf("a/b.html", "<title>&lt;no title&gt; \u2014 Docs</title><h1>Slots</h1>"), "Slots");
  assert.equal(await titleOf("a/Data.Vector.Size.html", "<p>Words.</p>"), "Data.Vector.Size");
  assert.equal(await titleOf("a/b.html", "<title>x.y \u2014 Parser \u2014 Docs</title><h1>x.y \u2014  Parser</h1>"), "x.y \u2014 Parser");
});

test("a string that is data is neither title nor summary", async () => {
  const read = async (text: string) => {
    const { title, summary } = await extract("mail/smtp.py", Buffer.from(text));
    return [title, summary];
  };
  assert.deepEqual(await read('TEXT = """Your account was closed by us.\n\nDear user, we are sorry for it.\n"""\n'), ["mail.smtp", ""]);
  assert.deepEqual(await read('send(\n    """The jail has been started.\n\nIt was you who did it.""")\n'), ["mail.smtp", ""]);
  assert.deepEqual(await read('#!/usr/bin/python\n# Rights\n\n"""Sends mails to the user.\n\nIt sends them one by one.\n"""\n'), [
    "Sends mails to the user",
    "It sends them one by one.",
  ]);
});

test("a summary ends before the first formula that is no text, in every kind of document", async () => {
  const said = "This is a proof that if";
  for (const [key, text] of [
    ["a.md", `# A\n\n${said} $A \\subset {\\bf F}_2^n$, then it holds.\n`],
    ["a.tex", `\\section{A}\n\n${said} $A \\subset {\\bf F}_2^n$, then it holds.\n`],
    ["a.rst", `A\n=\n\n${said} :math:\`A \\subset F_2^n\`, then it holds.\n`],
    ["a.org", `* A\n\n${said} $A \\subset F_2^n$, then it holds.\n`],
    ["a.adoc", `= A\n\n${said} latexmath:[A \\subset F_2^n], then it holds.\n`],
  ] as const)
    assert.equal((await extract(key, Buffer.from(text))).summary, `${said} …`, key);
  assert.equal((await extract("b.md", Buffer.from(`# A\n\n${said} $n > 2$, it holds.\n`))).summary, `${said} n > 2, it holds.`);
  assert.match(
    (await extract("c.md", Buffer.from("# A\n\n$\\alpha$ stands for whatever is given here.\n"))).summary,
    /stands for whatever/,
  );
});
