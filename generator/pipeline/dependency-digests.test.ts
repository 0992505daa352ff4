/** What is void when a file of this program is edited: tried in a copy of it. What a build then makes again is in dependency-digests.slow.test.ts. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { copyProgram, type ProgramCopy } from "../testing/program-copy.ts";
import type { DependencyDigests } from "../kept/dependencies.ts";

let program: ProgramCopy;
before(() => {
  program = copyProgram();
});
after(() => program.remove());

/** voidBy returns, for each edit of one file, the kinds of kept work that are void then. One process of the copy tries them all. */
function voidBy(edits: readonly (readonly [path: string, text: string])[]): readonly string[][] {
  const [digests, annexes] = ["generator/pipeline/dependency-digests.ts", "generator/annexes.ts"].map((path) =>
    JSON.stringify(join(program.copy, path)),
  );
  const list = join(program.folder, "edits.json");
  writeFileSync(list, JSON.stringify(edits.map(([path, text]) => [join(program.copy, path), text])));
  const script = `
    const { readFileSync, writeFileSync } = await import("node:fs");
    const [{ digestDependencies }, { ANNEXES }] = await Promise.all([import(${digests}), import(${annexes})]);
    const all = [digestDependencies(ANNEXES.modules)];
    for (const [path, text] of JSON.parse(readFileSync(${JSON.stringify(list)}, "utf8"))) {
      const before = readFileSync(path);
      writeFileSync(path, text);
      all.push(digestDependencies(ANNEXES.modules));
      writeFileSync(path, before);
    }
    process.stdout.write(JSON.stringify(all));`;
  const [unedited, ...edited] = JSON.parse(program.node("--input-type=module", "-e", script)) as [
    DependencyDigests,
    ...DependencyDigests[],
  ];
  return edited.map((now) =>
    Object.keys(unedited).filter((kind) => unedited[kind as keyof DependencyDigests] !== now[kind as keyof DependencyDigests]),
  );
}

test("an edit voids what was made with the room of that file; tests, documents and other rooms void nothing", () => {
  const edits: readonly (readonly [path: string, kinds: readonly string[], text?: string])[] = [
    ["snapshots/http/listen.ts", ["pages", "json", "leaks", "program"]],
    ["generator/cli.ts", ["program"]],
    ["generator/pipeline/build.ts", ["program"]],
    ["generator/pipeline/build.test.ts", []],
    ["generator/extract/markdown.ts", ["extracts", "program"]],
    ["generator/extract/worker.ts", ["extracts", "program"]],
    ["site/components/card.astro", ["pages", "program"], "\n<!-- A comment. -->\n"],
    ["site/style/page.css", ["pages", "program"], "\n/* A comment. */\n"],
    ["site/README.md", []],
    ["snapshots/page/agents-page.ts", ["pages", "json", "leaks", "program"]],
    ["snapshots/routes/openapi.ts", ["pages", "json", "leaks", "program"]],
    ["snapshots/annex/history/rows.ts", ["pages", "json", "leaks", "program"]],
    ["generator/index/index-documents.ts", ["documents", "leaks", "program"]],
    ["snapshots/index/tables.ts", ["pages", "json", "documents", "leaks", "program"]],
    ["generator/annex/leaks/leak-check.ts", ["leaks", "program"]],
    ["generator/kept/state.ts", ["leaks", "state", "program"]],
  ];
  const voided = voidBy(edits.map(([path, , text = "\n// A comment.\n"]) => [path, readFileSync(join(program.copy, path), "utf8") + text]));
  assert.deepEqual(
    edits.map(([path], at) => [path, voided[at]]),
    edits.map(([path, kinds]) => [path, kinds]),
  );
});

test("another version of a package voids what is made with it, also where another package brings it", () => {
  const text = readFileSync(join(program.copy, "package-lock.json"), "utf8");
  const [unpdf, vite, playwright, lancedb] = voidBy(
    ["unpdf", "vite", "playwright", "@lancedb/lancedb"].map((name) => {
      const lock = JSON.parse(text) as { packages: Record<string, { version: string }> };
      const entry = lock.packages[`node_modules/${name}`];
      assert.ok(entry !== undefined, name);
      entry.version = "999.0.0";
      return ["package-lock.json", JSON.stringify(lock)];
    }),
  );
  assert.deepEqual([unpdf, vite, playwright], [["extracts", "program"], ["pages", "leaks", "program"], []]);
  assert.ok(lancedb?.includes("documents"));
});
