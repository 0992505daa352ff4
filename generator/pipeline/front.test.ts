import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { ask, openFixtureView } from "../testing/view.ts";

import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { build, verifyLibrary } from "../testing/whole.ts";

const CONFIG =
  "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\nregistry: { path: ./registry.json }\ncollections:\n  - { id: notes, prefix: notes/, title: Notes, visibility: public }\n  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }\n";
const registryOf = (state: string): string =>
  JSON.stringify({ cubs: [{ id: "CUB-0001", repo: "r", theorem_name: "keeps_order", statement: "True", verification_state: state }] });

async function openLibrary(t: TestContext, front: string) {
  const dir = mkdtempSync(join(tmpdir(), "front-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["library/notes/front.md", "# About\n\n## Claims\n\nRead [the first](one.md#claims) and [a draft](none.md).\n"],
    ["library/notes/one.md", "# One\n\nA zebra.\n"],
    ["library/drafts/about.md", "# About drafts\n\nA hidden okapi.\n"],
    ["registry.json", registryOf("VERIFIED")],
    ["proofshelf.yaml", `${CONFIG}front: ${front}\n`],
  ]);
  return { dir, config: await openConfig(join(dir, "proofshelf.yaml")) };
}

test("the front page opens with the text that the configuration names, its links leading from there, and follows it", async (t) => {
  const { dir, config } = await openLibrary(t, "notes/front.md");
  await build(config, { progress: SILENT }, PAGED_PARTS);
  const first = (await ask(await openFixtureView(config), "/")).text;
  assert.match(first, /aria-label="About this library"[^]*<a href="object\/notes\/one\.md\/#doc-claims">the first<\/a> and a draft\./);
  assert.ok((first.match(/ id="claims"/g) ?? []).length <= 1, "a heading of the text takes no id of the page");
  writeFileSync(join(dir, "library/notes/front.md"), "# About\n\nAnother zebra.\n");
  await build(config, { progress: SILENT }, PAGED_PARTS);
  assert.match((await ask(await openFixtureView(config), "/")).text, /Another zebra/);
  assert.deepEqual(await verifyLibrary(config, { snapshots: "current" }, PAGED_PARTS), []);
});

test("a text that is gated opens the internal view's front page, and the public one does not know its name", async (t) => {
  const { config } = await openLibrary(t, "drafts/about.md");
  const { notes } = await build(config, { progress: SILENT }, PAGED_PARTS);
  const view = await openFixtureView(config);
  assert.doesNotMatch((await ask(view, "/")).text, /okapi|drafts/);
  assert.match((await ask(await openFixtureView(config, "internal"), "/")).text, /A hidden okapi/);
  assert.doesNotMatch(notes.join("\n"), /front page/);
});

test("a key that no object has is a note of the build, and the front page stands", async (t) => {
  const { config } = await openLibrary(t, "notes/none.md");
  const { notes } = await build(config, { progress: SILENT }, PAGED_PARTS);
  assert.match(notes.join("\n"), /The front page has no text: no object has the key "notes\/none\.md"/);
  assert.match((await ask(await openFixtureView(config), "/")).text, /2\sobjects in 1\scollection/);
});

test("the front page says in a line what is new, and by name what became weaker", async (t) => {
  const { dir, config } = await openLibrary(t, "notes/front.md");
  await build(config, { progress: SILENT }, PAGED_PARTS);
  assert.doesNotMatch((await ask(await openFixtureView(config), "/")).text, /<li>added: /, "of the first publication everything is new");
  for (const text of ["# One & more\n\nA zebra and a gnu.\n", "# One & more\n\nTwo gnus.\n"]) {
    writeFileSync(join(dir, "library/notes/one.md"), text);
    writeFileSync(join(dir, "registry.json"), registryOf("NOT_VERIFIED"));
    await build(config, { progress: SILENT }, PAGED_PARTS);
  }
  const { text } = await ask(await openFixtureView(config), "/");
  assert.match(
    text,
    /weaker: <a href="registry\/CUB-0001\/"><bdi>keeps_order<\/bdi><\/a>: verification_state was VERIFIED and is NOT_VERIFIED<\/li><\/ul>/,
  );
  assert.match(text, /0 added, 1 changed, 0 removed → <a href="snapshots\/[0-9a-f]{64}\.\.[0-9a-f]{64}\/">what changed<\/a>/);
});
