/** The arrows of the house: generator, site and sidecar import snapshots and never each other; snapshots imports none of them, and
 *  inside it a folder imports only folders of lower layers. No files import one another in a ring. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import fastGlob from "fast-glob";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Folder → folders that it may import besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  snapshots: [],
  generator: ["snapshots"],
  site: ["snapshots"],
  sidecar: ["snapshots"],
};
const FOLDERS = Object.keys(ARROWS);
/** Folders and files of snapshots/, lowest first. An import goes to a lower layer or stays in its folder. */
const LAYERS = [
  ["errors.ts", "digest.ts", "own-text.ts"],
  ["schema", "embed", "bucket"],
  ["format", "index", "log"],
  ["shelf"],
  ["query"],
  ["routes", "tools"],
  ["page"],
  ["http", "verify"],
  ["contract"],
] as const;
const LOOSE = [...["errors", "digest", "own-text"].flatMap((name) => [`${name}.ts`, `${name}.test.ts`]), "readme.test.ts"];
/** Programs that another folder starts as processes of their own: a link, not an import. */
const STARTED: Readonly<Record<string, readonly string[]>> = {
  "generator/commands/serve.ts": ["site/main.ts", "sidecar/main.ts"],
};

/** Tests of what reads imports: their texts name files that there are not. */
const NAMING_MADE_UP = ["generator/arrows.test.ts", "generator/import-closure.test.ts"];

/** Modules that a file names, as they stand there: what it imports or runs as a worker, and programs that it starts by URL. */
type Named = { readonly imported: readonly string[]; readonly started: readonly string[] };
/** Path from the root → what the file names. */
type Graph = ReadonlyMap<string, Named>;

/** Sees import, export from, import(), import type, a type's import("…"), new URL("./x.ts", …) and import.meta.resolve. */
function readNamed(path: string, text: string): Named {
  const scripts = path.endsWith(".astro")
    ? [
        ...(/^---\n([\s\S]*?)\n---/.exec(text)?.slice(1) ?? []),
        ...[...text.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? ""),
      ]
    : [text];
  const sources = path.endsWith(".astro") ? [...text.matchAll(/<script\b[^>]*\bsrc="([^"]+)"/g)].map((match) => match[1] ?? "") : [];
  const imported = scripts.flatMap((script) => ts.preProcessFile(script, true, true).importedFiles.map(({ fileName }) => fileName));
  const urls = [...text.matchAll(/(\bWorker\(\s*)?\b(?:new URL|import\.meta\.resolve)\(\s*["']([^"']+\.(?:ts|mjs))["']/g)].map(
    ([, worker, name = ""]) => ({ worker: worker !== undefined, name: name.startsWith(".") ? name : `./${name}` }),
  );
  return {
    imported: [...imported, ...sources, ...urls.filter(({ worker }) => worker).map(({ name }) => name)],
    started: urls.filter(({ worker }) => !worker).map(({ name }) => name),
  };
}

function readGraph(root: string): Graph {
  const paths = fastGlob.sync(
    FOLDERS.map((folder) => `${folder}/**/*.{ts,mjs,js,astro}`),
    { cwd: root, ignore: ["**/dist/**", "snapshots/data/**", "generator/demo/library/**", "generator/demo/code/**"] },
  );
  return new Map(paths.sort().map((path) => [path, readNamed(path, readFileSync(join(root, path), "utf8"))]));
}

function folderOf(path: string): string {
  return path.split("/")[0] ?? "";
}

/** Number of the layer, counted from one; null when no layer has the folder or file. */
function layerOf(path: string): number | null {
  const [, inside = ""] = path.split("/");
  const at = LAYERS.findIndex((layer) => layer.some((name) => name === inside));
  return at === -1 ? null : at + 1;
}

/** Tests, fixtures and benches may look at higher layers. */
function isExempt(path: string): boolean {
  return /(\.(test|spec)|(^|\/|-)fixtures?|\/bench)\.ts$|\/(bench|fixtures)\//.test(path);
}

/** Modules of ours among the names, as paths from the root. */
function ours(path: string, names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => name.startsWith(".")).map((name) => posix.join(posix.dirname(path), name)))];
}

