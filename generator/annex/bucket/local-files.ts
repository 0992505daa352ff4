/** The files of a root on this machine, with their digests. What has kept its size, its time and its place since it was hashed is not
 *  hashed again. */
import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type Sha256, sha256Of } from "#snapshots/digest";
import { absent } from "#snapshots/shelf";
import { concurrently } from "#generator/files";
import { travels } from "./inventory.ts";

/** FileStamp is size, time of the last change in nanoseconds, and number of a file: another file, or other bytes, have another one. */
export type FileStamp = string;
export type LocalFile = { readonly sha256: Sha256; readonly size: number; readonly stamp: FileStamp };

/** Files that are looked at, or hashed, at once. */
const AT_ONCE = 16;

/** lookAtFiles looks at the files of a root that travel.
 *  @param known of an earlier look
 *  @param sees which of the files that travel are looked at
 *  @returns the files, by path */
export async function lookAtFiles(
  root: string,
  known: ReadonlyMap<string, LocalFile>,
  sees = (_path: string) => true,
): Promise<Map<string, LocalFile>> {
  const entries = (await readdir(root, { recursive: true, withFileTypes: true }).catch(absent)) ?? [];
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => travels(path) && sees(path));
  const found = new Map<string, LocalFile>();
  await concurrently(paths, AT_ONCE, async (path) => {
    const stamp = await stampOf(join(root, path));
    const before = known.get(path);
    if (stamp === null) return;
    if (before?.stamp === stamp) return void found.set(path, before);
    const sha256 = await sha256Of(createReadStream(join(root, path))).catch(absent);
    if (sha256 !== null) found.set(path, { sha256, size: Number(stamp.split(" ")[0]), stamp });
  });
  return found;
}

/** stampOf gives the stamp of a file; null when it is not there. */
export async function stampOf(path: string): Promise<FileStamp | null> {
  const found = await lstat(path, { bigint: true }).catch(absent);
  return found === null ? null : `${found.size} ${found.mtimeNs} ${found.ino}`;
}

/** isSpoiled tells whether a file whose name is its digest holds other bytes than that. */
export function isSpoiled(path: string, { sha256 }: Pick<LocalFile, "sha256">): boolean {
  return BY_DIGEST.test(path) && !path.includes(`/${sha256}`);
}

/** BY_DIGEST matches files that are named by their digest. Nobody reads them before a snapshot names them. */
export const BY_DIGEST = /^(packs|blobs)\//;
