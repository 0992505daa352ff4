/** Where an object comes from, and since when. The same bytes under the same key keep what is served of both: a copy, a clone or a
 *  checkout of what was published gives every file a new time, and nothing has changed. Other bytes have the time of their commit or
 *  of their file. */
import { ShelfError } from "#snapshots/errors";
import type { ObjectRow } from "#snapshots/format";
import type { SourceRef } from "#snapshots/schema";
import type { Config } from "#generator/config";
import type { BuildFacts } from "./facts.ts";
import { openCheckout, type ReadObject, type StoredObject } from "#generator/sources";
import { timesOf } from "#generator/kept";

type Origin = {
  /** RFC 3339 UTC, or null when nobody knows. */
  readonly uploaded: string | null;
  /** Repository, commit and path, when the store is a checkout that was cloned from somewhere, or says it of the object. */
  readonly source?: SourceRef;
};
export type OriginOf = (row: StoredObject & Pick<ReadObject, "source">, sha256: string, bytes: Uint8Array) => Promise<Origin>;

/** openOrigins makes the function that tells where an object comes from, and since when.
 *  @param before objects that are served now
 *  @throws ShelfError "bad_source" when times are to come from git and the store is no checkout with its whole history */
export async function openOrigins(
  { config, state }: Pick<BuildFacts, "config" | "state">,
  before: readonly ObjectRow[],
): Promise<OriginOf> {
  const { uploaded, store } = config;
  const checkout = store.kind === "directory" ? await openCheckout(store.root) : null;
  if (uploaded === "git" && checkout === null) {
    throw new ShelfError("bad_source", "The store is in no git checkout that git can read with its whole history, but uploaded is git.", {
      fixes: ["Fetch the history (git fetch --unshallow), or write uploaded: auto, mtime or none."],
    });
  }
  // Where times come from elsewhere than the last time, the old ones do not count. What is not known has not changed.
  const keepsTimes = state.times === null || state.times === timesOf(config);
  const served = new Map(before.map((row) => [row.key, row]));
  return async (row, sha256, bytes) => {
    const same = served.get(row.key)?.sha256 === sha256 ? served.get(row.key) : undefined;
    const commit = (await checkout?.find(row.key, bytes)) ?? null;
    const repo = checkout?.repo ?? null;
    const found = commit === null || repo === null ? undefined : { repo, ref: commit.id, path: (checkout?.prefix ?? "") + row.key };
    // Each build asks the configuration anew, so a source that it declares is not kept with the object.
    const source = found ?? (declaredSource(config, row.key) === undefined ? (row.source ?? same?.source) : undefined);
    return { uploaded: time(same, commit?.time ?? null, row), ...(source === undefined ? {} : { source }) };
  };

  function time(same: ObjectRow | undefined, committed: string | null, row: StoredObject): string | null {
    if (uploaded === "none") return null;
    if (keepsTimes && same !== undefined && same.uploaded !== null) return same.uploaded;
    return (uploaded === "mtime" ? null : committed) ?? (uploaded === "git" ? null : row.uploaded);
  }
}

/** declaredSource returns what `sources` of the configuration says of a key: of several prefixes the longest counts. */
export function declaredSource({ sources }: Pick<Config, "sources">, key: string): SourceRef | undefined {
  const found = sources.filter(({ prefix }) => key.startsWith(prefix)).sort((a, b) => b.prefix.length - a.prefix.length)[0];
  return found === undefined ? undefined : { repo: found.repo, ref: found.ref, path: found.path + key.slice(found.prefix.length) };
}
