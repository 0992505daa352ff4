/** What is made again when a file of this program is edited: tried in a copy of it, with its own command line. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BuildSummary } from "./build.ts";
import { writeFixture } from "./fixtures/library.ts";
import type { Makers } from "./makers.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PARTS = ["generator", "snapshots", "site", "astro.config.mjs", "package.json", "package-lock.json", "tsconfig.json"];

let folder: string;
let copy: string;
let unedited: Makers;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "proofshelf-makers-"));
  copy = join(folder, "program");
  for (const part of PARTS) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true, filter: (path) => !path.startsWith(join(ROOT, "snapshots/data")) });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  unedited = makers();
});
after(() => rmSync(folder, { recursive: true, force: true }));

function node(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: folder });
  assert.equal(status, 0, stderr);
  return stdout;
}

function makers(): Makers {
  const script = `const { digestMakers } = await import(${JSON.stringify(join(copy, "generator/makers.ts"))}); process.stdout.write(JSON.stringify(digestMakers()));`;
  return JSON.parse(node("--input-type=module", "-e", script)) as Makers;
}

function differing(now: Makers): string[] {
  return Object.keys(unedited).filter((kind) => unedited[kind as keyof Makers] !== now[kind as keyof Makers]);
}

/** Edits a file while `work` runs. */
async function edited<T>(path: string, text: string, work: () => T): Promise<T> {
  const file = join(copy, path);
  const before = readFileSync(file);
  appendFileSync(file, text);
  try {
    return work();
  } finally {
    writeFileSync(file, before);
  }
}

/** Kinds of kept work that are void when this file is another. */
async function voidBy(path: string, text = "\n// A comment.\n"): Promise<string[]> {
  return differing(await edited(path, text, makers));
}

test("an edit voids what was made with that file, and nothing else", async () => {
  assert.deepEqual(await voidBy("snapshots/http/listen.ts"), []);
  assert.deepEqual(await voidBy("generator/cli.ts"), []);
  assert.deepEqual(await voidBy("generator/build.ts"), ["program"]);
  assert.deepEqual(await voidBy("generator/build.test.ts"), []);
  assert.deepEqual(await voidBy("generator/extract/markdown.ts"), ["extracts", "program"]);
  assert.deepEqual(await voidBy("generator/extract/worker.ts"), ["extracts", "program"]);
  assert.deepEqual(await voidBy("generator/pages/pagefind-worker.ts"), ["bundles", "program"]);
  assert.deepEqual(await voidBy("site/components/card.astro", "\n<!-- A comment. -->\n"), ["pages", "program"]);
  assert.deepEqual(await voidBy("site/style/page.css", "\n/* A comment. */\n"), ["pages", "program"]);
  assert.deepEqual(await voidBy("site/README.md"), []);
  assert.deepEqual(await voidBy("snapshots/page/agents-page.ts"), ["pages", "program"]);
  assert.deepEqual(await voidBy("snapshots/routes/openapi.ts"), ["pages", "json", "program"]);
  assert.deepEqual(await voidBy("generator/index/index-documents.ts"), ["documents", "program"]);
  assert.deepEqual(await voidBy("snapshots/index/tables.ts"), ["documents", "program"]);
  assert.deepEqual(await voidBy("generator/publish/leak-check.ts"), ["leaks", "program"]);
  assert.deepEqual(await voidBy("generator/state.ts"), ["state", "program"]);
});

test("another version of a package voids what is made with it, also where another package brings it", async () => {
  const file = join(copy, "package-lock.json");
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

test("a build after an edit makes again what that file made: of the listener nothing, of the extractor extracts, of a component pages", {
  timeout: 280_000,
}, async () => {
  const config = await writeFixture(join(folder, "library"));
  await wait(100);
  const build = (): BuildSummary => JSON.parse(node(join(copy, "generator/cli.ts"), "build", "--json", "--config", config)) as BuildSummary;
  const first = build();
  const nothing = { read: 0, rendered: 0, indexed: 0, bundles: 0 };
  const listener = await edited("snapshots/http/listen.ts", "\n// A comment.\n", build);
  assert.deepEqual([listener.published, listener.work], [false, nothing]);
  const extractor = await edited("generator/extract/markdown.ts", "\n// A comment.\n", build);
  assert.deepEqual([extractor.published, extractor.work], [false, { ...nothing, read: first.work.read }]);
  const settled = build();
  assert.deepEqual(settled.work, { ...nothing, read: first.work.read }, "and back");
  const component = await edited("site/components/crumbs.astro", "\n<span>Another crumb</span>\n", build);
  assert.deepEqual([component.published, component.work], [true, { ...nothing, rendered: first.work.rendered }]);
});
