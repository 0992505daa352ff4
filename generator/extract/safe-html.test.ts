/** Fragments of hostile documents hold nothing but an allow-list of elements, attributes and addresses. The list here is
 *  written from the contract (snapshots/schema/extract.ts) and checked on the parse of the output, as a browser sees it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defaultTreeAdapter as adapter, parseFragment, type DefaultTreeAdapterMap } from "parse5";
import { extract } from "./extract.ts";

const MATH = [
  "math",
  "semantics",
  "annotation",
  "mrow",
  "mi",
  "mo",
  "mn",
  "ms",
  "mtext",
  "mspace",
  "msup",
  "msub",
  "msubsup",
  "mfrac",
  "msqrt",
  "mroot",
  "mover",
  "munder",
  "munderover",
  "mtable",
  "mtr",
  "mtd",
  "mstyle",
  "mpadded",
  "mphantom",
  "menclose",
  "mlabeledtr",
  "merror",
  "mmultiscripts",
];
const ELEMENTS = new Set([
  ..."a abbr b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p".split(
    " ",
  ),
  ..."pre q rp rt ruby s samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr".split(" "),
  ...MATH,
]);
const ATTRIBUTES = new Set(
  "id class href rel src alt title lang dir colspan rowspan scope start open datetime width height type checked disabled loading aria-label".split(
    " ",
  ),
);
/** MathML attributes that KaTeX writes; none takes an address. */
const MATH_ATTRIBUTES = new Set(
  (
    "xmlns display encoding mathvariant stretchy fence separator lspace rspace minsize maxsize form accent accentunder linethickness width height depth " +
    "voffset scriptlevel displaystyle columnalign columnspacing rowspacing columnlines rowlines notation mathcolor mathbackground mathsize symmetric " +
    "largeop movablelimits side frame align class"
  ).split(" "),
);

