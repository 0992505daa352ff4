/** The room that a folder takes on its disk. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const BLOCK = 512; // bytes, whatever the file system's own blocks have

/** folderSize adds up what the disk gives to the files below a folder, as `du` does; what goes meanwhile counts nothing. @returns bytes */
export async function folderSize(folder: string): Promise<number> {
  let bytes = 0;
  const seen = new Set<number>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    const found = entry.isFile() ? await stat(join(entry.parentPath, entry.name)).catch(() => null) : null;
    // One file may have two names.
    if (found !== null && (found.nlink === 1 || !seen.has(found.ino))) bytes += found.blocks * BLOCK;
    if (found !== null) seen.add(found.ino);
  }
  return bytes;
}
