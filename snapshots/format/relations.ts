/** What points at what inside one view: claims and records that cite an object, folders and their totals.
 *  Computed once for a view's data. */
import type { CubRecord } from "../schema/cubs.ts";
import type { Claim } from "../schema/claims.ts";
import { newest } from "../query/catalog.ts";
import { findCollection, type ObjectRow, type ViewData } from "./view-data.ts";
import { compareNames } from "./tree.ts";

type Folder = {
  readonly prefix: string;
  readonly prefixes: readonly string[];
  readonly objects: readonly ObjectRow[];
  readonly count: number;
  readonly bytes: number;
};

/** What the objects of a collection come to. */
type Totals = {
  readonly count: number;
  readonly bytes: number;
  /** The newest upload; null when there is no object. */
  readonly updated: string | null;
};

export type Relations = {
  /** By id, for every collection of the view. */
  readonly totals: ReadonlyMap<string, Totals>;
  /** Every folder that holds an object, by prefix; "" is the root. */
  readonly folders: ReadonlyMap<string, Folder>;
  readonly objectByKey: ReadonlyMap<string, ObjectRow>;
  /** Keys of the objects with a digest. */
  readonly keysByDigest: ReadonlyMap<string, readonly string[]>;
  readonly recordById: ReadonlyMap<string, CubRecord>;
  readonly claimById: ReadonlyMap<string, Claim>;
  readonly claimsOfObject: ReadonlyMap<string, readonly Claim[]>;
  readonly recordsOfObject: ReadonlyMap<string, readonly CubRecord[]>;
  readonly claimsOfRecord: ReadonlyMap<string, readonly Claim[]>;
};

const known = new WeakMap<ViewData, Relations>();

export function relationsOf(data: ViewData): Relations {
  let relations = known.get(data);
  if (relations === undefined) {
    relations = relate(data);
    known.set(data, relations);
  }
  return relations;
}

/** Strings that a record's free-form `claims` array names, whatever its items look like. */
function claimIdsOf(record: CubRecord): readonly string[] {
  return record.claims.flatMap((item) => {
    if (typeof item === "string") return [item];
    const id: unknown = typeof item === "object" && item !== null && "id" in item ? item.id : null;
    return typeof id === "string" ? [id] : [];
  });
}

function relate(data: ViewData): Relations {
  const objectByKey = new Map(data.objects.map((row) => [row.key, row]));
  const keysByDigest = collect(data.objects.map((row) => [row.sha256, row.key] as const));
  const recordById = new Map(data.cubs.map((record) => [record.id, record]));
  const claimById = new Map(data.claims.claims.map((claim) => [claim.id, claim]));

  const claimsOfObject: [string, Claim][] = [];
  const claimsOfRecord: [string, Claim][] = [];
  const claimPairs = new Set<string>();
  const link = (record: CubRecord, claim: Claim): void => {
    const pair = JSON.stringify([record.id, claim.id]);
    if (!claimPairs.has(pair)) claimsOfRecord.push([record.id, claim]);
    claimPairs.add(pair);
  };
  const recordsByFileDigest = collect(
    data.cubs.flatMap((record) => Object.values(record.file_shas).map((digest) => [digest, record] as const)),
  );
  for (const record of data.cubs) {
    for (const id of claimIdsOf(record)) {
      const claim = claimById.get(id);
      if (claim !== undefined) link(record, claim);
    }
  }
  for (const claim of data.claims.claims) {
    const keys = new Set<string>();
    for (const { sha256: digest } of claim.evidence) {
      if (digest === undefined) continue;
      for (const key of keysByDigest.get(digest) ?? []) keys.add(key);
      for (const record of recordsByFileDigest.get(digest) ?? []) link(record, claim);
    }
    for (const key of keys) claimsOfObject.push([key, claim]);
  }
  const recordsOfObject: [string, CubRecord][] = [];
  for (const record of data.cubs) {
    const keys = new Set(Object.values(record.file_shas).flatMap((digest) => keysByDigest.get(digest) ?? []));
    for (const key of keys) recordsOfObject.push([key, record]);
  }
  return {
    totals: totalsOf(data),
    folders: foldersOf(data.objects),
    objectByKey,
    keysByDigest,
    recordById,
    claimById,
    claimsOfObject: collect(claimsOfObject),
    recordsOfObject: collect(recordsOfObject),
    claimsOfRecord: collect(claimsOfRecord),
  };
}

function totalsOf({ library, objects }: ViewData): ReadonlyMap<string, Totals> {
  const members = collect(objects.map((row) => [findCollection(library.collections, row.key)?.id ?? "", row] as const));
  return new Map(
    library.collections.map(({ id }) => {
      const rows = members.get(id) ?? [];
      return [id, { count: rows.length, bytes: rows.reduce((sum, row) => sum + row.size, 0), updated: newest(rows) }];
    }),
  );
}

function foldersOf(objects: readonly ObjectRow[]): ReadonlyMap<string, Folder> {
  type Open = { prefix: string; prefixes: string[]; objects: ObjectRow[]; count: number; bytes: number };
  const folders = new Map<string, Open>();
  const open = (prefix: string): Open => {
    let folder = folders.get(prefix);
    if (folder === undefined) {
      folder = { prefix, prefixes: [], objects: [], count: 0, bytes: 0 };
      folders.set(prefix, folder);
      if (prefix !== "") open(parentPrefix(prefix)).prefixes.push(prefix);
    }
    return folder;
  };
  open("");
  for (const row of objects) {
    let prefix = parentPrefix(row.key);
    open(prefix).objects.push(row);
    for (;;) {
      const folder = open(prefix);
      folder.count++;
      folder.bytes += row.size;
      if (prefix === "") break;
      prefix = parentPrefix(prefix);
    }
  }
  for (const folder of folders.values()) folder.prefixes.sort(compareNames);
  return folders;
}

/** The folder that a key or prefix lies in: `a/b.md` → `a/`, `a/b/` → `a/`, `a.md` → "". */
export function parentPrefix(key: string): string {
  return key.slice(0, key.lastIndexOf("/", key.length - 2) + 1);
}

function collect<K, V>(pairs: Iterable<readonly [K, V]>): ReadonlyMap<K, readonly V[]> {
  const map = new Map<K, V[]>();
  for (const [key, value] of pairs) {
    const list = map.get(key);
    if (list === undefined) map.set(key, [value]);
    else list.push(value);
  }
  return map;
}
