/** Where the configuration puts both views' shelves. */
import { statSync } from "node:fs";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { isWithdrawalError, type ViewData } from "#snapshots/format";
import {
  checkWritable,
  CLOSED,
  createTreeCache,
  type DirectoryShelf,
  extendLog,
  type LogSigner,
  openDirectoryShelf,
  openSnapshot,
  type SnapshotRecord,
} from "#snapshots/shelf";
import type { Config } from "#generator/config";
import { type LockOptions, withBuildLock } from "#generator/files";
import { checkFormat, type Roots } from "./format.ts";
import type { RemoteShelf, Served, ShelfAnnexes } from "./kinds.ts";

/** COPY_MARKER is a file beside the roots of a copy of somebody else's shelf; it says whose it is. */
export const COPY_MARKER = "mirror.json";

export type Shelves = {
  readonly public: DirectoryShelf;
  readonly internal: DirectoryShelf;
  readonly publicDir: string;
  readonly internalDir: string;
  /** Folder of what builds keep for each other; it names gated keys, so it lies under the internal root. */
  readonly buildDir: string;
  /** The shelf that these folders are a copy of; null when they are the shelf themselves. */
  readonly remote: RemoteShelf | null;
};

/** rootsOf gives the folders of both views. */
export function rootsOf({ shelf }: Pick<Config, "shelf">): Roots {
  const root = shelf.kind === "directory" ? shelf.root : shelf.copy;
  return { publicDir: join(root, "public"), internalDir: join(root, "internal") };
}

/** openShelves opens both views' shelves. It creates nothing, and asks nothing of a bucket. */
export function openShelves({ shelf: storage }: Pick<Config, "shelf">, annexes: ShelfAnnexes): Shelves {
  const { publicDir, internalDir } = rootsOf({ shelf: storage });
  const remote = storage.kind === "directory" ? null : annexes.shelves[storage.kind].open(storage);
  for (const dir of [publicDir, internalDir]) checkFormat(dir);
  const announce = (view: "public" | "internal") => (current: Uint8Array) => remote?.announce(view, current) ?? Promise.resolve();
  const shelf = openDirectoryShelf(publicDir, null, "building", announce("public"));
  return {
    public: shelf,
    internal: openDirectoryShelf(internalDir, shelf, "building", announce("internal")),
    publicDir,
    internalDir,
    buildDir: join(internalDir, "build"),
    remote,
  };
}

/** withShelves runs work that changes the shelf while nobody else does, here or elsewhere. A copy is brought to what its bucket says before, and
 *  the bucket to what the copy is afterwards.
 *  @throws ShelfError "build_running" naming who does, "lost_race"; whatever `work` throws */
export async function withShelves<T>(
  { buildDir, internalDir, remote }: Shelves,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  if (remote === null) return withBuildLock(buildDir, work, options);
  await checkWritable(internalDir, CLOSED);
  return withBuildLock(buildDir, () => remote.publishing(work, { work: "build", ...options }), options);
}

/** refresh brings a copy to what its bucket says, for who reads it; while somebody builds here it is what it has to be. */
export async function refresh({ remote }: Pick<Shelves, "remote">): Promise<void> {
  await remote?.look();
}

/** readPointers reads what both views serve. An internal pointer that does not fit the public one is put right by publishing: it counts as none. */
export async function readPointers(
  shelves: Pick<Shelves, "public" | "internal">,
): Promise<Readonly<Record<"public" | "internal", SnapshotRecord | null>>> {
  const internal = await shelves.internal.readPointer().catch((error: unknown) => {
    if (error instanceof ShelfError && error.code === "snapshot_damaged") return null;
    throw error;
  });
  return { public: await shelves.public.readPointer(), internal };
}

/** readServed reads what a snapshot holds, to compare something with it; null where even that cannot be read or was redacted, so that there is
 *  nothing to compare with. */
export async function readServed(shelf: DirectoryShelf, record: SnapshotRecord): Promise<ViewData | null> {
  try {
    return await (await openSnapshot(shelf, record, createTreeCache())).data();
  } catch (error) {
    if (error instanceof ShelfError && (error.code === "snapshot_damaged" || isWithdrawalError(error))) return null;
    throw error;
  }
}

/** keepRecords brings both logs of what was served up to date. Only under the build lock, after the pointer has moved. */
export async function keepRecords(shelves: Pick<Shelves, "public" | "internal">): Promise<void> {
  const pointers = await readPointers(shelves);
  for (const view of ["public", "internal"] as const) await shelves[view].records.keep(pointers[view]?.sequence ?? 0);
}

/** keepLogs makes the logs of publications reach what is served, and signs them. Only under the build lock. */
export async function keepLogs(
  shelves: Pick<Shelves, "public" | "internal">,
  signers: Readonly<Record<"public" | "internal", LogSigner>>,
): Promise<void> {
  const pointers = await readPointers(shelves);
  for (const view of ["public", "internal"] as const) {
    const pointer = pointers[view];
    if (pointer !== null) await extendLog(shelves[view], pointer, signers[view]);
  }
}

/** vectorsDir is the folder where vectors are kept by text, with who is making them. It lies beside the internal root: gated texts are among them. */
export function vectorsDir(shelves: Shelves): string {
  return join(shelves.buildDir, "vectors");
}

/** closeIndex closes to other users what the engine wrote for the internal view: it asks for no modes. The root is closed all along. */
export async function closeIndex(shelves: Shelves): Promise<void> {
  for (const folder of [shelves.internal.indexUri, vectorsDir(shelves)]) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null);
    if (entries === null) continue;
    await chmod(folder, CLOSED.folder);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      const mode = entry.isDirectory() ? CLOSED.folder : CLOSED.file;
      // A file that the engine has removed meanwhile needs no closing; one that is closed keeps its times, by which readers know it again.
      const found = statSync(path, { throwIfNoEntry: false });
      if (found !== undefined && (found.mode & 0o777) !== mode) await chmod(path, mode).catch(() => undefined);
    }
  }
}

/** openServed opens what a machine serves from: the shelf itself, or this machine's copy of a shelf that lies elsewhere. It creates
 *  nothing, and asks nothing of a bucket. */
export function openServed({ shelf }: Pick<Config, "shelf">, views: readonly ("public" | "internal")[], annexes: ShelfAnnexes): Served {
  if (shelf.kind !== "directory") return annexes.shelves[shelf.kind].serve(shelf, views);
  const { publicDir, internalDir } = openShelves({ shelf }, annexes);
  return { publicDir, internalDir, follow: null };
}