/** @returns one line for each arrow that leads where none may */
function findWrongArrows(graph: Graph): string[] {
  return [...graph].flatMap(([path, { imported, started }]) => {
    const from = folderOf(path);
    const allowed = (target: string): boolean => [from, ...(ARROWS[from] ?? [])].includes(folderOf(target)) || target === "package.json";
    const wrong = ours(path, imported).filter((target) => !allowed(target));
    if (!isExempt(path))
      wrong.push(...ours(path, started).filter((target) => !allowed(target) && STARTED[path]?.includes(target) !== true));
    return wrong.map((target) => `${path} → ${target}`);
  });
}

/** @returns one line for each file of snapshots/ that lies loose, is in no layer, or imports its own or a higher layer */
function findWrongLayers(graph: Graph): string[] {
  return [...graph].flatMap(([path, { imported, started }]) => {
    if (folderOf(path) !== "snapshots") return [];
    const parts = path.split("/");
    if (parts.length === 2 && !LOOSE.includes(parts[1] ?? "")) return [`${path} lies loose`];
    if (isExempt(path)) return [];
    const layer = layerOf(path);
    if (layer === null) return [`${path} is in no layer`];
    return ours(path, [...imported, ...started]).flatMap((target) => {
      const other = layerOf(target);
      const stays = parts.length > 2 && target.split("/")[1] === parts[1];
      return folderOf(target) !== "snapshots" || stays || (other !== null && other < layer)
        ? []
        : [`${path} (${layer}) → ${target} (${other ?? "no layer"})`];
    });
  });
}

/** @returns for each set of files that import one another its shortest ring, and how many files the set has */
function findRings(graph: Graph): string[] {
  const rings = new Map([...graph.keys()].map((path) => [path, findRing(graph, path)]));
  const said = new Set<string>();
  return [...rings].flatMap(([path, { ring, reached }]) => {
    if (ring === null || said.has(path)) return [];
    const together = [...graph.keys()].filter((other) => reached.has(other) && rings.get(other)?.reached.has(path) === true);
    for (const other of together) said.add(other);
    const shortest = together.map((other) => rings.get(other)?.ring ?? ring).reduce((a, b) => (b.length < a.length ? b : a));
    return [`${shortest.join(" → ")} (of ${together.length} files)`];
  });
}

/** @returns the shortest way from a file back to itself, null when there is none, and all files on the ways from it */
function findRing(graph: Graph, first: string): { readonly ring: readonly string[] | null; readonly reached: ReadonlySet<string> } {
  const cameFrom = new Map<string, string>();
  const pending = [first];
  for (let path = pending.shift(); path !== undefined; path = pending.shift())
    for (const target of ours(path, graph.get(path)?.imported ?? []).filter((name) => graph.has(name) && !cameFrom.has(name))) {
      cameFrom.set(target, path);
      pending.push(target);
    }
  const reached = new Set(cameFrom.keys());
  if (!reached.has(first)) return { ring: null, reached };
  const ring = [first];
  for (let path = cameFrom.get(first) ?? first; path !== first; path = cameFrom.get(path) ?? first) ring.unshift(path);
  return { ring: [first, ...ring], reached };
}

const graph = readGraph(ROOT);
const files = [...graph.keys()];

test("there is something to look at, and the reader of imports sees every form of one", () => {
  assert.ok(files.length > 200);
  for (const folder of FOLDERS)
    assert.ok(
      files.some((path) => folderOf(path) === folder),
      folder,
    );
  const text = `import a from "./a.ts";
import type { B } from "./b.ts";
export * from "./c.ts";
const d = await import("./d.ts");
import "./e.ts";
export { f } from "./f.ts";
type G = import("./g.ts").G;
export type { H } from "./h.ts";
import { type I } from "./i.ts";
const worker = new Worker(new URL("./j.ts", import.meta.url));
const program = fileURLToPath(new URL("k.ts", import.meta.url));
const data = new URL("./l.txt", import.meta.url);
const module = import.meta.resolve("./m.ts");
`;
  const { imported, started } = readNamed("x.ts", text);
  assert.deepEqual(
    [...imported].sort(),
    [..."abcdefghij"].map((name) => `./${name}.ts`),
  );
  assert.deepEqual(started, ["./k.ts", "./m.ts"]);
  assert.deepEqual(
    readNamed("x.astro", '---\nimport A from "./a.astro";\n---\n<script>import "./b.ts";</script><script src="./c.ts"></script>').imported,
    ["./a.astro", "./b.ts", "./c.ts"],
  );
});

