import assert from "node:assert/strict";
import { test } from "node:test";
import { fitObjectHtml, scrollsWhole } from "./object-html.ts";

const INLINE = '<p><math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math></p>';
const DISPLAYED = '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mi>x</mi></math>';

test("a keyboard reaches whatever scrolls in itself: code, tables, formulas on lines of their own; once", () => {
  for (const html of ["<pre><code>x</code></pre>", '<table class="data"><tbody></tbody></table>', DISPLAYED]) {
    const [tag = ""] = /<[^>]*>/.exec(fitObjectHtml(html, "")) ?? [];
    assert.match(tag, /^<\w+ tabindex="0"/);
    assert.equal(fitObjectHtml(fitObjectHtml(html, ""), ""), fitObjectHtml(html, ""));
  }
});

test("a formula within a line is no stop of its own: the text that holds it is one, since it scrolls as a whole", () => {
  assert.equal(fitObjectHtml(INLINE, ""), INLINE);
  assert.equal(scrollsWhole(INLINE), true);
  assert.equal(scrollsWhole(DISPLAYED), false);
  assert.equal(scrollsWhole("<p>&lt;math></p>"), false);
});
