/** What a server may put into a page in place of a stamp, and what it may not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isStamped } from "./stamped.ts";

const page = (middle: string): string => `<main><h1>A</h1>${middle}</main>`;
const WHEN = '<dt><a href="../../snapshots/"><time datetime="2026-01-03T00:00:00Z">2026-01-03</time></a></dt>';
const good = {
  first: ["not known", '<a href="../">snapshot 3</a> · <time datetime="2026-01-03T00:00:00Z">2026-01-03</time>'],
  changes: [
    "",
    '<p>Snapshot 3, <time datetime="2026-01-03T00:00:00Z">2026-01-03</time>: 1 added, 0 changed, 0 removed → <a href="snapshots/">what changed</a></p>',
    '<p>not known</p><ul class="plain"><li class="warning"><time datetime="2026-01-03T00:00:00Z">2026-01-03</time>, weaker: <a href="registry/CUB-0001/"><bdi>a &amp; b</bdi></a>: was VERIFIED</li></ul>',
  ],
  states: [
    "",
    '<p>Also proved as <a href="../CUB-0002/"><bdi>CUB-0002</bdi></a>, first seen in <a href="../../snapshots/">snapshot 3</a>; <a href="../CUB-0003/"><bdi>CUB-0003</bdi></a>.</p>',
    `<h2 id="states">States over time</h2><p class="quiet">1 earlier change is not shown.</p><dl class="pairs">${WHEN}<dd dir="auto">snapshot 3: status: a &amp; b → c</dd></dl>`,
  ],
  host: [
    "",
    '<noscript><p class="quiet">This is a host of plain files: orders, filters and the search of records need a script; without one everything is shown.</p></noscript>',
  ],
  leaks: [
    '<p>Every public file was looked through for what is gated or private, and nothing was found. Rule 2; <a href="../api/leak-report.json">as JSON</a>.</p>',
    '<p>The record of this snapshot says nothing of it; <a href="../api/leak-report.json">as JSON</a>.</p>',
  ],
};

test("each stamp may become what a server says there, and nothing of another stamp", () => {
  for (const [name, texts] of Object.entries(good)) {
    for (const text of texts) assert.ok(isStamped(page(`<!--stamp:${name}-->`), page(text)), `${name}: ${text}`);
    const others = Object.entries(good).flatMap(([other, all]) => (other === name || (name === "first" && other === "changes") ? [] : all));
    for (const text of others.filter((one) => one.includes("<p>") || one.includes("<h2"))) {
      assert.ok(!isStamped(page(`<!--stamp:${name}-->`), page(text)), `${name}: ${text}`);
    }
  }
});

test("markup of a server's own, words where none belong, and anything beside the stamp are refused", () => {
  const lies = [
    "<p>Also proved as everybody knows.</p>",
    `<h2 id="states">States over time</h2><dl class="pairs">${WHEN}<dd dir="auto"><script src="x.js"></script></dd></dl>`,
    `<h2 id="states">States over time</h2><dl class="pairs">${WHEN.replace("../../snapshots/", "https://evil.example/")}<dd dir="auto">snapshot 3: a</dd></dl>`,
    `<h2 id="states">Verified by everybody</h2><dl class="pairs"></dl>`,
  ];
  for (const lie of lies) assert.ok(!isStamped(page("<!--stamp:states-->"), page(lie)), lie);
  assert.ok(!isStamped(page("<!--stamp:leaks-->"), page("<p>Nothing is gated here. Rule 2; </p>")));
  for (const lie of ["https://evil.example/", "//evil.example/", "/\\evil.example/"])
    assert.ok(!isStamped(page("<!--stamp:first-->"), page(`<a href="${lie}">snapshot 3</a>`)), lie);
  assert.ok(!isStamped(page("<!--stamp:first-->"), page("not known").replace("<h1>A", "<h1>B")));
  assert.ok(!isStamped(page("<!--stamp:host-->"), page('<noscript><p class="quiet">Verified by everybody.</p></noscript>')));
  assert.ok(!isStamped(page("no stamp"), page("another text")));
});
