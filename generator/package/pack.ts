/** The package that is published: JavaScript made from the sources that a command can reach, compiled pages, the demo, and a manifest of its own.
 *  Beside it the client, as a package of its own.
 *
 *      npm run package [-- FOLDER]      writes both tarballs into the folder, or here
 *
 *  Left out, because nobody who runs it needs it: tests, compilers of pages, benchmarks. The search engine's JavaScript comes along in
 *  the tarball, because its own manifest asks for half a gigabyte of models that are never loaded. The embedded model, and what runs one
 *  of a person's own, are packages that whoever wants them installs beside this one. */
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { transform } from "esbuild";
import { compileSite } from "#generator/pages";
import { findImports, openSources, readLock } from "#generator/testing";
import { makeClientPackage } from "./pack-client.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAMS = ["generator/cli.ts", "site/main.ts", "sidecar/main.ts"];
/** Not sources, and needed. */
const FILES = [
  "generator/annex/recall/advisories.yaml",
  "generator/files/node-version.mjs",
  "generator/package/start.mjs",
  "generator/package/recipes",
  "generator/demo",
  "sidecar/proxy/nginx.conf",
  "sidecar/proxy/varnish.vcl",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CITATION.cff",
];
/** How the demo was made. */
const NOT_PUBLISHED = /\/generator\/demo\/[^/]+\.ts$/;
/** Packages that compile, and those that are compiled into the result. */
const COMPILERS = new Set(["astro", "@astrojs/node", "esbuild", "@hyzyla/pdfium"]);
const BUNDLED = "@lancedb/lancedb";
const BILL_OF_MATERIALS = "sbom.cdx.json";
const NATIVE = /^@lancedb\/lancedb-(?:linux-(?:x64|arm64)-gnu|darwin-arm64)$/;
const MODEL = /^@energetic-ai\//;

/** Everybody may install it, and the registry says which run of which workflow made it. */
const PUBLISH = { access: "public", provenance: true };

type Manifest = Readonly<Record<string, unknown>> & {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
};

