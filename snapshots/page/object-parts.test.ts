import assert from "node:assert/strict";
import { test } from "node:test";
import { pagePath } from "../format/layout.ts";
import { countParts, lineWithin, openParts, splitFragment } from "./object-parts.ts";

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, "");
/** Fails where an element is closed that is not open, or stays open. */
function expectWhole(html: string): void {
  const open: string[] = [];
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z]\w*)[^>]*>/g))
    if (slash === "") open.push(name);
    else assert.equal(open.pop(), name, html.slice(0, 200));
  assert.deepEqual(open, []);
}

test("a short text has one page, and so has what shows no text of its own", () => {
  assert.equal(countParts({ kind: "markdown", size: 28_000 }), 1);
  assert.equal(countParts({ kind: "markdown", size: 28_001 }), 2);
  assert.equal(countParts({ kind: "latex", size: 36_000 }), 2 + 2); // formulas are heavy; two pages more are its source
  assert.equal(countParts({ kind: "code", size: 0 }), 1);
  assert.equal(countParts({ kind: "code", size: 9_000_000 }), 10);
  assert.deepEqual(
    [3_000, 9_000, 9_000_000].map((size) => [countParts({ kind: "csv", size }), countParts({ kind: "notebook", size })]),
    [
      [1, 1],
      [3, 1],
      [5, 10],
    ],
  );
  for (const kind of ["pdf", "image", "binary"] as const) assert.equal(countParts({ kind, size: 9_000_000 }), 1);
});

test("parts are whole, about as long as one another, have all of the text once, and begin at headings", () => {
  const section = (number: number): string =>
    `<div class="sect1"><h2 id="doc-s${number}">Section ${number}</h2>\n<div class="body"><p id="L${number * 10}">${`${number} `.repeat(200)}</p>\n<ul><li>one</li><li>two</li></ul></div></div>\n`;
  const html = `<div id="all">${Array.from({ length: 40 }, (_, at) => section(at + 1)).join("")}</div>`;
  const parts = splitFragment(html, 5);
  assert.equal(parts.length, 5);
  assert.equal(parts.map(textOf).join(""), textOf(html));
  assert.equal([...parts.join("").matchAll(/ id="all"/g)].length, 1);
  for (const part of parts) {
    expectWhole(part);
    assert.ok(Math.abs(part.length - html.length / 5) < html.length / 20, `${part.length} of ${html.length}`);
  }
  for (const part of parts.slice(1)) assert.match(part, /^(?:<div[^>]*>)*<h2/);
});

test("lines of code, rows of a table and plain text in <pre> are cut between them; a table has its head again; one long paragraph is not cut", () => {
  const code = `<pre class="code"><code>${Array.from({ length: 50 }, (_, at) => `<span class="line" id="L${at + 1}">let x${at} = <span class="s">"a&lt;b"</span></span>\n`).join("")}</code></pre>`;
  for (const part of splitFragment(code, 3)) {
    expectWhole(part);
    assert.match(part, /^<pre class="code"><code><span class="line" id="L\d+">/);
  }
  const table = `<table><thead><tr><th>name</th></tr></thead><tbody>${"<tr><td>1</td></tr>".repeat(60)}</tbody></table>`;
  for (const part of splitFragment(table, 3)) {
    expectWhole(part);
    assert.match(part, /^<table><thead><tr><th>name<\/th><\/tr><\/thead><tbody><tr><td>/);
  }
  assert.equal(splitFragment(`<pre>${"a line\n".repeat(90)}</pre>`, 3).length, 3);
  assert.deepEqual(splitFragment(`<p>${"word ".repeat(900)}</p>`, 3), [`<p>${"word ".repeat(900)}</p>`]);
  const broken = splitFragment(`<div><p id="L1">${"a line<br>\n".repeat(90)}</p></div>`, 3);
  assert.deepEqual([broken.length, broken[1]?.slice(0, 8), broken.join("").match(/ id=/g)?.length], [3, "<div><p>", 1]);
  for (const part of broken) expectWhole(part.replaceAll("<br>", ""));
});

