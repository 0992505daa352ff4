/** For tests that look for a word in everything that lies somewhere. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { salvage } from "../../snapshots/shelf/zip.ts";

/** Null for a file that a process which is at work has moved since it was listed. */
function readThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** filesUnder returns every file under a folder, and every blob in a pack, whatever its directory says of it. */
export function* filesUnder(folder: string): Generator<{ readonly path: string; readonly bytes: Buffer }> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length + 1);
    const bytes = readThere(file);
    if (bytes === null) continue;
    yield { path, bytes };
    if (/(^|\/)packs\/[^/]*\.zip$/.test(path))
      for (const [digest, blob] of salvage(bytes)) yield { path: `${path}/${digest}`, bytes: blob };
  }
}
