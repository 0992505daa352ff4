/** The object store that the configuration names. */
import { ShelfError } from "../../snapshots/errors.ts";
import type { StorageConfig } from "../config/config.ts";
import type { ObjectStore } from "./object-store.ts";
import { openDirectoryStore } from "./object-store-directory.ts";

/** @throws ShelfError "bad_config" for a kind that this version cannot open */
export function openObjectStore(storage: StorageConfig): ObjectStore {
  if (storage.kind === "directory") return openDirectoryStore(storage.root);
  throw new ShelfError("bad_config", "store.kind s3 is not supported yet; use kind: directory");
}
