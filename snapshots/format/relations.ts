/** What points at what inside one view: claims and records that cite an object, folders and their totals.
 *  Computed once for a view's data. */
import type { CubRecord } from "../schema/cubs.ts";
import type { Claim } from "../schema/claims.ts";
import { pagePath } from "./layout.ts";
import { findCollection, type Library, newest, type ObjectRow, type ViewData } from "./view-data.ts";
import { compareNames } from "./tree.ts";

export type Folder = {
  readonly prefix: string;
  readonly prefixes: readonly string[];
  readonly objects: readonly ObjectRow[];
  readonly count: number;
  readonly bytes: number;
};

/** What the objects of a collection come to. */
export type Totals = {
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
  /** Id of the claim whose page has a path. */
  readonly claimByPath: ReadonlyMap<string, string>;
  readonly claimsOfObject: ReadonlyMap<string, readonly Claim[]>;
  readonly recordsOfObject: ReadonlyMap<string, readonly CubRecord[]>;
  readonly claimsOfRecord: ReadonlyMap<string, readonly Claim[]>;
};

const known = new WeakMap<ViewData, Relations>();

/** Each relation is worked out when it is first asked for, and once for a view's data. */
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
  const { library, objects, cubs, claims } = data;
  const totals = once(
    () => new Map(groupByCollection(library, objects).map((rows, at) => [library.collections[at]?.id ?? "", totalsOf(rows)])),
  );
  const folders = once(() => foldersOf(objects));
  const objectByKey = once(() => new Map(objects.map((row) => [row.key, row])));
  const keysByDigest = once(() => collect(objects.map((row) => [row.sha256, row.key] as const)));
  const recordById = once(() => new Map(cubs.map((record) => [record.id, record])));
  const claimById = once(() => new Map(claims.claims.map((claim) => [claim.id, claim])));
  const claimByPath = once(() => new Map(claims.claims.map(({ id }) => [pagePath.claim(id), id])));
  const claimsOfObject = once(() =>
    collect(
      claims.claims.flatMap((claim) => {
        const keys = new Set(
          claim.evidence.flatMap(({ sha256: digest }) => (digest === undefined ? [] : (keysByDigest().get(digest) ?? []))),
        );
        return [...keys].map((key) => [key, claim] as const);
      }),
    ),
  );
  const recordsOfObject = once(() =>
    collect(
      cubs.flatMap((record) => {
        const keys = new Set(Object.values(record.file_shas).flatMap((digest) => keysByDigest().get(digest) ?? []));
        return [...keys].map((key) => [key, record] as const);
      }),
    ),
  );
  const claimsOfRecord = once(() => relateClaims(data, claimById()));
  return {
    get totals() {
      return totals();
    },
    get folders() {
      return folders();
    },
    get objectByKey() {
      return objectByKey();
    },
    get keysByDigest() {
      return keysByDigest();
    },
    get recordById() {
      return recordById();
    },
    get claimById() {
      return claimById();
    },
    get claimByPath() {
      return claimByPath();
    },
    get claimsOfObject() {
      return claimsOfObject();
    },
    get recordsOfObject() {
      return recordsOfObject();
    },
    get claimsOfRecord() {
      return claimsOfRecord();
    },
  };
}

/** Claims that a record names, or whose evidence is one of its files, each once. */
function relateClaims({ cubs, claims }: ViewData, claimById: ReadonlyMap<string, Claim>): ReadonlyMap<string, readonly Claim[]> {
  const byRecord = new Map<string, Set<Claim>>();
  const link = (record: CubRecord, claim: Claim): void => {
    const linked = byRecord.get(record.id);
    if (linked === undefined) byRecord.set(record.id, new Set([claim]));
    else linked.add(claim);
  };
  for (const record of cubs) {
    for (const id of claimIdsOf(record)) {
      const claim = claimById.get(id);
      if (claim !== undefined) link(record, claim);
    }
  }
  const recordsByFile = collect(cubs.flatMap((record) => Object.values(record.file_shas).map((digest) => [digest, record] as const)));
  for (const claim of claims.claims) {
    for (const { sha256: digest } of claim.evidence) {
      if (digest !== undefined) for (const record of recordsByFile.get(digest) ?? []) link(record, claim);
    }
  }
  return new Map([...byRecord].map(([id, linked]) => [id, [...linked]]));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** The objects of each collection, in the order of the collections; a key under none is in no list. */
export function groupByCollection(
  { collections }: Pick<Library, "collections">,
  objects: readonly ObjectRow[],
): readonly (readonly ObjectRow[])[] {
  const members = collect(objects.map((row) => [findCollection(collections, row.key)?.id ?? "", row] as const));
  return collections.map(({ id }) => members.get(id) ?? []);
}

export function totalsOf(objects: readonly ObjectRow[]): Totals {
  return { count: objects.length, bytes: objects.reduce((sum, row) => sum + row.size, 0), updated: newest(objects) };
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
