import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainOf } from "./plain.ts";
import { sentencesOf } from "./prose.ts";

const plain = (text: string, kind: Parameters<typeof sentencesOf>[1]): readonly string[] =>
  sentencesOf(text, kind).flatMap((one) => (one.term === "" ? [one.plain] : []));

test("any text has sentences that stand in it where they say, in order and without overlap", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ unit: "binary", maxLength: 40 }),
          fc.constantFrom("# A title\n", "```\n", "---\n", "A sentence stands here. ", "(** ", "*)\n", "\n\n", "| a | b |\n"),
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
        for (const sentence of sentencesOf(text, kind)) {
          assert.ok(sentence.start >= end && sentence.end > sentence.start && sentence.end <= text.length);
          end = sentence.end;
        }
      },
    ),
  );
});

test("of Markdown only sentences are read: no heading, front matter, fence, table, comment or label", () => {
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
    "| a cell | that says nothing without its head |",
    "```sh",
    "This stands in a fence. Nobody reads it.",
    "```",
    "<!-- This is a comment of the author. -->",
    "Short label",
    "",
    "    This is indented code and no sentence.",
  ].join("\n");
  assert.deepEqual(plain(text, "markdown"), [
    "The first sentence has a link and code.",
    "The second, e.g. this one, goes over two lines!",
    "An item says something of its own.",
    "Bold words say it too, and louder.",
  ]);
  const [, second] = sentencesOf(text, "markdown");
  assert.equal(text.slice(second?.start, second?.end), "The second, e.g. this one,\ngoes over two lines!");
  assert.equal(second?.heading, "What the note is about, in many words.");
});

test("of code its comments are read, without their signs", () => {
  assert.deepEqual(plain("(** A path leads from one leaf only.\n    It ends at the root. *)\nLemma x : True.\n", "code"), [
    "A path leads from one leaf only.",
    "It ends at the root.",
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

test("an entry says something of its term alone, and stands where it says", () => {
  const entries = (text: string, kind: "markdown" | "yaml") =>
    sentencesOf(text, kind).flatMap(({ term, plain, start, end }) => (term === "" ? [] : [[term, plain, text.slice(start, end)]]));
  assert.deepEqual(
    entries('# words\nhole: a step that is missing\nsize: 12\nurl: https://a.example/b\n  - note: "what it is for"\n', "yaml"),
    [
      ["hole", "hole: a step that is missing", "hole: a step that is missing"],
      ["note", "note: what it is for", 'note: "what it is for"'],
    ],
  );
  assert.deepEqual(
    entries("| state | what it means here |\n|---|:--|\n| `dead` | nothing calls *it* any more |\n| 12 | 13 |\n", "markdown"),
    [["dead", "dead: nothing calls it any more", "`dead` | nothing calls *it* any more"]],
  );
});

test("a short sentence is no sentence by itself, and is not left out of what is shown", () => {
  assert.deepEqual(plain('It is easy to hear "the proof runs here". It does not. Proofs do not run.', "markdown"), [
    'It is easy to hear "the proof runs here". It does not.',
    "Proofs do not run.",
  ]);
  assert.deepEqual(plain("- **Homographs.** Two letters are the same ink. They stay apart, as they must.", "markdown"), [
    "Homographs. Two letters are the same ink.",
    "They stay apart, as they must.",
  ]);
});

test("no sentence ends within code, and each line of columns is one", () => {
  assert.deepEqual(plain("The flag `-Q . Numbers` gives the folder its name. Others can say it.", "markdown"), [
    "The flag -Q . Numbers gives the folder its name.",
    "Others can say it.",
  ]);
  assert.deepEqual(
    plain("a.pdf      a tree of four leaves, with every digest\nlong.tex   infinite descent, told three times over\n", "text"),
    ["a.pdf a tree of four leaves, with every digest", "long.tex infinite descent, told three times over"],
  );
});

test("of plain text no underlined heading is read, nothing that is to be taken as it is, and no directive", () => {
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
    sentencesOf(text, "text").map((one) => [one.heading, one.plain]),
    [
      ["How patches are named", "A patch is named after what it changes, as in::"],
      ["How patches are named", "It is signed by who sends it."],
      ["My company uses peer feedback in reviews, can I use it?", "Nobody reads a name that is longer than a line."],
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
    sentencesOf(page, "pdf").map((one) => [one.heading, one.plain]),
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
    ["Descent is the reason why it stops.", "It saves 50\\% of all the steps."],
  );
});

test("marks are taken away, and what is no mark stays", () => {
  assert.equal(plainOf("a * b and __init__ is `x_y_z`, **bold** [text](u)"), "a * b and init is x_y_z, bold text");
  assert.equal(plainOf("*canonically\nequivalent* and what is\n*meant* by it"), "canonically equivalent and what is meant by it");
  assert.equal(plainOf("from $x \\le y$ and $a_2$ for $5 and $6, not $\\preceq$"), "from x ≤ y and a_2 for $5 and $6, not $\\preceq$");
  assert.equal(plainOf("snake_case_name and 2*3*4"), "snake_case_name and 2*3*4");
});
