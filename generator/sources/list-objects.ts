/** Lists what the object store holds now, and which of it lies in a collection. An operator who is told of every change may name the keys that
 *  have changed: then only they are looked at, and the rest is as the last build had it. */
import { canonicalJson, type Sha256, sha256 } from "#snapshots/digest";
import { type CollectionInfo, compareNames, findCollection } from "#snapshots/format";
import type { Rejection, Withdrawal } from "#snapshots/schema";
import { type Config, findOwnKeys, openLeavingOut, type OwnFiles, type StorePatterns } from "#generator/config";
import type { BuildState } from "#generator/kept";
import type { KnownListing } from "./known-listing.ts";
import type { ObjectStore, StoredObject } from "./object-store.ts";

/** Keys that are looked at side by side. */
const LOOKS_AT_ONCE = 32;

export type ListedObjects = { readonly rows: readonly StoredObject[]; readonly rejected: readonly Rejection[] };

export type ListedSince = ListedObjects & {
  /** Builds since the store was listed as a whole: 0 when it was now. */
  readonly since: number;
  /** Why it was, although keys were named. */
  readonly why: string | null;
};

type Rules = OwnFiles & { readonly collections: readonly CollectionInfo[]; readonly store: StorePatterns };

/** listObjects lists the whole store.
 *  @returns what can be read, ascending by key, and what cannot with its reason; a folder that is left out as a whole once */
export async function listObjects(store: ObjectStore, rules: Rules): Promise<ListedObjects> {
  const sorting = openSorting(rules, []);
  for await (const row of store.list()) sorting.add(row);
  return sorting.end();
}

/** listingRules digests all that decides, beside the store's objects, what a listing gives and a build keeps of it. */
export function listingRules(config: Config, withdrawals: readonly Withdrawal[]): Sha256 {
  const { store, collections } = config;
  const withdrawn = withdrawals.flatMap(({ what, name }) => (what === "object" ? [name] : []));
  return sha256(canonicalJson([store, collections.map(({ prefix }) => prefix), withdrawn, findOwnKeys(config)]));
}

/** listChanged lists the store when these keys may have changed and no others. It looks at them alone as long as what the last build knew is
 *  there, and now and then lists in full.
 *  @param keys null for all */
export async function listChanged(
  store: ObjectStore,
  config: Config,
  keys: readonly string[] | null,
  withdrawals: readonly Withdrawal[],
  last: { readonly state: BuildState; readonly known: KnownListing | null },
): Promise<ListedSince> {
  const { state, known } = last;
  const all = async (why: string | null): Promise<ListedSince> => ({ ...(await listObjects(store, config)), since: 0, why });
  if (keys === null) return all(null);
  if (known === null || known.fingerprint !== state.fingerprint) return all("it is not known what it held before");
  if (known.rules !== listingRules(config, withdrawals)) return all("the configuration has changed");
  if (known.since + 1 >= config.store.fullListingEvery)
    return all(`that is done with each ${config.store.fullListingEvery}th build by keys`);
  if (keys.some((key) => /(?:^|\/)\.gitignore$/.test(key))) return all("git may ignore other files now");
  // An object that could not be read the last time may have changed in silence.
  const folders = known.rejected.filter(({ key }) => keys.some((name) => name.startsWith(`${key}/`)));
  const looked = new Set([...keys, ...[...state.refused, ...folders].map(({ key }) => key)]);
  const sorting = openSorting(
    config,
    known.rejected.filter(({ key }) => !looked.has(key)),
  );
  for (const { key, size, version, uploaded } of state.objects)
    if (!looked.has(key)) sorting.add({ key, size, version, uploaded, problem: null });
  const waiting = [...looked];
  for (let from = 0; from < waiting.length; from += LOOKS_AT_ONCE)
    for (const row of await Promise.all(waiting.slice(from, from + LOOKS_AT_ONCE).map((key) => store.find(key))))
      if (row !== null) sorting.add(row);
  return { ...sorting.end(), since: known.since + 1, why: null };
}

function openSorting(rules: Rules, before: readonly Rejection[]): { add(row: StoredObject): void; end(): ListedObjects } {
  const { collections, store: patterns } = rules;
  const findLeftOut = openLeavingOut(patterns, collections, findOwnKeys(rules));
  const rows: StoredObject[] = [];
  const rejected = new Map(before.map((one) => [one.key, one]));
  const reject = (key: string, reason: string): void => void rejected.set(key, { source: "store", key, reason });
  const isPublic = (key: string): boolean => findCollection(collections, key)?.visibility === "public";
  return {
    add(row) {
      const leftOut = findLeftOut(row.key, row.ignored);
      if (leftOut !== null) reject(leftOut.key, leftOut.reason);
      else if (row.problem !== null) reject(row.key, row.problem);
      else if (findCollection(collections, row.key) === null) reject(row.key, "the key lies under no collection");
      else rows.push(row);
    },
    end() {
      const doubledName = openDoubled(rows, isPublic);
      const served = rows.filter((row) => {
        const { key, size } = row;
        const name = doubledName(row);
        // Tools that copy folders into a bucket leave an object of no bytes for each.
        if (name !== null && size > 0)
          reject(key, `${name} is a file and a folder, and a path cannot be both; give one of them another name`);
        return name === null;
      });
      return {
        rows: served.sort((a, b) => compareNames(a.key, b.key)),
        rejected: [...rejected.values()].sort((a, b) => compareNames(a.key, b.key)),
      };
    },
  };
}

/** openDoubled looks for keys that are also the folder of another, such as "a" beside "a/b": the file gives way to the folder, but never a public one
 *  to a gated folder, of which nobody may hear.
 *  @returns for a key that gives way the name that is both, else null */
function openDoubled(rows: readonly StoredObject[], isPublic: (key: string) => boolean): (row: StoredObject) => string | null {
  const folders = new Set(rows.flatMap(({ key }) => foldersOf(key)));
  const open = new Set(rows.filter(({ key }) => isPublic(key)).flatMap(({ key }) => foldersOf(key)));
  const stays = ({ key, size }: StoredObject): boolean => folders.has(key) && !open.has(key) && size > 0 && isPublic(key);
  const files = new Set(rows.filter(stays).map(({ key }) => key));
  return ({ key }) =>
    folders.has(key) && !files.has(key) ? key : isPublic(key) ? null : (foldersOf(key).find((name) => files.has(name)) ?? null);
}

/** foldersOf names the folders that a key lies in: "a" and "a/b" for "a/b/c". */
function foldersOf(key: string): readonly string[] {
  return [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index));
}
