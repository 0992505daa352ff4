/** GET /api/list: objects and child prefixes directly under a prefix. */
import { ShelfError } from "#snapshots/errors";
import { formatEtag, licenceOf, lowerBound, MAX_KEY_BYTES, type ObjectRow, prefixRange } from "#snapshots/format";
import type { LibraryObject } from "#snapshots/schema";

/** LIST_PAGE is the number of entries (prefixes and objects together) in one response; more come by cursor. */
export const LIST_PAGE = 1000;

export type Listing = {
  readonly prefix: string;
  readonly prefixes: readonly string[];
  readonly objects: readonly LibraryObject[];
  /** Position of the next entry, or null at the end. */
  readonly next: number | null;
};

/** parsePrefix checks a prefix. @throws ShelfError "bad_prefix" when longer than a key can be, or with a NUL */
export function parsePrefix(prefix: string): string {
  if (prefix.includes("\0")) throw new ShelfError("bad_prefix", "The prefix contains a NUL character.");
  if (Buffer.byteLength(prefix) > MAX_KEY_BYTES) {
    throw new ShelfError("bad_prefix", `The prefix is longer than ${MAX_KEY_BYTES} bytes.`);
  }
  return prefix;
}

/** licencesOf returns the values of the parameter `license`, which are alternatives; "" is none stated. */
export function licencesOf(params: URLSearchParams): readonly string[] {
  return [...new Set(params.getAll("license").map((value) => value.normalize("NFC")))].sort();
}

/** withLicences returns the objects that have one of these licences, in their order. Without licences it returns all objects. */
export function withLicences(objects: readonly ObjectRow[], licences: readonly string[]): readonly ObjectRow[] {
  return licences.length === 0 ? objects : objects.filter((row) => licences.includes(licenceOf(row)));
}

/** list returns the objects and child prefixes directly under `prefix`, ascending by code unit. Nothing tells a gated prefix from none
 *  (conventions).
 *  @param objects ascending by key; @param prefix "" or any leading part of keys; child prefixes end at the next "/" after it
 *  @param position entries to skip, in the order of the keys
 *  @see interface §2 ListResponse, §4 GET /api/list */
export function list(objects: readonly ObjectRow[], prefix: string, position = 0, limit = LIST_PAGE): Listing {
  const prefixes: string[] = [];
  const found: LibraryObject[] = [];
  const [from, to] = prefixRange(objects, prefix);
  let entries = 0;
  for (let at = from; at < to; ) {
    const row = objects[at] as ObjectRow;
    const slash = row.key.indexOf("/", prefix.length);
    if (entries === position + limit) return { prefix, prefixes, objects: found, next: entries };
    if (slash < 0) {
      if (entries >= position) found.push(libraryObject(row));
      at++;
    } else {
      const child = row.key.slice(0, slash + 1);
      if (entries >= position) prefixes.push(child);
      // Skip the whole folder: its keys are neighbours.
      at = lowerBound(objects, (other) => other.key.startsWith(child), at, to);
    }
    entries++;
  }
  return { prefix, prefixes, objects: found, next: null };
}

function libraryObject(row: ObjectRow): LibraryObject {
  return { key: row.key, size: row.size, uploaded: row.uploaded, etag: formatEtag(row.sha256) };
}
