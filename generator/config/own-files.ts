/** Finds the files that belong to the program and are no objects of a library, wherever they lie: the configuration, the registry, the claims, code
 *  that is gated, keys, and the files that the registry's sources are kept with. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { CollectionInfo } from "#snapshots/format";
import type { Config } from "./config.ts";
import { valueAt } from "./problems.ts";
import { parseLocatedYaml } from "./yaml.ts";

/** Members of registry.yaml that name files, with what they are where they are left out. */
const FILES = { lock: "./registry.lock.jsonl", overlay: "./registry.overlay.yaml", records: "", advisories: "" } as const;
const CHECKS = "./checks";

export type OwnFiles = {
  readonly store: Config["store"] | object;
  readonly file?: Config["file"];
  readonly registry?: Config["registry"];
  readonly withdrawals?: Config["withdrawals"];
  readonly claims?: Config["claims"];
  readonly code?: Config["code"];
  readonly access?: Config["access"];
  readonly collections: readonly CollectionInfo[];
};

/** findOwnKeys lists files and folders of the store that are the program's own. Checks and code are objects where a collection is theirs alone:
 *  then each has a page, and its digest can be looked up. */
export function findOwnKeys(library: OwnFiles): readonly string[] {
  const { store, file, registry = null, withdrawals = null, claims = null, code = null, access = null, collections } = library;
  if (!("root" in store) || file === undefined) return [];
  const root = realOf(store.root);
  const keyOf = (path: string): string => relative(root, realOf(path)).split(sep).join("/");
  const isInside = (key: string): boolean => key !== "" && key !== ".." && !key.startsWith("../");
  const named = registry === null || !("sources" in registry) ? { files: [], checks: [] } : namedIn(registry.sources);
  const files = [
    file,
    ...(registry === null ? [] : "path" in registry ? [registry.path] : "sources" in registry ? [registry.sources] : []),
    ...[withdrawals, claims].flatMap((source) => (source === null ? [] : [source.path])),
    ...(typeof access?.jwks === "string" && isAbsolute(access.jwks) ? [access.jwks] : []),
    ...named.files,
  ];
  const folders = [...named.checks, ...(code !== null && "root" in code ? [code.root] : [])].map(keyOf);
  const hidden = folders.filter((key) => !collections.some(({ prefix }) => prefix === `${key}/`));
  return [...files.map(keyOf), ...hidden].filter(isInside);
}

/** namedIn reads what a registry.yaml names, also one that is wrong elsewhere: what may not be published does not wait until it is right. */
function namedIn(file: string): { files: string[]; checks: string[] } {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.from("");
  const { value, problems } = parseLocatedYaml(bytes);
  const at = (name: string): string => resolve(dirname(file), name);
  const text = bytes.toString("utf8");
  const named = (member: string): string[] =>
    [...text.matchAll(new RegExp(`\\b${member}["']?:\\s*["']?([^\\s"',{}#]+)`, "g"))].map(([, name = ""]) => name);
  const of = (path: readonly string[], usual: string): string[] => {
    const found = problems.length > 0 ? named(path.at(-1) ?? "") : [valueAt(value, path)];
    return [usual, ...found].flatMap((name) => (typeof name === "string" && name !== "" && !name.includes("\0") ? [at(name)] : []));
  };
  return { files: Object.entries(FILES).flatMap(([member, usual]) => of([member], usual)), checks: of(["checks", "store"], CHECKS) };
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}
