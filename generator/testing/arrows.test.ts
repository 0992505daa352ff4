/** The arrows of the house: generator, site and sidecar import snapshots and never each other; snapshots imports none of them. Inside, a
 *  room imports rooms of lower layers, no file of the core an annex, and no files, and no rooms, import one another in a ring. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fastGlob from "fast-glob";
import {
  countLines,
  findAnnexImports,
  findLongFunctions,
  findLoose,
  findPastFaces,
  findRings,
  findWrongArrows,
  findWrongLayers,
  type Graph,
  ours,
  readGraph,
  readNamed,
  ROOT,
  roomsOf,
  ships,
  topOf,
  TOPS,
} from "./house.ts";
import { readBlockWords, readCommentWords } from "./words.ts";

/** Tests of what reads imports: their texts name files that there are not. */
const NAMING_MADE_UP = ["generator/testing/arrows.test.ts", "generator/files/import-closure.test.ts"];

const graph = readGraph(ROOT);
const files = [...graph.keys()];

test("there is something to look at, and the reader of imports sees every form of one", () => {
  assert.ok(files.length > 200);
  for (const folder of TOPS)
    assert.ok(
      files.some((path) => topOf(path) === folder),
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
    "generator/pipeline/a.ts": ["../../snapshots/http/answer.ts"],
    "site/pages/front.astro": ["../../snapshots/page/model.ts", "../format.ts"],
    "sidecar/serve/app.ts": ["../../snapshots/http/answer.ts", "../ask/ask.ts", "../../package.json"],
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
    ["generator/files/a.ts", "../pipeline/b.ts"],
    ["sidecar/gate/a.ts", "../serve/b.ts"],
    ["sidecar/gate/a.ts", "../ask/b.ts"], // the same
    ["snapshots/http/a.ts", "../annex/leaks/b.ts"],
    ["snapshots/annex/leaks/a.ts", "../../service/b.ts"],
    ["sidecar/serve/a.ts", "../annex/oidc/b.ts"],
    ["site/pages/a.astro", "../annexes.ts"],
  ] as const)
    assert.equal(findWrongLayers(made({ [from]: [to] })).length, 1, `${from} → ${to}`);
  for (const [from, to] of [
    ["snapshots/http/a.ts", "../shelf/b.ts"],
    ["generator/annex/bucket/a.ts", "../leaks/b.ts"],
    ["generator/pipeline/a.ts", "../../snapshots/annex/leaks/b.ts"],
    ["site/annex/trust/a.ts", "../../format.ts"],
    ["site/pages/a.astro", "../components/b.astro"],
    ["site/annex/trust/a.astro", "../../components/b.astro"],
    ["site/browser/a.ts", "../../snapshots/query/b.ts"],
    ["site/annex/trust/a.ts", "../../browser/b.ts"],
    ["site/pages/a.astro", "../browser/b.ts?worker&url"],
    ["site/components/a.astro", "../style/b.css?url"],
    ["site/annexes.ts", "./annex/trust/b.ts?worker&url"],
    ["generator/package/client/index.ts", "../../../snapshots/format/b.ts"],
    ["snapshots/contract/a.ts", "../http/b.ts"],
    ["sidecar/main.ts", "./serve/server.ts"],
  ] as const)
    assert.equal(findPastFaces(made({ [from]: [to] })).length, 1, `${from} → ${to}`);
  for (const [from, to] of [
    ["snapshots/http/a.ts", "#snapshots/shelf"],
    ["generator/pipeline/a.ts", "#snapshots/errors"],
    ["site/pages/a.astro", "../format.ts"],
    ["site/annex/trust/a.astro", "../../components/index.ts"],
    ["site/components/a.astro", "./b.astro"],
    ["site/components/a.astro", "../format.ts"],
    ["site/browser/a.ts", "../format.ts"],
    ["site/pages/a.astro", "../browser/index.ts"],
    ["snapshots/http/a.test.ts", "../shelf/b.ts"],
  ] as const)
    assert.deepEqual(findPastFaces(made({ [from]: [to] })), [], `${from} → ${to}`);
  assert.deepEqual(findLoose(made({ "snapshots/loose.ts": [], "generator/loose.test.ts": [], "sidecar/main.test.ts": [] })), [
    "snapshots/loose.ts",
    "generator/loose.test.ts",
  ]);
  const annexed = (from: string): string[] => findAnnexImports(made({ [from]: ["../annex/leaks/b.ts"] }));
  assert.equal(annexed("generator/pipeline/a.ts").length, 1);
  const circle = made({
    "generator/annex/bucket/a.ts": ["../../pipeline/b.ts"],
    "generator/pipeline/b.ts": ["../annex/leaks/c.ts"],
    "generator/annex/leaks/c.ts": [],
  });
  assert.deepEqual(findRings(roomsOf(circle)), ["generator/annex → generator/pipeline → generator/annex (of 2 files)"]);
  for (const above of ["generator/pipeline/a.test.ts", "generator/annex/trust/a.ts", "generator/annexes.ts", "site/entry.ts"])
    assert.deepEqual(annexed(above), [], above);
  for (const below of ["site/components/a.astro", "sidecar/serve/server.ts"]) assert.equal(annexed(below).length, 1, below);
  assert.deepEqual(
    findRings(roomsOf(made({ "snapshots/a.ts": ["./http/b.ts"], "snapshots/http/b.ts": ["../c.ts"], "snapshots/c.ts": [] }))),
    ["snapshots/* → snapshots/http → snapshots/* (of 2 files)"],
  );
  assert.equal(findLongFunctions("a.ts", `function a() {\n${"// line\n".repeat(120)}}`).length, 1);
  assert.deepEqual(findLongFunctions("a.ts", `function a() {\n${"// line\n".repeat(118)}}`), []);
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
      `${tree} (3) → snapshots/verify/verify.ts (9)`,
    ]);
    assert.deepEqual(found(tree, tree, 'const planted = import("../../sidecar/app.ts");').slice(0, 1), [`${tree} → sidecar/app.ts`]);
    const digest = "snapshots/digest.ts";
    assert.match(
      found(digest, digest, 'type Planted = import("./format/tree.ts").Planted;').join(),
      /digest\.ts → snapshots\/format\/tree\.ts → snapshots\/digest\.ts/,
    );
    assert.deepEqual(found(digest, "snapshots/planted.ts", "").slice(0, 1), ["snapshots/planted.ts is in no layer"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("no folder imports another but along the arrows", () => assert.deepEqual(findWrongArrows(graph), []));

test("an import goes to a lower layer", () => assert.deepEqual(findWrongLayers(graph), []));

test("a room is imported through its face, and never past it", () => assert.deepEqual(findPastFaces(graph), []));

test("no file lies loose", () => assert.deepEqual(findLoose(graph), []));

test("no rooms import one another in a ring, all annexes of a folder taken as one room, and all its loose files", () =>
  assert.deepEqual(findRings(roomsOf(graph)), []));

test("no import of the core leads into an annex", () => assert.deepEqual(findAnnexImports(graph), []));

test("no function that ships is longer than a screen or two", () => {
  const long = files
    .filter((path) => ships(path) && /\.m?ts$/.test(path))
    .flatMap((path) => findLongFunctions(path, readFileSync(join(ROOT, path), "utf8")));
  assert.deepEqual(long, []);
});

test("what is counted in what is printed has its noun by countOf, for there may be one", () => {
  const counted =
    /(?<!=== 1 \? [^:]{0,60}: `)\$\{(?![^}]*\b[A-Z_]{4,})[^{}]*\} (?!has )(?:[a-z]+ )?(?:objects|pages|documents|records|snapshots|blobs|theorems|passages|claims|checks|sources|problems|definitions|requests|declarations|collections|axioms|findings|publications)\b/g;
  assert.equal("`${made.length} pages, ${MAX_FILES} objects, ${n === 1 ? one : `${n} records`}`".match(counted)?.length, 1);
  const printed = files.filter((path) => ships(path) && path.endsWith(".ts"));
  assert.deepEqual(
    printed.flatMap(
      (path) =>
        readFileSync(join(ROOT, path), "utf8")
          .match(counted)
          ?.map((text) => `${path} ${text}`) ?? [],
    ),
    [],
  );
});

test("no comment but of a test begins with Of, What, Whether, Which or Who, and doc comments of exports begin with their name", () => {
  const planted = `// Of a\n// what\n/** foo does. */\nexport const foo = 1; // Who\n/** Some bar. */\nexport type Bar = {\n  /** What b is. */ b: 1;\n  // Whether\n};\n`;
  const { refused, ...counts } = readCommentWords("planted.ts", planted);
  assert.deepEqual(
    refused.map((line) => line.split(" ").slice(0, 2).join(" ")),
    ["planted.ts:1 Of", "planted.ts:4 Who", "planted.ts:7 What", "planted.ts:8 Whether"],
  );
  assert.deepEqual(counts, { exported: 2, unnamed: ["planted.ts Bar"] });
  assert.deepEqual(readBlockWords("a.css", "/* A word. */ a {} /* What follows. */"), ["a.css comment 2"]);
  const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
  const words = files.filter((path) => !/\.(test|spec)\.ts$/.test(path)).map((path) => readCommentWords(path, read(path)));
  const blocks = fastGlob.sync(
    TOPS.map((top) => `${top}/**/*.{css,c}`),
    { cwd: ROOT, ignore: ["**/dist/**", "generator/demo/**"] },
  );
  assert.deepEqual([...words.flatMap((one) => one.refused), ...blocks.flatMap((path) => readBlockWords(path, read(path)))], []);
  assert.deepEqual(
    words.flatMap((one) => one.unnamed),
    [],
  );
});

test("the lines of core and annexes are counted", (t) => {
  const { kinds, core, annexes } = countLines(graph);
  t.diagnostic([...kinds].map(([name, lines]) => `${name} ${lines}`).join(", "));
  assert.ok((kinds.get("prod") ?? 0) > 10_000 && core.size > 20 && annexes.size > 3);
});

test("no files import one another in a ring", () => assert.deepEqual(findRings(graph), []));

test("no file is imported from outside the four folders, none by an absolute path, and what is named is there", () => {
  for (const [path, { imported, started }] of graph) {
    if (!NAMING_MADE_UP.includes(path)) for (const target of ours(path, started)) assert.ok(graph.has(target), `${path} names ${target}`);
    for (const name of imported) assert.doesNotMatch(name, /^(\/|file:|https?:)/, path);
    for (const target of ours(path, imported)) assert.ok(TOPS.includes(topOf(target)) || target === "package.json", `${path} → ${target}`);
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
  assert.ok(naming.includes("snapshots/annex/bucket/s3-bucket.ts"));
  for (const path of naming) assert.doesNotMatch(text(path), /^(import|export)\s+(?!type\b)[^;]*from "@aws-sdk\//m, path);
});

test("queries are pure: no file, no network, no clock, no environment, no chance", () => {
  const pure = ["snapshots/annex/history/feed.ts", "snapshots/annex/side/record-rows.ts"];
  for (const path of [...files.filter((name) => name.startsWith("snapshots/query/") && !name.endsWith(".test.ts")), ...pure]) {
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
    asking.filter((path) => !/^(site|snapshots\/(verify|annex\/leaks))\//.test(path)),
    [],
  );
});

test("each package that ships is pinned, and the README says what for", () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
    "dependencies" | "optionalDependencies",
    Record<string, string>
  >;
  const rows = readFileSync(join(ROOT, "generator/README.md"), "utf8").match(/^\| `.*$/gm) ?? [];
  for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+/, name);
    assert.ok(
      rows.some((row) => row.includes(`\`${name}\``)),
      `${name} has no line in generator/README.md`,
    );
  }
});

test("files are named in kebab-case", () => {
  for (const path of files) assert.match(path, /^([a-z0-9-]+\/)*[a-z0-9-]+(\.slow)?(\.(test|spec|d))?\.(ts|mjs|js|astro)$/, path);
});
