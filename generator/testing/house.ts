/** The house as its imports draw it: which rooms there are, which of them may import which, and how many lines stand in core and annexes.
 *  `arrows.test.ts` holds the code to the tables of this file; `npm run house` prints what it counts. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import fastGlob from "fast-glob";
import ts from "typescript";
import { doorOf } from "./doors.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Top folder → top folders that it may import besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  snapshots: [],
  generator: ["snapshots"],
  site: ["snapshots"],
  sidecar: ["snapshots"],
};
export const TOPS = Object.keys(ARROWS);

/** Every room of a top folder that no layer names. They may import one another. */
const REST = "*";

/** Rooms of a top folder, lowest layer first. A room is a folder, or a file that lies loose. It imports rooms of lower layers alone. The
 *  annexes lie above the core, and above them what puts the two together. */
const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  snapshots: [
    ["errors.ts", "digest.ts", "own-text.ts", "limit-bytes.ts", "terminal.ts", "highlight"],
    ["schema", "embed", "words"],
    ["format", "index", "log", "embedders"],
    ["shelf", "blocks"],
    ["query"],
    ["routes", "tools"],
    ["answer"],
    ["page"],
    ["http", "verify"],
    ["annex"],
    ["service", "code"],
  ],
  generator: [
    ["files", "extract"],
    ["config"],
    ["kept", "shelves"],
    ["sources", "index", "pages"],
    ["publish"],
    ["pipeline"],
    ["commands"],
    ["annex"],
    ["annexes.ts", "completion.ts"],
    ["cli.ts", "setup.mjs"],
    // The package starts what it was compiled to.
    ["package"],
  ],
  site: [[REST], ["annex"], ["annexes.ts"], ["entry.ts", "main.ts"]],
  sidecar: [["http", "proxy"], ["gate", "ask"], ["mcp"], ["serve"], ["annex"], ["annexes.ts"], ["main.ts"]],
};

/** Loose files that are no rooms: tests of a folder as a whole. */
const LOOSE_TESTS: Readonly<Record<string, readonly string[]>> = { snapshots: ["readme.test.ts"], generator: ["setup.test.ts"] };

/** Programs that another folder starts as processes of their own: a link, not an import. */
const STARTED: Readonly<Record<string, readonly string[]>> = {
  "generator/commands/serve.ts": ["site/main.ts", "sidecar/main.ts", "generator/cli.ts"],
};

/** Lines. A longer closure, with state that lives, is a class without the word. */
const MAX_FUNCTION = 120;

/** Named is what a file names, as paths from the root, packages by their names: what it imports or runs as a worker, and programs that it starts. */
export type Named = { readonly imported: readonly string[]; readonly started: readonly string[] };
/** A Graph is path from the root → what the file names. */
export type Graph = ReadonlyMap<string, Named>;

