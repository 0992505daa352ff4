/** The pointers inside one view: claims and records that cite an object, folders and their totals. */
import type { Claim, CubRecord } from "#snapshots/schema";
import { pagePath } from "./layout.ts";
import { findCollection, type Library, newest, type ObjectRow, type ViewData } from "./view-data.ts";
import { compareNames } from "./tree.ts";

export type Folder = {
  readonly prefix: string;
  readonly prefixes: readonly string[];
  readonly objects: readonly ObjectRow[];
  readonly count: number;
  readonly bytes: number;
  /** How many objects under it have which licence; "" where none is stated. */
  readonly licenses: ReadonlyMap<string, number>;
};

export type Totals = {
  readonly count: number;
  readonly bytes: number;
  readonly updated: string | null;
};

export type Relations = {
  /** By id, for every collection of the view. */
  readonly totals: ReadonlyMap<string, Totals>;
  /** Every folder that holds an object, by prefix; "" is the root. */
  readonly folders: ReadonlyMap<string, Folder>;
  readonly objectByKey: ReadonlyMap<string, ObjectRow>;
  readonly keysByDigest: ReadonlyMap<string, readonly string[]>;
  readonly recordById: ReadonlyMap<string, CubRecord>;
  readonly claimById: ReadonlyMap<string, Claim>;
  readonly claimByPath: ReadonlyMap<string, string>;
  readonly claimsOfObject: ReadonlyMap<string, readonly Claim[]>;
  readonly recordsOfObject: ReadonlyMap<string, readonly CubRecord[]>;
  readonly claimsOfRecord: ReadonlyMap<string, readonly Claim[]>;
  /** The records that a claim rests on. */
  readonly recordsOfClaim: ReadonlyMap<string, readonly CubRecord[]>;
};

/** memoize returns `make` memoised per object: each value is kept as long as the object that it was made of. */
export function memoize<K extends object, V extends object>(make: (thing: K) => V): (thing: K) => V {
  const known = new WeakMap<K, V>();
  return (thing) => {
    const value = known.get(thing) ?? make(thing);
    known.set(thing, value);
    return value;
  };
}

/** relationsOf returns the relations of a view's data. Each relation is worked out when it is first asked for, and once for a view's data. */
export const relationsOf = memoize(relate);

/** claimsNamed returns the strings that a record's free-form `claims` array names, whatever its items look like. */
export function claimsNamed(record: CubRecord): readonly string[] {
  return record.claims.flatMap((item) => {
    if (typeof item === "string") return [item];
    const id: unknown = typeof item === "object" && item !== null && "id" in item ? item.id : null;
    return typeof id === "string" ? [id] : [];
  });
}

function relate(data: ViewData): Relations {
  const { library, objects, cubs, claims } = data;
  /** Each of the objects that have one of these digests, with the thing that names them. */
  const pairWithObjects = <T>(thing: T, digests: readonly (string | undefined)[]): readonly (readonly [key: string, thing: T])[] =>
    [...new Set(digests.flatMap((digest) => relations.keysByDigest.get(digest ?? "") ?? []))].map((key) => [key, thing]);
  const relations: Relations = lazily({
    totals: () => new Map(groupByCollection(library, objects).map((rows, at) => [library.collections[at]?.id ?? "", totalsOf(rows)])),
    folders: () => foldersOf(objects),
    objectByKey: () => new Map(objects.map((row) => [row.key, row])),
    keysByDigest: () => collect(objects.map((row) => [row.sha256, row.key])),
    recordById: () => new Map(cubs.map((record) => [record.id, record])),
    claimById: () => new Map(claims.claims.map((claim) => [claim.id, claim])),
    claimByPath: () => new Map(claims.claims.map(({ id }) => [pagePath.claim(id), id])),
    claimsOfObject: () =>
      collect(
        claims.claims.flatMap((claim) =>
          pairWithObjects(
            claim,
            claim.evidence.map(({ sha256 }) => sha256),
          ),
        ),
      ),
    recordsOfObject: () => collect(cubs.flatMap((record) => pairWithObjects(record, Object.values(record.file_shas)))),
    claimsOfRecord: () => relateClaims(data),
    recordsOfClaim: () =>
      collect(cubs.flatMap((record) => (relations.claimsOfRecord.get(record.id) ?? []).map((claim) => [claim.id, record] as const))),
  });
  return relations;
}

/** lazily returns an object whose members are made when they are first asked for. */
export function lazily<T extends object>(makers: { readonly [K in keyof T]: () => T[K] }): T {
  const lazy = {} as T;
  for (const name of Object.keys(makers) as (keyof T)[]) {
    Object.defineProperty(lazy, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = makers[name]();
        Object.defineProperty(lazy, name, { configurable: true, enumerable: true, value });
        return value;
      },
    });
  }
  return lazy;
}

