import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { linkEnd, openSite, siteEnds } from "../../snapshots/format/index.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { ask, openFixtureView } from "../testing/view.ts";

import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { build, verifyLibrary } from "../testing/whole.ts";

/** One pixel. */
const DOT = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

test("a link to nothing is text and reported, one to what is gated is text for the public, and each is a link when it leads somewhere", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "dead-links-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const links =
    "[gone](gone.md) [out](https://example.org/x.md) [there](deep/there.md#part) [folder](deep/) [no folder](none/) [gated](../b/plan.md) [self](#here) ![pic of a pin](p.png) ![there it is](dot.png)";
  await writeFiles(dir, [
    ["library/a/one.md", `# One\n\n${links}\n`],
    ["library/a/dot.png", DOT],
    ["library/a/deep/there.md", "# There\n\n## Part\n"],
    ["library/b/plan.md", "# Plan\n\n[back](../a/one.md)\n"],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections:\n  - { id: a, prefix: a/, title: A, visibility: public }\n  - { id: b, prefix: b/, title: B, visibility: email-gated }\n",
    ],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  const linked = async (name: "public" | "internal"): Promise<string[]> => {
    const { text } = await ask(await openFixtureView(config, name), "/object/a/one.md/");
    assert.match(text, /gone/);
    const content = /aria-label="Content"[^]*?<\/section>/.exec(text)?.[0] ?? "";
    return [...content.matchAll(/<a [^>]*>([^<]*)<\/a>/g)].map(([, shown = ""]) => shown);
  };
  const first = await build(config, { progress: SILENT }, PAGED_PARTS);
  assert.match(
    first.notes.join("\n"),
    /These links and images lead to nothing .*: "a\/one\.md" to "a\/gone\.md"; "a\/one\.md" to "a\/none\/"; "a\/one\.md" to "a\/p\.png"\./,
  );
  assert.deepEqual(await linked("public"), ["out", "there", "folder", "self"]);
  const { text } = await ask(await openFixtureView(config, "public"), "/object/a/one.md/");
  assert.match(text, / pic of a pin <img src="[^"]*objects\/a\/dot\.png" alt="there it is"/);
  assert.deepEqual(await linked("internal"), ["out", "there", "folder", "gated", "self"]);
  assert.match((await build(config, { progress: SILENT }, PAGED_PARTS)).notes.join(), /a\/gone\.md/, "said at every build");
  // In another folder than the page that links to it.
  await writeFiles(dir, [["library/a/none/new.md", "# New\n"]]);
  rmSync(join(dir, "library/a/deep/there.md"));
  await build(config, { progress: SILENT, acceptLoss: true }, PAGED_PARTS);
  assert.deepEqual(await linked("public"), ["out", "no folder", "self"]);
  // The source itself names the gated key, which is a warning.
  const findings = await verifyLibrary(config, { snapshots: "current" }, PAGED_PARTS);
  assert.deepEqual(
    findings.filter(({ severity }) => severity === "error"),
    [],
  );
});

test("a link as sites write it leads to the one object that it means, follows it when it comes and goes, and to several leads nowhere", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "site-links-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const links =
    "[bare](setup) [html](setup.html) [rooted](/guide/setup) [index](/guide/deep/) [part](/guide/setup#way) [folder](deep) [both](two) [later](later.html) ![rooted](/img/dot.png)";
  await writeFiles(dir, [
    ["library/docs/guide/one.md", `# One\n\n${links}\n`],
    ["library/docs/guide/setup.md", "# Setup\n"],
    ["library/docs/guide/deep/index.md", "# Deep\n"],
    ["library/docs/guide/two.md", "# Two\n"],
    ["library/docs/guide/two.html", "<h1>Two</h1>"],
    ["library/docs/img/dot.png", DOT],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\nlinks: { dead: ignore }\ncollections:\n  - { id: docs, prefix: docs/, title: Docs, visibility: public }\n",
    ],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  const linked = async (): Promise<string[]> => {
    const { text } = await ask(await openFixtureView(config, "public"), "/object/docs/guide/one.md/");
    const content = /aria-label="Content"[^]*?<\/section>/.exec(text)?.[0] ?? "";
    return [...content.matchAll(/<(?:a|img) [^>]*?(?:href|src)="(?:\.\.\/)*([^"]*)"/g)].map(([, address = ""]) => address);
  };
  const first = await build(config, { progress: SILENT }, PAGED_PARTS);
  assert.deepEqual(first.dead_links, [
    { key: "docs/guide/one.md", target: "docs/guide/two" },
    { key: "docs/guide/one.md", target: "docs/guide/later.html" },
  ]);
  assert.doesNotMatch(first.notes.join(), /lead to nothing/);
  const setup = "setup.md/";
  const deep = "deep/index.md/";
  assert.deepEqual(await linked(), [setup, setup, setup, deep, `${setup}#doc-way`, deep, "objects/docs/img/dot.png"]);
  await writeFiles(dir, [["library/docs/guide/later.md", "# Later\n"]]);
  rmSync(join(dir, "library/docs/guide/two.html"));
  const second = await build(config, { progress: SILENT, acceptLoss: true }, PAGED_PARTS);
  assert.deepEqual(second.dead_links, []);
  assert.deepEqual((await linked()).slice(6), ["two.md/", "later.md/", "objects/docs/img/dot.png"]);
  assert.deepEqual(
    (await verifyLibrary(config, { snapshots: "current" }, PAGED_PARTS)).filter(({ severity }) => severity === "error"),
    [],
  );
});

