import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainIn } from "./plain.ts";
import { blocksOf, headingsOf } from "./blocks.ts";
import { sentencesIn, unitsOf } from "./units.ts";

type Kind = Parameters<typeof blocksOf>[1];
const plain = (text: string, kind: Kind): readonly string[] => blocksOf(text, kind).map((one) => one.plain);
const under = (text: string, kind: Kind) => blocksOf(text, kind).map(({ heading, form, plain }) => [heading.join(" > "), form, plain]);

test("any text has blocks that stand in it where they say, in order and without overlap, and units that do", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ unit: "binary", maxLength: 40 }),
          fc.constantFrom(
            "<p>",
            "</p><pre>",
            "term::\n",
            "..  note::\n",
            "# A title\n",
            "```\n",
            "---\n",
            "A sentence stands here. ",
            "(** ",
            "*)\n",
            "\n\n",
            "| a | b |\n",
          ),
        ),
        { maxLength: 20 },
      ),
      fc.constantFrom(
        "markdown" as const,
        "code" as const,
        "yaml" as const,
        "text" as const,
        "latex" as const,
        "html" as const,
        "csv" as const,
        "pdf" as const,
      ),
      (parts, kind) => {
        const text = parts.join("");
        let end = 0;
        for (const block of blocksOf(text, kind)) {
          assert.ok(block.start >= end && block.end > block.start && block.end <= text.length);
          end = block.end;
        }
        for (const { start, end, plain } of unitsOf(text, kind)) assert.ok(end > start && end <= text.length && plain.length <= 600);
      },
    ),
  );
});

test("of Markdown its paragraphs, items, rows and code are read: no heading, front matter or comment", () => {
  const text = [
    "---",
    "title: A title that is long enough to be one.",
    "---",
    "# What the note is about, in many words.",
    "",
    "The *first* sentence has a [link](a.md) and `code`. The second, e.g. this one,",
    "goes over two lines!",
    "",
    "Another heading of this note, underlined",
    "---",
    "",
    "- An item says something of its own.",
    "- **Bold** words say it too, and louder.",
    "",
    "| state | what it means here |",
    "|---|:--|",
    "| `dead` | nothing calls *it* any more |",
    "```sh",
    "run this # and that",
    "",
    "then this",
    "```",
    "<!-- This is a comment of the author. -->",
  ].join("\n");
  const about = "What the note is about, in many words.";
  const other = `${about} > Another heading of this note, underlined`;
  assert.deepEqual(under(text, "markdown"), [
    [about, "prose", "The first sentence has a link and code. The second, e.g. this one, goes over two lines!"],
    [other, "item", "An item says something of its own."],
    [other, "item", "Bold words say it too, and louder."],
    [other, "cells", "state | what it means here"],
    [other, "entry", "dead | nothing calls it any more"],
    [other, "code", "run this # and that\nthen this"],
  ]);
  const [first] = blocksOf(text, "markdown");
  assert.deepEqual(
    sentencesIn(text, first?.start ?? 0, first?.end ?? 0).map(([start, end]) => text.slice(start, end).slice(0, 12)),
    ["The *first* ", "The second, "],
  );
});

test("facts in TOML or YAML at the beginning are no text, however many, and a rule between paragraphs begins none", () => {
  for (const [edge, line] of [
    ["+++", "tags = 1 # a"],
    ["---", "tag: # a"],
  ] as const) {
    const text = `${edge}\n# A comment\n${`${line}\n`.repeat(100)}${edge}\n\n# Seals\n\nThey swim.\n`;
    assert.deepEqual(under(text, "markdown"), [["Seals", "prose", "They swim."]]);
    assert.deepEqual(
      headingsOf(text, "markdown").map(({ title }) => title),
      ["Seals"],
    );
  }
  assert.deepEqual(plain("---\n\nSeals swim.\n\n---\n\nThey dive.\n", "markdown"), ["Seals swim.", "They dive."]);
});