/** readNamed sees import, export from, import(), import type, a type's import("…"), new URL(…) of a module, and import.meta.resolve. */
export function readNamed(path: string, text: string): Named {
  const scripts = path.endsWith(".astro")
    ? [
        ...(/^---\n([\s\S]*?)\n---/.exec(text)?.slice(1) ?? []),
        ...[...text.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? ""),
      ]
    : [text];
  const sources = path.endsWith(".astro") ? [...text.matchAll(/<script\b[^>]*\bsrc="([^"]+)"/g)].map((match) => match[1] ?? "") : [];
  const imported = scripts.flatMap((script) => {
    // An addition to a type names the file that declares it, and imports nothing.
    const added = [...script.matchAll(/^declare module "([^"]+)"/gm)].map(([, name]) => name);
    return ts.preProcessFile(script, true, true).importedFiles.flatMap(({ fileName }) => (added.includes(fileName) ? [] : [fileName]));
  });
  const urls = [...text.matchAll(/(\bWorker\(\s*)?\b(?:new URL|import\.meta\.resolve)\(\s*["']([^"']+\.(?:ts|mjs))["']/g)].map(
    ([, worker, name = ""]) => ({ worker: worker !== undefined, name: name.startsWith(".") ? name : `./${name}` }),
  );
  return {
    imported: [...imported, ...sources, ...urls.filter(({ worker }) => worker).map(({ name }) => name)],
    started: urls.filter(({ worker }) => !worker).map(({ name }) => name),
  };
}

export function readGraph(root: string): Graph {
  const paths = fastGlob.sync(
    TOPS.map((folder) => `${folder}/**/*.{ts,mjs,js,astro}`),
    { cwd: root, ignore: ["**/dist/**", "snapshots/data/**", "generator/demo/library/**", "generator/demo/code/**"] },
  );
  return new Map(paths.sort().map((path) => [path, readNamed(path, readFileSync(join(root, path), "utf8"))]));
}

export function topOf(path: string): string {
  return path.split("/")[0] ?? "";
}

/** ours finds the modules of ours among the names, as paths from the root. */
export function ours(path: string, names: readonly string[]): string[] {
  const own = names.filter((name) => /^[.#]/.test(name));
  // A compiler is told behind the name in which form it is wanted.
  return [...new Set(own.map((name) => doorOf(name) ?? posix.join(posix.dirname(path), name.replace(/\?.*$/, ""))))];
}

/** ships tells what ships. Tests, what tests are made with, and tools do not, nor do the makers of packages and the recipes beside them. They
 *  may look at
 *  everything that their top folder may. */
export function ships(path: string): boolean {
  return !/(\.(test|spec)|(^|\/|-)(fixtures?|double))\.ts$|\/(bench|contract|demo|eval|guides|testing|torture)\/|site\/(fixtures|fixture-server|shots|pictures)\.ts$|package\/(pack[^/]*\.ts|recipes\/.*)|\/bench\.ts$/.test(
    path,
  );
}

/** Name of the annex that a file belongs to; null for the core. */
function annexOf(path: string): string | null {
  const [, folder, name] = path.split("/");
  return folder === "annex" ? (name ?? null) : null;
}

/** The room of a file: its folder below the top, or itself where it lies loose. All annexes of a top folder are one. */
function roomOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

/** Number of the layer that a file lies in, from 1; null where the table has none for it. */
function layerOf(path: string, layers = LAYERS): number | null {
  const [top = "", room = ""] = roomOf(path.replace(/\.js$/, ".ts")).split("/");
  const all = layers[top] ?? [];
  const named = all.findIndex((layer) => layer.includes(room));
  const at = named === -1 ? all.findIndex((layer) => layer.includes(REST)) : named;
  return at === -1 ? null : at + 1;
}

/** findWrongArrows finds imports against the arrows.
 *  @returns one line for each import that leads from one top folder into another that it may not know */
export function findWrongArrows(graph: Graph): string[] {
  return [...graph].flatMap(([path, { imported, started }]) => {
    const from = topOf(path);
    const allowed = (target: string): boolean => [from, ...(ARROWS[from] ?? [])].includes(topOf(target)) || target === "package.json";
    const wrong = ours(path, imported).filter((target) => !allowed(target));
    if (ships(path)) wrong.push(...ours(path, started).filter((target) => !allowed(target) && STARTED[path]?.includes(target) !== true));
    return wrong.map((target) => `${path} → ${target}`);
  });
}

/** findWrongLayers finds imports of higher layers.
 *  @returns one line for each file that is in no layer, or imports its own or a higher one */
export function findWrongLayers(graph: Graph, layers = LAYERS): string[] {
  return [...graph].flatMap(([path, { imported, started }]) => {
    const top = topOf(path);
    if (layers[top] === undefined || !ships(path)) return [];
    const layer = layerOf(path, layers);
    if (layer === null) return [`${path} is in no layer`];
    return ours(path, [...imported, ...started]).flatMap((target) => {
      if (STARTED[path]?.includes(target) === true) return [];
      const other = layerOf(target, layers);
      const rest = other === layer && layers[top]?.[layer - 1]?.includes(REST) === true;
      const fine = topOf(target) !== top || roomOf(target) === roomOf(path) || rest;
      return fine || (other !== null && other < layer) ? [] : [`${path} (${layer}) → ${target} (${other ?? "no layer"})`];
    });
  });
}

/** Rooms within the site, each with a face of its own. */
const WITHIN_SITE = ["components", "browser", "style"];

/** roomWithFace names the room of a file that other rooms see by its face: each annex is one, the site is one and has some within it, and a
 *  file that lies loose is its own. */
function roomWithFace(path: string): string {
  const [top = "", room = "", annex = ""] = path.split("/");
  if (room === "annex") return `${top}/annex/${annex}`;
  return top === "site" && !WITHIN_SITE.includes(room) ? top : roomOf(path);
}

/** liesIn says whether a file lies in a room or in a room within it; an annex is outside of the room that its folder lies in. */
function liesIn(path: string, room: string): boolean {
  return path.startsWith(`${room}/`) && annexOf(path) === annexOf(`${room}/`);
}

/** Tools that go in by the door all the same. */
const BY_THE_DOOR = /^(snapshots\/contract\/|site\/(shots|pictures)\.ts$)/;

/** findPastFaces looks for imports that lead into another room by any file but its `index.ts`, scripts of browsers not left out: what is
 *  compiled for them keeps of a face what they use. A plain script is a face of its own, and so is a file that lies loose. Tests, fixtures
 *  and tools may look inside.
 *  @returns one line for each */
export function findPastFaces(graph: Graph): string[] {
  return [...graph].flatMap(([path, { imported }]) =>
    ships(path) || BY_THE_DOOR.test(path)
      ? ours(path, imported)
          .filter((target) => {
            const room = roomWithFace(target);
            return room !== target && !liesIn(path, room) && target !== `${room}/index.ts` && /\.(ts|astro|css|svg)$/.test(target);
          })
          .map((target) => `${path} → ${target}`)
      : [],
  );
}

/** findLoose finds loose files.
 *  @returns one line for each file that lies loose in a top folder with layers and is no room of it */
export function findLoose(graph: Graph): string[] {
  return [...graph.keys()].filter((path) => {
    const top = topOf(path);
    const name = path.split("/")[1] ?? "";
    const known = [...(LAYERS[top] ?? []).flat(), ...(LOOSE_TESTS[top] ?? [])];
    return (
      path.split("/").length === 2 &&
      LAYERS[top] !== undefined &&
      !known.includes(REST) &&
      !known.includes(name) &&
      !known.includes(name.replace(/\.(slow\.)?(test|spec)\.ts$/, ".ts").replace(/\.d\.mts$/, ".mjs"))
    );
  });
}

/** findAnnexImports finds imports of annexes by the core.
 *  @returns one line for each import of the core, which is what lies below the annexes, that leads into an annex, its own or another
 *  folder's */
export function findAnnexImports(graph: Graph): string[] {
  return [...graph].flatMap(([path, { imported, started }]) => {
    const annexes = layerOf(`${topOf(path)}/annex`);
    if (!ships(path) || annexes === null || (layerOf(path) ?? 0) >= annexes) return [];
    return ours(path, [...imported, ...started])
      .filter((target) => annexOf(target) !== null)
      .map((target) => `${path} → ${target}`);
  });
}

/** findRings finds rings of imports.
 *  @returns for each set of files that import one another its shortest ring, and how many files the set has */
export function findRings(graph: Graph): string[] {
  const imports = new Map([...graph].map(([path, { imported }]) => [path, ours(path, imported).filter((name) => graph.has(name))]));
  // A file that imports nothing of what is left is on no ring.
  for (let left = 0; left !== imports.size; ) {
    left = imports.size;
    for (const [path, targets] of imports) if (!targets.some((target) => imports.has(target))) imports.delete(path);
  }
  const rings = new Map([...imports.keys()].map((path) => [path, findRing(imports, path)]));
  const said = new Set<string>();
  return [...rings].flatMap(([path, { ring, reached }]) => {
    if (ring === null || said.has(path)) return [];
    const together = [...rings.keys()].filter((other) => reached.has(other) && rings.get(other)?.reached.has(path) === true);
    for (const other of together) said.add(other);
    const shortest = together.map((other) => rings.get(other)?.ring ?? ring).reduce((a, b) => (b.length < a.length ? b : a));
    return [`${shortest.join(" → ")} (of ${together.length} files)`];
  });
}

/** @returns the shortest way from a file back to itself, null when there is none, and all files on the ways from it */
function findRing(
  imports: ReadonlyMap<string, readonly string[]>,
  first: string,
): { readonly ring: readonly string[] | null; readonly reached: ReadonlySet<string> } {
  const cameFrom = new Map<string, string>();
  const pending = [first];
  for (let path = pending.shift(); path !== undefined; path = pending.shift())
    for (const target of (imports.get(path) ?? []).filter((name) => !cameFrom.has(name))) {
      cameFrom.set(target, path);
      pending.push(target);
    }
  const reached = new Set(cameFrom.keys());
  if (!reached.has(first)) return { ring: null, reached };
  const ring = [first];
  for (let path = cameFrom.get(first) ?? first; path !== first; path = cameFrom.get(path) ?? first) ring.unshift(path);
  return { ring: [first, ...ring], reached };
}

/** roomsOf draws the rooms as a graph of their own: a room imports a room when a module of it imports a module of the other. All loose files
 *  of a top folder are one room, as all its annexes are; what puts core and annexes together is above both. Pages are no room. */
export function roomsOf(graph: Graph): Graph {
  const rooms = new Map<string, Set<string>>();
  const isInside = (path: string): boolean => graph.has(path) && ships(path) && /\.m?[tj]s$/.test(path);
  const putsTogether = (path: string): boolean => (layerOf(path) ?? 0) > (layerOf(`${topOf(path)}/annex`) ?? Number.POSITIVE_INFINITY);
  const nameOf = (path: string): string => (path.split("/").length === 2 && !putsTogether(path) ? `${topOf(path)}/*` : roomOf(path));
  for (const [path, { imported }] of graph) {
    if (!isInside(path)) continue;
    const room = nameOf(path);
    const known = rooms.get(room) ?? new Set();
    rooms.set(room, known);
    for (const target of ours(path, imported)) if (isInside(target) && nameOf(target) !== room) known.add(nameOf(target));
  }
  return new Map(
    [...rooms].map(([room, targets]) => [room, { imported: [...targets].map((target) => relative(room, target)), started: [] }]),
  );
}

/** As `ours` reads it back. */
function relative(room: string, target: string): string {
  const path = posix.relative(posix.dirname(room), target);
  return path.startsWith(".") ? path : `./${path}`;
}

/** findLongFunctions finds long functions.
 *  @returns one line for each function of more than `MAX_FUNCTION` lines in what ships */
export function findLongFunctions(path: string, text: string): string[] {
  if (text.split("\n").length <= MAX_FUNCTION) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const lines = source.getLineAndCharacterOfPosition(node.end).line - first + 1;
      if (lines > MAX_FUNCTION) found.push(`${path}:${first + 1} has ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** kindOf says what a file is for: what ships, a test, what tests are made with, or a tool. */
function kindOf(path: string): "prod" | "tests" | "support" | "tools" {
  if (ships(path)) return "prod";
  if (/\.(test|spec)\.ts$/.test(path)) return "tests";
  return /\/(bench|eval|torture|guides|package)\/|\/bench\.ts$|site\/(shots|pictures)\.ts$/.test(path) ? "tools" : "support";
}

/** countLines counts lines as `wc -l` does.
 *  @returns lines of each kind of file, and of what ships by room of the core and by annex */
export function countLines(
  graph: Graph,
  root = ROOT,
): {
  readonly kinds: ReadonlyMap<string, number>;
  readonly core: ReadonlyMap<string, number>;
  readonly annexes: ReadonlyMap<string, number>;
} {
  const kinds = new Map<string, number>();
  const core = new Map<string, number>();
  const annexes = new Map<string, number>();
  const add = (map: Map<string, number>, name: string, lines: number): unknown => map.set(name, (map.get(name) ?? 0) + lines);
  for (const path of graph.keys()) {
    const lines = readFileSync(join(root, path), "utf8").split("\n").length - 1;
    add(kinds, kindOf(path), lines);
    const annex = annexOf(path);
    if (ships(path)) add(annex === null ? core : annexes, annex ?? roomWithFace(path), lines);
  }
  return { kinds, core, annexes };
}
