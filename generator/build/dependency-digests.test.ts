/** What is void when a file of this program is edited: tried in a copy of it. What a build then makes again is in makers.slow.test.ts. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { copyProgram, type ProgramCopy } from "../testing/program-copy.ts";
import type { Makers } from "../kept/makers.ts";

let program: ProgramCopy;
let unedited: Makers;
before(() => {
  program = copyProgram();
  unedited = makers();
});
after(() => program.remove());

function makers(): Makers {
  const [digests, annexes] = ["generator/build/dependency-digests.ts", "generator/annexes.ts"].map((path) =>
    JSON.stringify(join(program.copy, path)),
  );
  const script = `const [{ digestMakers }, { ANNEXES }] = await Promise.all([import(${digests}), import(${annexes})]); process.stdout.write(JSON.stringify(digestMakers(ANNEXES.modules)));`;
  return JSON.parse(program.node("--input-type=module", "-e", script)) as Makers;
}

function differing(now: Makers): string[] {
  return Object.keys(unedited).filter((kind) => unedited[kind as keyof Makers] !== now[kind as keyof Makers]);
}

/** Kinds of kept work that are void when this file is another. */
async function voidBy(path: string, text = "\n// A comment.\n"): Promise<string[]> {
  return differing(program.edited(path, text, makers));
}

test("an edit voids what was made with that file, and nothing else", async () => {
  assert.deepEqual(await voidBy("snapshots/http/listen.ts"), []);
  assert.deepEqual(await voidBy("generator/cli.ts"), []);
  assert.deepEqual(await voidBy("generator/build/build.ts"), ["program"]);
  assert.deepEqual(await voidBy("generator/build/build.test.ts"), []);
  assert.deepEqual(await voidBy("generator/extract/markdown.ts"), ["extracts", "program"]);
  assert.deepEqual(await voidBy("generator/extract/worker.ts"), ["extracts", "program"]);
  assert.deepEqual(await voidBy("generator/pages/pagefind-worker.ts"), ["bundles", "program"]);
  assert.deepEqual(await voidBy("site/components/card.astro", "\n<!-- A comment. -->\n"), ["pages", "program"]);
  assert.deepEqual(await voidBy("site/style/page.css", "\n/* A comment. */\n"), ["pages", "program"]);
  assert.deepEqual(await voidBy("site/README.md"), []);
  assert.deepEqual(await voidBy("snapshots/page/agents-page.ts"), ["pages", "program"]);
  assert.deepEqual(await voidBy("snapshots/routes/openapi.ts"), ["pages", "json", "program"]);
  assert.deepEqual(await voidBy("snapshots/annex/history/rows.ts"), ["pages", "json", "program"]);
  assert.deepEqual(await voidBy("generator/index/index-documents.ts"), ["documents", "program"]);
  assert.deepEqual(await voidBy("snapshots/index/tables.ts"), ["documents", "program"]);
  assert.deepEqual(await voidBy("generator/annex/leaks/leak-check.ts"), ["leaks", "program"]);
  assert.deepEqual(await voidBy("generator/kept/state.ts"), ["state", "program"]);
});

test("another version of a package voids what is made with it, also where another package brings it", async () => {
  const file = join(program.copy, "package-lock.json");
  const text = readFileSync(file, "utf8");
  const voided = (name: string): string[] => {
    const lock = JSON.parse(text) as { packages: Record<string, { version: string }> };
    const entry = lock.packages[`node_modules/${name}`];
    assert.ok(entry !== undefined, name);
    entry.version = "999.0.0";
    writeFileSync(file, JSON.stringify(lock));
    return differing(makers());
  };
  try {
    assert.deepEqual(voided("unpdf"), ["extracts", "program"]);
    assert.deepEqual(voided("vite"), ["pages", "program"]);
    assert.deepEqual(voided("playwright"), []);
    assert.ok(voided("@lancedb/lancedb").includes("documents"));
  } finally {
    writeFileSync(file, text);
  }
});
