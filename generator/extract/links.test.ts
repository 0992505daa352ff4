import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fillInLinks, resolveImage, resolveLink } from "./links.ts";

const href = (written: string, key = "notes/deep/a.md"): string | null => resolveLink(key, written)?.href ?? null;

test("a scheme that runs something is no link, however it is disguised", () => {
  for (const written of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "java\tscript:x",
    "\u0001javascript:x",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:x",
    "about:blank",
    "https://bank.example@evil.example/",
    "http://[",
    "https:",
  ]) {
    assert.equal(href(written), null, JSON.stringify(written));
  }
});

test("no link leads out of the library by dots, encoded or not", () => {
  assert.equal(href("../../../x"), null);
  assert.equal(href("%2e%2e/%2e%2e/%2e%2e/x"), null);
  assert.equal(href("%00"), null);
  assert.equal(href("%ff"), null);
});

test("relative links are keys in the object's folder", () => {
  assert.equal(href("b.md"), "../b.md/");
  assert.equal(href("../b c.md#Part"), "../../b=20c.md/#doc-Part");
  assert.equal(href("../b%20c.md?x=1#L12"), "../../b=20c.md/#L12");
  assert.equal(href("/top.md"), "../../../top.md/");
  assert.equal(href("sub/"), "../../../../browse/notes/deep/sub/");
  assert.equal(href(".."), "../../../../browse/notes/");
  assert.equal(href("#part-two"), "#doc-part-two");
  assert.equal(href("#L3-L9"), "#L3-L9");
});

test("external links keep their address, protocol-relative ones become https", () => {
  assert.deepEqual(resolveLink("a.md", "https://example.org/a?b#c"), {
    kind: "external",
    href: "https://example.org/a?b#c",
  });
  assert.equal(href("//example.org/x"), "https://example.org/x");
  assert.equal(href("mailto:a@example.org"), "mailto:a@example.org");
});

test("an image is an object's bytes or not shown", () => {
  assert.equal(resolveImage("notes/a.md", "img/p.png")?.href, "../../../objects/notes/img/p.png");
  assert.equal(resolveImage("notes/a.md", "https://example.org/p.png")?.kind, "external");
  assert.equal(resolveImage("notes/a.md", "data:image/png;base64,AA=="), null);
  assert.equal(resolveImage("notes/a.md", "#x"), null);
});

test("whatever is written, a link is https, http, mailto, a fragment, or relative", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (written) => {
      const target = resolveLink("a/b.md", written);
      if (target === null) return;
      const url = new URL(target.href, "https://library.invalid/object/a/b.md/");
      assert.ok(target.kind === "external" ? /^(https?|mailto):$/.test(url.protocol) : url.host === "library.invalid", target.href);
    }),
  );
});

test("what a generator of sites fills in is its address, and what it alone knows is no link", () => {
  assert.equal(href("{{ '/top/' | relative_url }}#part"), "../../../../browse/top/#doc-part");
  assert.equal(href("{% link notes/b.md %}"), "../../b.md/");
  assert.equal(href("{{ site.baseurl }}/top.md"), "../../../top.md/");
  assert.equal(href('{{< relref "b.md" >}}'), "../b.md/");
  for (const written of ["{{ page.url }}", "{{ 'javascript:alert(1)' }}", "{% include x %}", "/a/{{ page.next }}"])
    assert.equal(href(written), null, written);
  assert.equal(
    fillInLinks("a\n[x]({{ '/docs/' | relative_url }}), [y](b.md), [z]({% post_url 2020-01-02-x %}) and `({{ x }})`\n"),
    "a\n[x](/docs/), [y](b.md), [z](/_posts/2020-01-02-x) and `({{ x }})`\n",
  );
});

test("a fragment leads to an id of the document, whatever it begins with", () => {
  for (const [written, led] of [
    ["#doc-comments", "#doc-doc-comments"],
    ["#usage-1", "#doc-usage-1"],
    ["b.md#doc-x", "../b.md/#doc-doc-x"],
    ["#L12", "#L12"],
    ["#100%", "#doc-100%25"],
  ] as const)
    assert.equal(href(written), led, written);
});