function check(html: string): void {
  const visit = (node: DefaultTreeAdapterMap["node"], math: boolean): void => {
    if (adapter.isCommentNode(node)) assert.fail("a comment");
    const inside = math || (adapter.isElementNode(node) && node.tagName === "math");
    if (adapter.isElementNode(node)) {
      assert.ok(ELEMENTS.has(node.tagName), `<${node.tagName}> in ${html.slice(0, 300)}`);
      for (const { name, value } of node.attrs) {
        assert.ok(inside ? MATH_ATTRIBUTES.has(name) : ATTRIBUTES.has(name), `${node.tagName} ${name}="${value}"`);
        if (name === "href") assert.match(value, /^(?:https?:\/\/|mailto:|#|\.{1,2}\/|[^:]*$)/);
        if (name === "src") assert.match(value, /^(?:\.\.\/)*objects\//);
        if (name === "id") assert.match(value, /^(?:doc-|L\d+$)/);
        if (name === "type") assert.equal(value, "checkbox");
      }
      if (node.tagName === "a") {
        const href = node.attrs.find(({ name }) => name === "href")?.value ?? "";
        const rel = node.attrs.find(({ name }) => name === "rel")?.value;
        if (/^(?:https?|mailto):/.test(href)) assert.equal(rel, "nofollow noopener noreferrer");
      }
    }
    if ("childNodes" in node) for (const child of node.childNodes) visit(child, inside);
  };
  visit(parseFragment(html), false);
}

const VECTORS = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><script>x</script></svg>",
  "<svg><style><img src=x onerror=alert(1)></style></svg>",
  "<a href='javascript:alert(1)'>x</a>",
  "<a href='jav&#x0A;ascript:alert(1)'>x</a>",
  "<a href=data:text/html;base64,PHNjcmlwdD4=>x</a>",
  "[x](javascript:alert(1))",
  "[x](<java\tscript:alert(1)>)",
  "![x](javascript:alert(1))",
  "![x](https://evil.example/p.png)",
  "<javascript:alert(1)>",
  "[x]: javascript:alert(1)\n[x]",
  "<style>body{display:none}</style>",
  "<p style='background:url(//evil.example)'>x</p>",
  "<base href=//evil.example>",
  "<meta http-equiv=refresh content='0;url=//evil.example'>",
  "<form action=//evil.example><input name=password type=password><button>x</button></form>",
  "<iframe srcdoc='<script>x</script>'></iframe>",
  "<object data=x></object><embed src=x>",
  "<img id=getElementById name=cookie>",
  "<a id=search name=body href=#>x</a>",
  "<form id=location><input name=href></form>",
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
  "<textarea><img src=x onerror=alert(1)></textarea>",
  "<title><img src=x onerror=x></title>",
  "<xmp><img src=x onerror=x></xmp>",
  "<template><img src=x onerror=x></template>",
  "<link rel=stylesheet href=//evil.example>",
  "<video src=x onerror=x><source onerror=x>",
  "<details open ontoggle=alert(1)>x</details>",
  "<input type=image src=x onerror=x>",
  "<img srcset='//evil.example 1x' src=a.png>",
  "<picture><source srcset=//evil.example></picture>",
  "<table background=//evil.example><td background=x>y",
  "$\\href{javascript:alert(1)}{x}$",
  "$\\htmlStyle{color:red}{x}$ $\\htmlData{a=b}{x}$",
  "$\\includegraphics{//evil.example}$ $\\url{javascript:x}$",
  "$\\color{red}\\fcolorbox{red}{blue}{x}\\pmb{y}\\cancel{z}\\tag{1}$",
  '```"><script>alert(1)</script>\nx\n```',
  "```js\n</code></pre><script>alert(1)</script>\n```",
  "<pre><code class='language-js'></code></pre><script>alert(1)</script>",
  "<h1 id=x><h1>y</h1>",
  "<div data-l=5 id=L1 class=line>x</div>",
  "<a href='//evil.example' target=_blank>x</a>",
  '<a href="https://a:b@evil.example">x</a>',
  "<!-- --!><img src=x onerror=x> -->",
  "<?xml version=1?><![CDATA[<img onerror=x>]]>",
  "<select><option><img src=x onerror=x></select>",
  "<p/onclick=x>y",
  "<a\u0000href=javascript:x>",
  "<plaintext><script>x",
  "<svg><a xlink:href=javascript:x>y</a></svg>",
  "<isindex action=javascript:x>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
];

test("no known vector survives in Markdown, HTML, or as the text of any other type", async () => {
  for (const vector of VECTORS) {
    for (const key of ["a/b.md", "a/b.html", "a/b.txt", "a/b.csv", "a/b.tex", "a/b.js", "a/b.xml", "a/b.v", "a/b.json"]) {
      const { html } = await extract(key, Buffer.from(`${vector}\n\n${vector},"${vector}\n`));
      if (html !== null) check(html);
    }
  }
});

test("a hostile key does not get out of its links", async () => {
  for (const key of [`a"><script>x</script>.md`, "a'b/%22<b>.md", "javascript:x.md", "?#&.md"]) {
    const { html, title } = await extract(key, Buffer.from(`[x](y.md) ![p](p.png)\n${"long line\n".repeat(25_000)}`));
    check(html ?? "");
    assert.ok(title.length > 0);
  }
});

test("no mixture of vectors and Markdown survives", async () => {
  const piece = fc.oneof(
    fc.constantFrom(...VECTORS),
    fc.constantFrom(
      "\n",
      "\n\n",
      "`",
      "```\n",
      "> ",
      "- ",
      "| a | b |\n|--|--|\n| ",
      " | ",
      "*",
      "**",
      "$",
      "$$",
      "[",
      "](",
      ")",
      "<",
      ">",
      '"',
      "'",
      "</",
      "<!--",
      "-->",
      "&",
      "&#",
      "# ",
      "[^1]",
      "[^1]: ",
      "<b",
      "<td>",
      "</table>",
      "<p>",
      "<pre>",
    ),
    fc.string({ maxLength: 8 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 14 }), fc.constantFrom("a/b.md", "a/b.html"), async (pieces, key) => {
      const { html } = await extract(key, Buffer.from(pieces.join("")));
      if (html !== null) check(html);
    }),
    { numRuns: 600 },
  );
});

test("attributes named like members of an object are left out, and the rest is shown", async () => {
  const { html } = await extract("a.html", Buffer.from("<p constructor=x __proto__=y toString='a b' data-constructor=1>Hi</p>"));
  assert.equal(html, '<p id="L1">Hi</p>');
  // The lines that a document names are not its own to give.
  const lined = await extract("a.html", Buffer.from('<p>a</p><div data-l="L7">b</div><p data-l="P2L9">c</p><span data-l="L8">d</span>'));
  assert.doesNotMatch(lined.html ?? "", /L[789]/);
});

test("links of ours work: a heading is reached by its fragment, another object by its name", async () => {
  const { html } = await extract(
    "n/a.md",
    Buffer.from("# T\n\n[one](#one) [two](b.md#one) [dir](x/) ![p](p.png) [out](https://example.org)\n\n# One\n\n## Deep\n"),
  );
  assert.ok(html !== null);
  for (const part of [
    'href="#doc-one"',
    'id="doc-one"',
    'href="../b.md/#doc-one"',
    'href="../../../browse/n/x/"',
    'src="../../../objects/n/p.png"',
    'href="https://example.org/" rel="nofollow noopener noreferrer"',
    '<h2 id="doc-one">',
    '<h3 id="doc-deep">',
  ])
    assert.ok(html.includes(part), `${part} in ${html}`);
  assert.ok(!html.includes("<h1"), "the page's own heading is the only one");
  assert.ok(!html.includes(">T<"), "the title is not repeated");
});

test("formulas that a script would set are formulas, and an expression of a program is none", async () => {
  const text =
    '<p>Let \\(c\\) and <script type="math/tex">d^2</script> be \\[e_1\\] or $$f$$. Use \\(foo\\) and <code>\\(x^2\\)</code>.</p><script type="math/tex; mode=display">g</script>';
  const { html, passages } = await extract("a.html", Buffer.from(text));
  assert.equal(html?.match(/<math/g)?.length, 5);
  assert.match(html ?? "", /Use \\\(foo\\\) and <code>\\\(x\^2\\\)<\/code>/);
  assert.match(passages[0]?.text ?? "", /Let c and d\^2 be e_1 or f\. Use \\\(foo\\\)/);
});

test("what authors write against the rules of HTML is mended: ids with spaces, terms without a description, colours that MathML has not", async () => {
  for (const [key, text] of [
    ["a.html", '<p><a name="x"></a><span id="two  words">Here.</span> <a href="#two%20%20words">there</a></p>'],
    ["a.org", "* Two words\n:PROPERTIES:\n:CUSTOM_ID: own\n:END:\nSee [[Two words]].\n"],
  ] as const) {
    const html = (await extract(key, Buffer.from(text))).html ?? "";
    const [, place = ""] = /<a href="[^"]*#([^"]+)"/.exec(html) ?? [];
    assert.ok(html.includes(`id="${decodeURIComponent(place)}"`), html);
    assert.doesNotMatch(html, / id="[^"]*\s/);
  }
  const terms = "<dl><dt>a</dt><dt>b</dt></dl><dl><dt>c</dt><dd>d</dd></dl>";
  assert.equal((await extract("a.html", Buffer.from(`<p>Terms:</p>${terms}`))).html?.match(/<dd>(?=<\/dd><\/dl>)/g)?.length, 1);
  const folded = await extract("a.html", Buffer.from("<p>Folded:</p><details><p>Words.</p></details>"));
  assert.match(folded.html ?? "", /<details><summary>Details<\/summary><p/, "what is folded has a name to press");
  const signs = await extract("a.md", Buffer.from("# A\n\n$a \\bmod b$ $a \\stackrel{d}{=} b$ $\\mathbin{}x$\n"));
  assert.match(signs.html ?? "", /<mo[^>]*>mod<\/mo>[^]*<mrow><mover><mrow><mo>=<\/mo><\/mrow><mi>d<\/mi><\/mover><\/mrow>/);
  assert.doesNotMatch(signs.html ?? "", /<mo(?: [^>]*)?></, "a sign of a formula is text");
  assert.doesNotMatch((await extract("a.md", Buffer.from("$\\href{https://example.org}{x} + \\url{y}$\n"))).html ?? "", /currentcolor/);
});
