import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** makeFolder makes one folder after the other. In a system's own folder `recursive` of mkdir never ends, and on a disk that is read-only it says
 *  that nothing is there. */
export function makeFolder(path: string, mode?: number): void {
  const refused = refusalOf(path, mode);
  if (refused === null) return;
  if (refused.code !== "ENOENT") throw refused;
  makeFolder(dirname(path));
  const again = refusalOf(path, mode);
  if (again !== null) throw again;
}

/** refusalOf makes a folder. @returns why not; null when it is there, whoever made it */
function refusalOf(path: string, mode: number | undefined): NodeJS.ErrnoException | null {
  try {
    mkdirSync(path, mode);
    return null;
  } catch (error) {
    const refused = error as NodeJS.ErrnoException;
    return refused.code === "EEXIST" && statSync(path).isDirectory() ? null : refused;
  }
}
