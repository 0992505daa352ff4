/** A view's JSON, in the shelf. */
import { scheduler } from "node:timers/promises";
import { sha256 } from "#snapshots/digest";
import { type DerivedFile, objectParts, otherApiFiles } from "#snapshots/page";
import type { FileEntry, ViewData } from "#snapshots/format";
import type { DirectoryShelf } from "#snapshots/shelf";
import { ROUTES } from "#snapshots/service";

/** writeApiFiles writes a view's JSON into the shelf.
 *  @param kept all but the objects' parts, when what decides them is as it was
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
  await shelf.blobs.put(digest, bytes);
  return { path, sha256: digest, size: bytes.length, type };
}
