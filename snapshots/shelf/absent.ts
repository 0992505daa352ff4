/** Why a file cannot be read. */

/** absent serves a file that need not be there: `readFile(path).catch(absent)`. */

export function absent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}

/** isUnreadable tells that what stands there is no file, or the disk does not give it: it stays so. */
export function isUnreadable(error: unknown): boolean {
  return ["EISDIR", "EIO"].includes((error as NodeJS.ErrnoException).code ?? "");
}
