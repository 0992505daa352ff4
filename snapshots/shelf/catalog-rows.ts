/** toRow takes the row of an object out of its entry in the catalog. */
import type { ObjectRow } from "#snapshots/format";
import type { CatalogObject, ObjectKind } from "#snapshots/schema";

export function toRow({ key, title, summary, kind, media_type, size, sha256, uploaded, source, ...more }: CatalogObject): ObjectRow {
  const row = { key, title, summary: summary ?? "", kind: kind as ObjectKind, media_type, size, sha256: sha256 ?? "", uploaded };
  const { authors, date, license, lang, addresses, swhid, whole } = more;
  return {
    ...row,
    ...(source === undefined ? {} : { source }),
    ...(authors === undefined ? {} : { authors }),
    ...(date === undefined ? {} : { date }),
    ...(license === undefined ? {} : { license }),
    ...(lang === undefined ? {} : { lang }),
    ...(addresses === undefined ? {} : { addresses }),
    ...(swhid === undefined ? {} : { swhid }),
    ...(whole === undefined ? {} : { whole }),
  };
}
