import assert from "node:assert/strict";
import { test } from "node:test";
import { keysIn, parseAnswer, parseParagraph, saysQuote, tagOf } from "./answer-text.ts";

test("a quote that an answer says already is known by its words, whatever marks or tags stand among them", () => {
  const answer = "“The git-bisect(1) command handles history that includes merges. Imagine this history: a---b” [1]";
  const source =
    'The <a class="ulink"\nhref="git-bisect.html">git-bisect(1)</a> command\nhandles *history* that includes merges.</p><p>Imagine this history:</p><pre>a---b</pre>';
  assert.ok(saysQuote(answer, source));
  assert.ok(!saysQuote(answer, source.replace("a---b", "somewhere else entirely")));
  assert.ok(!saysQuote(answer, "<p></p>"));
  assert.ok(saysQuote('call read("a.csv") first', "<p>call <code>read(&quot;a.csv&#34;)</code> first"));
  // An answer that leaves out the rest of a long quote says so by its dots.
  const more = `${source} And a second sentence stands below it.`;
  assert.ok(!saysQuote(answer, more));
  assert.ok(saysQuote(`${answer} …`, more));
});

test("of an answer only the paragraphs with lines of code are set as they stand", () => {
  const paragraphs = parseAnswer("\u201cIt is drawn here:\n\n  +--+\n  |  |\u201d [1]\n\nAnd so on.", new Set([1]), []);
  assert.deepEqual(paragraphs.map(tagOf), ["p", "pre", "p"]);
});

test("a refusal leads to what is nearest by the keys that it names, and to nothing else", () => {
  const text = "Not in this library. Nearest: One (a/x.md); Two (a/x.md2); Three (z.md).";
  const keys = keysIn(text, [
    { key: "z.md", href: "/object/z.md/" },
    { key: "a/x.md", href: "/object/a/x.md/" },
    { key: "not-named.md", href: "/object/not-named.md/" },
  ]);
  const links = parseParagraph(text, new Set(), keys).flatMap(({ text: said, href }) => (href === null ? [] : [[said, href]]));
  assert.deepEqual(links, [
    ["a/x.md", "/object/a/x.md/"],
    ["z.md", "/object/z.md/"],
  ]);
});
