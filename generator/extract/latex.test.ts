/** LaTeX as a document: what authors write becomes what readers read, and nothing of it is lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "../../snapshots/blocks/blocks.ts";
import { extract } from "./extract.ts";

const read = async (text: string) => await extract("papers/a.tex", Buffer.from(text));
const page = async (text: string): Promise<string> => (await read(text)).html ?? "";
/** The words of a page. */
const wordsOf = (html: string): string =>
  html
    .replaceAll(/<annotation.*?<\/annotation>|<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

const PAPER = String.raw`\documentclass{article}
\newcommand{\R}{\mathbb{R}}
\newcommand{\tool}[2][fast]{the #1 tool of \emph{#2}}
\newtheorem{thm}{Theorem}[section]
\title{On \emph{Sorting}\thanks{Paid by X.}}
\author{Ana Ruiz \and Bo Lind}
\begin{document}
\maketitle
\begin{abstract}
We sort lists of numbers, and it ends.
\end{abstract}
\section{Introduction}\label{sec:intro}
Here is \textbf{bold} text, \tool{Ana}, $x \in \R$. % a remark
See Section~\ref{sec:main}, \eqref{eq:one}, Theorem~\ref{thm:a} and \cite[p.~3]{knuth}.
\begin{equation}\label{eq:one} a = b \end{equation}
\begin{itemize}
\item one
\item two
\end{itemize}
\section{Main}\label{sec:main}
\begin{thm}[Ruiz]\label{thm:a} All is sorted. \end{thm}
\begin{figure}\includegraphics[width=3cm]{figs/a.png}\caption{A picture.}\label{fig:x}\end{figure}
\begin{tabular}{lr}\hline Name & Size \\ \hline a & 1 \\ \end{tabular}
\begin{lstlisting}[language=Python]
def f(): pass
\end{lstlisting}
\input{sections/more}
\begin{thebibliography}{9}
\bibitem{knuth} D. Knuth.
\end{thebibliography}
\end{document}
`;

test("a paper has its title, authors, abstract, headings, lists, formulas, tables, figures, code and references", async () => {
  const { title, summary, about, html, kind } = await read(PAPER);
  assert.deepEqual(
    [title, summary, about?.authors, kind],
    ["On Sorting", "We sort lists of numbers, and it ends.", ["Ana Ruiz", "Bo Lind"], "latex"],
  );
  for (const part of [
    '<h2 id="doc-introduction">',
    "<strong>bold</strong>",
    "the fast tool of <em>Ana</em>",
    '<a href="#doc-sec%3Amain">Main</a>',
    '<a href="#doc-eq%3Aone">(1)</a>',
    '<a href="#doc-thm%3Aa">2.1</a>',
    '[<a href="#doc-cite-knuth">1</a>, p. 3]',
    '<li id="L17">one</li>',
    "<strong>Theorem 2.1 (Ruiz).</strong>",
    '<img src="../../../objects/papers/figs/a.png"',
    "<figcaption><strong>Figure 1.</strong> A picture.</figcaption>",
    "<thead><tr><th>Name</th><th>Size</th></tr></thead>",
    '<span class="k">def</span>',
    '<a href="../sections/more.tex/">sections/more.tex</a>',
  ])
    assert.ok(html?.includes(part), `${part} in ${html}`);
  const journal = await read(PAPER.replace("\\begin{abstract}", "\\Abstract{").replace("\\end{abstract}", "}"));
  assert.deepEqual(
    [journal.summary, journal.html?.includes("<strong>Abstract</strong>")],
    [summary, html?.includes("<strong>Abstract</strong>")],
  );
  assert.match(html ?? "", />ℝ<\/mi>/);
  assert.doesNotMatch(html ?? "", /remark|\\label|newcommand/);
});

test("each block has the line that it begins on, and the lines themselves are kept beside the page", async () => {
  const { html, written, lines } = await read(PAPER);
  const source = PAPER.split("\n");
  for (const [, line = "", text = ""] of (html ?? "").matchAll(/<(?:p|li) id="L(\d+)">([A-Z][a-z]+ )/g))
    assert.ok(source[Number(line) - 1]?.includes(text.trim()), text);
  assert.equal(written?.match(/class="line"/g)?.length, lines);
});

test("of a command that nobody knows the text is shown and the name is not, and of an environment that stays open all", async () => {
  const html = await page(
    "\\weird[opt]{its text} and \\begin{strange}{arg} inside.\n\n\\begin{itemize} \\item left open\n\nand \\textbf{more\n\nlast words",
  );
  assert.equal(wordsOf(html), "its text and arg inside. left open and more last words");
});

test("drawings and algorithms are shown as code; formulas with unknown commands by their names", async () => {
  assert.match(
    await page("Before.\n\\begin{tikzpicture}[x=1]\n\\draw (0,0);\n\\end{tikzpicture}"),
    /<pre class="code" id="L2">.*tikzpicture/,
  );
  assert.match(await page("A $\\isequiv(f)$ formula."), />isequiv<\/mi>/);
});

test("accents, quotes, dashes and signs are letters", async () => {
  assert.equal(
    wordsOf(await page("Na\\\"ive caf\\'e \\c{c}a, \\'{\\i}, \\O re, Erd\\H{o}s --- ``so'' 5\\% \\& more\\ldots")),
    "Naïve café ça, í, Øre, Erdős — “so” 5% &amp; more…",
  );
});

test("macros that grow or call themselves end, and the text around them stays", async () => {
  for (const bomb of [
    "\\def\\a{\\a\\a}First \\a last.",
    `${Array.from({ length: 30 }, (_, n) => `\\newcommand{\\${"x".repeat(n + 1)}}{\\${"x".repeat(n + 2)}\\${"x".repeat(n + 2)}}`).join("\n")}\nFirst \\x last.`,
    `\\newcommand{\\b}[1]{#1#1#1#1#1#1#1#1}First ${"\\b{".repeat(20)}x${"}".repeat(20)} last.`,
    "\\newcommand{\\c}{x\\c}First $\\c$ last.",
  ]) {
    const { html, notes } = await read(bomb);
    assert.ok((html?.length ?? 0) < 1_000_000, bomb.slice(0, 40));
    assert.match(wordsOf(html ?? ""), /^First .*last\.$/, bomb.slice(0, 40));
    assert.deepEqual(notes, []);
  }
});

test("nothing active comes out of a paper", async () => {
  const html = await page(
    '\\href{javascript:alert(1)}{click} \\url{javascript:alert(2)} <script>alert(3)</script> \\includegraphics{https://evil.example/a.png} $\\href{javascript:alert(4)}{x}$ \\label{" onload=x}',
  );
  assert.doesNotMatch(html, /<script|href="javascript|<img/);
  assert.ok(html.includes("&lt;script>") && html.includes("&quot;-onload=x"));
});

test("files that define commands, styles and classes are code", async () => {
  assert.equal((await extract("a.sty", Buffer.from("\\newcommand{\\a}{b}"))).kind, "code");
  assert.match(await page("\\newcommand{\\a}{b}\n\\def\\c{d}\n"), /^<pre class="code">/);
});

test("answers quote the prose of a paper: no preamble, no formula, no command; a row of a table stands below its head", () => {
  const blocks = blocksOf(PAPER, "latex");
  const said = blocks.map(({ plain }) => plain).join("\n");
  assert.doesNotMatch(said, /newtheorem|\\(?!in|R)|a = b|includegraphics|knuth/);
  assert.match(said, /We sort lists of numbers, and it ends\./);
  const table = blocksOf("\\begin{tabular}{lr}\nTool & Price \\\\ \\hline\nHammerlite & 15 \\\\\n\\end{tabular}\n", "latex");
  assert.deepEqual(
    table.map(({ plain, form, heading }) => [plain, form, heading]),
    [
      ["Tool · Price", "cells", []],
      ["Hammerlite · 15", "row", ["Tool · Price"]],
    ],
  );
});

test("marks beside the authors are raised or left out", async () => {
  const paper = (author: string): string =>
    `\\documentclass{llncs}\n\\title{T}\n${author}\n\\begin{document}\n\\maketitle\nWords.\n\\end{document}\n`;
  const shown = async (author: string): Promise<string> => (await extract("a.tex", Buffer.from(paper(author)))).html ?? "";
  assert.match(
    await shown("\\author{Ana Ruiz\\inst{1}\\orcidID{0000-0001} \\and Bo Lind\\inst{2,3}}"),
    />Ana Ruiz<sup>1<\/sup>[^<]*Bo Lind<sup>2,3<\/sup></,
  );
  assert.match(await shown("\\author{Ana Ruiz\\\\U One \\And Bo Lind\\\\U Two}"), />Ana Ruiz[^]*U One\s+·\s+Bo Lind[^]*U Two</);
  assert.match(await shown("\\author[1]{Ana Ruiz\\corref{cor1}\\fnref{fn1}}"), />Ana Ruiz<\/p>/);
});

test("the language of minted code is its colour, and units are said", async () => {
  const text =
    "\\documentclass{article}\n\\begin{document}\nIt is \\only<2->{now} \\qty{5}{\\meter} or \\num{7}.\n\n\\begin{minted}[linenos]{python}\nx = 1\n\\end{minted}\n\\end{document}\n";
  const { html } = await read(text);
  assert.match(html ?? "", /It is now 5 meter or 7\.[^]*<pre class="code" id="L5"><code>x = <span class="n">1<\/span><\/code>/);
  assert.equal(blocksOf(text, "latex")[0]?.plain, "It is now 5 meter or 7.");
});

test("a blueprint says of a statement where it is formalised and what it uses, below it", async () => {
  const html = await page(
    String.raw`\begin{definition}\label{d} D.\end{definition}\begin{theorem}[Main]\label{t}\lean{Foo.bar, Foo.baz}\leanok\uses{d,gone}
Every x is y.\end{theorem}\begin{proof}\leanok\proves{t}\uses{d} Clear.\notready\discussion{12}\end{proof} \mathlibok End.`,
  );
  const words = wordsOf(html);
  assert.match(
    words,
    /Theorem 1 \(Main\)\. +Every x is y\. In Lean: Foo\.bar , Foo\.baz \. Marked as formalised\. Uses Definition 1 , gone \./,
  );
  assert.match(
    words,
    /Proof\. Clear\. Marked as formalised\. Proves Theorem 1 \. Uses Definition 1 \. Not ready to be formalised\. Issue 12 \./,
  );
  assert.match(html, /<code>Foo\.bar<\/code>.*<a href="#doc-d">Definition 1<\/a>/s);
});

test("theorems have the names and counters that their packages give them, and references with a name say it", async () => {
  const html = await page(
    String.raw`\documentclass{article}\usepackage{thmtools}
\newtheorem{thm}{Theorem}\newtheorem*{thm*}{Theorem}\declaretheorem[name=Satz, sibling=thm]{satz}\declaretheorem[numbered=no,name={Main, again}]{main}
\newmdtheoremenv[linecolor=red]{boxed}[thm]{Boxed}\newtcbtheorem[number within=section]{tcb}{Framed}{}{t}\spnewtheorem{sp}{Spring}{\bfseries}{\itshape}
\begin{document}
\begin{thm}\label{a} A.\end{thm}\begin{thm*}B.\end{thm*}\begin{satz}\label{s} C.\end{satz}\begin{main}D.\end{main}
\begin{boxed}E.\end{boxed}\begin{tcb}F.\end{tcb}\begin{sp}G.\end{sp}
By \cref{a,s}, \ref{s} and \autoref{e}. \begin{equation}\label{e}x\end{equation}
\end{document}`,
  );
  const words = wordsOf(html);
  for (const said of ["Theorem 1. A.", "Theorem. B.", "Satz 2. C.", "Main, again. D.", "Boxed 3. E.", "Framed 1. F.", "Spring 1. G."])
    assert.ok(words.replaceAll(/ +/g, " ").includes(said), `${said}: ${words}`);
  assert.match(words, /By Theorem 1 , Satz 2 , 2 and Equation \(1\) \./);
});
