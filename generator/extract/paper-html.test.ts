import assert from "node:assert/strict";
import { test } from "node:test";
import { extract } from "./extract.ts";

const formula = (tex: string, display = "inline"): string =>
  `<math class="ltx_Math" alttext="${tex}" display="${display}"><semantics><mi>x</mi><annotation encoding="application/x-tex">${tex}</annotation></semantics></math>`;
const NOTE = `<span id="footnote1" class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">1</sup><span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">1</sup><span class="ltx_tag ltx_tag_note">1</span>A note says more.</span></span></span>`;
const PAPER = `<!DOCTYPE html><html><head><title>[2401.00001] On Bounds</title></head><body><article class="ltx_document">
<h1 class="ltx_title">On Bounds</h1>
<div class="ltx_authors"><span class="ltx_creator"><span class="ltx_personname">Ana Ruiz<sup class="ltx_sup">1</sup></span><span class="ltx_author_notes">University</span></span><span class="ltx_personname">Bo Lind</span></div>
<p class="ltx_p">The bound began here.${NOTE} See <a href="#S1.E1">1</a>.</p>
<p class="ltx_p">${formula("a+b")} is the sum, and so is ${formula("b+a")}</p>
<table class="ltx_equation ltx_eqn_table" id="S1.E1"><tbody><tr class="ltx_eqn_row"><td class="ltx_eqn_cell"></td><td>${formula("E=mc^2", "block")}</td><td><span class="ltx_tag_equation">(1)</span></td></tr></tbody></table>
<div class="ltx_listing ltx_lst_language_Python"><div class="ltx_listing_data"><a href="data:text/plain;base64,eA==">⬇</a></div><div class="ltx_listingline"><span class="ltx_tag ltx_tag_listingline">1</span>def f(x):</div><div class="ltx_listingline"><span class="ltx_tag ltx_tag_listingline">2</span>\u00a0\u00a0return x</div></div>
<ul class="ltx_itemize"><li class="ltx_item"><span class="ltx_tag ltx_tag_item">•</span><div class="ltx_para"><p>First item.</p></div></li></ul>
</article></body></html>`;

test("a paper of arXiv in HTML has its authors, its notes at the end, formulas with their numbers, code as code, and no mark twice", async () => {
  const { title, html, about, passages } = await extract("a.html", Buffer.from(PAPER));
  assert.deepEqual(about?.authors, ["Ana Ruiz", "Bo Lind"]);
  assert.equal(title, "On Bounds");
  assert.match(html ?? "", /<\/sup><\/span> <span>University/);
  assert.match(html ?? "", /began here\.<sup><a href="#doc-fn-1" id="doc-fnref-1">1<\/a><\/sup> See/);
  assert.match(html ?? "", /<li id="doc-fn-1"><p>A note says more\.<\/p><\/li>/);
  assert.match(html ?? "", /<div id="doc-S1\.E1"><p[^>]*>\s*<math display="block">/);
  assert.match(html ?? "", /<pre class="code"[^>]*><code><span class="k">def<\/span>[^]*\n {2}<span class="k">return<\/span> x/);
  assert.doesNotMatch(html ?? "", /•|⬇|base64/);
  const said = passages.map(({ text }) => text).join("\n");
  assert.match(said, /began here\.A note says more\. See 1\./);
  assert.match(said, /^a\+b is the sum, and so is b\+a$/m);
  assert.match(said, /^E=mc\^2 \(1\)$/m);
});
