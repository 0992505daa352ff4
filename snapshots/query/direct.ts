/** Things that a query names outright, and things that its operators leave in. A query may name a digest or its first digits, an id, a key, a
 *  declared or qualified name, or a title. */
import {
  collect,
  type CollectionInfo,
  findCollection,
  memoize,
  type ObjectRow,
  pagePath,
  prefixRange,
  relationsOf,
  type ViewData,
} from "#snapshots/format";
import { type Claim, CUB_ID_PATTERN, type CubRecord } from "#snapshots/schema";
import { namesOf } from "./filters.ts";
import { type Operators, parseDigestStart } from "#snapshots/words";

const MAX_DIGESTS = 20; // that begin alike

export type NameReason = "key" | "id" | "name" | "title" | "digest";
export type NamedThing = { readonly by: NameReason } & (
  | { readonly kind: "object"; readonly item: ObjectRow }
  | { readonly kind: "record"; readonly item: CubRecord }
  | { readonly kind: "claim"; readonly item: Claim }
  | { readonly kind: "collection"; readonly item: CollectionInfo }
);

type NameIndex = {
  readonly named: ReadonlyMap<string, readonly NamedThing[]>;
  /** Ascending. */
  readonly digests: readonly (readonly [digest: string, named: NamedThing])[];
};

const indexOf = memoize((data: ViewData): NameIndex => {
  const names: [string, NamedThing][] = [];
  const digests: [string, NamedThing][] = [];
  for (const item of data.objects) {
    names.push([item.key, { by: "key", kind: "object", item }], [titled(item.title), { by: "title", kind: "object", item }]);
    digests.push([item.sha256, { by: "digest", kind: "object", item }]);
  }
  for (const item of data.cubs) {
    names.push([item.id, { by: "id", kind: "record", item }]);
    for (const name of namesOf(item)) names.push([name, { by: "name", kind: "record", item }]);
    for (const digest of new Set(Object.values(item.file_shas))) digests.push([digest, { by: "digest", kind: "record", item }]);
  }
  for (const item of data.claims.claims) {
    names.push([item.id, { by: "id", kind: "claim", item }], [titled(item.title), { by: "title", kind: "claim", item }]);
    for (const { sha256 } of item.evidence) if (sha256 !== undefined) digests.push([sha256, { by: "digest", kind: "claim", item }]);
  }
  for (const item of data.library.collections) {
    for (const name of new Set([item.id, item.prefix])) if (name !== "") names.push([name, { by: "key", kind: "collection", item }]);
    names.push([titled(item.title), { by: "title", kind: "collection", item }]);
  }
  return { named: collect(names), digests: digests.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) };
});

/** Marks folded titles among the names; no key or id begins with it. */
function titled(title: string): string {
  return `\u0000${title.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ").trim()}`;
}

/** findNamed finds everything in a view that has this name; titles ignore case. */
export function findNamed(data: ViewData, name: string): readonly NamedThing[] {
  const { named, digests } = indexOf(data);
  const upper = name.toUpperCase();
  const spellings = new Set([name, name.replaceAll("::", "."), ...(CUB_ID_PATTERN.test(upper) ? [upper] : []), titled(name)]);
  const found = [...spellings].flatMap((spelling) => named.get(spelling) ?? []);
  const digest = parseDigestStart(name);
  if (digest === null) return found;
  return [
    ...found,
    ...digests
      .filter(([whole]) => whole.startsWith(digest))
      .map(([, item]) => item)
      .slice(0, MAX_DIGESTS),
  ];
}

/** leavesIn tells whether operators leave a thing in. `kind:` takes a record by its kind ("theorem") or as a record, and an object by its kind. */
export function leavesIn(data: ViewData, { kinds, repos, inside }: Operators, kind: string, key: string): boolean {
  const { recordById, objectByKey } = relationsOf(data);
  const record = kind === "record" ? recordById.get(key) : undefined;
  const object = record === undefined ? objectByKey.get(key) : undefined;
  const ownKinds = [kind, record?.kind.toLowerCase() ?? ""];
  if (kinds.length > 0 && !kinds.some((wanted) => ownKinds.includes(wanted))) return false;
  if (repos.length > 0 && !repos.includes(record?.repo ?? object?.source?.repo ?? "")) return false;
  return inside === null || (object?.key.startsWith(inside) ?? false);
}

/** listPassing lists everything that operators leave in, for a query without words: records by id, claims, objects by key. */
export function listPassing(data: ViewData, operators: Operators): readonly { readonly kind: string; readonly key: string }[] {
  const all = [
    ...data.cubs.map(({ id }) => ({ kind: "record", key: id })),
    ...data.claims.claims.map(({ id }) => ({ kind: "claim", key: id })),
    ...data.objects.map(({ key, kind }) => ({ kind, key })),
  ];
  return all.filter(({ kind, key }) => leavesIn(data, operators, kind, key));
}

/** An ObjectQuery asks for objects by their kinds and collections; null for all. */
export type ObjectQuery = {
  readonly kinds: readonly string[] | null;
  readonly collections: readonly string[] | null;
  readonly prefix: string;
};

export function findObjects(data: ViewData, { kinds, collections, prefix }: ObjectQuery): readonly ObjectRow[] {
  const [from, to] = prefixRange(data.objects, prefix);
  return data.objects
    .slice(from, to)
    .filter((row) => kinds === null || kinds.includes(row.kind))
    .filter((row) => collections === null || collections.includes(findCollection(data.library.collections, row.key)?.id ?? ""));
}

/** directPath returns the site path of the page that lists just these objects, or null when none does. */
export function directPath({ library }: ViewData, { kinds, collections, prefix }: ObjectQuery): string | null {
  const [id, ...others] = collections ?? [];
  const collection = library.collections.find((candidate) => candidate.id === id);
  // A folder holds what lies in it, also what a collection inside it holds.
  const isFolder = (own: string): boolean =>
    own !== "" && !library.collections.some(({ prefix: inner }) => inner !== own && inner.startsWith(own));
  if (collections !== null && (others.length > 0 || collection === undefined || !isFolder(collection.prefix))) return null;
  if (collection !== undefined && prefix !== "" && !collection.prefix.startsWith(prefix)) return null;
  const inside = collection?.prefix ?? prefix;
  if (kinds === null) return inside === "" || inside.endsWith("/") ? pagePath.browse(inside) : null;
  const q = [...kinds.map((kind) => `kind:${kind}`), ...(inside === "" ? [] : [`in:${/\s/.test(inside) ? `"${inside}"` : inside}`])].join(
    " ",
  );
  return `${pagePath.search}?${new URLSearchParams({ q }).toString()}`;
}