/** makePackage writes the package as a folder. @param folder empty or missing */
export async function makePackage(folder: string): Promise<void> {
  const { dist } = await compileSite();
  const sources = openSources();
  const programs = sources.closure(PROGRAMS).files.filter((path) => path.endsWith(".ts"));
  const imported = new Set<string>();
  for (const path of programs) {
    const text = await readFile(join(ROOT, path), "utf8");
    for (const name of findImports(text)) imported.add(name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
    await put(folder, `${path.slice(0, -3)}.js`, await toJavaScript(text, path));
  }
  for (const path of FILES) {
    await cp(join(ROOT, path), join(folder, path), { recursive: true, filter: (from) => !NOT_PUBLISHED.test(from) });
  }
  for (const path of linkedFrom(await readFile(join(ROOT, "README.md"), "utf8"))) await cp(join(ROOT, path), join(folder, path));
  const compiled = dist.slice(ROOT.length);
  await cp(dist, join(folder, compiled), { recursive: true });
  await cp(join(dirname(dist), "current"), join(folder, dirname(compiled), "current"));
  await bundleEngine(folder);
  const manifest = publishedManifest(await readManifest(), imported);
  await put(folder, "package.json", JSON.stringify(manifest, null, 2));
  await put(folder, BILL_OF_MATERIALS, await makeBillOfMaterials(manifest));
}

/** makeBillOfMaterials lists in CycloneDX what the published manifest brings along, at the versions that the lock of this repository names. npm
 *  makes it from manifest and lock alone; it names no licence for a package whose manifest has none. */
async function makeBillOfMaterials(manifest: Record<string, unknown>): Promise<string> {
  const { dependencies } = await readManifest();
  const asked = {
    ...manifest,
    dependencies: { ...(manifest["dependencies"] as object), [BUNDLED]: dependencies[BUNDLED] },
    bundleDependencies: [],
  };
  const lock = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; name?: string }>;
  };
  // npm counts a package that a tool of development needs too as one of development, and lists a stand-in under the name of another; neither is shown to it.
  const shown = Object.entries(lock.packages).filter(([, { dev, name }]) => dev !== true && name === undefined);
  const work = await mkdtemp(join(tmpdir(), "proofshelf-bill-"));
  try {
    await put(work, "package.json", JSON.stringify(asked));
    await put(work, "package-lock.json", JSON.stringify({ ...lock, packages: { ...Object.fromEntries(shown), "": asked } }));
    return execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format=cyclonedx"], { cwd: work, encoding: "utf8" });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** makeClient writes the client as a folder. @param folder empty or missing */
export async function makeClient(folder: string): Promise<void> {
  await makeClientPackage(folder, { ...(await readManifest()), publishConfig: PUBLISH });
}

const readManifest = async (): Promise<Manifest> => JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as Manifest;

/** pack packs a package.
 *  @param make writes the package into a folder
 *  @returns path of the tarball */
export async function pack(make: (folder: string) => Promise<void>, into: string): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), "proofshelf-package-"));
  try {
    await make(work);
    await mkdir(into, { recursive: true });
    const said = execFileSync("npm", ["pack", "--json", "--pack-destination", into], {
      cwd: work,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [{ filename }] = JSON.parse(said) as [{ filename: string }];
    return join(into, filename);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Without types, and with the names that modules have there. */
async function toJavaScript(text: string, path: string): Promise<string> {
  const { code } = await transform(text, {
    loader: "ts",
    format: "esm",
    target: "node24",
    charset: "utf8",
    sourcefile: path,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code.replaceAll(/(["'`])(\.{1,2}\/[^"'`\n]*)\.ts\1/g, "$1$2.js$1");
}

/** Where a text leads in the same repository: a folder stands for what describes it. */
function linkedFrom(text: string): readonly string[] {
  const links = [...text.matchAll(/\]\(([\w./-]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path);
  return [...new Set(links)]
    .map((path) => (statSync(join(ROOT, path)).isDirectory() ? join(path, "README.md") : path))
    .filter((path) => existsSync(join(ROOT, path)));
}

/** With the dependencies that a program of this package imports and no others. */
function publishedManifest(
  { version, dependencies, optionalDependencies: nodes, ...rest }: Manifest,
  imported: ReadonlySet<string>,
): Record<string, unknown> {
  const versionsOf = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, dependencies[name] ?? ""]));
  const { dependencies: ofEngine = {}, optionalDependencies: natives = {} } = readLock()[`node_modules/${BUNDLED}`] ?? {};
  const needed = Object.keys(dependencies).filter((name) => imported.has(name) && !COMPILERS.has(name));
  const models = needed.filter((name) => MODEL.test(name));
  return {
    name: rest["name"],
    version,
    imports: JSON.parse(JSON.stringify(rest["imports"]).replaceAll('.ts"', '.js"')) as unknown,
    description: rest["description"],
    license: rest["license"],
    type: "module",
    // An older one starts the Node that comes along.
    engines: rest["engines"],
    bin: { proofshelf: "generator/package/start.mjs" },
    // A program and no library: what is imported is the client, which is a package of its own.
    exports: { "./package.json": "./package.json" },
    ...(rest["repository"] === undefined ? {} : { repository: rest["repository"] }),
    publishConfig: PUBLISH,
    // Packages that a bundled one needs are not installed for it.
    dependencies: { ...versionsOf(needed.filter((name) => !MODEL.test(name))), ...ofEngine },
    optionalDependencies: { ...Object.fromEntries(Object.entries(natives).filter(([name]) => NATIVE.test(name))), ...nodes },
    peerDependencies: versionsOf(models),
    peerDependenciesMeta: Object.fromEntries(models.map((name) => [name, { optional: true }])),
    bundleDependencies: [BUNDLED],
  };
}

/** The engine's JavaScript and its licences, with a manifest that asks for nothing: npm takes what a bundled package asks for as bundled
 *  too, and installs an empty folder. The package itself asks for it. */
async function bundleEngine(folder: string): Promise<void> {
  const from = join(ROOT, "node_modules", BUNDLED);
  const to = join(folder, "node_modules", BUNDLED);
  await cp(from, to, {
    recursive: true,
    filter: (path) =>
      (!path.startsWith(join(from, "node_modules")) && !/\.md$|\.ya?ml$|\.d\.ts$|\.map$/.test(path)) || /LICENSE/.test(path),
  });
  const { name, version, license, main, exports, types } = JSON.parse(await readFile(join(from, "package.json"), "utf8")) as Record<
    string,
    unknown
  >;
  await put(to, "package.json", JSON.stringify({ name, version, license, main, exports, types }, null, 2));
}

async function put(folder: string, path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  for (const make of [makePackage, makeClient]) process.stdout.write(`${await pack(make, resolve(positionals[0] ?? "."))}\n`);
}
