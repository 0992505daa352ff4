/** Ten thousand real text files and more, from Debian's packages: proof sources, documentation in two markup languages, schemas. */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { installed } from "./debian.ts";

const run = promisify(execFile);
const unpack = promisify(gunzip);

/** MORE_OBJECTS make just over 100,000 passages. */
export const MORE_OBJECTS = 11_150;
const PACKAGES = ["libcoq-stdlib", "linux-doc-6.1"] as const;
/** Taken in this order until there are enough: sources first, the HTML that was made of them last. */
const ENDINGS = [/\.v$/, /\.rst\.gz$/, /\.yaml\.gz$/, /Documentation\/.*\.txt\.gz$/, /\.html$/] as const;
/** Where the packages put their files; what comes after is the key. */
const ROOTS = /^\/usr\/(?:lib\/ocaml|share\/doc)\//;

export type Corpus = {
  readonly root: string;
  readonly keys: readonly string[];
  readonly bytes: number;
  /** First segments of the keys. */
  readonly collections: readonly string[];
};

/** writeCorpus writes texts of Debian packages.
 *  @param root a new folder, or one that was filled with fewer
 *  @returns why not, when the packages are not there and cannot be installed */
export async function writeCorpus(root: string, objects: number): Promise<Corpus | string> {
  const missing = await installed(PACKAGES);
  if (missing !== null) return missing;
  const { stdout } = await run("dpkg", ["-L", ...PACKAGES], { maxBuffer: 64 * 1024 * 1024 });
  const paths = stdout.split("\n").sort();
  const chosen = ENDINGS.flatMap((ending) => paths.filter((path) => ROOTS.test(path) && ending.test(path))).slice(0, objects);
  if (chosen.length < objects) return `the packages hold ${chosen.length} text files of the ${objects} that are needed`;
  const keys: string[] = [];
  let bytes = 0;
  for (const path of chosen) {
    const raw = await readFile(path);
    const content = path.endsWith(".gz") ? await unpack(raw) : raw;
    const key = path.replace(ROOTS, "").replace(/\.gz$/, "");
    await mkdir(dirname(join(root, key)), { recursive: true });
    await writeFile(join(root, key), content);
    keys.push(key);
    bytes += content.length;
  }
  return { root, keys: keys.sort(), bytes, collections: [...new Set(keys.map((key) => key.split("/")[0] ?? ""))] };
}