test("the checks see a violation of each kind, in a made-up graph", () => {
  const made = (imports: Readonly<Record<string, readonly string[]>>): Graph =>
    new Map(Object.entries(imports).map(([path, imported]) => [path, { imported, started: [] }]));
  const good = made({
    "snapshots/errors.ts": [],
    "snapshots/format/tree.ts": ["../errors.ts", "./layout.ts", "../schema/claims.ts", "node:path", "zod"],
    "snapshots/format/tree.test.ts": ["../http/answer.ts"],
    "generator/build.ts": ["../snapshots/http/answer.ts"],
    "site/pages/front.astro": ["../../snapshots/page/model.ts", "../format.ts"],
    "sidecar/app.ts": ["../snapshots/http/answer.ts", "./ask.ts", "../package.json"],
  });
  for (const find of [findWrongArrows, findWrongLayers, findRings]) assert.deepEqual(find(good), []);

  for (const [from, to] of [
    ["generator/a.ts", "../site/b.ts"],
    ["generator/a.test.ts", "../sidecar/b.ts"],
    ["site/a.astro", "../sidecar/b.ts"],
    ["sidecar/a/b.ts", "../../generator/c.ts"],
    ["snapshots/http/a.ts", "../../generator/c.ts"],
  ] as const)
    assert.equal(findWrongArrows(made({ [from]: [to] })).length, 1, from);
  assert.equal(findWrongArrows(new Map([["sidecar/a.ts", { imported: [], started: ["../generator/b.ts"] }]])).length, 1);

  for (const [from, to] of [
    ["snapshots/format/a.ts", "../shelf/b.ts"], // higher
    ["snapshots/query/a.ts", "../contract/b.ts"], // much higher
    ["snapshots/http/a.ts", "../verify/b.ts"], // the same
    ["snapshots/errors.ts", "./digest.ts"], // the same, loose
    ["snapshots/digest.ts", "./schema/b.ts"],
    ["snapshots/page/a.ts", "../nowhere/b.ts"],
    ["snapshots/nowhere/a.ts", "../errors.ts"],
    ["snapshots/loose.ts", "./errors.ts"],
  ] as const)
    assert.equal(findWrongLayers(made({ [from]: [to] })).length, 1, `${from} → ${to}`);
  assert.equal(findWrongLayers(new Map([["snapshots/embed/a.ts", { imported: [], started: ["../format/b.ts"] }]])).length, 1);

  assert.deepEqual(findRings(made({ "site/a.ts": ["./a.ts"] })), ["site/a.ts → site/a.ts (of 1 files)"]);
  assert.deepEqual(findRings(made({ "site/a.ts": ["./b.ts"], "site/b.ts": ["./a.ts"] })), [
    "site/a.ts → site/b.ts → site/a.ts (of 2 files)",
  ]);
  const length = 30;
  const long = Object.fromEntries(Array.from({ length }, (_, at) => [`site/f${at}.ts`, [`./f${(at + 1) % length}.ts`]]));
  assert.match(findRings(made({ "site/outside.ts": ["./f7.ts"], ...long })).join(), /\(of 30 files\)$/);
  assert.deepEqual(findRings(made({ ...long, [`site/f${length - 1}.ts`]: [] })), []);
});

