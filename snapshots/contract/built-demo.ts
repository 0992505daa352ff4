/** The demo library, built by the command line. */
import { execFile } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { copyMade } from "./made-once.ts";

const GENERATOR = fileURLToPath(new URL("../../generator/", import.meta.url));

/** copyBuiltDemo returns a configuration, its sources, and its shelf under `shelf/`. It has no vectors: they take as long again.
 *  @returns the folder, which is the caller's to change and to remove */
export function copyBuiltDemo(): Promise<string> {
  return copyMade("demo", async (folder) => {
    for (const name of ["library", "code", "claims.yaml", "registry.yaml", "registry.lock.jsonl", "registry.overlay.yaml"])
      await cp(join(GENERATOR, "demo", name), join(folder, name), { recursive: true, preserveTimestamps: true });
    const config = join(folder, "proofshelf.yaml");
    const text = await readFile(join(GENERATOR, "demo", "proofshelf.yaml"), "utf8");
    await writeFile(config, text.replace("../../snapshots/data", "./shelf").replace("kind: embedded", "kind: none"));
    await promisify(execFile)(process.execPath, [join(GENERATOR, "cli.ts"), "build", "--json", "--config", config], { maxBuffer: 1 << 26 });
  });
}
