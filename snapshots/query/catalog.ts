/** GET /api/catalog: every object of a view, grouped by collection (conventions "Bodies"). */
import { formatEtag, type Library, mountPath, objectPath, type ObjectRow, pagePath, type Totals, totalsOf } from "#snapshots/format";
import type { Catalog, CatalogObject } from "#snapshots/schema";

/** Grows when a field changes its meaning; new fields do not count. */
const SCHEMA_VERSION = 1;
/** NO_OBJECTS is the JSON of a list that is still empty. No text in JSON can hold these signs: in a text, quotation marks stand behind a
 *  backslash. */
export const NO_OBJECTS = '"objects":[]';

/** catalogFrame makes everything of a catalog but its objects and the snapshot's id. @param totals of the collections, in their order */
export function catalogFrame(library: Library, totals: readonly Totals[], objects: number): Omit<Catalog, "snapshot"> {
  const mount = mountPath(library);
  return {
    schema_version: SCHEMA_VERSION,
    generator: library.generator,
    source: "database",
    ...(library.collection_counts?.declared === undefined ? {} : { declared: library.collection_counts.declared }),
    counts: { collections: library.collections.length, objects, bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0) },
    collections: library.collections.map((collection, at) => ({
      ...collection,
      ...(totals[at] ?? totalsOf([])),
      href: mount + pagePath.browse(collection.prefix),
      objects: [],
    })),
  };
}

/** rowsJson writes a list of CatalogObjects as RFC 8785 asks. Their members stand in order, and for strings, integers and null JSON.stringify is
 *  RFC 8785. */
export function rowsJson(library: Library, rows: readonly ObjectRow[]): string {
  const mount = mountPath(library);
  return JSON.stringify(
    rows.map((row): CatalogObject => {
      const href = mount + objectPath(row.key);
      const from = row.source === undefined ? {} : { source: { path: row.source.path, ref: row.source.ref, repo: row.source.repo } };
      // Members that are undefined are left out of the text.
      return {
        addresses: row.addresses,
        authors: row.authors,
        date: row.date,
        etag: formatEtag(row.sha256),
        href,
        key: row.key,
        kind: row.kind,
        lang: row.lang,
        license: row.license,
        media_type: row.media_type,
        sha256: row.sha256,
        size: row.size,
        ...from,
        summary: row.summary,
        swhid: row.swhid,
        title: row.title,
        uploaded: row.uploaded,
        whole: row.whole,
      } as CatalogObject;
    }),
  );
}
