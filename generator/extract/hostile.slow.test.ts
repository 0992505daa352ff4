/** Texts that are long, and texts whose cost must grow no faster than they do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { headingsOf } from "../../snapshots/blocks/index.ts";
import { unitsOf } from "../../snapshots/blocks/units.ts";
import { excerptText, findWords } from "../../snapshots/query/excerpt.ts";
import { extract, extractAsking } from "./extract.ts";
import { testLongTexts } from "./hostile-fixture.ts";
import type { Told } from "./others.ts";

testLongTexts(20);

const ENDINGS =
  "md mdx txt rst adoc org tex lhs lidr html v lean rs json jsonl yaml csv tsv py js c cpp java hs ml thy agda mm fst dfy tla smt2 mlw ec pv go als bpl pvs lp idr sol xml ipynb sql svg bib sty litcoffee qmd".split(
    " ",
  );
/** Lines by what they end with and begin with, which any reader may meet. */
const SEEDS =
  'a\r|a\r\n|a\u0085|a\u2028|a\u2029|a\f| \t|a::\r|= \r|\ufe50a\r|(*\r|"\r|a,\r|\r|a: \r|* \r|[a\r|<\r|> a\n|%a\n|a\n\n|(*|\r|/-|\n|#doc (a) =>\n'
    .split("|")
    .map((seed) => seed.replaceAll("\ufe50", "|"));
