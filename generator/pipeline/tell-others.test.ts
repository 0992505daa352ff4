import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import { build, verifyLibrary } from "../testing/whole.ts";

const YAML = `store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
embeddings: { kind: none }
links: { dead: ignore }
collections:
  - { id: open, prefix: open/, title: Open, visibility: public }
  - { id: shut, prefix: shut/, title: Shut, visibility: email-gated }
`;
const MAIN = String.raw`\begin{document}
Whole text. \input{parts/one} \input{../shut/secret} By \ref{fact}.
\end{document}
`;

async function openLibrary(t: { after(work: () => void): void }, files: readonly (readonly [string, string])[]) {
  const dir = mkdtempSync(join(tmpdir(), "tell-others-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [...files.map(([key, text]) => [`library/${key}`, text] as const), ["proofshelf.yaml", YAML]]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  return {
    config,
    dir,
    build: async () => await build(config, { progress: SILENT, acceptLoss: true }, PLAIN_PARTS),
    page: async (key: string, view: "public" | "internal" = "public") =>
      (await ask(await openFixtureView(config, view), `/object/${key}/`)).text.replaceAll(/\\"/g, '"').replaceAll("&lt;", "<"),
  };
}

test("a change of a part changes the whole, and so does a part that comes or goes", async (t) => {
  const {
    build: make,
    page,
    dir,
    config,
  } = await openLibrary(t, [
    ["open/paper/main.tex", MAIN],
    ["open/paper/parts/one.tex", String.raw`First words. \begin{lemma}\label{fact} It holds. \end{lemma}`],
    ["open/other.md", "# Other\n"],
  ]);
  await make();
  assert.match(await page("open/paper/main.tex"), /First words\..*Lemma 1\..*By <a href="#doc-fact">1<\/a>/s);
  await writeFiles(dir, [["library/open/paper/parts/one.tex", String.raw`Second words. \begin{lemma}\label{fact} A. \end{lemma}`]]);
  await make();
  assert.match(await page("open/paper/main.tex"), /Second words/);
  assert.doesNotMatch(await page("open/paper/main.tex"), /First words/);
  assert.match(await page("open/paper/parts/one.tex"), /A part of <a href="..\/..\/main.tex\/">main.tex<\/a>/);
  rmSync(join(dir, "library/open/paper/parts/one.tex"));
  await make();
  assert.doesNotMatch(await page("open/paper/main.tex"), /Second words|Lemma/);
  await writeFiles(dir, [["library/open/paper/parts/one.tex", "Third words."]]);
  await make();
  assert.match(await page("open/paper/main.tex"), /Third words/);
  const findings = await verifyLibrary(config, { snapshots: "current" }, PLAIN_PARTS);
  assert.deepEqual(
    findings.filter(({ severity }) => severity === "error"),
    [],
  );
});

test("a gated part enters no public page, and a gated whole has its public parts", async (t) => {
  const { build: make, page } = await openLibrary(t, [
    ["open/paper/main.tex", MAIN],
    ["open/paper/parts/one.tex", "Open words."],
    ["open/shut/none.txt", "Nothing."],
    ["shut/secret.tex", String.raw`Gated words. \label{fact} \input{../open/paper/parts/one}`],
    ["open/a.rst", "Open\n====\n\nSee :ref:`hidden` and :doc:`/shut/b`.\n"],
    ["shut/b.rst", ".. _hidden:\n\nHidden title\n============\n\nText, as :doc:`/open/a` says.\n"],
  ]);
  await make();
  for (const view of ["public", "internal"] as const) {
    assert.doesNotMatch(await page("open/paper/main.tex", view), /Gated words/);
    assert.doesNotMatch(await page("open/a.rst", view), /Hidden title/);
  }
  assert.match(await page("open/paper/main.tex"), /Open words/);
  assert.match(await page("shut/secret.tex", "internal"), /Gated words.*Open words/s);
  assert.match(await page("shut/b.rst", "internal"), /as <a href="[^"]*">Open<\/a> says/);
});

test("links without words follow the titles and labels of other pages, and the nearest counts", async (t) => {
  const {
    build: make,
    page,
    dir,
  } = await openLibrary(t, [
    ["open/v1/index.rst", "Index\n=====\n\n.. toctree::\n\n   usage/one\n\nSee :ref:`part`.\n"],
    ["open/v1/usage/one.rst", "The first page\n==============\n\n.. _part:\n\nA part\n------\n\nBack to :doc:`/index`.\n"],
    ["open/v2/usage/one.rst", "Another\n=======\n\n.. _part:\n\nAnother part\n------------\n"],
    ["open/v3/x.rst", "Elsewhere\n=========\n\nSee :ref:`part`.\n"],
    ["open/notes.md", "# Notes\n\n[](v1/usage/one.rst)\n"],
  ]);
  await make();
  assert.match(await page("open/v1/index.rst"), /">The first page<\/a>.*See <a href="..\/usage\/one.rst\/#doc-part">A part<\/a>/s);
  assert.match(await page("open/v1/usage/one.rst"), /Back to <a href="..\/..\/index.rst\/">Index<\/a>/);
  assert.match(await page("open/v3/x.rst"), /See <em>part<\/em>/, "two are as near");
  assert.match(await page("open/notes.md"), />The first page<\/a>/);
  await writeFiles(dir, [["library/open/v1/usage/one.rst", "A new title\n===========\n\n.. _part:\n\nA new part\n----------\n"]]);
  await make();
  assert.match(await page("open/v1/index.rst"), /">A new title<\/a>.*>A new part<\/a>/s);
  assert.match(await page("open/notes.md"), />A new title<\/a>/);
});
