/** The exact-revision store that the configuration names. */
import { openS3CodeStore } from "../annex/bucket/code-store-s3.ts";
import type { CodeStorage, CodeStore } from "../shelf/code-store.ts";
import { openDirectoryCodeStore } from "../shelf/code-store-directory.ts";

export function openCodeStore(storage: CodeStorage): CodeStore {
  return storage.kind === "directory" ? openDirectoryCodeStore(storage.root) : openS3CodeStore(storage);
}
