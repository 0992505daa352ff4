/** The object store that the configuration names. */
import type { StoreConfig } from "#generator/config";
import type { ObjectStore } from "./object-store.ts";
import { openDirectoryStore } from "./object-store-directory.ts";

type Elsewhere = Exclude<StoreConfig, { readonly kind: "directory" }>;
/** StoreAnnexes are annexes by the kinds of stores that they open. */
export type StoreAnnexes = { readonly stores: Readonly<Record<Elsewhere["kind"], (store: Elsewhere) => ObjectStore>> };

export function openObjectStore(store: StoreConfig, { stores }: StoreAnnexes): ObjectStore {
  return store.kind === "directory" ? openDirectoryStore(store.root) : stores[store.kind](store);
}
