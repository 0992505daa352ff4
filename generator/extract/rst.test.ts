/** reStructuredText as a document, with what Sphinx adds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "../../snapshots/blocks/blocks.ts";
import { extract } from "./extract.ts";

const read = async (text: string) => await extract("docs/guide/a.rst", Buffer.from(text));
const page = async (text: string): Promise<string> => (await read(text)).html ?? "";

const GUIDE = `.. _top:

=======
Sorting
=======

How lists are *sorted*, by \`\`sort --all\`\`, :func:\`~lists.sort\` and \`the tool <https://example.org/tool>\`_. See :ref:\`costs\`, Costs_, :doc:\`../intro\` and [#n]_.

.. _costs:

Costs
=====

.. note:: It is **fast**.

* one

  * inner
* two

Term
  A meaning.

.. code-block:: python
   :linenos:

   def f(): pass

.. figure:: img/a.png
   :alt: A list

   The caption.

=====  =====
Tool   Price
=====  =====
Ham    15
=====  =====

+---+---+
| a | b |
+===+===+
| 1 | 2 |
+---+---+

.. math:: a^2

.. [#n] A note.
.. A remark for authors.

Example::

   as it is

.. function:: sort(list)

   Sorts a list.

.. nobody-knows:: argument

   Content stays.
`;

test("a guide has its title, headings, lists, terms, boxes, code, tables, figures, formulas, notes and references", async () => {
  const { title, kind, html, summary } = await read(GUIDE);
  assert.deepEqual([title, kind], ["Sorting", "rst"]);
  assert.match(summary, /^How lists are sorted, by sort --all, sort\(\) and the tool\./);
  for (const part of [
    "<em>sorted</em>",
    "<code>sort --all</code>",
    "<code>sort()</code>",
    '<a href="https://example.org/tool"',
    '<a href="#doc-costs">Costs</a>, <a href="#doc-costs">Costs</a>',
    'href="../../intro.rst/"',
    '<aside><p><strong>Note</strong></p><p id="L14">It is <strong>fast</strong>.</p></aside>',
    '<li id="L18">inner</li>',
    '<dt id="L21">Term</dt><dd>A meaning.</dd>',
    '<span class="k">def</span>',
    "<figcaption><p",
    '<img src="../../../../objects/docs/guide/img/a.png" alt="A list"',
    "<th>Tool</th><th>Price</th>",
    "<th>a</th><th>b</th>",
    "<math",
    "A note.",
    '<pre class="code" id="L53"><code>as it is</code></pre>',
    "<code>sort(list)</code>",
    "<code>argument</code>",
    "Content stays.",
  ])
    assert.ok(html?.includes(part), `${part} in ${html}`);
  assert.doesNotMatch(html ?? "", /remark|linenos|::|nobody/);
});

test("nothing active comes out, and raw HTML is shown as code", async () => {
  const html = await page(
    "`a <javascript:alert(1)>`_ <script>x</script>\n\n.. raw:: html\n\n   <script>alert(2)</script>\n\n.. image:: https://evil.example/a.png\n",
  );
  assert.doesNotMatch(html, /<script|href="javascript|<img/);
  assert.match(html, /alert/);
});

test("marks that stay open are text, and lists that are deep are shown", async () => {
  assert.match(await page("A *left open and ``here and `there.\n"), /A \*left open and ``here and `there\./);
  const deep = Array.from({ length: 200 }, (_, depth) => `${"  ".repeat(depth)}* item${depth}`).join("\n\n");
  const html = await page(deep);
  assert.ok(html.includes("item0<") && html.includes("item199"));
});

test("answers quote the prose: no option, no mark, no comment; a row of a table stands below its head", () => {
  const blocks = blocksOf(GUIDE, "rst");
  const said = blocks.map(({ plain }) => plain).join("\n");
  assert.doesNotMatch(said, /linenos|remark|\[#n\]|Costs_|:func:|=====|\+---/);
  assert.ok(blocks.some(({ form, heading, plain }) => form === "row" && heading.at(-1) === "Tool · Price" && plain === "Ham 15"));
});

test("a name of a program is shown as Sphinx does, on the page and in quotes", async () => {
  const roles: readonly (readonly [written: string, shown: string])[] = [
    [":py:func:`~os.path.join`", "join()"],
    [":py:func:`joins <os.path.join>`", "joins"],
    [":func:`malloc()`", "malloc()"],
    [":class:`.Builder`", "Builder"],
    [":py:class:`!Foo`", "Foo"],
    [":cpp:func:`~std::swap`", "swap()"],
    [":js:meth:`~a.b`", "b()"],
    [":file:`.github/x`", ".github/x"],
    [":mod:`a.b`", "a.b"],
  ];
  for (const [written, shown] of roles) {
    const text = `Title\n=====\n\nSee ${written} there.\n`;
    assert.match(await page(text), new RegExp(`See <code>${RegExp.escape(shown)}</code> there`), written);
    assert.equal(blocksOf(text, "rst")[0]?.plain, `See ${shown} there.`);
  }
});

test("cards, characters by their numbers and code of tabs are shown, and answers of a program and cells of lists are quoted as they are", async () => {
  const text =
    "Title\n=====\n\n.. grid:: 2\n\n   .. grid-item-card:: A card\n      :link: x\n\n      Its words.\n\n.. code-tab:: c\n\n   int x;\n\n.. |c| unicode:: U+00A9 .. a sign\n\nBy |c| [Knu]_.\n\n.. click:run::\n\n   # a *b*\n\n.. list-table::\n\n   * - One\n     - Two\n\n>>> 1 + 1\n2\n\n__ https://example.org\n";
  const html = await page(text);
  assert.match(html, /<div><aside><p><strong>A card<\/strong><\/p><p[^>]*>Its words\.<\/p><\/aside><\/div><pre class="code"/);
  assert.match(html, /By © <[^]*<pre class="code"[^>]*><code># a \*b\*<\/code>/);
  const said = blocksOf(text, "rst").map(({ plain }) => plain);
  for (const one of ["One", "Two", ">>> 1 + 1\n2", "# a *b*", "By c [Knu]."])
    assert.ok(said.includes(one), `${one} in ${said.join(" | ")}`);
  assert.ok(!said.join().includes("__"));
});

test("cells of drawn tables take several columns and rows, and a table of values has its own delimiter", async () => {
  const drawn = await page(
    "+-----+-----+-----+\n| a   | b   | c   |\n|     +-----+-----+\n|     | - d       |\n+=====+===========+\n| 漢  | x   | y   |\n+-----+-----+-----+\n",
  );
  assert.match(drawn, /<th rowspan="2">a<\/th><th>b<\/th><th>c<\/th>/);
  assert.match(drawn, /<th colspan="2"><ul><li[^>]*>d<\/li><\/ul><\/th>.*<td>漢<\/td><td>x<\/td><td>y<\/td>/s);
  const simple = await page("== ====\na  b\n== ====\n1  two\n   more\n\n2  x\n== ====\n");
  assert.match(simple, /<th>a<\/th><th>b<\/th>.*<td>two\nmore<\/td>.*<td class="number">2<\/td><td>x<\/td>/s);
  const values = await page('.. csv-table:: T\n   :header: "A", "B"\n   :delim: ;\n\n   1; "x; **y**"\n   2; "over\n   lines"\n');
  assert.match(values, /<th>A<\/th>.*<td>x; <strong>y<\/strong><\/td>.*<td>over\nlines<\/td>/s);
});
