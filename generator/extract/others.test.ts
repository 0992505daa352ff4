import assert from "node:assert/strict";
import { test } from "node:test";
import { extractAsking } from "./extract.ts";
import type { Place } from "./others.ts";
import { findTellings, type Teller } from "./tell-others.ts";

const textOf = (html: string | null): string =>
  (html ?? "")
    .replaceAll(/<annotation[^>]*>[^]*?<\/annotation>|<(?!\/?(?:p|h\d|li|pre|td|figure|section))[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

/** Reads the file `key` beside the others, of which the first is the one that they are parts of. */
async function read(key: string, files: Readonly<Record<string, string>>, places: Readonly<Record<string, Place | readonly Place[]>> = {}) {
  const lists = Object.fromEntries(Object.entries(places).map(([name, place]) => [name, [place].flat()]));
  const told = { files: Object.entries(files).map(([own, text]) => ({ key: own, text })), places: lists };
  const { extract, ...more } = await extractAsking(key, Buffer.from(files[key] ?? ""), null, told);
  return { ...extract, ...more, html: extract.html ?? "", text: textOf(extract.html) };
}

const BOOK = {
  "b/main.tex": String.raw`\documentclass{book}
\input{macros}
\title{The Whole}\author{Ana Ruiz}
\begin{document}
\maketitle
\include{chapters/one}
\subfile{chapters/two}
See \ref{sec:two} and \cite{knuth}. \input{chapters/missing} End \input tail
\bibliography{refs}
\end{document}
`,
  "b/macros.tex": String.raw`\newcommand{\RR}{\mathbb{R}}
\newtheorem{fact}{Fact}[chapter]
`,
  "b/chapters/one.tex": String.raw`\chapter{First}\label{ch:one}
Let $x \in \RR$.
\begin{fact}\label{fact:a} Alpha holds. \end{fact}
\input{chapters/deep}
`,
  "b/chapters/deep.tex": String.raw`Deep words\footnote{A deep note.}.
`,
  "b/chapters/two.tex": String.raw`\documentclass[../main.tex]{subfiles}
\begin{document}
\chapter{Second}\label{sec:two}
By \ref{fact:a} and \cite{knuth}.
\begin{fact}\label{fact:b} Beta holds. \end{fact}
\end{document}
`,
  "b/tail.tex": "of the story.",
  "b/main.bbl": String.raw`\begin{thebibliography}{1}\bibitem{knuth} Donald Knuth. The book.\end{thebibliography}`,
};

test("a LaTeX document of several files is one text: macros, labels, numbers, notes and the list of what is cited", async () => {
  const { text, html, title, asked, whole = 0 } = await read("b/main.tex", BOOK);
  assert.equal(title, "The Whole");
  for (const said of ["Deep words", "A deep note.", "Fact 1.1.", "Fact 2.1.", "By 1.1 and [1]", "End of the story", "Donald Knuth"])
    assert.ok(text.includes(said), `${said} in ${text}`);
  assert.doesNotMatch(text, /documentclass|subfiles|\\RR/);
  assert.match(html, /ℝ/);
  assert.match(
    html,
    /<a>chapters\/missing\.tex<\/a>|<a href="[^"]*missing[^"]*">chapters\/missing\.tex<\/a>/,
    "what is not there is a link",
  );
  assert.deepEqual(asked?.parts, ["macros.tex", "chapters/one.tex", "chapters/two.tex", "chapters/missing.tex", "tail.tex", "main.bbl"]);
  assert.ok(whole > (BOOK["b/main.tex"] ?? "").length);
});

test("a chapter alone has the numbers, macros and labels of its document, its own lines, and a way to the whole", async () => {
  const { text, html, title, passages } = await read("b/chapters/two.tex", BOOK);
  assert.equal(title, "Second");
  assert.match(text, /By 1\.1 and \[1\]\./);
  assert.match(html, /<a href="\.\.\/one\.tex\/#doc-fact%3Aa">1\.1<\/a>/);
  assert.match(text, /Fact 2\.1\. Beta/);
  assert.match(text, /A part of The Whole\./);
  assert.match(html, /id="L4"/);
  assert.doesNotMatch(text, /Alpha|Deep words/);
  assert.ok(passages.every(({ start_line: line }) => line <= 7));
  const first = await read("b/chapters/one.tex", BOOK);
  assert.match(first.html, /ℝ/);
  assert.match(first.text, /Deep words1.*A deep note\./);
  assert.doesNotMatch(first.text, /Second/);
});

test("parts that take in each other end, and a long document shows the parts that it has room for and leads to the others", async () => {
  const ring = { "a.tex": String.raw`\begin{document}One \input{b} three.\end{document}`, "b.tex": String.raw`Two \input{a}` };
  assert.match((await read("a.tex", ring)).text, /One Two a\.tex three\./);
  const long = {
    "a.tex": String.raw`\begin{document}\input{b}\input{c} See \ref{x}.\end{document}`,
    "b.tex": "word ".repeat(30_000),
    "c.tex": String.raw`\section{Third}\label{x} ${"last ".repeat(20_000)}`,
  };
  const { text, html } = await read("a.tex", long);
  assert.doesNotMatch(text, /last/);
  assert.match(html, /<a href="\.\.\/c\.tex\/">Third<\/a>/);
  assert.match(html, /See <a href="\.\.\/c\.tex\/#doc-x">Third<\/a>/);
});

test("reStructuredText takes in parts as they are and as code, by lines and marks", async () => {
  const files = {
    "d/a.rst":
      "Title\n=====\n\n.. include:: parts/note.txt\n\n.. note::\n\n   .. include:: /d/parts/note.txt\n      :start-after: BEGIN\n      :end-before: END\n\n.. literalinclude:: x.py\n   :language: python\n   :lines: 2-3\n   :caption: The end\n\n.. csv-table::\n   :file: t.csv\n   :header-rows: 1\n\nLast |sub|.\n",
    "d/parts/note.txt": "Before *it*.\n\n.. BEGIN\n\nInner words.\n\n.. END\n\n.. |sub| replace:: substituted\n\nAfter.\n",
    "d/x.py": "one = 1\ntwo = 2\nthree = 3\nfour = 4\n",
    "d/t.csv": "Name,Age\nAna,5\n",
  };
  const { html, text } = await read("d/a.rst", files);
  assert.match(html, /<em>it<\/em>/);
  assert.match(html, /<aside[^>]*><p><strong>Note<\/strong><\/p><p[^>]*>Inner words\.<\/p><\/aside>/);
  assert.match(text, /The end.*two = 2 three = 3/);
  assert.doesNotMatch(text, /four|one = 1|:lines:|BEGIN/);
  assert.match(html, /<th[^>]*>Age<\/th>/);
  assert.match(text, /Last substituted\./);
  assert.match((await read("d/a.rst", { "d/a.rst": files["d/a.rst"] })).text, /x\.py/, "what is not there is a link");
});

test("AsciiDoc takes in parts by tags, lines and depth, with attributes in their paths", async () => {
  const files = {
    "a.adoc":
      "= Book\n:dir: parts\n\ninclude::{dir}/one.adoc[leveloffset=+1]\n\n----\ninclude::x.py[tags=two]\n----\n\n----\ninclude::x.py[lines=1..1]\n----\n\nxref:other.adoc[] and <<far>> and xref:other.adoc#id[said], <<book#far>>, <<book#_not_there>>.\n",
    "parts/one.adoc": "= Chapter one\n\nInside the chapter.\n",
    "x.py": "one = 1\n# tag::two[]\ntwo = 2\n# end::two[]\n",
  };
  const places = {
    "other.adoc": { key: "other.adoc", id: null, title: "The other page" },
    "#far": { key: "b/far.adoc", id: "far", title: "Far away" },
  };
  const { html, text } = await read("a.adoc", files, places);
  assert.match(html, /<h2[^>]*>(?:<span[^>]*><\/span>)*Chapter one<\/h2>/);
  assert.match(text, /Inside the chapter\. two = 2 one = 1/);
  assert.match(html, /<a href="\.\.\/other\.adoc\/">The other page<\/a> and <a href="\.\.\/b\/far\.adoc\/#doc-far">Far away<\/a>/);
  assert.match(html, /, <a href="\.\.\/b\/far\.adoc\/#doc-far">Far away<\/a>,/, "a place of the whole lies in whichever part has it");
});

test("Org takes in parts as text and as code, and a link by id leads to the note that has it", async () => {
  const files = {
    "a.org": '#+TITLE: Notes\n\n#+INCLUDE: "one.org"\n\n#+INCLUDE: "x.py" src python :lines "2-"\n\n[[id:abc-1]] and [[file:one.org]].\n',
    "one.org": "* Part\nInside.\n",
    "x.py": "one = 1\ntwo = 2\n",
  };
  const places = {
    "#ID-abc-1": { key: "zettel.org", id: "ID-abc-1", title: "A note" },
    "one.org": { key: "one.org", id: null, title: "Part" },
  };
  const { html, text } = await read("a.org", files, places);
  assert.match(text, /Part.*Inside\..*two = 2/);
  assert.doesNotMatch(text, /one = 1/);
  assert.match(html, /<a href="\.\.\/zettel\.org\/#doc-ID-abc-1">A note<\/a> and <a href="\.\.\/one\.org\/">Part<\/a>/);
  const { asked } = await read("z.org", { "z.org": ":PROPERTIES:\n:ID: abc-1\n:END:\n#+title: A note\n\nWords.\n" });
  assert.deepEqual(asked?.labels, [["ID-abc-1", "A note"]]);
});

test("roles without a title say what they ask for, and take the titles of other pages", async () => {
  const text =
    "The A\n=====\n\n.. _own:\n\nOwn part\n--------\n\nSee :doc:`/usage/intro`, :ref:`far-label`, :ref:`own`.\n\n.. toctree::\n\n   usage/intro\n   Given <other>\n";
  const places = {
    "usage/intro.rst": { key: "doc/usage/intro.rst", id: null, title: "Introduction" },
    "#far-label": { key: "doc/far.rst", id: "far-label", title: "Far part" },
  };
  const told = await read("doc/a.rst", { "doc/a.rst": text }, { ...places, "doc/usage/intro.rst": places["usage/intro.rst"] });
  assert.match(told.text, /See Introduction, Far part, Own part\. Introduction Given/);
  assert.match(told.html, /<a href="\.\.\/far\.rst\/#doc-far-label">Far part<\/a>/);
  assert.deepEqual(told.asked?.names, ["#far-label", "usage/intro.rst", "doc/usage/intro.rst"]);
  assert.deepEqual(told.asked?.labels, [["own", "Own part"]]);
});

test("Markdown takes in parts as mdBook, MkDocs, Quarto and MyST write them, and code within a fence", async () => {
  const files = {
    "b/a.md":
      '# The A\n\n{{#include part.md}}\n\n{{< include part.md >}}\n\n--8<-- "b/part.md"\n\n```{include} part.md\n:start-line: 1\n```\n\n```rust\n{{#rustdoc_include ../x/main.rs:here}}\n```\n\n```py\n{{#include x.py:2:}}\n```\n\n{{#include gone.md}}\n\nEnd\n',
    "b/part.md": "---\ntitle: Part\n---\nPart *words*. ![]({{< meta shot >}}){.border}\n",
    "b/x.py": "one\ntwo\n",
    "x/main.rs": "fn one() {}\n// ANCHOR: here\nfn main() {}\n// ANCHOR_END: here\n",
  };
  const { html, text, whole = 0 } = await read("b/a.md", files);
  assert.equal(html.match(/<em>words<\/em>/g)?.length, 4);
  assert.match(text, /fn main\(\) \{\} two gone\.md End/);
  assert.doesNotMatch(text, /ANCHOR|fn one|title:|8<|include|start-line|border/);
  assert.match(html, /<a href="\.\.\/gone\.md\/">gone\.md<\/a>/);
  assert.ok(whole > files["b/a.md"].length);
});

test("MyST's labels, roles, figures and tables are read, and lead to other pages", async () => {
  const text =
    "# A\n\n(mine)=\n## My part\n\nSee {ref}`far`, {ref}`said <far>`, {doc}`./other`, [](#far), [](other.md).\n\n:::{figure} ./x.png\n:name: fig\n:alt: Alt words\n\nThe *caption*.\n:::\n\n```{list-table} A title\n:header-rows: 1\n* - A\n  - B\n* - 1\n  - **b**\n```\n";
  const other = { key: "b/other.md", id: null, title: "The other" };
  const places = { "#far": { key: "c/far.md", id: "far", title: "Far part" }, "b/other": other, "b/other.md": other };
  const { html, text: said, asked } = await read("b/a.md", { "b/a.md": text }, places);
  assert.match(said, /See Far part, said, The other, Far part, The other\./);
  assert.equal(html.match(/href="\.\.\/\.\.\/c\/far\.md\/#doc-far"/g)?.length, 3);
  assert.match(html, /<img src="[^"]*objects\/b\/x\.png" alt="Alt words"/);
  assert.match(html, /<th>B<\/th>[^]*<td><strong>b<\/strong><\/td>/);
  assert.deepEqual(asked?.labels, [
    ["mine", "My part"],
    ["fig", ""],
  ]);
});

test("parts that are taken in without end, or in each other, cost what their bytes do", async () => {
  const takeIn: Readonly<Record<string, (path: string) => string>> = {
    tex: (path) => `\\input{${path}}\n`,
    rst: (path) => `.. include:: ${path}\n\n`,
    adoc: (path) => `include::${path}[]\n\n`,
    org: (path) => `#+INCLUDE: "${path}"\n\n`,
    md: (path) => `{{#include ${path}}}\n\n`,
  };
  for (const [ending, line] of Object.entries(takeIn)) {
    const long = { [`a.${ending}`]: line(`b.${ending}`).repeat(2000), [`b.${ending}`]: "words ".repeat(5000) };
    const rings = Object.fromEntries(
      [..."abcdefgh"].map((name) => [`${name}.${ending}`, [..."abcdefgh"].map((other) => line(`${other}.${ending}`)).join("")]),
    );
    assert.ok((await read(`a.${ending}`, long)).html.length < 1_000_000, ending);
    assert.ok((await read(`a.${ending}`, rings)).html.length < 2_000_000, ending);
  }
});

test("components say their captions, breaks between cells say nothing, and attributes behind emphasis go", async () => {
  const text =
    '<Listing number="9-3" caption="Opening a `file`">\n\n```rust\nfn x() {}\n```\n\n</Listing>\n\n<Tabs>\n<TabItem value="a" label="Rust">\n\nWords.\n\n</TabItem>\n</Tabs>\n\n__Up__{ title="x" } after.\n\n+++ {"a": 1}\n\n$$\n\\label{max}\na = b\n$$\n';
  const { html, text: said } = await read("a.md", { "a.md": text });
  assert.match(html, /<p[^>]*><strong>Opening a <code>file<\/code><\/strong><\/p>/);
  assert.match(html, /<strong>Rust<\/strong>[^]*<strong>Up<\/strong> after\./);
  assert.doesNotMatch(said, /\+\+\+|title=|label/);
});

test("what a version changed holds blocks, a name of reStructuredText may have angle brackets, and a title given to others is plain", async () => {
  const text =
    "A title\n=======\n\n.. versionchanged:: 2\n\n   First.\n\n   .. note::\n\n      Inner.\n\nSee `\\<search\\>`_.\n\n.. _`\\<search\\>`: https://example.org/\n\n.. _own:\n\nThe ``'key'`` of *it*\n------------------\n";
  const { html, asked } = await read("a.rst", { "a.rst": text });
  assert.match(html, /<em>Changed in version 2: <\/em>First\.<\/p><aside><p><strong>Note<\/strong><\/p><p[^>]*>Inner\.<\/p><\/aside>/);
  assert.match(html, /<a href="https:\/\/example\.org\/"[^>]*>&lt;search><\/a>/);
  assert.deepEqual(asked?.labels, [["own", "The 'key' of it"]]);
});

test("a contents of Sphinx shows what its patterns mean, its caption and its addresses; what no text answers to is left out", async () => {
  const key = "d/index.rst";
  const files = { [key]: "Title\n=====\n\n.. toctree::\n   :glob:\n   :caption: Parts\n\n   use/*\n   none/*\n   https://example.org/x\n" };
  const places = { "d/use/*": ["a", "b"].map((name) => ({ key: `d/use/${name}.rst`, id: null, title: `Page ${name}` })) };
  const { html, text, asked } = await read(key, files, places);
  assert.match(text, /Parts .*Page a .*Page b .*https:\/\/example\.org\/x/);
  assert.match(html, /href="\.\.\/use\/a\.rst\/"/);
  assert.doesNotMatch(html, /\*/);
  assert.deepEqual(asked?.names, ["d/use/*", "d/none/*"]);
});

test("what stands between bars is filled in from the settings of the site, and is a word where nothing says it", async () => {
  const files = {
    "d/a.rst": "T\n=\n\nSince |version| of |project|: |greet|, |unknown|, |own|.\n\n.. |own| replace:: mine\n",
    "conf.py": `project = 'Shelf'\nrelease = "1.2"  # now\nversion = release\nrst_prolog = """\n.. |greet| replace:: *hello*\n"""\n`,
  };
  const { text, asked } = await read("d/a.rst", files);
  assert.match(text, /Since 1\.2 of Shelf: hello, unknown, mine\./);
  assert.deepEqual(asked?.parts, ["conf.py"]);
});

test("a pattern means the pages of its folders alone, in order, those that a text may hear of, and not itself", () => {
  const row = (key: string, more: Partial<Teller> = {}): Teller => ({
    key,
    kind: "rst",
    title: key,
    size: 1,
    sha256: "0".repeat(64) as Teller["sha256"],
    root: "public",
    ...more,
  });
  const asked = { parts: [], names: ["d/*", "d/**", "d/[ab]?"], labels: [] };
  const objects = [
    row("d/index.rst", { asked }),
    row("d/b1.md", { kind: "markdown" }),
    row("d/a1.rst"),
    row("d/e/f.rst"),
    row("d/data.csv", { kind: "csv" }),
    row("d/z.rst", { root: "internal" }),
  ];
  const { places = {} } = findTellings(objects)[0] ?? {};
  const keys = Object.entries(places).map(([name, all]) => [name, ...all.map(({ key }) => key)]);
  assert.deepEqual(keys, [
    ["d/*", "d/a1.rst", "d/b1.md"],
    ["d/**", "d/a1.rst", "d/b1.md", "d/e/f.rst"],
    ["d/[ab]?", "d/a1.rst", "d/b1.md"],
  ]);
});

test("what Markdown takes in is chosen by options, as lines of code, and from a list of files", async () => {
  const code = "one\ntwo\nthree\nfour\n";
  const listing = await read("b/a.md", { "b/a.md": "```{literalinclude} x.py\n:lines: 2-3\n:language: python\n```\n", "b/x.py": code });
  assert.match(listing.text, /two three/);
  assert.doesNotMatch(listing.text, /one|four|lines/);
  const missing = await read("b/a.md", { "b/a.md": "```{literalinclude} gone.py\n:lines: 2-3\n```\n" });
  assert.match(missing.html, /href="\.\.\/gone\.py\/"/);
  const part = await read("b/a.md", { "b/a.md": ":::{include} p.md\n:start-after: two\n:::\n\nEnd.\n", "b/p.md": code });
  assert.deepEqual(part.text.trim().split(" "), ["three", "four", "End."]);
  const list = await read("b/a.md", {
    "b/a.md": "--8<--\nb/one.md\n; b/no.md\n\nb/gone.md\n--8<--\n\n```\ncode\n```\n\nEnd.\n",
    "b/one.md": "Alpha.\n",
    "b/no.md": "Beta.\n",
  });
  assert.match(list.text, /Alpha\. +b\/gone\.md +code +End\./);
  assert.doesNotMatch(list.text, /Beta|8</);
});

test("a picture without an ending is the one that lies there, drawn rather than painted", async () => {
  const text = "T\n==\n\n.. figure:: img/x.*\n   :alt: Words\n\n   The caption.\n\n.. image:: img/gone.*\n";
  const row = { size: 1, sha256: "a", addresses: [], root: "public" as const };
  const { asked, ...first } = await read("b/a.rst", { "b/a.rst": text });
  assert.match(first.html, /href="\.\.\/img\/x\.=2A\/">Words/);
  const objects: Teller[] = [
    { ...row, key: "b/a.rst", kind: "rst", title: "T", ...(asked === null ? {} : { asked }) } as Teller,
    ...["b/img/x.png", "b/img/x.svg", "b/img/xy.png", "b/img/x.md"].map(
      (key) => ({ ...row, key, kind: key.endsWith("md") ? "markdown" : "image", title: key }) as Teller,
    ),
  ];
  const [told] = findTellings(objects);
  assert.deepEqual(
    told?.places["b/img/x.*"]?.map(({ key }) => key),
    ["b/img/x.svg", "b/img/x.png"],
  );
  const { html } = await read("b/a.rst", { "b/a.rst": text }, told?.places);
  assert.match(html, /<img src="[^"]*objects\/b\/img\/x\.svg" alt="Words"/);
});
