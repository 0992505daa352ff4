import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** makeFolder makes one folder after the other. In a system's own folder `recursive` of mkdir never ends, and on a disk that is read-only it says
 *  that nothing is there. */
export function makeFolder(path: string, mode?: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT") throw error;
    makeFolder(dirname(path));
    mkdirSync(path, mode);
  }
}