test("of code its comments are read, without their signs", () => {
  assert.deepEqual(plain("(** A path leads from one leaf only.\n    It ends at the root. *)\nLemma x : True.\n", "code"), [
    "A path leads from one leaf only. It ends at the root.",
  ]);
  assert.deepEqual(plain("/// Sorts the list by inserting, as\n/// the proof does it.\nfn sort() { let a = 1; }\n", "code"), [
    "Sorts the list by inserting, as the proof does it.",
  ]);
  assert.deepEqual(plain("/-- The sum of all is the last one. -/\ntheorem x : True := trivial\n", "code"), [
    "The sum of all is the last one.",
  ]);
});

test("a cell of a table says nothing without its head", () => {
  assert.deepEqual(plain("name,what it is for and why it is here.\n", "csv"), []);
});

test("of a glossary in YAML each entry with words is read", () => {
  const text = '# words\nhole: a step that is missing\nsize: 12\nurl: https://a.example/b\n  - note: "what it is for"\n';
  const entries = blocksOf(text, "yaml").filter(({ form }) => form === "entry");
  assert.deepEqual(
    entries.map((one) => one.plain),
    ["hole: a step that is missing", 'note: "what it is for"'],
  );
});

test("no sentence ends within code or after an abbreviation", () => {
  const text = "The flag `-Q . Numbers` gives, e.g. Here, the folder its name. Others can say it.";
  assert.deepEqual(
    sentencesIn(text, 0, text.length).map(([start, end]) => text.slice(start, end)),
    ["The flag `-Q . Numbers` gives, e.g. Here, the folder its name.", "Others can say it."],
  );
});

test("each line of columns is a block, and two spaces after a full stop make no columns", () => {
  assert.deepEqual(
    plain("a.pdf      a tree of four leaves, with every digest\nlong.tex   infinite descent, told three times over\n", "text"),
    ["a.pdf a tree of four leaves, with every digest", "long.tex infinite descent, told three times over"],
  );
  assert.deepEqual(plain("A tree has a root.  Nobody\nhas seen it.  It is there.\n", "text"), [
    "A tree has a root. Nobody has seen it. It is there.",
  ]);
});

test("a term of AsciiDoc is the heading of its text, as far as that goes, and enclosed lines are code", () => {
  const text = [
    "FAQ",
    "===",
    "",
    "[[undo]]",
    "How do I undo a step?::",
    "\tRun `undo <step>`, which takes it back.",
    "+",
    "It keeps what came after, as linkgit:git-revert[1] does:",
    "+",
    "----",
    "$ undo 3",
    "----",
    "",
    "Why not?::",
    "\tNobody knows.",
    "",
    "(((pages, paragraphs)))(((paragraphs)))",
    "A paragraph of <<book#_the_page>>.",
  ].join("\n");
  assert.deepEqual(under(text, "asciidoc"), [
    ["FAQ > How do I undo a step?", "prose", "Run undo <step>, which takes it back."],
    ["FAQ > How do I undo a step?", "prose", "It keeps what came after, as git-revert(1) does:"],
    ["FAQ > How do I undo a step?", "code", "$ undo 3"],
    ["FAQ > Why not?", "prose", "Nobody knows."],
    ["FAQ", "prose", "A paragraph of the page."],
  ]);
  assert.ok(
    !blocksOf(text, "asciidoc").some(({ start, end }) => text.slice(start, end).includes("(((")),
    "terms of an index begin no quote",
  );
});

test("a glossary and a function of reStructuredText are the headings of what explains them, and a literal block is code", () => {
  const text = [
    ".. glossary::",
    "",
    "   walrus",
    "      An operator with tusks.",
    "",
    ".. function:: dive(depth)",
    "",
    "   Goes down, as in::",
    "",
    "      dive(3)",
    "",
    "      dive(4)",
    "",
    "   It comes up with :ref:`a fish <fish>`.",
  ].join("\n");
  assert.deepEqual(under(text, "rst"), [
    ["walrus", "prose", "An operator with tusks."],
    ["dive(depth)", "prose", "Goes down, as in:"],
    ["dive(depth)", "code", "dive(3)\ndive(4)"],
    ["dive(depth)", "prose", "It comes up with a fish."],
  ]);
});