test("a link leads where the conventions of generators put a file: public folders, dates, numbers, pages that are folders", () => {
  const keys = [
    "a/public/pic.png",
    "a/_posts/2020-01-02-news.md",
    "a/_docs/02-setup.md",
    "a/_docs/deep/one.md",
    "a/_docs/deep/two.md",
    "b/one.md",
    "b/two.md",
    "two.md",
    "a/_docs/long.ipynb.gz",
  ];
  const leadsTo = openSite(keys.map((key) => ({ key })));
  const from = "a/_docs/deep/one.md";
  // Of several of one name that from the root of all notes counts; the first page of a site is that of its root.
  const wiki = openSite(
    ["v/index.rst", "v/Sync/Private.md", "v/Web/Private.md", "v/Web/Daily Notes.md", "v/Web/deep/index.rst"].map((key) => ({ key })),
  );
  assert.equal(wiki("v/Web/deep/x.md", "v/Web/deep/Sync/Private"), "v/Sync/Private.md");
  assert.equal(wiki("v/Web/deep/x.md", "v/Web/deep/Private"), "v/Web/Private.md");
  assert.equal(wiki("v/other/x.md", "v/other/Private"), null);
  assert.equal(wiki("v/Sync/Private.md", "v/Sync/daily notes"), "v/Web/Daily Notes.md");
  assert.ok(siteEnds("v/Web/Daily Notes.md").includes(linkEnd("v/Sync/daily notes")));
  assert.equal(wiki("v/Web/deep/x.rst", "index.rst"), "v/index.rst");
  assert.ok(siteEnds("v/index.rst").includes(linkEnd("index.rst")));
  const built = openSite(["b/_sources/page.ipynb", "b/conf.py", "b/_images/icon.png", "b/page.html"].map((key) => ({ key })));
  assert.equal(built("b/_sources/page.ipynb", "b/_sources/conf.py"), "b/conf.py");
  assert.equal(built("b/_sources/page.ipynb", "b/_sources/images/icon.png"), "b/_images/icon.png");
  assert.equal(built("b/_sources/page.ipynb", "b/_sources/matplotlibrc"), null);
  const cases: readonly (readonly [string, string | null])[] = [
    ["pic.png", "a/public/pic.png"],
    ["news/2020/01/02/news/", "a/_posts/2020-01-02-news.md"],
    ["docs/setup/", "a/_docs/02-setup.md"],
    ["docs/02-setup.html", "a/_docs/02-setup.md"],
    ["a/_docs/two/", "a/_docs/deep/two.md"],
    ["a/_docs/long.ipynb", "a/_docs/long.ipynb.gz"],
    ["nothing/", null],
  ];
  for (const [target, led] of cases) {
    assert.equal(leadsTo(from, target), led, target);
    if (led !== null) assert.ok(siteEnds(led).includes(linkEnd(target)), `${target} is looked at again when ${led} comes`);
  }
});

test("a link leads to the page that gives itself the address: permalink, slug, aliases, of the nearest site", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "addresses-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const links = "[a](/docs/start/) [b](/docs/start.html#top) [c](/old/) [d](/older.html) [e](/slugged) [f](/nowhere/)";
  const store = (prefix: string): string => `  - { id: ${prefix}, prefix: ${prefix}/, title: ${prefix}, visibility: public }\n`;
  await writeFiles(dir, [
    [
      "library/one/_docs/begin.md",
      "---\ntitle: Begin\npermalink: /docs/start/\nredirect_from:\n  - /old/\n  - /older.html\n---\n\nText.\n",
    ],
    ["library/one/_docs/slug.md", "---\nslug: /slugged\naliases: [A title of it, '/:pattern/']\n---\n\n# Slug\n"],
    ["library/one/_posts/2020-01-02-news.md", `# News\n\n${links}\n`],
    ["library/two/other.md", "---\npermalink: /docs/start/\n---\n\n# Other\n"],
    ["library/two/from.md", "# From\n\n[a](/docs/start/)\n"],
    [
      "proofshelf.yaml",
      `store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections:\n${store("one")}${store("two")}`,
    ],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  const first = await build(config, { progress: SILENT }, PAGED_PARTS);
  assert.deepEqual(first.dead_links, [{ key: "one/_posts/2020-01-02-news.md", target: "nowhere/" }]);
  const linked = async (key: string): Promise<string[]> => {
    const { text } = await ask(await openFixtureView(config, "public"), `/object/${key}/`);
    const content = /aria-label="Content"[^]*?<\/section>/.exec(text)?.[0] ?? "";
    return [...content.matchAll(/<a [^>]*?href="(?:\.\.\/)*([^"#]*)/g)].map(([, address = ""]) => address);
  };
  const begin = "_docs/begin.md/";
  assert.deepEqual(await linked("one/_posts/2020-01-02-news.md"), [begin, begin, begin, begin, "_docs/slug.md/"]);
  assert.deepEqual(await linked("two/from.md"), ["other.md/"]);
  await writeFiles(dir, [["library/one/_docs/slug.md", "---\nslug: /nowhere\n---\n\n# Slug\n"]]);
  const second = await build(config, { progress: SILENT }, PAGED_PARTS);
  assert.deepEqual(second.dead_links, [{ key: "one/_posts/2020-01-02-news.md", target: "slugged" }]);
  assert.deepEqual(await linked("one/_posts/2020-01-02-news.md"), [begin, begin, begin, begin, "_docs/slug.md/"]);
});
