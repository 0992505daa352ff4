/** One view as plain data: what the generator has in memory while it writes a snapshot, and what a reader gets back from
 *  the files under `api/`. Pages and queries are functions of this and of nothing else. */
import type {
  ClaimsRegistry,
  CollectionInfo,
  CubCode,
  CubRecord,
  Library,
  ObjectKind,
  RegistryMeta,
  RegistryState,
  Rejection,
  SourceRef,
  Withdrawal,
} from "#snapshots/schema";

export type { CollectionInfo, Library, RegistryState };

export type ObjectRow = {
  readonly key: string;
  readonly title: string;
  readonly summary: string;
  readonly kind: ObjectKind;
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
  /** RFC 3339 UTC, from the object store. */
  readonly uploaded: string | null;
  /** Where it comes from, when that is known. */
  readonly source?: SourceRef;
  /** As in `About`; absent when nothing is stated. */
  readonly authors?: readonly string[];
  readonly date?: string;
  readonly license?: string;
  readonly lang?: string;
  readonly addresses?: readonly string[];
  /** Identifier of its content (swhid.org): what git and Software Heritage call these bytes. Absent in a preview, which reads no bytes. */
  readonly swhid?: string;
  /** Bytes of all that its page shows, where parts of it lie in files of their own. */
  readonly whole?: number;
};

export type ViewData = {
  readonly library: Library;
  /** Ascending by key (UTF-16 code unit). */
  readonly objects: readonly ObjectRow[];
  readonly claims: ClaimsRegistry;
  /** Ascending by id; meta is null when `library.registry` is "none" or "failed". */
  readonly cubs: readonly CubRecord[];
  readonly meta: RegistryMeta | null;
  /** Integrity index of each record, by id. */
  readonly code: ReadonlyMap<string, CubCode>;
  readonly rejected: readonly Rejection[];
  /** Inputs left out whose names this view does not tell: those under no collection, in the public view. */
  readonly withheld: number;
  /** Notices of what was withdrawn; absent where nothing was. */
  readonly withdrawn?: readonly Withdrawal[];
};

/** formatEtag returns the validator of an object: its digest, quoted as HTTP wants it. */
export function formatEtag(sha256: string): string {
  return `"${sha256}"`;
}

/** lowerBound returns the first index in [from, to) of a sorted list at which `before` is false, or `to`. */
export function lowerBound<T>(list: readonly T[], before: (item: T) => boolean, from = 0, to = list.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(list[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** prefixRange returns the objects whose key starts with `prefix`, as a range [from, to) of the sorted list. */
export function prefixRange(objects: readonly ObjectRow[], prefix: string): readonly [from: number, to: number] {
  const from = lowerBound(objects, (row) => row.key < prefix);
  return [from, lowerBound(objects, (row) => row.key.startsWith(prefix), from)];
}

/** findCollection finds the collection that a key belongs to: the longest prefix wins. */
export function findCollection(collections: readonly CollectionInfo[], key: string): CollectionInfo | null {
  const holding = collections.filter(({ prefix }) => key.startsWith(prefix));
  return holding.reduce<CollectionInfo | null>((best, next) => (next.prefix.length >= (best?.prefix.length ?? 0) ? next : best), null);
}

/** isGatedKey tells whether the collection of a key is gated; a key under no collection is nobody's to gate. */
export function isGatedKey(collections: readonly CollectionInfo[], key: string): boolean {
  return (findCollection(collections, key)?.visibility ?? "public") !== "public";
}

/** The newest upload, null when none is known. RFC 3339 UTC sorts as text once the fraction is the same length. */
export function newest(objects: readonly { readonly uploaded: string | null }[]): string | null {
  let latest: string | null = null;
  for (const { uploaded } of objects) {
    if (uploaded === null) continue;
    if (latest === null) latest = uploaded;
    else if (uploaded.length === latest.length ? uploaded > latest : Date.parse(uploaded) > Date.parse(latest)) latest = uploaded;
  }
  return latest;
}

/** mountPath returns where a view is mounted: links inside JSON begin with it. */
export function mountPath(library: Library): "" | "/internal" {
  return library.view === "internal" ? "/internal" : "";
}

/** absoluteHref returns the absolute address of a path of this view; pinned to a snapshot when `snapshot` is given. */
export function absoluteHref(data: ViewData, path: string, snapshot: string | null): string {
  return `${data.library.base_url}${mountPath(data.library)}${snapshot === null ? "" : `/at/${snapshot}`}${path}`;
}
