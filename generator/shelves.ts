/** Where the configuration puts both views' shelves. */
import { join } from "node:path";
import { ShelfError } from "../snapshots/errors.ts";
import { openDirectoryShelf } from "../snapshots/shelf/shelf-directory.ts";
import type { Shelf, SnapshotRecord } from "../snapshots/shelf/shelf.ts";
import type { Config } from "./config/config.ts";

export type Shelves = {
  readonly public: Shelf;
  readonly internal: Shelf;
  readonly publicDir: string;
  readonly internalDir: string;
  /** What builds keep for each other; it names gated keys, so it lies under the internal root. */
  readonly buildDir: string;
};

/** Creates nothing.
 *  @throws ShelfError "bad_config" for a kind of shelf that this version cannot write */
export function openShelves(config: Config): Shelves {
  if (config.shelf.kind !== "directory") throw new ShelfError("bad_config", "shelf.kind s3 is not supported yet; use kind: directory");
  const publicDir = join(config.shelf.root, "public");
  const internalDir = join(config.shelf.root, "internal");
  const shelf = openDirectoryShelf(publicDir, null, "at once");
  return {
    public: shelf,
    internal: openDirectoryShelf(internalDir, shelf, "at once"),
    publicDir,
    internalDir,
    buildDir: join(internalDir, "build"),
  };
}

/** What both views serve. An internal pointer that does not fit the public one is put right by publishing: it counts as none. */
export async function readPointers(
  shelves: Pick<Shelves, "public" | "internal">,
): Promise<Readonly<Record<"public" | "internal", SnapshotRecord | null>>> {
  const internal = await shelves.internal.readPointer().catch((error: unknown) => {
    if (error instanceof ShelfError && error.code === "snapshot_damaged") return null;
    throw error;
  });
  return { public: await shelves.public.readPointer(), internal };
}

/** Brings both logs of what was served up to date. Only under the build lock, after the pointer has moved. */
export async function keepRecords(shelves: Pick<Shelves, "public" | "internal">): Promise<void> {
  const pointers = await readPointers(shelves);
  for (const view of ["public", "internal"] as const) await shelves[view].records.keep(pointers[view]?.sequence ?? 0);
}
