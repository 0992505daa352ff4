/** Finds the files that belong to the program and are no objects of a library, wherever they lie: the configuration, the registry, the claims, code
 *  that is gated, keys, and the files that the registry's sources are kept with. */
import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { CollectionInfo } from "#snapshots/format";
import type { Config } from "./config.ts";
import { addedKeys } from "./keys.ts";

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
  const made = registry !== null && "sources" in registry ? registry.sources : null;
  const named = made === null ? [] : addedKeys().flatMap((keys) => keys.registry?.ownFiles(made) ?? []);
  const files = [
    file,
    ...(registry !== null && "path" in registry ? [registry.path] : []),
    ...(made === null ? [] : [made]),
    ...[withdrawals, claims].flatMap((source) => (source === null ? [] : [source.path])),
    ...(typeof access?.jwks === "string" && isAbsolute(access.jwks) ? [access.jwks] : []),
    ...named.flatMap((paths) => paths.files),
  ];
  const folders = [...named.flatMap((paths) => paths.folders), ...(code !== null && "root" in code ? [code.root] : [])].map(keyOf);
  const hidden = folders.filter((key) => !collections.some(({ prefix }) => prefix === `${key}/`));
  return [...files.map(keyOf), ...hidden].filter(isInside);
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}
