import assert from "node:assert/strict";
import { test } from "node:test";
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
    assert.deepEqual(readFrontMatter(`---\n${yaml}\n---\n`), { title: null, lines: yaml.split("\n").length + 2, notes: [] }, yaml);
});

test("titles are what YAML and TOML say they are", () => {
  assert.equal(titleOf("title: Plain title # and a comment"), "Plain title");
  assert.equal(titleOf('title: "Quoted: \\"title\\""'), 'Quoted: "title"');
  assert.equal(titleOf("title: 1.0"), "1.0");
  assert.equal(titleOf("title: >\n  folded over\n  two lines"), "folded over two lines");
  assert.equal(titleOf("tags: [a]\r\ntitle: With returns\r"), "With returns");
  assert.equal(readFrontMatter('+++\ntitle = "In TOML"\n+++\n').title, "In TOML");
  assert.deepEqual(readFrontMatter("# No block\n"), { title: null, lines: 0, notes: [] });
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
