/** The object store that the configuration names. */
import type { StoreConfig } from "../config/config.ts";
import type { ObjectStore } from "./object-store.ts";
import { openDirectoryStore } from "./object-store-directory.ts";
import { openS3Store } from "./object-store-s3.ts";

export function openObjectStore(storage: StoreConfig): ObjectStore {
  return storage.kind === "directory" ? openDirectoryStore(storage.root) : openS3Store(storage);
}
