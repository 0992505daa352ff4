/** What the object store holds now, and what of it lies in a collection. */
import { findCollection, type CollectionInfo } from "../../snapshots/format/view-data.ts";
import { compareNames } from "../../snapshots/format/tree.ts";
import type { Rejection } from "../../snapshots/schema/resources.ts";
import type { ObjectStore, StoredObject } from "./object-store.ts";

export type Listed = { readonly rows: readonly StoredObject[]; readonly rejected: readonly Rejection[] };

/** @returns what can be read, ascending by key, and what cannot with its reason */
export async function listObjects(store: ObjectStore, collections: readonly CollectionInfo[]): Promise<Listed> {
  const rows: StoredObject[] = [];
  const rejected: Rejection[] = [];
  for await (const row of store.list()) {
    if (row.problem !== null) rejected.push({ source: "store", key: row.key, reason: row.problem });
    else if (findCollection(collections, row.key) === null) {
      rejected.push({ source: "store", key: row.key, reason: "the key lies under no collection" });
    } else rows.push(row);
  }
  rows.sort((a, b) => compareNames(a.key, b.key));
  return { rows, rejected };
}