/** Markup that is never closed, or closed at once, in the languages that have a reader of their own. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  md: [
    ...'```{a} b\n¦:::{a} b\n¦::: a\n¦- ```a\n¦- ::: a\n¦- -8<-\n¦- ```{include} a\n¦:::a[b]\n¦:::{toctree}\n¦```{toctree}\na*\n```\n¦{{<a ¦{{< a b="c" >}}¦{{% a %}}\n¦:material-a:¦:material-a: ¦:material-a:{¦%% a ¦%% a %% ¦%%\n'.split(
      "¦",
    ),
    ...'/// a\n¦/// a | b\n    c: d\n¦[![a][b]](¦[![a](b)](c) ¦![a](b){¦{.a ¦`a`{.b} ¦# a {#b}\n¦<img alt="¦<img alt="a"> ¦<h1>a</h1>\n¦<h1>\n¦{a}`b` ¦{a}`¦(a)=\n¦(a)=\n# b\n'.split(
      "¦",
    ),
    ...'!!! a\n¦!!! a\n\n    b\n¦=== "a"\n¦??? a\n¦> [!a]\n\n¦[[a|b¦[[a]] ¦<A b="¦<A>\n¦<A b>\n\n</A>\n¦{{#include a}}\n¦--8<-- "a"\n¦+++\n¦*[a]: b\n¦++a+¦++a++ ¦\\(a ¦:a:¦:tada:¦{++a¦{>>a¦^^a¦{--a--} ¦{: .a }\n¦{%raw%} ¦https://a[^¦<summary>a¦<summary>a</summary> ¦<a markdown ¦</a>\n[a]: b\n¦:    a\n¦a$a¦\\(a ¦$a¦$a$ ¦$$\n'.split(
      "¦",
    ),
    ...'\\begin{align}\n¦<!-- a¦<!-- a --> ¦- <!-- a --> b\n¦{/* a¦import a from "b"\n¦[^a] ¦[^a]: b\n\n¦a\n: b\n\n¦| a |\n|---|\n| b |\n\n¦| a |\n|---|\n| b |\n\n: c\n\n¦[a]{.b ¦x^a¦==a ¦$$ {#a}\n¦|a¦|-¦- a\n  ¦> ¦**a ¦_a ¦<a¦&a;¦~~~\n¦[a]: b\n¦[a][b] ¦<title> a </title¦---\na: b\n'.split(
      "¦",
    ),
  ],
  rst: [
    ..."* a\n¦a\n=\n¦a\n===\n\n¦.. a\n¦.. note::\n¦   a\n¦*¦**¦``¦`a¦`a`_ ¦`a <¦|a¦|a| ¦[1]_ ¦[#]_ ¦:a:`b` ¦:a:`¦:a:`~b.¦:func:`~a.b` ¦::\n¦a::\n\n¦+--+\n¦| a |\n¦+--+\n| a|\n¦== ==\n¦a  b\n¦- a\n\n¦1. a\n¦a_ ¦__ ¦_a: ¦.. _a: b\n".split(
      "¦",
    ),
    ..."== ==\na  b\n== ==\n\n¦.. [1] a\n¦:a: b\n¦a\n  b\n¦.. |a| replace:: b\n¦.. |a| replace:: |a|\n¦http://a ¦\\¦.. image:: a\n¦.. csv-table::\n   a,b\n¦.. list-table::\n   * - a\n¦.. toctree::\n   a*\n¦.. toctree::\n¦.. a:: b\n\n   c\n¦.. include:: a\n¦.. math::\n   a\n¦+-+\n|a|\n+-+\n¦+-+\n¦+-+-+\n|a\n¦-a  b\n¦>>> a\n¦| a\n".split(
      "¦",
    ),
  ],
  adoc: [
    ..."*a _b ¦*a ¦_a¦`a¦`a` ¦+a¦link:¦link:a[¦http://a[¦[[a¦[[a]] ¦<<a,¦<<a>> ¦{a}¦:a: b\n¦:a: {a}{a}b\n¦* a\n¦** a\n¦. a\n¦====\n¦|a¦pass:[¦+++a¦footnote:[a¦stem:[¦a::\n¦[¦////\n¦--\n¦#a¦^a¦~a¦image::a[]\n¦image:a[b] ¦a::b[c]\n¦a::b[¦kbd:[¦.a\n".split(
      "¦",
    ),
    ..."|===\n|a\n¦|===\n¦<1> a\n¦ifdef::a[]\n¦endif::[]\n¦____\n¦((a¦= a\n¦== a\n\n¦a\n====\n¦----\n¦+\n¦* a\n+\nb\n¦[source]\n----\na\n----\n¦NOTE: a\n¦a +\n¦include::a[]\n¦[NOTE]\n====\n¦|===\n|a |b\n\n|c|d\n|===\n¦a:: b\n¦xref:a[b] ¦// a\n¦!===\n¦----a\n¦```a\n¦/////b\n".split(
      "¦",
    ),
  ],
  org: [
    ..."* a\n¦** a\n¦*a ¦/a ¦=a ¦~a¦[[a¦[[a]] ¦[[a][b¦[[a][b]] ¦[[a.png]] ¦#+begin_src\n¦#+begin_src\na\n#+end_src\n¦#+begin_a\n¦- a\n¦  - a\n¦- a :: b\n¦| a\n¦| a | b |\n¦|-+-|\n¦:a:\n¦:PROPERTIES:\n¦#+title: a\n¦#+a: b\n¦# a\n¦$a¦\\(a ¦\\[a\n".split(
      "¦",
    ),
    ...'[fn:a] ¦[fn:a] b\n¦[fn::a¦<2020-01-01> ¦http://a ¦\\a ¦a_b ¦a^{b¦{{{a}}}¦1. a\n¦- [ ] a\n¦#+begin_quote\n¦\\begin{a}\n¦cite:a ¦src_a{b} ¦CLOCK: [a]\n¦* COMMENT a\n¦: a\n¦+a+ ¦-----\n¦#+INCLUDE: "a"\n'.split(
      "¦",
    ),
  ],
  tex: [
    ..."{¦}¦\\begin{a}¦\\begin{a}x\\end{b}¦\\begin{itemize}\\item ¦\\begin{itemize}\\item x\\end{itemize}¦$x ¦$¦$$¦\\(¦\\[a¦\\a[¦\\a[{¦\\a{¦\\a{}¦%¦%\n¦\\verb|¦\\verb|a\n¦\\begin{verbatim}¦\\begin{tabular}{l}a&¦a&b\\\\¦{\\bf a¦\\bf{a} ¦\\newcommand{\\a}{\\a\\a}\\a ¦\\def\\a{\\a}".split(
      "¦",
    ),
    ..."\\footnote{a¦\\footnote{a}¦\\cite{a,b,c}¦\\ref{a}¦\\section{a¦\\section{a}\n¦\\label{a}¦\\item ¦\\textbf{a¦``¦\\'e¦\\\\[¦\n\n¦\\begin{equation}a\\\\¦\\begin{align}a\\\\b\\end{align}¦\\begin{document}¦\\title{a}¦\\author{a}¦\\begin{theorem}[a]¦\\bibitem{a}¦\\url{a".split(
      "¦",
    ),
    ..."\\multicolumn{1}{c}{¦\\includegraphics{a}¦\\input{a}¦$\\a$ ¦\\caption{a}¦\\n{\\n{¦\\iffalse ¦\\let\\a\\b¦\\begin{tabular}{l}a&b\\\\\\end{tabular}¦\\begin{tikzpicture}a\\end{tikzpicture}¦\\newtheorem{a}[b]{c}[d]¦\\begin{figure}\\caption{a}\\end{figure}¦\\begin{code}".split(
      "¦",
    ),
  ],
  lhs: "> a\n\n¦> a\n¦>\n¦< a\n\n¦\\begin{code}\n¦\\begin{code}\na\n\\end{code}\n¦\\section{a}\n> b\n\n¦\n> a\n\nb\n¦|a| ".split("¦"),
  v: "(*| a |*)\n¦(*|\n¦(*| a\n¦a\n===\n(*|\n¦(** * a *)\n¦(** [a] *) ".split("¦"),
  lean: "#doc (a) =>\n¦/-| a |-/\n¦/-|\n¦%%%\n¦#doc (a) =>\n\n# b\n".split("¦"),
  html: '<math>¦<math alttext="a">¦<img alt="¦<a href="¦<a>b ¦<table><tr><td>¦<dl><dt>a¦<h1>¦<b>a</b><br>¦<p class="menu">¦<sup class="ltx_note_mark">¦<!-- ¦<![CDATA[¦<svg>¦&a¦<li>a'.split(
    "¦",
  ),
  csv: 'a,"¦a;b\n¦"a""¦a,b\n¦sep=;\n¦\t¦"a"\n'.split("¦"),
  yaml: "a: b\n¦- a\n¦a:\n  ¦'¦\"¦a: &b c\n¦- *b\n¦? a\n¦{a: ¦[a, ¦a: |\n".split("¦"),
  ipynb: ['{"cells":[', '{"cells":[{"cell_type":"markdown","source":"a"}]}', '{"a":'],
};
const BOMBS = { ...OWN, qmd: OWN["md"] ?? [], lidr: OWN["lhs"] ?? [] };

/** Files that a text takes in, and places that it asks for. */
const TOLD: Told = {
  files: ["md", "rst", "adoc", "org", "tex"]
    .flatMap((ending) => [
      { key: `a.${ending}`, text: "" },
      { key: "a", text: "taken in\n" },
    ])
    .concat({ key: "conf.py", text: "version = '1'\n" }),
  places: { "#a": [{ key: "b.md", id: "a", title: "A" }], "a*": [{ key: "b.md", id: null, title: "B" }] },
};

