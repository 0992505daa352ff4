/** A view's JSON, in the shelf. */
import { scheduler } from "node:timers/promises";
import { sha256 } from "../../snapshots/digest.ts";
import { catalogFile, type DerivedFile, otherApiFiles } from "../../snapshots/page/api-files.ts";
import type { FileEntry } from "../../snapshots/format/tree.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";

/** @param kept all but the catalog, when what decides them is as it was
 *  @returns the catalog apart: objects decide it, and nothing else */
export async function writeApiFiles(
  shelf: Shelf,
  data: ViewData,
  kept: readonly FileEntry[] | null,
): Promise<{ readonly catalog: FileEntry; readonly others: readonly FileEntry[] }> {
  const catalog = await writeFile(shelf, catalogFile(data));
  if (kept !== null) return { catalog, others: kept };
  const others: FileEntry[] = [];
  for (const file of otherApiFiles(data)) {
    await scheduler.yield();
    others.push(await writeFile(shelf, file));
  }
  return { catalog, others };
}

async function writeFile(shelf: Shelf, { path, type, bytes }: DerivedFile): Promise<FileEntry> {
  const digest = sha256(bytes);
  await shelf.putBlob(digest, bytes);
  return { path, sha256: digest, size: bytes.length, type };
}
