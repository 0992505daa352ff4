/** The rows of a catalog. Earlier versions stored it whole: it is parsed in slices, so that a server that loads it goes on answering. */
import { setImmediate } from "node:timers/promises";
import { ShelfError } from "../errors.ts";
import type { ObjectRow } from "../format/view-data.ts";
import type { ObjectKind } from "../schema/extract.ts";
import type { Catalog, CatalogObject } from "../schema/resources.ts";

const SLICE = 256 * 1024; // characters that are parsed at a time
/** Signs of canonical JSON (RFC 8785) that no text in it can hold, because a quotation mark in a text stands behind a
 *  backslash. `etag` is an object's first member, `prefix` the one after a collection's objects. */
const LIST_START = '"objects":[';
const LIST_END = '],"prefix":';
const NEXT_OBJECT = '},{"etag":';

/** @param text RFC 8785 text of a catalog, as `catalogJson` writes it
 *  @returns ascending by key
 *  @throws ShelfError "snapshot_damaged" when it does not hold as many objects as it says */
export async function parseCatalogRows(text: string): Promise<ObjectRow[]> {
  const rows: ObjectRow[] = [];
  let frame = "";
  let at = 0;
  for (let start = text.indexOf(LIST_START); start >= 0; start = text.indexOf(LIST_START, at)) {
    const from = start + LIST_START.length;
    const to = text.indexOf(LIST_END, from);
    if (to < 0) throw damaged();
    frame += text.slice(at, from);
    for (let begin = from; begin < to; ) {
      const next = text.indexOf(NEXT_OBJECT, begin + SLICE);
      const end = next < 0 || next > to ? to : next + 1;
      for (const object of JSON.parse(`[${text.slice(begin, end)}]`) as CatalogObject[]) rows.push(toRow(object));
      begin = end + 1;
      await setImmediate();
    }
    at = to;
  }
  const { collections } = JSON.parse(frame + text.slice(at)) as Pick<Catalog, "collections">;
  if (collections.reduce((sum, { count }) => sum + count, 0) !== rows.length) throw damaged();
  return rows.sort((a, b) => (a.key < b.key ? -1 : 1));
}

export function toRow({ key, title, summary, kind, media_type, size, sha256, uploaded, source, ...more }: CatalogObject): ObjectRow {
  const row = { key, title, summary: summary ?? "", kind: kind as ObjectKind, media_type, size, sha256: sha256 ?? "", uploaded };
  const { authors, date, license, swhid } = more;
  return {
    ...row,
    ...(source === undefined ? {} : { source }),
    ...(authors === undefined ? {} : { authors }),
    ...(date === undefined ? {} : { date }),
    ...(license === undefined ? {} : { license }),
    ...(swhid === undefined ? {} : { swhid }),
  };
}

function damaged(): ShelfError {
  return new ShelfError("snapshot_damaged", "api/catalog.json does not hold the objects that it counts.");
}
