/** A byte of every file of a shelf changed in turn: verification tells it, or the inventory says why it need not. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findWarrant } from "../../snapshots/verify/inventory.ts";
import type { DamagedLibrary } from "./damaged-library.ts";
import { openRandom } from "./random.ts";
import { verifyLibrary } from "../testing/whole.ts";
import { ShelfError } from "../../snapshots/errors.ts";

export type EveryFileReport = {
  /** Files in which a byte was changed. */
  readonly files: number;
  readonly told: number;
  /** Why a changed byte need not be told → in how many files. */
  readonly harmless: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
};

export async function changeEveryFile(
  { config, shelf, whole }: DamagedLibrary,
  { seed, onProgress }: { readonly seed: number; onProgress?(done: number, all: number, failures: number): void },
): Promise<EveryFileReport> {
  const random = openRandom(seed);
  const verify = async (): Promise<readonly string[]> => {
    const findings = await verifyLibrary(config, { snapshots: "all", derive: false }).catch((error: unknown) => {
      // A shelf that is refused as a whole tells it, too.
      if (error instanceof ShelfError && error.code === "bad_config") return [error.message];
      throw error;
    });
    return findings.map((finding) => JSON.stringify(finding)).sort();
  };
  const before = new Set(await verify());
  const files = await listFiles(whole);
  const failures: string[] = [];
  const harmless = new Map<string, number>();
  let told = 0;
  for (const [at, path] of files.entries()) {
    onProgress?.(at, files.length, failures.length);
    const [root, inRoot] = [path.startsWith("public/") ? "public" : "internal", path.slice(path.indexOf("/") + 1)] as const;
    const warrant = findWarrant(root, inRoot);
    const file = join(shelf, path);
    const bytes = await readFile(file);
    const place = random.below(Math.max(1, bytes.length));
    await writeFile(file, bytes.length === 0 ? "x" : bytes.with(place, (bytes[place] ?? 0) ^ (1 << random.below(8))));
    const isTold = (await verify()).some((finding) => !before.has(finding));
    await writeFile(file, bytes);
    if (warrant === null) failures.push(`${path}: the inventory does not have it`);
    else if (isTold) told++;
    else if (warrant.by !== null) failures.push(`${path}, byte ${place} of seed ${seed}: told by nobody, and should be: ${warrant.by}`);
    else harmless.set(warrant.why, (harmless.get(warrant.why) ?? 0) + 1);
  }
  return { files: files.length, told, harmless, failures };
}

async function listFiles(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