test("of HTML blocks are read wherever they stand in a line, with their code, and no navigation", () => {
  const page =
    '<html><head><title>T</title></head><body><div class="toc"><p>Contents</p></div><h1>Seals</h1><div><h2>How do I feed one?</h2>' +
    "<p>Use a <b>fish</b> &amp; a spoon:</p><pre>feed --fish\n</pre><p>Be <i>quick</i>.</p></div><p><b>(2) Why?</b></p>" +
    "<blockquote>Because it bites.</blockquote><ul><li>One tooth.<li>Two teeth.</ul></body></html>";
  assert.deepEqual(under(page, "html"), [
    ["Seals > How do I feed one?", "prose", "Use a fish & a spoon:"],
    ["Seals > How do I feed one?", "code", "feed --fish"],
    ["Seals > How do I feed one?", "prose", "Be quick."],
    ["Seals > How do I feed one? > (2) Why?", "prose", "Because it bites."],
    ["Seals > How do I feed one? > (2) Why?", "item", "One tooth."],
    ["Seals > How do I feed one? > (2) Why?", "item", "Two teeth."],
  ]);
  const [first] = unitsOf(page, "html");
  assert.equal(first?.plain, "Use a fish & a spoon: feed --fish Be quick.");
  assert.equal(page.slice(first?.start, first?.end), "Use a <b>fish</b> &amp; a spoon:</p><pre>feed --fish\n</pre><p>Be <i>quick</i>.");
});

test("a unit is as long as a reader sees it, and tags count for nothing", () => {
  const link = (n: number): string => `<a href="https://long.example/${"x".repeat(60)}/${n}">word ${n}</a>`;
  const page = `<p>${Array.from({ length: 12 }, (_, at) => `Here is ${link(at)} of it.`).join(" ")}</p>`;
  assert.equal(unitsOf(page, "html").length, 1);
  const long = `${"A sentence of a paragraph that is long. ".repeat(30)}`;
  for (const { plain } of unitsOf(long, "markdown")) assert.match(plain, /^A sentence[^]*long\.$/);
});

test("of plain text no underlined heading is read, and no directive that is no text", () => {
  const text = [
    ".. SPDX-License-Identifier: GPL-2.0",
    "",
    "=====================",
    "How patches are named",
    "=====================",
    "",
    ".. toctree::",
    "   :maxdepth: 1",
    "",
    "   one-file with-a-long-name another-file",
    "",
    "A patch is named after what it changes, as in::",
    "",
    "    struct patch { int of; } the name of a field;",
    "",
    "It is signed by who sends it.",
    "",
    "My company uses peer feedback in reviews, can I use it?",
    "--------------------------------------------------------",
    "",
    ".. note::",
    "",
    "   Nobody reads a name that is longer than a line.",
  ].join("\n");
  assert.deepEqual(
    blocksOf(text, "text").map((one) => [one.heading.join(), one.plain]),
    [
      ["How patches are named", "A patch is named after what it changes, as in::"],
      ["How patches are named", "struct patch { int of; } the name of a field;"],
      ["How patches are named", "It is signed by who sends it."],
      ["How patches are named,My company uses peer feedback in reviews, can I use it?", "Nobody reads a name that is longer than a line."],
    ],
  );
});

test("of a printed page the lines that end early above a capital are headings, and no part of a sentence", () => {
  const page = [
    "A proof by hand",
    "Everybody has seen the drawing of a tree of digests, and few",
    "have computed one, which takes a quarter of an hour.",
    "The leaves",
    "Our leaves are four trees: ash, beech, cedar, and a fourth",
    "The name of which nobody here remembers any more.",
  ].join("\n");
  assert.deepEqual(
    blocksOf(page, "pdf").map((one) => [one.heading.join(), one.plain]),
    [
      [
        "A proof by hand",
        "Everybody has seen the drawing of a tree of digests, and few have computed one, which takes a quarter of an hour.",
      ],
      ["The leaves", "Our leaves are four trees: ash, beech, cedar, and a fourth The name of which nobody here remembers any more."],
    ],
  );
});

test("a comment at the end of a line of LaTeX is no part of what is read, and an escaped sign is", () => {
  assert.deepEqual(
    plain("Descent is the reason why it stops. % A checker calls it recursion.\nIt saves 50\\% of all the steps.\n", "latex"),
    ["Descent is the reason why it stops. It saves 50% of all the steps."],
  );
});