test("the source of a document stands on pages of its own behind the text, which has its own number of parts", () => {
  const row = { key: "papers/a.tex", kind: "latex", size: 30_000 } as const;
  const written = `<pre class="code"><code>${Array.from({ length: 60 }, (_, at) => `<span class="line" id="L${at + 1}">x</span>\n`).join("")}</code></pre>`;
  assert.equal(countParts(row), 4);
  const show = openParts(row, `<p id="L1">${"a ".repeat(900)}</p><p id="L40">${"b ".repeat(900)}</p>`, written);
  const [text, source] = [show(2, pagePath.objectPart(row.key, 2)), show(4, pagePath.objectPart(row.key, 4))];
  assert.deepEqual([text.parts, text.first, text.linesFrom, text.firstLines], [2, 1, 3, [1, 40]]);
  assert.deepEqual([source.parts, source.first, source.firstLines[0]], [2, 3, 1]);
  assert.match(source.html, /^<pre class="code"><code><span class="line" id="L\d\d">/);
  assert.equal(show({ line: 50 }, pagePath.object(row.key)).part, 2);
});

test("links within a text lead to the part that has their place, and an outline to the heading above a line", () => {
  const row = { key: "notes/long one.md", kind: "markdown", size: 56_000 } as const;
  const html = `<h2 id="doc-a">A</h2><p id="L3"><a href="#doc-b">on</a> <a href="../x.md/">other</a></p><p>${"a ".repeat(900)}</p><h2 id="doc-b">B</h2><p id="L9"><a href="#doc-a">back</a></p><p>${"b ".repeat(900)}</p>`;
  const own = pagePath.object(row.key);
  const show = openParts(row, html);
  const first = show(1, own);
  assert.match(first.html, /<a href="=p2\/#doc-b">on<\/a> <a href="\.\.\/x\.md\/">/);
  assert.deepEqual([first.parts, first.firstLines], [2, [3, 9]]);
  assert.deepEqual([first.placeOf(1), first.placeOf(8), first.placeOf(10)], [{ id: "doc-a", part: 1 }, { id: "doc-b", part: 2 }, null]);
  const second = show(2, pagePath.objectPart(row.key, 2));
  assert.match(second.html, /<a href="\.\.\/#doc-a">back<\/a>/);
  // Lines that an address asks for are shown on the object's own page, with the part that has them.
  const quoted = show({ line: 12 }, own);
  assert.match(quoted.html, /<a href="\.\/#doc-a">back<\/a>/);
  assert.equal(quoted.part, 2);
});

test("each page of a table says which rows it has, and below the same head", () => {
  const rows = Array.from({ length: 500 }, (_, at) => `<tr id="L${at + 2}"><td>${at}</td></tr>\n`).join("");
  const html = `<table class="data"><caption>900 rows, the first 500 are here</caption>\n<thead><tr><th>n</th></tr></thead>\n<tbody>\n${rows}</tbody></table>`;
  const show = openParts({ key: "a.csv", kind: "csv", size: 90_000 }, html);
  const captions = [1, 2, 3, 4, 5].map((part) => / *<caption>(.*?)<\/caption>/.exec(show(part, "/object/a.csv/").html)?.[1] ?? "");
  assert.match(captions[0] ?? "", /^Rows 1 to (?:9\d|10\d) of 900 rows, the first 500 are here$/);
  assert.match(captions[4] ?? "", /^Rows (?:39\d|40\d) to 500 of 900 rows/);
  assert.ok([1, 2, 3, 4, 5].every((part) => show(part, "/object/a.csv/").html.includes("<th>n</th>")));
});

test("a notebook is cut between its cells, no more often than it is long, and its contents know the cell", () => {
  const row = { key: "n.ipynb", kind: "notebook", size: 600_000 } as const;
  const cell = (at: number): string => `<h2 id="doc-${at}">Cell ${at}</h2><pre id="P${at}L1"><code>${"x ".repeat(15_000)}</code></pre>\n`;
  const show = openParts(row, [1, 2, 3, 4, 5].map(cell).join(""));
  const first = show(1, "/object/n.ipynb/");
  assert.equal(first.parts, 3);
  assert.deepEqual(first.placeOf(lineWithin(5, 1)), { id: "doc-5", part: 3 });
  assert.match(show({ line: lineWithin(4, 7) }, "/object/n.ipynb/").html, /id="P4L1"/);
});
