/** Compiles the pages when their sources have changed: site/dist/<version>/, named by the digest of everything that goes in;
 *  and with them the process that reads objects, whose start would otherwise be mostly the removal of types.
 *
 *  A version is built in a temporary folder and renamed into place, and never written again, so that two processes may
 *  compile at once and a running one keeps its files. The result names no folder of this machine: the same sources give
 *  the same bytes, hence the same renderer digest, everywhere. */
import { spawn } from "node:child_process";
import { glob, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { CURRENT_VERSION_FILE } from "../../snapshots/page/renderer.ts";
import { compileWorker, WORKER } from "../extract/compile-worker.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What the compiled pages are made from, and with them what a build keeps for the next one (build.ts, stateBasis): all of
 *  snapshots/, because JSON and pages that are kept follow from it as well. Not deeper: snapshots/data is the demo's shelf. */
const INPUTS = ["astro.config.mjs", "package-lock.json", "site/**/*", "snapshots/*.ts", "snapshots/*/*.ts", "generator/extract/*.ts"];
/** Not inputs: what is built, and what the bundle never contains. */
const NOT_INPUTS = /^site\/(?:dist|\.cache)(?:\/|$)|\.test\.ts$|^site\/(?:server|main|site-dist|fixtures|fixture-server|shots)\.ts$/;
/** Astro wants a key for features that we do not use, and would make a random one: the bundle would differ every time. */
const UNUSED_ASTRO_KEY = Buffer.alloc(32).toString("base64");

export type CompiledSite = {
  /** Folder of the version in use, absolute; for `openRenderer`. */
  readonly dist: string;
  /** The program of `openExtractPool`'s processes. */
  readonly worker: string;
  /** False when it was there already. */
  readonly compiled: boolean;
};

export type CompileOptions = {
  /** Where versions lie; site/dist by default. */
  readonly distDir?: string;
  /** Compile even when this version is there. */
  readonly force?: boolean;
};

/** Makes sure that the compiled pages match their sources. Takes milliseconds when they do.
 *  @throws ShelfError "build_failed" with Astro's own words when a page does not compile */
export async function compileSite(options: CompileOptions = {}): Promise<CompiledSite> {
  const distDir = options.distDir ?? join(ROOT, "site", "dist");
  const version = (await digestInputs()).slice(0, 16);
  const dist = join(distDir, version);
  const existing = await readCurrent(distDir);
  const names = await listVersions(distDir);
  if (names.includes(version) && options.force !== true) {
    if (existing !== version) await writeCurrent(distDir, version);
    return { dist, worker: join(dist, "extract", WORKER), compiled: false };
  }
  process.stderr.write("Compiling the pages …\n");
  await mkdir(distDir, { recursive: true });
  const work = await mkdtemp(join(distDir, ".compile-"));
  try {
    await runAstro(work);
    await compileWorker(join(work, "out", "extract"));
    await eraseMachine(join(work, "out"), work);
    if (options.force === true) await rm(dist, { recursive: true, force: true });
    await rename(join(work, "out"), dist).catch(async (error: unknown) => {
      // Another process finished first: its version has the same bytes.
      if (!(await listVersions(distDir)).includes(version)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  await writeCurrent(distDir, version);
  // The version before this one stays, for processes that still run on it.
  for (const old of names.filter((name) => name !== version && name !== existing)) {
    await rm(join(distDir, old), { recursive: true, force: true });
  }
  return { dist, worker: join(dist, "extract", WORKER), compiled: true };
}

/** Paths of all inputs from the project's root, ascending. */
export async function listInputs(): Promise<string[]> {
  const paths = new Set<string>();
  for (const pattern of INPUTS) {
    for await (const entry of glob(pattern, { cwd: ROOT, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name).slice(ROOT.length).replaceAll("\\", "/");
      if (!NOT_INPUTS.test(path)) paths.add(path);
    }
  }
  return [...paths].sort();
}

/** SHA-256 over path and bytes of every input, ascending by path. */
async function digestInputs(): Promise<string> {
  const paths = await listInputs();
  const lines = await Promise.all(paths.map(async (path) => `${sha256(await readFile(join(ROOT, path)))}  ${path}\n`));
  return sha256(lines.join(""));
}

async function listVersions(distDir: string): Promise<string[]> {
  const names = await readdir(distDir).catch(() => []);
  return names.filter((name) => /^[0-9a-f]{16}$/.test(name));
}

async function readCurrent(distDir: string): Promise<string | null> {
  return (await readFile(join(distDir, CURRENT_VERSION_FILE), "utf8").catch(() => "")).trim() || null;
}

async function writeCurrent(distDir: string, version: string): Promise<void> {
  const temporary = join(distDir, `.current-${process.pid}-${performance.now()}`);
  await writeFile(temporary, `${version}\n`);
  await rename(temporary, join(distDir, CURRENT_VERSION_FILE));
}

async function runAstro(work: string): Promise<void> {
  const astro = join(dirname(fileURLToPath(import.meta.resolve("astro/package.json"))), "bin", "astro.mjs");
  const child = spawn(process.execPath, [astro, "build", "--root", ROOT], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ASTRO_TELEMETRY_DISABLED: "1",
      ASTRO_KEY: UNUSED_ASTRO_KEY,
      NODE_ENV: "production",
      PROOFSHELF_SITE_OUT: join(work, "out"),
      PROOFSHELF_SITE_CACHE: join(work, "cache"),
    },
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) {
    process.stderr.write(said);
    throw new ShelfError("build_failed", "The pages could not be compiled; see the compiler's words above.");
  }
}

/** Replaces the folders of this machine, which Astro writes into its manifest and into each component's name. */
async function eraseMachine(out: string, work: string): Promise<void> {
  const replacements = [work, ROOT.replace(/[\\/]$/, "")].flatMap((folder) => [
    [pathToFileURL(folder).href, "file:///proofshelf"] as const,
    [folder.replaceAll("\\", "/"), "/proofshelf"] as const,
  ]);
  for await (const path of glob("**/*.mjs", { cwd: out })) {
    const before = await readFile(join(out, path), "utf8");
    const after = replacements.reduce((text, [from, to]) => text.replaceAll(from, to), before);
    if (after !== before) await writeFile(join(out, path), after);
  }
}
