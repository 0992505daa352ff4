/** Shared by pack.test.ts and its slow tests. */
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { openSources } from "../testing/import-closure.ts";
import { makeClient, makePackage } from "./pack.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export const folder = mkdtempSync(join(tmpdir(), "proofshelf-installed-"));

export const installed = join(folder, "node_modules", "proofshelf");

export const client = join(folder, "node_modules", "@proofshelf", "client");

export const library = join(folder, "library");

export type Manifest = Record<"dependencies" | "optionalDependencies" | "peerDependencies" | "bin" | "engines", Record<string, string>>;

export let manifest: Manifest;

export const filesIn = (top: string): string[] =>
  readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(top.length + 1));

/** As an installation would, of the files that are here already. */
function place(from: string, to: string): void {
  for (const path of filesIn(from)) {
    if (path.startsWith("node_modules/")) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    try {
      linkSync(join(from, path), join(to, path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
      copyFileSync(join(from, path), join(to, path));
    }
  }
}

before(async () => {
  await makePackage(installed);
  await makeClient(client);
  manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Manifest;
  const { dependencies: ofClient } = JSON.parse(readFileSync(join(client, "package.json"), "utf8")) as Manifest;
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...ofClient }).filter(
    (name) => !name.startsWith("node-linux"),
  );
  for (const path of openSources().closure(
    [],
    names.filter((name) => name !== "@lancedb/lancedb"),
  ).packages) {
    if (statSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined) place(join(ROOT, path), join(folder, path));
  }
  for (const [path, text] of [
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./store }\nshelf: { kind: directory, root: ./shelf }\ncollections:\n  - { id: notes, prefix: notes/, title: Notes, visibility: public }\n  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }\n",
    ],
    ["store/notes/sorting.md", "# Sorting\n\nInsertion sort is **stable**.\n"],
    ["store/notes/paper.html", "<title>Paper</title><p>Two elephants prove a lemma.</p>"],
    ["store/drafts/secret.md", "# Draft\n\nThe walrus has not been published by anybody so far.\n"],
  ] as const) {
    mkdirSync(dirname(join(library, path)), { recursive: true });
    writeFileSync(join(library, path), text);
  }
});

after(() => rmSync(folder, { recursive: true, force: true }));