const FIND = findWords("taken in", []);

/** Processor that a text takes to be read, quoted and shown in a search, at the least of some turns: milliseconds. */
async function costOf(key: string, text: string, told: Told | null): Promise<number> {
  const before = process.cpuUsage();
  const { kind, passages } =
    told === null ? await extract(key, Buffer.from(text)) : (await extractAsking(key, Buffer.from(text), null, told)).extract;
  if (kind !== "image" && kind !== "binary") {
    unitsOf(text, kind);
    headingsOf(text, kind);
    for (const passage of passages) excerptText(kind, passage.text, FIND, 300, passage.name ?? "");
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const UNITS = 30_000; // UTF-16 units, and twice as many
const LEAST = 150; // milliseconds: what takes less says nothing of how it grows

async function growsWithLength(key: string, seed: string, told: Told | null = null): Promise<void> {
  let figures = "";
  // What grows too fast does so more plainly in a longer text; collecting garbage does not.
  for (const units of [UNITS, 2 * UNITS, 4 * UNITS]) {
    const [one, two] = [
      await costOf(key, seed.repeat(units / seed.length), told),
      await costOf(key, seed.repeat((2 * units) / seed.length), told),
    ];
    if (two < LEAST || two <= 2.6 * one) return;
    figures += ` ${Math.round(one)} ms and ${Math.round(two)} ms for twice as much;`;
  }
  assert.fail(`${key} ${JSON.stringify(seed)}:${figures}`);
}

test("what a text costs grows with its length, whatever its lines end with and whatever they begin with", async () => {
  for (const ending of ENDINGS) for (const seed of SEEDS) await growsWithLength(`a.${ending}`, seed);
});

for (const [ending, seeds] of Object.entries(BOMBS))
  test(`markup of .${ending} that is never closed, or closed at once, costs what its length is`, async () => {
    for (const seed of seeds) await growsWithLength(`a.${ending}`, seed, TOLD);
  });