test("marks are taken away, and what is no mark stays", () => {
  assert.equal(plainIn("a * b and __init__ is `x_y_z`, **bold** [text](u)", "markdown"), "a * b and init is x_y_z, bold text");
  assert.equal(
    plainIn("*canonically\nequivalent* and what is\n*meant* by it", "markdown"),
    "canonically equivalent and what is meant by it",
  );
  assert.equal(
    plainIn("from $x \\le y$ and $a_2$ for $5 and $6, not $\\preceq$", "markdown"),
    "from x ≤ y and a_2 for $5 and $6, not $\\preceq$",
  );
  assert.equal(plainIn("snake_case_name and 2*3*4", "markdown"), "snake_case_name and 2*3*4");
});

test("the caption of a table is no heading of the paragraph that follows it", () => {
  const page =
    '<h2>1.2. Permissions</h2><div class="table"><p class="title"><b>Table 1.4. List of the first character</b></p><table><tr><td>d</td><td>a directory, for instance</td></tr></table></div>' +
    "<p>The sticky bit prevents files from being removed.</p>";
  assert.deepEqual(under(page, "html").at(-1), ["1.2. Permissions", "prose", "The sticky bit prevents files from being removed."]);
});

test("what stands in LaTeX as it is written is code, and its sections are headings, each under the one above", () => {
  const text =
    "\\section{A \\emph{seal}}\nIt swims.\n\\subsection[B]{M\\\"oller's}\\label{m}\n\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\nIt dives.\n";
  assert.deepEqual(under(text, "latex"), [
    ["A seal", "prose", "It swims."],
    ["A seal > M\u00f6ller's", "code", "\\section{no}"],
    ["A seal > M\u00f6ller's", "prose", "It dives."],
  ]);
});

test("headings are told with their lines, rows above and below them among these, and a line of a table is none", () => {
  const titles = (text: string, kind: Kind) =>
    headingsOf(text, kind).map(({ start, end, level, title }) => [level, title, text.slice(start, end)]);
  assert.deepEqual(titles("======\nSeals\n======\n\nOtters\n------\n\none\ntwo\n---\n\nFish\n----\n", "text"), [
    [1, "Seals", "======\nSeals\n======"],
    [2, "Otters", "Otters\n------"],
    [2, "Fish", "Fish\n----"],
  ]);
  assert.deepEqual(titles("= Seals\n\n== Otters\n\n[[x]]\nFish\n~~~~\n", "text"), [
    [1, "Seals", "= Seals"],
    [2, "Otters", "== Otters"],
    [1, "Fish", "Fish\n~~~~"],
  ]);
  assert.deepEqual(titles("# A `b` {#c}\n```\n# no\n```\n### D ###\nE\n===\n", "markdown"), [
    [1, "A b", "# A `b` {#c}"],
    [3, "D", "### D ###"],
    [1, "E", "E\n==="],
  ]);
});

test("a part of a text stands under what it was cut from, up to the first heading in it", () => {
  const blocks = (text: string, kind: Kind) =>
    blocksOf(text, kind, ["Seals", "Food"]).map(({ heading, plain }) => [heading.join(" > "), plain]);
  assert.deepEqual(blocks("Fish.\n\n## Play\n\nBalls.\n", "markdown"), [
    ["Seals > Food", "Fish."],
    ["Play", "Balls."],
  ]);
  assert.deepEqual(blocks("<p>Fish.</p><p><b>How much?</b></p><p>A lot.</p><h2>Play</h2><p>Balls.</p>", "html"), [
    ["Seals > Food", "Fish."],
    ["Seals > Food > How much?", "A lot."],
    ["Play", "Balls."],
  ]);
});

test("of HTML the only main part is read to its end, and references by name are signs", () => {
  const page = "<!doctype html><p>Menu</p><article><h1>Caf&eacute; &Uuml;ber</h1><p>&alpha; &le; &copy; &nothing;</p></article><p>Foot</p>";
  assert.deepEqual(under(page, "html"), [["Caf\u00e9 \u00dcber", "prose", "\u03b1 \u2264 \u00a9 &nothing;"]]);
});

