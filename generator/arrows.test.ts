/** The arrows of the house: generator, site and sidecar import snapshots and never each other; snapshots imports none. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import fastGlob from "fast-glob";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["snapshots", "generator", "site", "sidecar"] as const;
/** Folder → folders that it may import besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  snapshots: [],
  generator: ["snapshots"],
  site: ["snapshots"],
  sidecar: ["snapshots"],
};
const MAX_LINES = 500;

const files = fastGlob
  .sync(
    FOLDERS.map((folder) => `${folder}/**/*.{ts,mjs,js,astro}`),
    { cwd: ROOT, ignore: ["**/dist/**", "snapshots/data/**", "generator/demo/library/**", "generator/demo/code/**"] },
  )
  .sort();

/** Every module that a file names in an import, an export from, an import() or a require. */
function importsOf(path: string, text: string): string[] {
  const parts = path.endsWith(".astro")
    ? [
        ...(/^---\n([\s\S]*?)\n---/.exec(text)?.slice(1) ?? []),
        ...[...text.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? ""),
      ]
    : [text];
  const sources = [...text.matchAll(/<script\b[^>]*\bsrc="([^"]+)"/g)].map((match) => match[1] ?? "");
  return [
    ...parts.flatMap((part) => ts.preProcessFile(part, true, true).importedFiles.map(({ fileName }) => fileName)),
    ...(path.endsWith(".astro") ? sources : []),
  ];
}

function folderOf(path: string): string {
  return path.split("/")[0] ?? "";
}

const graph = new Map(files.map((path) => [path, importsOf(path, readFileSync(join(ROOT, path), "utf8"))]));

/** Modules of ours that a file names, as paths from the root. */
function ours(path: string): string[] {
  return (graph.get(path) ?? [])
    .filter((name) => name.startsWith("."))
    .map((name) => relative(ROOT, join(ROOT, dirname(path), name)).replaceAll("\\", "/"));
}

test("there is something to look at, and the reader of imports sees every form of one", () => {
  assert.ok(files.length > 200);
  for (const folder of FOLDERS)
    assert.ok(
      files.some((path) => folderOf(path) === folder),
      folder,
    );
  const text =
    'import a from "./a.ts";\nimport type { B } from "./b.ts";\nexport * from "./c.ts";\nconst d = await import("./d.ts");\nimport "./e.ts";\nexport { f } from "./f.ts";\ntype G = import("./g.ts").G;\n';
  assert.deepEqual(
    importsOf("x.ts", text).sort(),
    ["a", "b", "c", "d", "e", "f", "g"].map((name) => `./${name}.ts`),
  );
  assert.deepEqual(importsOf("x.astro", '---\nimport A from "./a.astro";\n---\n<script>import "./b.ts";</script>'), [
    "./a.astro",
    "./b.ts",
  ]);
});

test("no folder imports another but along the arrows", () => {
  const wrong = files.flatMap((path) => {
    const from = folderOf(path);
    return ours(path)
      .filter((target) => folderOf(target) !== from && ARROWS[from]?.includes(folderOf(target)) !== true && target !== "package.json")
      .map((target) => `${path} → ${target}`);
  });
  assert.deepEqual(wrong, []);
});

test("no file is imported from outside the four folders, and none by an absolute path", () => {
  for (const path of files) {
    for (const name of graph.get(path) ?? []) assert.doesNotMatch(name, /^(\/|file:|https?:)/, path);
    for (const target of ours(path))
      assert.ok(FOLDERS.some((folder) => folderOf(target) === folder) || target === "package.json", `${path} → ${target}`);
  }
});

/** Everything that a program loads, by its own imports and theirs. */
function closure(entry: string): Set<string> {
  const seen = new Set<string>();
  const pending = [entry];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    pending.push(...ours(path).filter((target) => graph.has(target)));
  }
  return seen;
}

test("the site server loads nothing that could open a connection, check an identity or ask a model", () => {
  const loaded = closure("site/main.ts");
  assert.ok(loaded.has("snapshots/http/answer.ts"));
  for (const path of loaded) {
    const packages = (graph.get(path) ?? []).filter((name) => !name.startsWith("."));
    for (const name of packages)
      assert.doesNotMatch(
        name,
        /^(undici|hono|jose|@hono\/|@aws-sdk\/|@modelcontextprotocol\/|@energetic-ai\/|node:(net|tls|https|dns|dgram|http2))/,
        path,
      );
    const text = readFileSync(join(ROOT, path), "utf8");
    assert.doesNotMatch(text, /\bprocess\.env\b|globalThis\.fetch/, `${path} reads no environment`);
    // A parameter may be called fetch; the global one may not be.
    assert.ok(!/[^.\w]fetch\(/.test(text) || /\bfetch: \(|\bfunction fetch\b|\bconst fetch\b/.test(text), `${path} fetches nothing`);
  }
});

test("queries are pure: no file, no network, no clock, no environment, no chance", () => {
  for (const path of files.filter((name) => name.startsWith("snapshots/query/") && !name.endsWith(".test.ts"))) {
    const text = readFileSync(join(ROOT, path), "utf8");
    for (const name of graph.get(path) ?? []) assert.doesNotMatch(name, /^node:/, path);
    assert.doesNotMatch(text, /process\.env|Date\.now\(|new Date\(\)|Math\.random\(|performance\./, path);
  }
});

test("only the generator decides who sees what: elsewhere no function asks for a visibility", () => {
  const asking = files.filter(
    (path) =>
      !path.startsWith("generator/") &&
      !path.endsWith(".test.ts") &&
      /visibility === |\.visibility !== /.test(readFileSync(join(ROOT, path), "utf8")),
  );
  // Pages and catalogs show the word; none leaves anything out for it.
  assert.deepEqual(
    asking.filter((path) => !path.startsWith("site/") && !path.startsWith("snapshots/verify")),
    [],
  );
});

test("files are named in kebab-case and none is longer than a reader can hold", () => {
  for (const path of files) {
    assert.match(path, /^([a-z0-9-]+\/)*[a-z0-9-]+(\.(test|spec|d))?\.(ts|mjs|js|astro)$/, path);
    assert.ok(readFileSync(join(ROOT, path), "utf8").split("\n").length <= MAX_LINES, `${path} is longer than ${MAX_LINES} lines`);
  }
});