/** recordsNamed returns the ids of records that the evidence of a claim names. */
export function recordsNamed({ evidence }: Pick<Claim, "evidence">): readonly string[] {
  const texts = evidence.flatMap(({ artifact, path = "", url = "" }) => [artifact, path, url]);
  return [...new Set(texts.flatMap((text) => text.match(/\bCUB-[0-9]{4,}\b/g) ?? []))];
}

/** provesIn tells whether an evidence item is a file that proves a record, by its bytes, or by its place at the revision that the record is of. */
export function provesIn(record: CubRecord, { sha256: digest, repo, ref = "", path = "" }: Claim["evidence"][number]): boolean {
  const { files, file_shas: digests, reproduce } = record;
  const proofs = [files.coq_file, files.lean_file, ...reproduce.proof_files].filter((file) => file !== "" && file !== record.exec_file);
  if (digest !== undefined && proofs.some((file) => Object.hasOwn(digests, file) && digests[file] === digest)) return true;
  return repo === record.repo && proofs.includes(path) && (ref === "" || record.revision === undefined || ref === record.revision);
}

/** relateClaims gives the claims that a record names, or whose evidence names it or is one of its files, each once. */
export function relateClaims({ cubs, claims }: Pick<ViewData, "cubs" | "claims">): ReadonlyMap<string, readonly Claim[]> {
  const claimById = new Map(claims.claims.map((claim) => [claim.id, claim]));
  const recordById = new Map(cubs.map((record) => [record.id, record]));
  const byRecord = new Map<string, Set<Claim>>();
  const link = (record: CubRecord, claim: Claim): void => {
    byRecord.set(record.id, (byRecord.get(record.id) ?? new Set()).add(claim));
  };
  for (const record of cubs) {
    for (const id of claimsNamed(record)) {
      const claim = claimById.get(id);
      if (claim !== undefined) link(record, claim);
    }
  }
  const recordsByFile = collect(
    cubs.flatMap((record) =>
      Object.entries(record.file_shas).flatMap(([path, digest]) => [digest, placeOf(record.repo, path)].map((at) => [at, record] as const)),
    ),
  );
  for (const claim of claims.claims) {
    for (const id of recordsNamed(claim)) {
      const record = recordById.get(id);
      if (record !== undefined) link(record, claim);
    }
    for (const item of claim.evidence) {
      const { sha256: digest = "", repo = "", path = "" } = item;
      for (const record of recordsByFile.get(digest) ?? []) link(record, claim);
      for (const record of recordsByFile.get(placeOf(repo, path)) ?? []) if (provesIn(record, item)) link(record, claim);
    }
  }
  return new Map([...byRecord].map(([id, linked]) => [id, [...linked]]));
}

function placeOf(repo: string, path: string): string {
  return JSON.stringify([repo, path]);
}

/** groupByCollection returns the objects of each collection, in the order of the collections; a key under none is in no list. */
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
  type Open = { prefix: string; prefixes: string[]; objects: ObjectRow[]; count: number; bytes: number; licenses: Map<string, number> };
  const folders = new Map<string, Open>();
  const open = (prefix: string): Open => {
    let folder = folders.get(prefix);
    if (folder === undefined) {
      folder = { prefix, prefixes: [], objects: [], count: 0, bytes: 0, licenses: new Map() };
      folders.set(prefix, folder);
      if (prefix !== "") open(parentPrefix(prefix)).prefixes.push(prefix);
    }
    return folder;
  };
  open("");
  for (const row of objects) {
    let prefix = parentPrefix(row.key);
    open(prefix).objects.push(row);
    const licence = licenceOf(row);
    for (;;) {
      const folder = open(prefix);
      folder.count++;
      folder.bytes += row.size;
      folder.licenses.set(licence, (folder.licenses.get(licence) ?? 0) + 1);
      if (prefix === "") break;
      prefix = parentPrefix(prefix);
    }
  }
  for (const folder of folders.values()) folder.prefixes.sort(compareNames);
  return folders;
}

/** licenceOf returns the licence as a value to filter by: "" where none is stated. */
export function licenceOf({ license = "" }: Pick<ObjectRow, "license">): string {
  return license.normalize("NFC");
}

/** leadingPrefixes returns `a/` and `a/b/` for `a/b/c.md`. */
export function leadingPrefixes(key: string): readonly string[] {
  return [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index + 1));
}

/** parentPrefix returns the folder that a key or prefix lies in: `a/b.md` → `a/`, `a/b/` → `a/`, `a.md` → "". */
export function parentPrefix(key: string): string {
  return key.slice(0, key.lastIndexOf("/", key.length - 2) + 1);
}

/** collect returns the values of each key, in the order of the pairs. */
export function collect<K, V>(pairs: Iterable<readonly [K, V]>): ReadonlyMap<K, readonly V[]> {
  const map = new Map<K, V[]>();
  for (const [key, value] of pairs) {
    const list = map.get(key);
    if (list === undefined) map.set(key, [value]);
    else list.push(value);
  }
  return map;
}
