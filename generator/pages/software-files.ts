/** Reads what the compiled pages say in every library: words of templates, which a gated title may repeat without being told. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScannedFile } from "#snapshots/verify";

/** softwareFiles reads the compiled files. @param dist folder of one version of the compiled site */
export async function* softwareFiles(dist: string): AsyncGenerator<ScannedFile> {
  const entries = await readdir(join(dist, "server"), { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((item) => item.isFile())) {
    const path = join(entry.parentPath, entry.name);
    yield { path, bytes: await readFile(path), source: false, type: "text/javascript", software: true };
  }
}
