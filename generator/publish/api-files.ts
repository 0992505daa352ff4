/** A view's JSON, in the shelf. */
import { scheduler } from "node:timers/promises";
import { sha256 } from "../../snapshots/digest.ts";
import { type DerivedFile, objectParts, otherApiFiles } from "../../snapshots/page/api-files.ts";
import type { FileEntry } from "../../snapshots/format/tree.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import type { DirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { ROUTES } from "../../snapshots/service/routes.ts";

/** @param kept all but the objects' parts, when what decides them is as it was
 *  @returns those parts apart: objects decide them, and nothing else */
export async function writeApiFiles(
  shelf: DirectoryShelf,
  data: ViewData,
  kept: readonly FileEntry[] | null,
): Promise<{ readonly objects: readonly FileEntry[]; readonly others: readonly FileEntry[] }> {
  const objects = await writeFiles(shelf, objectParts(data));
  return { objects, others: kept ?? (await writeFiles(shelf, otherApiFiles(data, ROUTES))) };
}

async function writeFiles(shelf: DirectoryShelf, files: Iterable<DerivedFile>): Promise<readonly FileEntry[]> {
  const written: FileEntry[] = [];
  for (const file of files) {
    await scheduler.yield();
    written.push(await writeFile(shelf, file));
  }
  return written;
}

async function writeFile(shelf: DirectoryShelf, { path, type, bytes }: DerivedFile): Promise<FileEntry> {
  const digest = sha256(bytes);
  await shelf.putBlob(digest, bytes);
  return { path, sha256: digest, size: bytes.length, type };
}
