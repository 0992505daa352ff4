/** The exact-revision store that the configuration names. */
import { openS3CodeStore } from "#snapshots/annex/bucket";
import { type CodeStorage, type CodeStore, openDirectoryCodeStore } from "#snapshots/shelf";

export function openCodeStore(storage: CodeStorage): CodeStore {
  return storage.kind === "directory" ? openDirectoryCodeStore(storage.root) : openS3CodeStore(storage);
}
