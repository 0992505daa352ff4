/** The folder for what repair could not believe: it is set aside, not deleted, since somebody may still read something in it. It lies under the
 *  internal root, because a damaged file of the public one may hold anything. */
import { copyFile, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWithdrawalError } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import type { Shelves } from "#generator/shelves";

export const VIEWS = ["public", "internal"] as const;
export type ViewName = (typeof VIEWS)[number];

/** Mended is one thing that repair did. */
export type Mended = {
  readonly root: ViewName;
  /** In the root, such as "snapshots/3.json". */
  readonly path: string;
  /** Where it was taken from, in words. */
  readonly how: string;
};

/** A Repair is one under way; it holds the build lock. */
export type Repair = { readonly shelves: Shelves; readonly mended: Mended[] };

export function rootDir(shelves: Shelves, root: ViewName): string {
  return root === "public" ? shelves.publicDir : shelves.internalDir;
}

/** setAside moves a file, or whatever stands there, to `internal/lost/<root>/<path>`, and says how it was mended.
 *  @param stays keeps the file where it is, too: until it is replaced, for who is killed before that, or since something in it is whole */
export async function setAside({ shelves, mended }: Repair, root: ViewName, path: string, how: string, stays = false): Promise<void> {
  const from = join(rootDir(shelves, root), path);
  const to = join(shelves.internalDir, "lost", root, path);
  const there = await stat(from).catch(() => null);
  if (there !== null) {
    await rm(to, { recursive: true, force: true });
    await mkdir(dirname(to), { recursive: true });
    await (stays && there.isFile() ? copyFile(from, to) : rename(from, to));
  }
  mended.push({ root, path, how });
}

/** readable awaits a reading, and gives null for what is damaged, or redacted. */
export async function readable<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof ShelfError && (DAMAGED.has(error.code) || isWithdrawalError(error))) return null;
    throw error;
  });
}
const DAMAGED: ReadonlySet<string> = new Set(["snapshot_damaged", "bad_log", "bad_checkpoint"]);
