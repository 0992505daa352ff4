/** The exact-revision store that the configuration names. */
import type { CodeStorage, CodeStore } from "./code-store.ts";
import { openDirectoryCodeStore } from "./code-store-directory.ts";
import { openS3CodeStore } from "../annex/bucket/code-store-s3.ts";

export function openCodeStore(storage: CodeStorage): CodeStore {
  return storage.kind === "directory" ? openDirectoryCodeStore(storage.root) : openS3CodeStore(storage);
}
