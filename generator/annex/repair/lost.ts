/** The folder for what repair could not believe: it is set aside, not deleted, since somebody may still read something in it. It lies under the
 *  internal root, because a damaged file of the public one may hold anything. */
import { copyFile, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
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

export function rootDir(shelves: Shelves, root: ViewName): string {
  return root === "public" ? shelves.publicDir : shelves.internalDir;
}

/** setAside moves a file, or whatever stands there, to `internal/lost/<root>/<path>`. Nothing happens when there is nothing.
 *  @param how "copy" for what something whole is still to be taken from */
export async function setAside(shelves: Shelves, root: ViewName, path: string, how: "move" | "copy" = "move"): Promise<void> {
  const from = join(rootDir(shelves, root), path);
  const to = join(shelves.internalDir, "lost", root, path);
  const there = await stat(from).catch(() => null);
  if (there === null) return;
  await rm(to, { recursive: true, force: true });
  await mkdir(dirname(to), { recursive: true });
  await (how === "copy" ? copyFile(from, to) : rename(from, to));
}
