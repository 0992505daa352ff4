/** Finds the configuration that a command means when none is named: that of the folder where somebody stands, or of the nearest one above it. */
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";

export const CONFIG_NAME = "proofshelf.yaml";

/** findConfig looks upward, as git does for its repository.
 *  @returns the path from there, as somebody there would write it; null when there is none up to the root */
export function findConfig(): string | null {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const file = join(folder, CONFIG_NAME);
    if (existsSync(file)) return relative(process.cwd(), file);
    if (folder === dirname(folder)) return null;
  }
}
