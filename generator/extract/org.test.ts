/** Org as a document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "../../snapshots/blocks/blocks.ts";
import { extract } from "./extract.ts";

const read = async (text: string) => await extract("notes/a.org", Buffer.from(text));
const page = async (text: string): Promise<string> => (await read(text)).html ?? "";

const NOTES = `#+TITLE: Sorting Notes
#+OPTIONS: toc:nil

How *lists* are /sorted/ by =sort= and [[https://example.org][a page]], see [[*Costs]], [[file:other.org][another]], $a^2$ and a note[fn:1].

* TODO Costs :money:
:PROPERTIES:
:CUSTOM_ID: costs
:END:
- one
  - nested
- [X] done

#+CAPTION: Prices.
| Tool | Price |
|------+-------|
| Ham  |    15 |

#+begin_src python
def f(): pass
#+end_src

#+begin_quote
Quoted.
#+end_quote

[[./img/a.png]]

# a remark
** Deeper
Text there.

#+begin_unclosed
stays here

[fn:1] The note.
`;

test("notes have their title, headings, lists, code, tables, figures, formulas, footnotes and links", async () => {
  const { title, kind, html } = await read(NOTES);
  assert.deepEqual([title, kind], ["Sorting Notes", "org"]);
  for (const part of [
    "<strong>lists</strong>",
    "<em>sorted</em>",
    "<code>sort</code>",
    '<a href="#doc-Costs">Costs</a>',
    'href="../other.org/">another</a>',
    '<h2 id="doc-costs">',
    "<small>TODO</small> Costs",
    '<li id="L10">one<ul><li id="L11">nested</li></ul></li>',
    "<caption>Prices.</caption>",
    "<th>Tool</th><th>Price</th>",
    '<span class="k">def</span>',
    '<blockquote id="L23">',
    '<img src="../../../objects/notes/img/a.png"',
    '<h3 id="doc-deeper">',
    "stays here",
    "The note.",
  ])
    assert.ok(html?.includes(part), `${part} in ${html}`);
  assert.doesNotMatch(html ?? "", /remark|CUSTOM_ID|toc:nil/);
});

test("nothing active comes out, and what is for an exporter is shown as code", async () => {
  const html = await page(
    "[[javascript:alert(1)][a]] @@html:<script>alert(2)</script>@@\n\n#+begin_export html\n<script>alert(3)</script>\n#+end_export\n",
  );
  assert.doesNotMatch(html, /<script|href="javascript/);
  assert.match(html, /alert/);
});

test("answers quote the prose: no drawer, no setting, no remark; a row of a table stands below its head", () => {
  const blocks = blocksOf(NOTES, "org");
  const said = blocks.map(({ plain }) => plain).join("\n");
  assert.doesNotMatch(said, /CUSTOM_ID|toc:nil|remark|\[\[|\[fn/);
  assert.ok(
    blocks.some(({ form, heading, plain }) => form === "row" && heading.at(-1) === "Tool · Price" && plain.startsWith("Ham")),
    said,
  );
});

test("what is exported, macros, Greek letters and raised ones are quoted as they are shown", () => {
  const text = "* Head\n\n@@html:<i>Words</i>@@ and {{{macro(said)}}} and \\alpha and y^{3}.\n";
  assert.equal(blocksOf(text, "org")[0]?.plain, "Words and said and α and y3.");
});
