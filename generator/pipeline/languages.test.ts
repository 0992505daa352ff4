/** Texts of several languages in one library: each is found by any form of its words, in the index and by a browser. */
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

const GERMAN =
  "Das Programm legt die Verzeichnisse der Häuser an und schreibt die Dateien, die noch nicht vorhanden sind. Wer es aufruft, der muss wissen, welche davon er behalten will, denn es fragt nicht, bevor es die alten überschreibt.";
const RUSSIAN =
  "Программа создаёт каталоги и записывает файлы, которых ещё нет. Тот, кто её запускает, должен знать, какие из них он хочет сохранить, потому что она ничего не спрашивает перед тем, как перезаписать старые теоремы.";

test("a text is found by every form of its words, whatever language it is in, and an English one as ever", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "languages-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["library/a/deutsch.md", `# Anlegen\n\n${GERMAN}\n`],
    ["library/a/russian.txt", `${RUSSIAN}\n`],
    ["library/a/francais.md", "---\nlang: fr-CA\n---\n\n# Outils\n\nLes réseaux sont des outils.\n"],
    ["library/a/page.html", '<!doctype html><html lang="es"><title>Canciones</title><p>Las canciones bonitas.</p></html>\n'],
    ["library/a/english.md", "# Relations\n\nThe relational tables, and the files of a house.\n"],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections:\n  - { id: a, prefix: a/, title: A, visibility: public }\n",
    ],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  await build(config, { progress: SILENT }, PLAIN_PARTS);
  const view = await openFixtureView(config, "public");
  const json = async (path: string): Promise<unknown> => JSON.parse((await ask(view, path)).text);
  const found = async (q: string): Promise<readonly string[]> => {
    const { results } = (await json(`/api/search?q=${encodeURIComponent(q)}`)) as { results: readonly { key: string }[] };
    return results.map(({ key }) => key.slice(2));
  };
  const catalog = (await json("/api/catalog")) as { collections: readonly { objects: readonly { key: string; lang?: string }[] }[] };
  assert.deepEqual(
    catalog.collections.flatMap(({ objects }) => objects.map(({ key, lang = "en" }) => `${key} ${lang}`)),
    ["a/deutsch.md de", "a/english.md en", "a/francais.md fr", "a/page.html es", "a/russian.txt ru"],
  );
  for (const [q, key] of [
    ["Verzeichnisses", "deutsch.md"],
    ["Haus", "deutsch.md"],
    ["каталога", "russian.txt"],
    ["теорема", "russian.txt"],
    ["réseau", "francais.md"],
    ["canción", "page.html"],
    ["relations", "english.md"],
    ['"alte Überschreibt"', "deutsch.md"],
    ["Verzeichnsi", "deutsch.md"],
    ["катаклоги", "russian.txt"],
    ["катлоги", "russian.txt"],
  ] as const)
    assert.deepEqual((await found(q))[0], key, q);
  assert.deepEqual(await found("Zebras"), []);
  const problems = await verifyLibrary(config, { snapshots: "current" }, PLAIN_PARTS);
  assert.deepEqual(
    problems.filter(({ severity }) => severity === "error"),
    [],
  );
});
