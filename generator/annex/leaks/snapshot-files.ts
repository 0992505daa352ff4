/** Files of a snapshot as trees name them, also where a notice stands in the place of some of their bytes. */
import { type BlobEntry, diffTrees } from "#snapshots/format";
import { type Snapshot, unreadable } from "#snapshots/shelf";

/** filesSince lists the files of a snapshot.
 *  @param since another snapshot: only what differs from it; null for all
 *  @returns by path */
export async function filesSince({ id, tree }: Snapshot, since: string | null): Promise<ReadonlyMap<string, BlobEntry>> {
  const files = new Map<string, BlobEntry>();
  for await (const { path, after } of diffTrees(since, id, tree)) if (after !== null) files.set(path, after);
  return files;
}

/** readJson reads a JSON file of a snapshot. @returns null for a file that is not there, or whose bytes are not */
export async function readJson<T>(snapshot: Snapshot, path: string): Promise<T | null> {
  const entry = await snapshot.find(path);
  if (entry?.kind !== "blob") return null;
  const bytes = await snapshot.read(entry).catch(unreadable);
  return bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as T);
}
