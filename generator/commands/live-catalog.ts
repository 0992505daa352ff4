/** The catalog before the first snapshot: what the object store lists now, without digests (interface §1: a catalog built
 *  from listing the object store when there is no database-backed one). Public collections only. */
import { findCollection, newest, objectPath, pagePath } from "#snapshots/format";
import type { Catalog } from "#snapshots/schema";
import { VERSION } from "#generator/files";
import type { Config } from "#generator/config";
import { mediaTypeOfName } from "#generator/extract";
import { listObjects, openObjectStore, type StoreAnnexes } from "#generator/sources";

export async function liveCatalog(config: Config, annexes: StoreAnnexes): Promise<Catalog> {
  const { rows: listed } = await listObjects(openObjectStore(config.store, annexes), config);
  const rows = config.uploaded === "none" ? listed.map((row) => ({ ...row, uploaded: null })) : listed;
  const collections = config.collections
    .filter((collection) => collection.visibility === "public")
    .map((collection) => {
      const members = rows.filter((row) => findCollection(config.collections, row.key)?.id === collection.id);
      return {
        ...collection,
        count: members.length,
        bytes: members.reduce((sum, row) => sum + row.size, 0),
        updated: newest(members),
        href: pagePath.browse(collection.prefix),
        objects: members.map(({ key, size, uploaded }) => {
          const { mediaType, kind } = mediaTypeOfName(key);
          return {
            key,
            title: key.slice(key.lastIndexOf("/") + 1),
            kind,
            size,
            sha256: null,
            etag: null,
            uploaded,
            media_type: mediaType,
            href: objectPath(key),
          };
        }),
      };
    });
  return {
    schema_version: 1,
    snapshot: null,
    generator: `proofshelf ${VERSION}`,
    source: "listing",
    ...(config.declared === null ? {} : { declared: config.declared }),
    counts: {
      collections: collections.length,
      objects: collections.reduce((sum, { count }) => sum + count, 0),
      bytes: collections.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    collections,
  };
}
