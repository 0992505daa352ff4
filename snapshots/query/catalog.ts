/** GET /api/catalog: every object of a view, grouped by collection (conventions "Bodies"). */
import { canonicalJson } from "../digest.ts";
import { objectPath, pagePath } from "../format/layout.ts";
import type { Catalog, CatalogObject } from "../schema/resources.ts";
import { findCollection, type Library, mountPath, newest, type ObjectRow } from "../format/view-data.ts";

/** Grows when a field changes its meaning; new fields do not count. */
const SCHEMA_VERSION = 1;

/** RFC 8785 text of everything but the snapshot's id, which an answer adds: a file cannot hold the digest of the tree it lies in.
 *  Put together from the rows' texts: a catalog of 10,000 objects is megabytes, and both views hold nearly the same rows.
 *  @param objects ascending by key */
export function catalogJson(library: Library, objects: readonly ObjectRow[]): string {
  const mount = mountPath(library);
  const grouped = new Map<string, ObjectRow[]>(library.collections.map((collection) => [collection.id, []]));
  for (const row of objects) {
    const home = findCollection(library.collections, row.key);
    if (home !== null) grouped.get(home.id)?.push(row);
  }
  const frame: Omit<Catalog, "snapshot"> = {
    schema_version: SCHEMA_VERSION,
    generator: library.generator,
    source: "database",
    counts: {
      collections: library.collections.length,
      objects: objects.length,
      bytes: sumSizes(objects),
    },
    collections: library.collections.map((collection) => {
      const members = grouped.get(collection.id) ?? [];
      return {
        ...collection,
        count: members.length,
        bytes: sumSizes(members),
        updated: newest(members),
        href: mount + pagePath.browse(collection.prefix),
        objects: [],
      };
    }),
  };
  // No text in it can hold these signs: in a text, quotation marks stand behind a backslash.
  const [head = "", ...tails] = canonicalJson(frame).split('"objects":[]');
  const lists = library.collections.map(({ id }) => (grouped.get(id) ?? []).map((row) => rowJson(mount, row)).join(","));
  return head + tails.map((tail, at) => `"objects":[${lists[at] ?? ""}]${tail}`).join("");
}

function sumSizes(objects: readonly ObjectRow[]): number {
  return objects.reduce((sum, row) => sum + row.size, 0);
}

/** Of a row's text what stands behind the mount in `href`, which alone tells the views apart. */
const tails = new WeakMap<ObjectRow, string>();

/** RFC 8785 text of a CatalogObject: members in order by hand; in strings, integers and null JSON.stringify is RFC 8785.
 *  A digest and a percent-encoded path hold nothing that JSON escapes. */
function rowJson(mount: string, row: ObjectRow): string {
  let tail = tails.get(row);
  if (tail === undefined) {
    const { key, kind, media_type, sha256, size, summary, title, uploaded } = row;
    const rest: Omit<CatalogObject, "etag" | "href"> = { key, kind, media_type, sha256, size, summary, title, uploaded };
    tail = `${objectPath(key)}",${JSON.stringify(rest).slice(1)}`;
    tails.set(row, tail);
  }
  return `{"etag":"\\"${row.sha256}\\"","href":"${mount}${tail}`;
}
