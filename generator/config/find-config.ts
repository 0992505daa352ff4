/** Finds the configuration that a command means when none is named: that of the folder where somebody stands, or of the nearest one above it. */
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export const CONFIG_NAME = "proofshelf.yaml";

/** findConfig looks upward, as git does for its repository.
 *  @param from a folder
 *  @returns the path from there, as somebody there would write it; null when there is none up to the root */
export function findConfig(from = process.cwd()): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const file = join(folder, CONFIG_NAME);
    if (existsSync(file)) return relative(resolve(from), file);
    if (folder === dirname(folder)) return null;
  }
}
