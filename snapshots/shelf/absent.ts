/** For a file that need not be there: `readFile(path).catch(absent)`. */

export function absent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}
