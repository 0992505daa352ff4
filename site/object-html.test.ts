import assert from "node:assert/strict";
import { test } from "node:test";
import { breakNames, fitObjectHtml, scrollsWhole } from "./object-html.ts";

const INLINE = '<p><math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math></p>';
const DISPLAYED = '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mi>x</mi></math>';

test("a keyboard reaches whatever scrolls in itself: code, tables, formulas on lines of their own; once", () => {
  for (const html of ["<pre><code>x</code></pre>", '<table class="data"><tbody></tbody></table>', DISPLAYED]) {
    const [tag = ""] = /<[^>]*>/.exec(fitObjectHtml(html, "")) ?? [];
    assert.match(tag, /^<\w+ tabindex="0"/);
    assert.equal(fitObjectHtml(fitObjectHtml(html, ""), ""), fitObjectHtml(html, ""));
  }
});

test("a document's own title is not said twice, whatever is around it", () => {
  for (const around of [
    "<h1>Futures</h1>",
    '<div class="body">\n<h1 id="L3">Futures<a href="#f">¶</a></h1>',
    "<section><p></p><h2>Futures</h2>",
  ])
    assert.doesNotMatch(fitObjectHtml(`${around}<p>Text.</p>`, "Futures"), /Futures/, around);
  assert.match(
    fitObjectHtml('<h1 id="doc-futures"><span id="L1"></span>Futures</h1><p>Text.</p>', "Futures"),
    /id="doc-futures".*id="L1".*<p>/,
  );
  for (const kept of ["<p>Text.</p><h1>Futures</h1>", "<h1>Futures past</h1>"])
    assert.match(fitObjectHtml(kept, "Futures"), /Futures/, kept);
});

test("a long licence above code is set apart in its place, and nothing else is", () => {
  const line = (number: number, text: string): string => `<span class="line" id="L${number}">${text}</span>`;
  const code = (comments: readonly string[]): string =>
    `<pre><code>${[...comments.map((text) => `<span class="c">${text}</span>`), "", "Lemma a."].map((text, at) => line(at + 1, text)).join("\n")}</code></pre>`;
  const licence = ["(*", " Copyright", " of", " more", " lines", "*)"];
  const html = fitObjectHtml(code(licence), "");
  assert.match(html, /^<details class="fold"><summary>Licence, 6 lines<\/summary><\/details><pre/);
  assert.match(html, /<span class="licence"><span class="line" id="L1">/);
  assert.equal(html.indexOf('id="L7"') > html.indexOf("\n</span>"), true);
  assert.match(html, /id="L8"><a [^>]*>8<\/a>/);
  assert.match(fitObjectHtml(code(licence.slice(0, 5)), ""), /id="L7"><a [^>]*><\/a>/);
  for (const other of [licence.slice(0, 5), licence.map((text) => text.replace("Copyright", "Sorting"))])
    assert.doesNotMatch(fitObjectHtml(code(other), ""), /fold/);
});

test("headings stand one level below what they belong to, whatever levels their author or a cut left out", () => {
  const levels = (...written: readonly number[]): string =>
    [...fitObjectHtml(`<p>x</p>${written.map((level) => `<h${level}>t</h${level}>`).join("")}`, "").matchAll(/<h(\d)>t<\/h\1>/g)]
      .map(([, level]) => level)
      .join("");
  assert.equal(levels(1, 2, 2, 3), "2334");
  assert.equal(levels(2, 4, 4, 2, 3), "23323");
  assert.equal(levels(5, 3, 4, 1), "2232");
  assert.equal(levels(1, 2, 3, 4, 5, 6), "234566");
  const once = fitObjectHtml("<p>x</p><h5>a</h5><h3>b</h3><h4>c</h4>", "");
  assert.equal(fitObjectHtml(once, ""), once);
});

test("a formula within a line is no stop of its own: the text that holds it is one, since it scrolls as a whole", () => {
  assert.equal(fitObjectHtml(INLINE, ""), INLINE);
  assert.equal(scrollsWhole(INLINE), true);
  assert.equal(scrollsWhole(DISPLAYED), false);
  assert.equal(scrollsWhole("<p>&lt;math></p>"), false);
});

test("a long name of code breaks after a dot or an underscore, and neither its link nor its signs change", () => {
  const html = '<a href="a_b.v/#L1" data-type="x.y -&gt; z">Spaces.point_set</a> x &lt; 1.5 ..';
  assert.equal(breakNames(html), html.replace("Spaces.point_set", "Spaces.<wbr>point_<wbr>set").replace("1.5", "1.<wbr>5"));
});
