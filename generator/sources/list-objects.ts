/** What the object store holds now, and what of it lies in a collection. */
import { findCollection, type CollectionInfo } from "../../snapshots/format/view-data.ts";
import { compareNames } from "../../snapshots/format/tree.ts";
import type { Rejection } from "../../snapshots/schema/resources.ts";
import { openLeavingOut, type StorePatterns } from "./left-out.ts";
import type { ObjectStore, StoredObject } from "./object-store.ts";

export type Listed = { readonly rows: readonly StoredObject[]; readonly rejected: readonly Rejection[] };

/** @returns what can be read, ascending by key, and what cannot with its reason; a folder that is left out as a whole once */
export async function listObjects(
  store: ObjectStore,
  { collections, store: patterns }: { readonly collections: readonly CollectionInfo[]; readonly store: StorePatterns },
): Promise<Listed> {
  const findLeftOut = openLeavingOut(patterns, collections);
  const rows: StoredObject[] = [];
  const rejected = new Map<string, Rejection>();
  const reject = (key: string, reason: string): void => void rejected.set(key, { source: "store", key, reason });
  for await (const row of store.list()) {
    const leftOut = findLeftOut(row.key);
    if (leftOut !== null) reject(leftOut.key, leftOut.reason);
    else if (row.problem !== null) reject(row.key, row.problem);
    else if (findCollection(collections, row.key) === null) reject(row.key, "the key lies under no collection");
    else rows.push(row);
  }
  rows.sort((a, b) => compareNames(a.key, b.key));
  return { rows, rejected: [...rejected.values()] };
}