test("a drawing keeps its lines and how far they stand in, in what is quoted of it and in what is read", () => {
  const drawing = ["      +------+", "      | seal |", "   +--+------+", "", "   | fish |"];
  const read = ["   +------+", "   | seal |", "+--+------+", "| fish |"].join("\n");
  const rest = ["Where a seal is kept is drawn here::", "", ...drawing, "", "It swims there, and sleeps."].join("\n");
  const markdown = ["Where a seal is kept is drawn here:", "", "```", ...drawing, "```"].join("\n");
  const html = `<p>Where a seal is kept is drawn here:</p><pre>${drawing.join("\n")}</pre>`;
  const adoc = ["= Seals", "", "Where a seal is kept is drawn here:", "", "....", ...drawing, "....", ""].join("\n");
  for (const [text, kind] of [
    [rest, "text"],
    [markdown, "markdown"],
    [html, "html"],
    [adoc, "text"],
  ] as const) {
    assert.equal(blocksOf(text, kind).find(({ form }) => form === "code")?.plain, read, text);
    const [unit] = unitsOf(text, kind);
    assert.match(unit?.plain ?? "", /drawn here::?\n\n {3}\+------\+\n/, text);
    assert.ok(text.slice(unit?.start, unit?.end).includes(drawing.join("\n")), text);
  }
});

test("the title of AsciiDoc is read whatever stands above it; comments, attributes and who wrote it are no text", () => {
  for (const above of [
    "// SPDX-License-Identifier: MIT\n// Seals, a comment\n:toc: left\n",
    "////\nThis is a long comment about rights.\n\n== In it is no heading\n////\n\n",
    ":!toc:\n:icons: font\n\n[[top]]\n",
    "",
  ]) {
    const text = `${above}= The seals' \`handbook\`\nJane Doe <jane@seals.example>\nv1.0, 2020-01-01\n:sectnums!:\n\nA seal eats fish.\n// Not now.\n\n== 2 Feeding\n\nUse a spoon.\n`;
    const titles = headingsOf(text, "asciidoc").map(({ level, title }) => [level, title]);
    assert.deepEqual(titles, [
      [1, "The seals' handbook"],
      [2, "2 Feeding"],
    ]);
    assert.deepEqual(plain(text, "asciidoc"), ["A seal eats fish.", "Use a spoon."], text);
  }
});

test("badges, ways to other pages and the words above a contents begin no quote, in any format", () => {
  const texts: readonly (readonly [kind: Parameters<typeof blocksOf>[1], text: string])[] = [
    ["markdown", "# It\n\n[![CI](https://e.org/a.svg)](https://e.org)\n![b](https://e.org/b.svg)\n\nIt is a tool.\n"],
    ["markdown", "# It\n\n[![a][b]][c]\n[![d][e]][f]\n\nIt is a tool.\n\n[b]: https://e.org/\n"],
    ["markdown", "# It\n\n[![CI][b]][c] ![x](y.svg) It is a tool.\n"],
    [
      "markdown",
      '<h1 align="center">\n  It\n</h1>\n\n<img src="a.png" alt="The logo" width="20">\n\n[Docs](d) | [Chat](c)\n\n> Table of contents\n\nIt is a tool.\n',
    ],
    ["markdown", "<h1>It</h1>\n\nIt is a tool.\n"],
    ["asciidoc", "= It\n\nimage:https://e.org/a.svg[Build,link=https://e.org] image:b.svg[Docs]\n\nIt is a tool.\n"],
    ["org", "* It\n\n[[https://e.org][https://e.org/a.svg]] [[https://e.org/b.svg]]\n\nIt is a tool.\n"],
    ["rst", "It\n===\n\n|build| |docs|\n\n.. |build| image:: https://e.org/a.svg\n\nIt is a tool.\n"],
    ["html", '<h1>It</h1><p><a href="x"><img src="a.svg" alt="Build"></a></p><p>It is a tool.</p>'],
  ];
  for (const [kind, text] of texts)
    assert.deepEqual(
      blocksOf(text, kind).map(({ plain, heading }) => [heading.join(), plain]),
      [["It", "It is a tool."]],
      text,
    );
});

test("a line that tells Excel the delimiter names no columns", () => {
  assert.deepEqual(
    blocksOf("sep=|\nkey|value\na|1\n", "csv").map(({ heading, plain }) => [...heading, plain]),
    [["key · value", "a|1"]],
  );
});
