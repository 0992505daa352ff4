/** Where readers are given a file of a snapshot, and what may lie there: the file, or on a file host what an export makes of it. */
import { type BlobEntry, isStamped, objectPath } from "#snapshots/format";
import { ROUTER } from "#snapshots/service";
import { harmlessKey, isActive, noteFor, relink } from "#generator/annex/export";

/** addressOf gives the address of a file of the tree; null for what only other files are made of.
 *  @param path in the tree */
export function addressOf(path: string): string | null {
  const encoded = `/${path.split("/").map(encodeURIComponent).join("/")}`;
  if (path.startsWith("objects/")) return objectPath(path.slice("objects/".length));
  if (path.startsWith("pages/")) return pageAddress(path.slice("pages/".length));
  if (path.startsWith("images/") || path.startsWith("assets/")) return encoded;
  return path.startsWith("api/") && ROUTER.matchPath(encoded)?.route.file !== undefined ? encoded : null;
}

/** The path of which `pageFile` gives this file. */
function pageAddress(file: string): string {
  const decoded = file === "index.html" ? "" : file.endsWith("=.html") ? `${file.slice(0, -"=.html".length)}/` : file;
  return `/${decoded
    .split("/")
    .map(encodeURIComponent)
    .map((part) => part.replaceAll("%3D", "="))
    .join("/")}`;
}

/** isServedAs tells whether what is served is the file, or the export's form of it.
 *  @param files of the snapshot
 *  @param read bytes of one of them */
export async function isServedAs(
  path: string,
  file: Buffer,
  served: Buffer,
  files: ReadonlyMap<string, BlobEntry>,
  read: (entry: BlobEntry) => Promise<Buffer>,
): Promise<boolean> {
  if (served.equals(file)) return true;
  const object = (key: string): BlobEntry | undefined => files.get(`objects/${key}`);
  const keys = { has: (key: string) => object(key) !== undefined };
  if (path.startsWith("objects/")) {
    const key = path.slice("objects/".length);
    return (
      isActive(key, file) && noteFor(key, harmlessKey(key, keys)) !== null && served.equals(noteFor(key, harmlessKey(key, keys)) ?? file)
    );
  }
  if (!/\.(html|json)$/.test(path)) return false;
  const text = file.toString();
  if (isStamped(text, served.toString())) return true;
  const renamed = new Map<string, string>();
  for (const [, linked = ""] of text.matchAll(/\/objects\/([^"'?#\s<|&]+)/g)) {
    const key = decodeURIComponent(linked);
    const entry = object(key);
    if (entry !== undefined && isActive(key, await read(entry))) renamed.set(key, harmlessKey(key, keys));
  }
  const picture = async (key: string): Promise<Buffer | null> => {
    const entry = object(key);
    return entry?.type.startsWith("image/svg") === true ? read(entry) : null;
  };
  return isStamped(await relink(text, renamed, picture), served.toString());
}
