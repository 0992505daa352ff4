import assert from "node:assert/strict";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import type { PageInput } from "#snapshots/page";
import { Claim } from "../../schema/claims.ts";
import { pageMarkdown } from "./markdown.ts";

const CLAIM = { id: "c", title: "T", status: "scoped", scope: "here", statement: "s" };
const twin = (more: object): string => {
  const claim = Claim.parse({ ...CLAIM, ...more });
  const model = { page: "claim", claim, records: [], standing: { state: "scoped", evidence: "unpinned", says: "scoped" } };
  return (
    pageMarkdown(
      { model, chrome: { library: "L", path: "/claims/c/" } } as unknown as PageInput,
      { href: (path) => path, proofs: [] },
      null,
    ) ?? ""
  );
};
const html = (more: object): string => new MarkdownIt({ html: true, linkify: true }).render(twin(more));
const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

test("a command stands in a twin byte for byte: who copies it makes the same file", () => {
  for (const command of [
    "cat <<EOF > f\nline one\n\n\n\nline five\nEOF\nsha256sum f",
    "\n\n\n\n",
    "a\n\n\n```\n\n\nb",
    "one\n\n\n",
    "\tprintf '\\n\\n\\n'",
  ])
    for (const field of ["reproduce", "verify"])
      assert.ok(
        html({ [field]: ["first", command, "last"] }).includes(`<pre><code>${escape(command)}\n</code></pre>`),
        JSON.stringify(command),
      );
});

test("what an author writes is text to a reader of Markdown, and begins neither list nor heading nor entity", () => {
  for (const text of [
    "1. &lt;b&gt; x",
    "12) twelve",
    "- a point",
    "+ another",
    "=== a line",
    "--- a rule",
    "R&amp;D &#60; R&D & more",
    "&copy; 2026",
    "# no heading *no* _no_ <b>no</b> `no` ~~no~~ [no](x) | no",
    "2026. A year",
  ]) {
    const read = html({ statement: text, title: text, gaps: [text] });
    assert.ok(read.includes(`<p>${escape(text)}</p>`), `${text}: ${read}`);
    assert.ok(read.includes(`<h1>${escape(text)}</h1>`), text);
    assert.ok(read.includes(`<li>${escape(text)}</li>`), text);
  }
});

test("a twin has no two blank lines in a row outside its fences", () => {
  assert.doesNotMatch(twin({ reproduce: ["a", "b"], gaps: ["g"] }), /\n{3,}/);
});
