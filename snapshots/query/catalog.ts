/** GET /api/catalog: every object of a view, grouped by collection (conventions "Bodies"). */
import { canonicalJson } from "../digest.ts";
import { objectPath, pagePath } from "../format/layout.ts";
import type { Catalog, CatalogObject } from "../schema/resources.ts";
import { groupByCollection, type Totals, totalsOf } from "../format/relations.ts";
import { type Library, mountPath, type ObjectRow } from "../format/view-data.ts";

/** Grows when a field changes its meaning; new fields do not count. */
const SCHEMA_VERSION = 1;

/** Everything of a catalog but its objects and the snapshot's id.
 *  @param totals of the collections, in their order
 *  @param objects how many the view has */
export function catalogFrame(library: Library, totals: readonly Totals[], objects: number): Omit<Catalog, "snapshot"> {
  const mount = mountPath(library);
  return {
    schema_version: SCHEMA_VERSION,
    generator: library.generator,
    source: "database",
    counts: { collections: library.collections.length, objects, bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0) },
    collections: library.collections.map((collection, at) => ({
      ...collection,
      ...(totals[at] ?? totalsOf([])),
      href: mount + pagePath.browse(collection.prefix),
      objects: [],
    })),
  };
}

/** RFC 8785 text of everything but the snapshot's id, which an answer adds: a file cannot hold the digest of the tree it lies in.
 *  Put together from the rows' texts: a catalog of 10,000 objects is megabytes, and both views hold nearly the same rows.
 *  @param objects ascending by key, each under a collection */
export function catalogJson(library: Library, objects: readonly ObjectRow[]): string {
  const mount = mountPath(library);
  const members = groupByCollection(library, objects);
  const frame = catalogFrame(library, members.map(totalsOf), objects.length);
  // No text in it can hold these signs: in a text, quotation marks stand behind a backslash.
  const [head = "", ...tails] = canonicalJson(frame).split('"objects":[]');
  return head + tails.map((tail, at) => `"objects":[${(members[at] ?? []).map((row) => rowJson(mount, row)).join(",")}]${tail}`).join("");
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
