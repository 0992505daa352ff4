/** The catalog before the first snapshot: what the object store lists now, without digests (interface §1: a catalog built
 *  from listing the object store when there is no database-backed one). Public collections only. */
import { objectPath, pagePath } from "../../snapshots/format/layout.ts";
import type { Catalog } from "../../snapshots/schema/index.ts";
import { findCollection, newest } from "../../snapshots/format/view-data.ts";
import { VERSION } from "../files/version.ts";
import type { Config } from "../config/config.ts";
import { mediaTypeOfName } from "../extract/media-type.ts";
import { listObjects } from "../sources/list-objects.ts";
import { openObjectStore, type StoreAnnexes } from "../sources/open-object-store.ts";

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
