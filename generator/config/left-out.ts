/** Files that nobody meant to publish: which keys of the store are left out, and why.
 *
 *  `store.exclude` is heard first, then `store.include`, then the program's own list: names that begin with a dot, and names
 *  that keys, passwords and editors' backups have. So a pattern of `include` brings back what the list leaves out, and nothing
 *  brings back what `exclude` leaves out. */
import picomatch from "picomatch";
import { type CollectionInfo, findCollection } from "#snapshots/format";

const LEFT_OUT_BY_CONFIG = "store.exclude leaves it out";

export type StorePatterns = { readonly include: readonly string[]; readonly exclude: readonly string[] };

/** In any case. Public halves (`id_rsa.pub`, `*.crt`) are not among them. */
const PRIVATE_NAMES = [
  "*.{pem,key,p8,p12,pfx,ppk,jks,keystore,kdb,kdbx,tfstate}",
  "id_{rsa,dsa,ecdsa,ecdsa_sk,ed25519,ed25519_sk}",
  "{credentials,secrets}.{json,yaml,yml,toml,ini}",
];
/** Files that `registry init` writes, also where the configuration does not name them yet. */
const REGISTRY_NAMES = ["registry.yaml", "registry.lock.jsonl", "registry.overlay.yaml"];
/** Where `init` puts schemas for editors. */
const PROGRAM_FOLDER = ".proofshelf";
const OWN = "it belongs to the program, and is never published";
/** NO_NEWS are reasons that who wrote the configuration knows. */
export const NO_NEWS: ReadonlySet<string> = new Set([LEFT_OUT_BY_CONFIG, OWN]);
/** Folders of packages, of compilers and of documentation that was made. */
const MADE_FOLDERS: ReadonlySet<string> = new Set(["node_modules", "venv", "__pycache__", "target", "_build", "dist"]);
const BACKUP_NAMES = ["*~", "#*#", "*.{bak,swp,swo,orig,rej}"];

const HOW = "are left out; a pattern of store.include takes it in";
/** IGNORED is the reason for what git ignores. */
export const IGNORED = "git ignores it; a pattern of store.include takes it in";
/** A name may have a line break in it. */
const WHOLE = { dot: true, flags: "s" };

/** openLeavingOut judges keys; beside a key stands the file or folder that git ignores, in which it lies.
 *  @param own files and folders of the store that are the program's own
 *  @returns what is said in place of a key that is left out, or null. Of a folder that is left out as a whole the folder is
 *  said, and neither the names in it nor their number */
export function openLeavingOut(
  { include, exclude }: StorePatterns,
  collections: readonly CollectionInfo[],
  own: readonly string[] = [],
): (key: string, ignored?: string) => { readonly key: string; readonly reason: string } | null {
  const excluded = picomatch([...exclude], WHOLE);
  const included = picomatch([...include], WHOLE);
  const hasPrivateName = picomatch(PRIVATE_NAMES, { ...WHOLE, flags: "is" });
  const hasBackupName = picomatch(BACKUP_NAMES, { ...WHOLE, flags: "is" });
  const ownPaths = new Set(own);
  const isOwn = (path: string, name: string): boolean => name === PROGRAM_FOLDER || ownPaths.has(path);
  const findUnmeant = (name: string, isFile: boolean): string | null => {
    if (name.startsWith(".")) return `names that begin with a dot ${HOW}`;
    if (!isFile && MADE_FOLDERS.has(name)) return `folders that tools make ${HOW}`;
    if (isFile && hasPrivateName(name)) return `names that keys and passwords have ${HOW}`;
    if (isFile && REGISTRY_NAMES.includes(name)) return `files of a registry ${HOW}`;
    if (isFile && hasBackupName(name)) return `names that backups have ${HOW}`;
    return null;
  };
  return (key, ignored) => {
    const names = key.split("/");
    const paths = names.map((_, at) => names.slice(0, at + 1).join("/"));
    const isIncluded = paths.some((path) => included(path));
    for (const [at, path] of paths.entries()) {
      const name = names[at] ?? "";
      const unmeant = (): string | null => (isIncluded ? null : path === ignored ? IGNORED : findUnmeant(name, path === key));
      const reason = excluded(path) ? LEFT_OUT_BY_CONFIG : isOwn(path, name) ? OWN : unmeant();
      if (reason === null) continue;
      // A folder may hold two collections: only those who may see what lies in it are told of it.
      const collection = findCollection(collections, key);
      const folder = paths.slice(at, -1).find((leading) => findCollection(collections, `${leading}/`) === collection);
      return { key: folder === undefined ? key : `${folder}/`, reason };
    }
    return null;
  };
}
