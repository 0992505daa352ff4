import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "#snapshots/blocks";
import { extract } from "./extract.ts";
import { readFrontMatter } from "./front-matter.ts";

const titleOf = (yaml: string): string | null => readFrontMatter(`---\n${yaml}\n---\n\ntext\n`).title;

test("what is no YAML, or more than a title needs, gives no title and says so", () => {
  for (const yaml of ["title: [", "title: a: b", "title: a\ntitle: b", `a: ${"[".repeat(200)}${"]".repeat(200)}`, "\ttitle: x"]) {
    const { title, notes, lines } = readFrontMatter(`---\n${yaml}\n---\n\ntext\n`);
    assert.deepEqual([title, lines], [null, yaml.split("\n").length + 2], yaml);
    assert.match(notes.join(), /not valid YAML on line \d+, so its title is not used/, yaml);
  }
});

test("a title that is no text is none", () => {
  for (const yaml of ["title: [a, b]", "title: {a: b}", "title:", "- title", "title", "a: &a [x]\ntitle: *a", "__proto__: {title: x}"])
    assert.partialDeepStrictEqual(
      readFrontMatter(`---\n${yaml}\n---\n`),
      { title: null, lines: yaml.split("\n").length + 2, notes: [] },
      yaml,
    );
});

test("titles are what YAML and TOML say they are", () => {
  assert.equal(titleOf("title: Plain title # and a comment"), "Plain title");
  assert.equal(titleOf('title: "Quoted: \\"title\\""'), 'Quoted: "title"');
  assert.equal(titleOf("title: 1.0"), "1.0");
  assert.equal(titleOf("title: >\n  folded over\n  two lines"), "folded over two lines");
  assert.equal(titleOf("tags: [a]\r\ntitle: With returns\r"), "With returns");
  assert.equal(readFrontMatter('+++\ntitle = "In TOML"\n+++\n').title, "In TOML");
  assert.deepEqual(readFrontMatter("# No block\n"), { values: {}, title: null, lines: 0, notes: [] });
});

test("facts stand in every form that programs write, with what is above them; what only looks like one is text", async () => {
  const blocks: readonly (readonly [text: string, lines: number])[] = [
    ["---\ntitle: T\nauthor: Ana Ruiz\ndate: 2021-07-04\n---\n\nBody.\n", 5],
    ["---\ntitle: T\nauthor: Ana Ruiz\ndate: 2021-07-04\n...\n\nBody.\n", 5],
    ['+++\ntitle = "T"\nauthors = ["Ana Ruiz"]\ndate = 2021-07-04T10:00:00Z\n+++\n\nBody.\n', 5],
    ['{\n"title": "T",\n"author": "Ana Ruiz",\n"date": "2021-07-04"\n}\n\nBody.\n', 5],
    ["% T\n% Ana Ruiz\n% July 4, 2021\n\nBody.\n", 3],
    ["Title: T\nAuthor: Ana Ruiz\nDate: 4 July 2021\n\nBody.\n", 3],
    ["<!-- SPDX-License-Identifier: MIT -->\n\n---\ntitle: T\nauthor: Ana Ruiz\ndate: 2021-07-04\n---\n\nBody.\n", 7],
  ];
  for (const [text, lines] of blocks) {
    const { title, about, html } = await extract("a.md", Buffer.from(text));
    assert.deepEqual([title, about?.authors, about?.date, readFrontMatter(text).lines], ["T", ["Ana Ruiz"], "2021-07-04", lines], text);
    assert.match(html ?? "", new RegExp(`^\\s*<p id="L${lines + 2}">Body.</p>\\s*$`), text);
  }
  for (const text of ["{\n% if x %\n}\n\nBody.\n", "Note: this is prose.\n\nBody.\n", "%\n", "--- \ntext\n", "+++\ntext\n", "{}\n", ""])
    assert.equal(readFrontMatter(text).title, null, text);
  assert.match(readFrontMatter("+++\ntitle = [\n+++\n").notes.join(), /not valid TOML on line \d/);
});

test("a document that begins with a rule loses no text, and its page and its passages leave out the same lines", async () => {
  for (const [text, shown] of [
    ["---\n\n# Seals\n\nThey swim far.\n\n---\n\nThey dive.\n", ["They swim far.", "They dive."]],
    ["---\n\nThey swim far.\n\n---\n\nThey dive.\n", ["They swim far.", "They dive."]],
    ["{\nThey swim far.\n}\n\nThey dive.\n", ["They swim far.", "They dive."]],
    ["---\n\ntitle: Seals\n---\n\nThey dive.\n", ["They dive."]],
    ['{\n"title": "Seals"\n}\n\nThey dive.\n', ["They dive."]],
    ["% Seals\n% Ana Ruiz\n\nThey dive.\n", ["They dive."]],
    ["Title: Seals\nAuthor: Ana Ruiz\n\nThey dive.\n", ["They dive."]],
    ["---\ntitle: Seals\n---", []],
  ] as const) {
    const { html, passages } = await extract("a.md", Buffer.from(text));
    const quoted = blocksOf(text, "markdown")
      .map(({ plain }) => plain)
      .join(" ");
    for (const words of ["They swim far.", "They dive.", "Ana Ruiz", 'Seals"'])
      for (const place of [html ?? "", quoted])
        assert.equal(place.includes(words), (shown as readonly string[]).includes(words), `${words} of ${text}`);
    assert.equal(passages.length > 0, true);
  }
});

test("of HTML for a generator of sites the block is no text, its title counts, and what is filled in is no title", async () => {
  const page = await extract(
    "a/page.html",
    Buffer.from("---\ntitle: Showcase\npermalink: /showcase/\n---\n<h2>{{ item.name }}</h2>\n<p>Sites that are made so.</p>\n"),
  );
  assert.equal(page.title, "Showcase");
  assert.deepEqual(page.about?.addresses, ["/showcase/"]);
  assert.doesNotMatch(page.html ?? "", /permalink/);
  assert.deepEqual(
    page.passages.map(({ text, start_line }) => [text.includes("permalink"), start_line]),
    [[false, 5]],
  );
  const part = await extract("a/part.html", Buffer.from("<h2>{{- post.title -}}</h2>\n<p>{{ post.text }}</p>\n"));
  assert.equal(part.title, "part.html");
});
