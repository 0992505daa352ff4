import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import fastGlob from "fast-glob";
import ts from "typescript";
import { findImports, openSources } from "./import-closure.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What the compiler sees a module load: imports and exports from that are not of types only, and import(). */
function loadedBy(text: string): string[] {
  const file = ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const from = ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : undefined;
    const typeOnly = ts.isImportDeclaration(node)
      ? node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : ts.isExportDeclaration(node) && node.isTypeOnly;
    if (from !== undefined && ts.isStringLiteral(from) && !typeOnly) names.push(from.text);
    const [argument] = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments : [];
    if (argument !== undefined && ts.isStringLiteral(argument)) names.push(argument.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

test("every module that the compiler sees loaded is found, in every file of the project", () => {
  const files = fastGlob.sync(["{snapshots,generator,site,sidecar}/**/*.ts", "*.mjs"], {
    cwd: ROOT,
    ignore: ["**/dist/**", "snapshots/data/**", "generator/demo/{library,code}/**"],
  });
  assert.ok(files.length > 300);
  let seen = 0;
  for (const path of files) {
    const text = readFileSync(join(ROOT, path), "utf8");
    const found = new Set(findImports(text));
    const loaded = loadedBy(text);
    seen += loaded.length;
    assert.deepEqual(
      loaded.filter((name) => !found.has(name)),
      [],
      path,
    );
  }
  assert.ok(seen > 1000);
});

test("each form of an import is found, and one of types only is not", () => {
  const text = `import a from "./a.ts";
import { type B, b } from "./b.ts";
import {
  c,
} from "./c.ts";
import type { D } from "./d.ts";
import "./e.ts";
export * from "./f.ts";
export type { G } from "./g.ts";
const h = await import("./h.ts");
const i = new URL(${JSON.stringify("i.ts")}, import.meta.url);
const j = createRequire(import.meta.url)("j-package");
`;
  assert.deepEqual([...findImports(text)].sort(), ["./a.ts", "./b.ts", "./c.ts", "./e.ts", "./f.ts", "./h.ts", "i.ts", "j-package"]);
});

test("a closure follows modules, programs that are started, and packages with all that they need", () => {
  const sources = openSources();
  const thread = sources.closure(["generator/index/index-thread.ts"]);
  for (const path of [
    "generator/index/index-thread.ts",
    "generator/index/index-worker.ts",
    "snapshots/index/open.ts",
    "snapshots/errors.ts",
  ])
    assert.ok(thread.files.includes(path), path);
  const reader = sources.closure(["generator/extract/worker.ts"]);
  assert.ok(reader.files.includes("generator/extract/markdown.ts"));
  assert.ok(!reader.files.some((path) => path.startsWith("sidecar/") || path.endsWith(".test.ts")));
  assert.ok(reader.packages.includes("node_modules/unpdf"));
  assert.throws(() => sources.closure(["generator/no-such-file.ts"]), /missing/);
  assert.notEqual(sources.closure(["generator/files/progress.ts"]).digest, sources.closure(["generator/files/tasks.ts"]).digest);
});

test("the lock is a file like others for who names it, also after its versions were read", () => {
  assert.ok(openSources().closure(["generator/extract/worker.ts"]).packages.length > 0);
  assert.deepEqual(openSources().closure(["package-lock.json"]).files, ["package-lock.json"]);
});
