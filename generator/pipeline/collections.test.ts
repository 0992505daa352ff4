import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

import { type Config, openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { ask, openFixtureView } from "../testing/view.ts";

import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { build, verifyLibrary } from "../testing/whole.ts";

/** One collection in a folder of a folder, one gated, and one of all that is left over. */
async function openLibrary(t: TestContext): Promise<Config> {
  const dir = mkdtempSync(join(tmpdir(), "collections-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["library/books/first/one.md", "# One\n\nA zebra.\n"],
    ["library/books/second/two.md", "# Two\n\nA zebra.\n"],
    ["library/three.md", "# Three\n\nA zebra.\n"],
    ["library/drafts/gated.md", "# Gated\n\nA hidden zebra.\n"],
    [
      "registry.json",
      JSON.stringify({
        cubs: [
          { id: "CUB-0001", repo: "r", theorem_name: "t", statement: "True" },
          { id: "CUB-0002", repo: "r", theorem_name: "u", statement: "True", links: { code: "https://code.example/2" } },
        ],
      }),
    ],
    [
      "proofshelf.yaml",
      "baseUrl: https://library.example\nregistryUrl: https://registry.example\nstore: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\nregistry: { path: ./registry.json }\ndeclared: { public: 11, email_gated: 12 }\ncollections:\n  - { id: first, prefix: books/first/, title: First, visibility: public }\n  - { id: rest, prefix: '', title: The rest, visibility: public }\n  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }\n",
    ],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  await build(config, { progress: SILENT }, PAGED_PARTS);
  return config;
}

test("a collection of all that is left over is not chosen unasked, is restricted to when chosen, and counts as one of the collections", async (t) => {
  const config = await openLibrary(t);
  const view = await openFixtureView(config);
  const form = (await ask(view, "/search/")).text;
  assert.doesNotMatch(form, /<option[^>]* selected/);
  assert.match(form, /<option value="=rest">The rest<\/option>/);
  const hits = async (prefix: string): Promise<string[]> => {
    const { text } = await ask(view, `/search/?q=zebra&prefix=${encodeURIComponent(prefix)}`);
    return [...text.matchAll(/class="card-title[^>]*>([^<]*)</g)].map(([, title = ""]) => title).sort();
  };
  assert.deepEqual(await hits(""), ["One", "Three", "Two"]);
  assert.deepEqual(await hits("=rest"), ["Three", "Two"]);
  assert.deepEqual(await hits("books/first/"), ["One"]);
  const chosen = (await ask(view, "/search/?q=zebra&prefix=%3Drest")).text;
  assert.match(chosen, /<option value="=rest" selected>/);
  const { text } = await ask(view, "/browse/");
  assert.match(text, /<h1[^>]*>All collections<\/h1>/);
  assert.match(text, />2\scollections</);
  assert.match((await ask(await openFixtureView(config, "internal"), "/browse/")).text, />3\scollections</);
});

test("capabilities state the numbers of collections, counted and declared, and a record's empty links are filled", async (t) => {
  const config = await openLibrary(t);
  for (const name of ["public", "internal"] as const) {
    const view = await openFixtureView(config, name);
    const { collections } = (await ask(view, "/api/capabilities")).json() as { collections: object };
    assert.deepEqual(collections, { public: 2, email_gated: 1, declared: { public: 11, email_gated: 12 } });
    assert.deepEqual(((await ask(view, "/api/catalog")).json() as { declared: object }).declared, { public: 11, email_gated: 12 });
  }
  const view = await openFixtureView(config);
  const linksOf = async (id: string) => ((await ask(view, `/api/cubs/${id}`)).json() as { links: object }).links;
  assert.deepEqual(await linksOf("CUB-0001"), {
    api: "https://library.example/api/cubs/CUB-0001",
    code: "https://library.example/api/cubs/CUB-0001/code",
    registry: "https://registry.example",
  });
  assert.deepEqual(((await linksOf("CUB-0002")) as { code: string }).code, "https://code.example/2");
  assert.deepEqual(await verifyLibrary(config, { snapshots: "current" }, PAGED_PARTS), []);
});
