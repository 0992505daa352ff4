/** AsciiDoc as a document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "../../snapshots/blocks/blocks.ts";
import { extract } from "./extract.ts";

const read = async (text: string) => await extract("docs/a.adoc", Buffer.from(text));
const page = async (text: string): Promise<string> => (await read(text)).html ?? "";

const BOOK = `= Sorting Lists
Ana Ruiz
:imagesdir: img
:tool: Sorter

How *lists* are _sorted_ by \`{tool}\`, see <<costs>>, xref:other.adoc#x[the other], https://example.org[a page] and footnote:[A note.] stem:[a^2].

// a remark
[[costs]]
== Costs

.A title
[source,python]
----
def f(): pass
----

NOTE: Be *careful*.

* one
** nested
* two
+
attached

. first

CPU:: The brain.

|===
|Tool |Price

|Ham |15
|===

image::a.png[A list]

include::more.adoc[]

ifdef::never[]
Kept words.
endif::[]

[quote, Knuth]
____
Premature.
____

[stem]
++++
x = y
++++
`;

test("a book has its title, headings, lists, terms, boxes, code, tables, figures, formulas, notes and references", async () => {
  const { title, kind, html, summary } = await read(BOOK);
  assert.deepEqual([title, kind], ["Sorting Lists", "asciidoc"]);
  assert.match(summary, /^How lists are sorted by Sorter, see Costs/);
  for (const part of [
    "<strong>lists</strong>",
    "<code>Sorter</code>",
    '<a href="#doc-costs">Costs</a>',
    'href="../other.adoc/#doc-x">the other</a>',
    '<a href="https://example.org/"',
    '<span class="k">def</span>',
    "<strong>A title</strong>",
    "<aside><p><strong>Note</strong></p>",
    '<li id="L20">one<ul><li id="L21">nested</li></ul></li>',
    '<p id="L24">attached</p>',
    '<dt id="L28">CPU</dt><dd>The brain.</dd>',
    "<th>Tool</th><th>Price</th>",
    '<img src="../../../objects/docs/img/a.png" alt="A list"',
    '<a href="../more.adoc/">more.adoc</a>',
    "Kept words.",
    "— Knuth",
    'display="block"',
    "A note.",
  ])
    assert.ok(html?.includes(part), `${part} in ${html}`);
  assert.doesNotMatch(html ?? "", /remark|endif|imagesdir|\{tool\}/);
});

test("nothing active comes out, values of attributes do not grow without end, and marks that stay open are text", async () => {
  const html = await page(
    "link:javascript:alert(1)[a] +++<script>alert(2)</script>+++ image:https://evil.example/a.png[x]\n\n++++\n<script>alert(3)</script>\n++++\n",
  );
  assert.doesNotMatch(html, /<script|href="javascript|<img/);
  const bomb = `:a0: x\n${Array.from({ length: 40 }, (_, n) => `:a${n + 1}: {a${n}}{a${n}}{a${n}}`).join("\n")}\n\nFirst {a40} last.\n`;
  assert.ok((await page(bomb)).length < 10_000);
  assert.match(
    await page("A *left open and `there.\n\n----\nnot closed\n"),
    /A \*left open and `there\.<\/p><pre class="code" id="L4"><code>not closed/,
  );
});

test("answers quote the prose: no attribute, no setting, no remark; a row of a table stands below its head", () => {
  const blocks = blocksOf(BOOK, "asciidoc");
  const said = blocks.map(({ plain }) => plain).join("\n");
  assert.doesNotMatch(said, /imagesdir|remark|\[source|ifdef|<<|xref:|footnote:|\|===/);
  assert.ok(
    blocks.some(({ form, heading, plain }) => form === "row" && heading.at(-1) === "Tool · Price" && plain === "Ham · 15"),
    said,
  );
});

test("raised letters, roles, deeper items, numbered remarks and what is passed through are quoted as they are shown", async () => {
  const text =
    "= T\n\nWith x^2^ and H~2~O and [.role]#styled# words.\n\n* a\n** deeper item\n\n<1> A remark\n\n[stem]\n++++\nx^2\n++++\n\nEnd.\n";
  const said = blocksOf(text, "asciidoc").map(({ heading, form, plain }) => `${heading.join(" > ")} ${form}: ${plain}`);
  assert.deepEqual(said, [
    "T prose: With x2 and H2O and styled words.",
    "T item: a",
    "T item: deeper item",
    "T item: A remark",
    "T code: x^2",
    "T prose: End.",
  ]);
});

test("cells of a table take columns and rows, come several times, and have the style of their column", async () => {
  const spans = await page("|===\n|A |B |C\n\n.2+|rows |b1 |c1\n|b2 |c2\n2.2+|big |c3\n|c4\n3+|wide\n3*|same\n|===\n");
  const rows = [...spans.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) => row.replaceAll(/<(\/?)t[dh]/g, "<$1c"));
  assert.deepEqual(rows, [
    "<c>A</c><c>B</c><c>C</c>",
    '<c rowspan="2">rows</c><c>b1</c><c>c1</c>',
    "<c>b2</c><c>c2</c>",
    '<c colspan="2" rowspan="2">big</c><c>c3</c>',
    "<c>c4</c>",
    '<c colspan="3">wide</c>',
    "<c>same</c><c>same</c><c>same</c>",
  ]);
  const styled = await page('[cols="1,1a,m"]\n|===\n|x \\| y\n|* one\n* two\n|code\n|===\n');
  assert.match(styled, /<td>x \| y<\/td><td><ul><li[^>]*>one<\/li><li[^>]*>two<\/li><\/ul><\/td><td><code>code<\/code><\/td>/);
  const values = await page('[%header,format=csv]\n|===\nA,B\n1,"x\n*y*, z"\n|===\n');
  assert.match(values, /<th>A<\/th><th>B<\/th>.*<td>x\n<strong>y<\/strong>, z<\/td>/s);
});

test("two hyphens are a dash between words, and no part of an option", async () => {
  const { html } = await read("Use the `--amend` option or --all, one -- or two, a--b, `git a -- b`.\n");
  assert.match(html ?? "", /<code>--amend<\/code> option or --all, one — or two, a—b, <code>git a (?:--|—) b<\/code>/);
});

test("a reference says the caption or title of what it leads to, and tags that are passed through and stay open swallow nothing", async () => {
  const html = await page(
    ".A wolf\n[[wolf]]\nimage::w.png[]\n\nSee <<wolf>>, <<Later on>>, <<nowhere>> and +++<title>+++ this.\n\n[appendix]\n== Later on\n\nIt's so.\n",
  );
  assert.match(
    html,
    /See <a href="#doc-wolf">A wolf<\/a>, <a href="#doc-_later_on">Later on<\/a>, <span>nowhere<\/span> and &lt;title> this\./,
  );
  assert.match(html, /<h2[^>]*>(?:<span[^>]*><\/span>)*Later on<\/h2><p id="L10">It's so\./);
});

test("a name in braces that nothing is set for stands as it is written, also where JavaScript has something by that name", async () => {
  const words = "The {constructor} of {toString}, {hasOwnProperty} and {nothing}; {value}.";
  const { html } = await read(`= T\n:value: a {constructor}\n\n${words}\n`);
  assert.ok(html?.includes(words.replace("{value}", "a {constructor}")), html ?? "");
});

test("what would cost Asciidoctor more than its length is shown as source", async () => {
  for (const [bomb, reason] of [
    ["*a _b ".repeat(5000), "a blank line"],
    ["{a}\n\n".repeat(6000), "attributes"],
    ["== a\n\n".repeat(3000), "headings"],
    ["|===\n99999*|a\n|===\n", "cells"],
    [Array.from({ length: 190 }, (_, n) => `${"*".repeat(n + 4)}\nx\n`).join("\n"), "levels deep"],
  ] as const)
    assert.match((await read(bomb)).notes.join(), new RegExp(`shown as source: it has .*${reason}`));
});