test("the checks see a violation of each kind, planted in a copy of a real file", () => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-arrows-"));
  const findAll = (all: Graph): string[] => [findWrongArrows, findWrongLayers, findRings].flatMap((find) => find(all));
  const before = new Set(findAll(graph));
  try {
    const found = (path: string, as: string, line: string): string[] => {
      mkdirSync(dirname(join(folder, as)), { recursive: true });
      cpSync(join(ROOT, path), join(folder, as));
      writeFileSync(join(folder, as), `${readFileSync(join(folder, as), "utf8")}\n${line}\n`);
      const planted = new Map([...graph, ...readGraph(folder)]);
      rmSync(join(folder, as));
      return findAll(planted).filter((one) => !before.has(one));
    };
    const tree = "snapshots/format/tree.ts";
    assert.deepEqual(found(tree, tree, ""), []);
    assert.deepEqual(found(tree, tree, 'export type { Planted } from "../verify/verify.ts";').slice(0, 1), [
      `${tree} (3) → snapshots/verify/verify.ts (8)`,
    ]);
    assert.deepEqual(found(tree, tree, 'const planted = import("../../sidecar/app.ts");').slice(0, 1), [`${tree} → sidecar/app.ts`]);
    const digest = "snapshots/digest.ts";
    assert.match(
      found(digest, digest, 'type Planted = import("./format/tree.ts").Planted;').join(),
      /digest\.ts → snapshots\/format\/tree\.ts → snapshots\/digest\.ts/,
    );
    assert.deepEqual(found(digest, "snapshots/planted.ts", "").slice(0, 1), ["snapshots/planted.ts lies loose"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("no folder imports another but along the arrows", () => assert.deepEqual(findWrongArrows(graph), []));

test("in snapshots/ an import goes to a lower layer, and no file lies loose", () => assert.deepEqual(findWrongLayers(graph), []));

test("no files import one another in a ring", () => assert.deepEqual(findRings(graph), []));

test("no file is imported from outside the four folders, none by an absolute path, and what is named is there", () => {
  for (const [path, { imported, started }] of graph) {
    if (!NAMING_MADE_UP.includes(path)) for (const target of ours(path, started)) assert.ok(graph.has(target), `${path} names ${target}`);
    for (const name of imported) assert.doesNotMatch(name, /^(\/|file:|https?:)/, path);
    for (const target of ours(path, imported))
      assert.ok(FOLDERS.includes(folderOf(target)) || target === "package.json", `${path} → ${target}`);
  }
});

/** Everything that a program loads, by its own imports and theirs. */
function closure(entry: string): Set<string> {
  const seen = new Set<string>();
  const pending = [entry];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    pending.push(...ours(path, graph.get(path)?.imported ?? []).filter((target) => graph.has(target)));
  }
  return seen;
}

test("the site server loads nothing that could open a connection, check an identity or ask a model", () => {
  const loaded = closure("site/main.ts");
  assert.ok(loaded.has("snapshots/http/answer.ts"));
  for (const path of loaded) {
    const packages = (graph.get(path)?.imported ?? []).filter((name) => !name.startsWith("."));
    for (const name of packages)
      assert.doesNotMatch(
        name,
        /^(undici|hono|jose|@hono\/|@aws-sdk\/|@modelcontextprotocol\/|@energetic-ai\/|@huggingface\/|onnxruntime|node:(net|tls|https|dns|dgram|http2))/,
        path,
      );
    const text = readFileSync(join(ROOT, path), "utf8");
    assert.doesNotMatch(text, /\bprocess\.env\b|globalThis\.fetch/, `${path} reads no environment`);
    // A parameter may be called fetch; the global one may not be.
    assert.ok(!/[^.\w]fetch\(/.test(text) || /\bfetch: \(|\bfunction fetch\b|\bconst fetch\b/.test(text), `${path} fetches nothing`);
  }
});

test("the AWS SDK is loaded by whoever asks a bucket for something, and never before", () => {
  const text = (path: string): string => readFileSync(join(ROOT, path), "utf8");
  const naming = files.filter((path) => graph.get(path)?.imported.includes("@aws-sdk/client-s3") === true);
  assert.ok(naming.includes("snapshots/bucket/s3-bucket.ts"));
  for (const path of naming) assert.doesNotMatch(text(path), /^(import|export)\s+(?!type\b)[^;]*from "@aws-sdk\//m, path);
});

test("queries are pure: no file, no network, no clock, no environment, no chance", () => {
  for (const path of files.filter((name) => name.startsWith("snapshots/query/") && !name.endsWith(".test.ts"))) {
    const text = readFileSync(join(ROOT, path), "utf8");
    for (const name of graph.get(path)?.imported ?? []) assert.doesNotMatch(name, /^node:/, path);
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

test("files are named in kebab-case", () => {
  for (const path of files) assert.match(path, /^([a-z0-9-]+\/)*[a-z0-9-]+(\.(test|spec|d))?\.(ts|mjs|js|astro)$/, path);
});
