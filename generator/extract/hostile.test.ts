/** Documents made to hang or break a reader. No test here measures time; what is quadratic would not end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Extract } from "../../snapshots/schema/extract.ts";
import { extract } from "./extract.ts";
import { testLongTexts } from "./hostile-fixture.ts";

const read = (key: string, text: string): Promise<Extract> => extract(key, Buffer.from(text));

test("Markdown bombs are read in little time, or shown as text with a note", async () => {
  const bombs = {
    formulas: "\\(a ".repeat(20_000),
    environments: "\\begin{align}\n".repeat(5000),
    boxes: "::: note\n".repeat(5000),
    indentedBoxes: Array.from({ length: 500 }, (_, depth) => `${" ".repeat(4 * depth)}!!! note`).join("\n"),
    alerts: "> [!NOTE]\n\n".repeat(5000),
    rawTags: "<title> a </title".repeat(5000),
    wikiLinks: "[[a|b".repeat(20_000),
    quotes: "> ".repeat(10_000),
    lists: "- ".repeat(10_000),
    indents: Array.from({ length: 600 }, (_, depth) => `${" ".repeat(depth)}- a`).join("\n"),
    emphasis: `${"*a _b ".repeat(10_000)}${" b_ a*".repeat(10_000)}`,
    tables: `${"|a".repeat(2000)}\n${"|-".repeat(2000)}${"\n|".repeat(50_000)}`,
    references: "&#x110000;&".repeat(10_000),
    tags: "<div>".repeat(10_000),
    formatting: `${"<b a=1>".repeat(2500)}\n\n${"<p>x".repeat(20_000)}`,
    footnotes: `${"[^1]".repeat(40_000)}\n\n[^1]: a`,
  };
  for (const [name, bomb] of Object.entries(bombs)) {
    const { notes, html, passages } = await read("a.md", bomb);
    if (/^(?:quotes|lists|emphasis|tables|references|tags|formatting|footnotes)$/.test(name))
      assert.match(notes.join(), /shown as text/, name);
    assert.ok(html !== null && html.length < 2_000_000 && passages.length > 0, name);
  }
});

test("nesting that is no nesting is only text", async () => {
  for (const bomb of [
    "[".repeat(40_000),
    "![".repeat(20_000),
    "`".repeat(40_000),
    "$x^{".repeat(20_000),
    "[^a]: ".repeat(10_000),
    "<".repeat(40_000),
    "\\[".repeat(20_000),
  ]) {
    assert.deepEqual((await read("a.md", bomb)).notes, [], bomb.slice(0, 8));
  }
});

test("HTML that is deep or grows is shown as source", async () => {
  for (const bomb of [
    "<div>".repeat(20_000),
    `${Array.from({ length: 3000 }, (_, n) => `<b a=${n}>`).join("")}${"<p>x".repeat(3000)}`,
    `<body>${"<b>x".repeat(200_000)}`,
  ]) {
    assert.match((await read("a.html", bomb)).notes.join(), /shown as source/);
  }
});

test("HTML whose elements never end is read once", async () => {
  for (const tag of ["<nav>", '<p class="menu">', "<a href=x>", "<!--", "<select><div>", '<i role="main">', "<b ", "&amp"]) {
    const { passages } = await read("a.html", `<p>begin</p>${`${tag}x `.repeat(30_000)}`);
    assert.ok(passages[0]?.text.startsWith("begin"), tag);
  }
});

test("YAML aliases are never followed, and JSON may be as deep as it likes", async () => {
  const bomb = `a: &a [x,x]\n${Array.from("bcdefghij", (name, n) => `${name}: &${name} [${`*${"abcdefghij"[n] ?? ""},`.repeat(9)}]`).join("\n")}\n`;
  const yaml = await read("a.yaml", bomb);
  assert.deepEqual([yaml.notes, yaml.lines, yaml.passages.length], [[], 10, 1]);
  const deep = await read("a.json", `${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  assert.ok(deep.passages.length > 100);
  assert.match((await read("a.json", '{"a":'.repeat(30_000))).notes.join(), /does not parse/);
});

test("grammars that nest do not hang the highlighter", async () => {
  for (const [key, sign] of [
    ["a.hs", "{-"],
    ["a.lean", "/-"],
    ["a.rs", "/*"],
    ["a.v", "(*"],
    ["a.js", "`${"],
  ] as const) {
    const { html } = await read(key, `${sign.repeat(1500)}\n`.repeat(20));
    assert.ok(html !== null && html.length < 500_000, key);
  }
});

testLongTexts(2);
