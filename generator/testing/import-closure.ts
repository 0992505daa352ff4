/** Finds what a module is made of: itself, every module that it imports, however far away, and the packages that they import.
 *  Type imports do not count, because nothing follows from a type at run time. */
import { readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { type Sha256, sha256 } from "#snapshots/digest";
import { doorOf } from "./doors.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Forms in which a module of ours names another, or a file that it loads, forks or bundles. Too many found do no harm. */
const FORMS = [
  /^(?:import|export)\b(?! type\b)[^;"'`]*?\bfrom "([^"\n]+)"/gm,
  /(?:\bimport ?\(?|\bnew URL\(|\brequire\(|\bcreateRequire\(import\.meta\.url\)\(|\bimport\.meta\.resolve\(|<script\b[^>]*\bsrc=)\s*"([^"\n]+)"/g,
];

/** SourceFile is what is known of a file: its bytes, and the modules and packages that it names. */
type SourceFile = { readonly digest: Sha256; readonly modules: readonly string[]; readonly packages: readonly string[] };

/** LockEntry is what the lock file says of a package. */
type LockEntry = {
  readonly version?: string | undefined;
  readonly integrity?: string | undefined;
  readonly dependencies?: Readonly<Record<string, string>> | undefined;
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
};

type Closure = {
  /** Paths from the project's root, ascending. */
  readonly files: readonly string[];
  /** Names of packages, ascending: those imported and all that they need. */
  readonly packages: readonly string[];
  /** Over the paths and bytes of the files, and the versions of the packages. */
  readonly digest: Sha256;
};

export type Sources = {
  /** @param entries paths from the project's root
   *  @param packages names that are needed beside what is imported
   *  @throws Error when an entry cannot be read */
  closure(entries: readonly string[], packages?: readonly string[]): Closure;
};

/** Path → what was read there, while the file is as it was. */
type Read<T> = Map<string, { readonly identity: string; readonly value: T }>;
/** A process may build many times; a file that is as it was is not read again. */
const SOURCES: Read<SourceFile> = new Map();
const LOCKS: Read<Readonly<Record<string, LockEntry>>> = new Map();

/** readOnce reads what lies at a path, unless the file is the one that was read before.
 *  @throws Error with a code when it cannot be read */
function readOnce<T>(read: Read<T>, path: string, parse: (bytes: Buffer) => T): T {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(join(ROOT, path), { bigint: true });
  const identity = `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  const known = read.get(path);
  if (known?.identity === identity) return known.value;
  const value = parse(readFileSync(join(ROOT, path)));
  read.set(path, { identity, value });
  return value;
}

/** openSources looks at each file once: what is edited meanwhile is seen by the next one that is opened. */
export function openSources(): Sources {
  const sources = new Map<string, SourceFile | null>();
  let lock: Readonly<Record<string, LockEntry>> | null = null;

  function read(path: string): SourceFile | null {
    const known = sources.get(path);
    if (known !== undefined) return known;
    let source: SourceFile | null = null;
    try {
      source = readOnce(SOURCES, path, (bytes) => parse(path, bytes));
    } catch (error) {
      // A name in a comment, or a folder.
      if (!["ENOENT", "EISDIR", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
    sources.set(path, source);
    return source;
  }

  return {
    closure(entries, packages = []) {
      const files = new Map<string, SourceFile>();
      const names = new Set(packages);
      const pending = [...entries];
      for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
        if (files.has(path)) continue;
        const source = read(path);
        if (source === null) {
          if (entries.includes(path)) throw new Error(`${path} is missing.`);
          continue;
        }
        files.set(path, source);
        pending.push(...source.modules);
        for (const name of source.packages) names.add(name);
      }
      lock ??= readLock();
      const versions = versionsOf(names, lock);
      const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        files: sorted.map(([path]) => path),
        packages: [...versions.keys()],
        digest: sha256(
          [...sorted.map(([path, source]) => `${source.digest}  ${path}\n`), ...[...versions].map((entry) => `${entry.join(" ")}\n`)].join(
            "",
          ),
        ),
      };
    },
  };
}

export function readLock(): Readonly<Record<string, LockEntry>> {
  return readOnce(
    LOCKS,
    "package-lock.json",
    (bytes) => (JSON.parse(bytes.toString("utf8")) as { packages: Record<string, LockEntry> }).packages,
  );
}

/** findImports finds the names that a text imports, relative ones as they stand there. */
export function findImports(text: string): readonly string[] {
  return [...new Set(FORMS.flatMap((form) => [...text.matchAll(form)].map((match) => match[1] ?? "")))];
}

function parse(path: string, bytes: Buffer): SourceFile {
  const names = /\.(?:ts|mjs|js|astro)$/.test(path) ? findImports(bytes.toString("utf8")) : [];
  const relative = (name: string): boolean => name.startsWith(".") || /^[\w-]+\.(?:ts|mjs|js)$/.test(name);
  return {
    digest: sha256(bytes),
    modules: names
      .filter((name) => relative(name) || name.startsWith("#"))
      .map((name) => doorOf(name) ?? normalize(join(dirname(path), name.replace(/\?.*$/, ""))).replaceAll("\\", "/")),
    packages: names
      .filter((name) => !relative(name) && /^@?[a-z0-9]/.test(name) && !/^(?:node|astro|https?|file|data):/.test(name))
      .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/")),
  };
}

/** Place in node_modules → version and digest, of these packages and of all that they need, ascending. */
function versionsOf(names: ReadonlySet<string>, lock: Readonly<Record<string, LockEntry>>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const pending = [...names].map((name) => ({ name, from: "" }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const place = placeOf(next.name, next.from, lock);
    const entry = place === null ? undefined : lock[place];
    if (place === null || entry === undefined || found.has(place)) continue;
    found.set(place, `${entry.version ?? ""} ${entry.integrity ?? ""}`);
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) pending.push({ name, from: place });
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** As Node looks a package up: in the importer's own node_modules, then further out. */
function placeOf(name: string, from: string, lock: Readonly<Record<string, LockEntry>>): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (lock[place] !== undefined) return place;
    if (folder === "") return null;
  }
}
