/** Compiles the pages, and the process that reads objects, when their sources have changed: site/dist/<version>/, named by the digest
 *  of everything that goes in. A version is renamed into place and never written again, so that two processes may compile at once.
 *  The result names no folder of this machine: the same sources give the same renderer digest everywhere. */
import { spawn } from "node:child_process";
import { glob, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { OPEN, writeWhole } from "#snapshots/shelf";
import { ShelfError } from "#snapshots/errors";
import { CURRENT_VERSION_FILE } from "#snapshots/page";
import { compileWorker, WORKER } from "#generator/extract";
import { beforeSignals, codeDigest, isPackage, withTemporaryFolder } from "#generator/files";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** SITE_CODE matches the code that pages, and the process that reads objects, are made of. What answers requests and verifies is none of it. */
export const SITE_CODE =
  /^site\/(?!(?:server|main|shots|pictures)\.ts$)|^snapshots\/(?!(?:annex|answer|embedders|http|service|verify)\/)|^generator\/(?:extract|files)\/|^generator\/pages\/compile-site/;
/** Astro wants a key for features that we do not use, and would make a random one: the bundle would differ every time. */
const UNUSED_ASTRO_KEY = Buffer.alloc(32).toString("base64");

export type CompiledSite = {
  /** Folder of the version in use, absolute; for `openRenderer`. */
  readonly dist: string;
  /** The program of `openExtractPool`'s processes. */
  readonly worker: string;
  readonly compiled: boolean;
};

export type CompileOptions = {
  readonly distDir?: string; // where versions lie; site/dist by default
};

/** compileSite makes sure that the compiled pages match their sources. @throws ShelfError "build_failed" when a page does not compile */
export async function compileSite(options: CompileOptions = {}): Promise<CompiledSite> {
  const distDir = options.distDir ?? join(ROOT, "site", "dist");
  const existing = await readCurrent(distDir);
  // A package brings the one version that was made of its sources.
  const version = isPackage && existing !== null ? existing : codeDigest(SITE_CODE).slice(0, 16);
  const dist = join(distDir, version);
  const names = await listVersions(distDir);
  if (names.includes(version)) {
    if (existing !== version) writeCurrent(distDir, version);
    return { dist, worker: join(dist, "extract", WORKER), compiled: false };
  }
  process.stderr.write("Compiling the pages …\n");
  await mkdir(distDir, { recursive: true });
  const compile = async (work: string): Promise<void> => {
    await runAstro(work);
    await compileWorker(join(work, "out", "extract"));
    await eraseMachine(join(work, "out"), work);
    await rename(join(work, "out"), dist).catch(async (error: unknown) => {
      // Another process finished first: its version has the same bytes.
      if (!(await listVersions(distDir)).includes(version)) throw error;
    });
  };
  // A rename does not leave the disk.
  await withTemporaryFolder("compile", compile, distDir);
  writeCurrent(distDir, version);
  // The version before this one stays, for processes that still run on it.
  for (const old of names.filter((name) => name !== version && name !== existing)) {
    await rm(join(distDir, old), { recursive: true, force: true });
  }
  return { dist, worker: join(dist, "extract", WORKER), compiled: true };
}

async function listVersions(distDir: string): Promise<string[]> {
  const names = await readdir(distDir).catch(() => []);
  return names.filter((name) => /^[0-9a-f]{16}$/.test(name));
}

async function readCurrent(distDir: string): Promise<string | null> {
  return (await readFile(join(distDir, CURRENT_VERSION_FILE), "utf8").catch(() => "")).trim() || null;
}

function writeCurrent(distDir: string, version: string): void {
  writeWhole(join(distDir, CURRENT_VERSION_FILE), `${version}\n`, { modes: OPEN });
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
  const forget = beforeSignals(() => child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  }).finally(forget);
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
