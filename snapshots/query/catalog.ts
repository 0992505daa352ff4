/** GET /api/catalog: every object of a view, grouped by collection (conventions "Bodies"). */
import { objectPath, pagePath } from "../layout.ts";
import type { Catalog, CatalogObject } from "../schema/resources.ts";
import { findCollection, formatEtag, type Library, mountPath, type ObjectRow } from "../view-data.ts";

/** Grows when a field changes its meaning; new fields do not count. */
const SCHEMA_VERSION = 1;

/** Everything but the snapshot's id, which an answer adds: a file cannot hold the digest of the tree it lies in.
 *  @param objects ascending by key */
export function catalog(library: Library, objects: readonly ObjectRow[]): Omit<Catalog, "snapshot"> {
  const grouped = new Map<string, CatalogObject[]>(library.collections.map((collection) => [collection.id, []]));
  for (const row of objects) {
    const home = findCollection(library.collections, row.key);
    if (home !== null) grouped.get(home.id)?.push(catalogObject(mountPath(library), row));
  }
  return {
    schema_version: SCHEMA_VERSION,
    generator: library.generator,
    source: "database",
    counts: {
      collections: library.collections.length,
      objects: objects.length,
      bytes: objects.reduce((sum, row) => sum + row.size, 0),
    },
    collections: library.collections.map((collection) => {
      const members = grouped.get(collection.id) ?? [];
      return {
        ...collection,
        count: members.length,
        bytes: members.reduce((sum, object) => sum + object.size, 0),
        updated: newest(members),
        href: mountPath(library) + pagePath.browse(collection.prefix),
        objects: members,
      };
    }),
  };
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

/** Members in canonical order: there are thousands of these, and so nobody has to sort them. */
function catalogObject(mount: string, row: ObjectRow): CatalogObject {
  return {
    etag: formatEtag(row.sha256),
    href: mount + objectPath(row.key),
    key: row.key,
    kind: row.kind,
    media_type: row.media_type,
    sha256: row.sha256,
    size: row.size,
    summary: row.summary,
    title: row.title,
    uploaded: row.uploaded,
  };
}
