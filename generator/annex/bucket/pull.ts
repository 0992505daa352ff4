/** A root's files from the bucket: everything that the copy lacks is fetched and compared with its digest before anything of the copy
 *  changes; then it is put in its place, what is published before what names it. */
import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync } from "node:fs";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Sha256 } from "#snapshots/digest";
import { modesUnder, writeInRoot } from "#snapshots/shelf";
import { concurrently } from "#generator/files";
import { type Inventory, parseInventory } from "./inventory.ts";
import { type Known, writeKnown } from "./known.ts";
import { BY_DIGEST, isSpoiled, type LocalFile, lookAtFiles, stampOf } from "./local-files.ts";
import { getObject, type PointerVersion, type BucketPlace } from "./place.ts";
import { AT_ONCE } from "./push.ts";

/** Fetched is a root that was fetched, and whose files are not put in their places yet. */
export type Fetched = {
  readonly place: BucketPlace;
  readonly head: PointerVersion;
  readonly inventory: Inventory;
  /** True for each path of the inventory that the copy is to have. */
  readonly wants: (path: string) => boolean;
  /** Path → where its bytes lie under tmp/. */
  readonly arrived: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, LocalFile>;
  /** Bytes of the root's current.json; null when the inventory has none. */
  readonly current: Uint8Array | null;
};

/** fetchInventory fetches the inventory that a pointer names, unless it is known. @throws ShelfError "snapshot_damaged" when it is gone, or not
 *  what its name says */
export async function fetchInventory(place: BucketPlace, head: PointerVersion, known: Known | null): Promise<Inventory> {
  return known?.pointer.inventory === head.pointer.inventory
    ? known.inventory
    : parseInventory(await getObject(place, head.pointer.inventory));
}

/** fetchRoot fetches the files that a copy is to have and lacks.
 *  @param wants which files the copy is to have; the others are not looked at
 *  @throws ShelfError "snapshot_damaged" for an object that is gone or not what its name says */
export async function fetchRoot(
  place: BucketPlace,
  { head, inventory }: Pick<Fetched, "head" | "inventory">,
  known: Known | null,
  wants: (path: string) => boolean,
): Promise<Fetched> {
  const { root } = place;
  const files = await lookAtFiles(root, known?.files ?? new Map(), wants);
  const arrived = new Map<string, string>();
  /** Object → where its parts go. */
  const parts = new Map<
    Sha256,
    { readonly path: string; readonly to: string; readonly from: number; readonly length: number; readonly at: number }[]
  >();
  /** Path → how many of its parts are still to come. */
  const coming = new Map<string, number>();
  const modes = modesUnder(root);
  await mkdir(join(root, "tmp"), { recursive: true, mode: modes.folder });
  try {
    for (const [path, file] of inventory.files) {
      if (files.get(path)?.sha256 === file.sha256 || !wants(path)) continue;
      const to = join(root, "tmp", randomUUID());
      arrived.set(path, to);
      await (await open(to, "wx", modes.file)).close();
      let at = 0;
      for (const [object, from, length] of file.pieces) {
        parts.set(object, [...(parts.get(object) ?? []), { path, to, from, length, at }]);
        at += length;
      }
      coming.set(path, file.pieces.length);
    }
    await concurrently(parts, AT_ONCE, async ([object, uses]) => {
      const bytes = await getObject(place, object);
      for (const { path, to, from, length, at } of uses) {
        const file = await open(to, "r+");
        try {
          await file.write(bytes, from, length, at);
        } finally {
          await file.close();
        }
        const rest = (coming.get(path) ?? 0) - 1;
        coming.set(path, rest);
        // Those are put in their places as they come: who is interrupted goes on there.
        if (rest === 0 && BY_DIGEST.test(path)) {
          moveTo(join(root, path), to, modes.folder);
          arrived.delete(path);
        }
      }
    });
    const at = arrived.get("current.json");
    const current = inventory.files.has("current.json") ? await readFile(at ?? join(root, "current.json")) : null;
    return { place, head, inventory, wants, arrived, files, current };
  } catch (error) {
    await discard({ arrived });
    throw error;
  }
}

function moveTo(path: string, from: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode });
  renameSync(from, path);
}

export async function discard({ arrived }: Pick<Fetched, "arrived">): Promise<void> {
  await concurrently(arrived.values(), AT_ONCE, (path) => rm(path, { force: true }));
}

/** In the order in which a publication writes them: what is there already is whole. The pointer is not among them. */
const ORDER = ["packs/", "blobs/", "index/", "tile/", "checkpoints/", "keys.json", "changes/", "snapshots/", "withdrawn.json", "build/"];
/** In a table of the engine, what names other files of it comes after them. */
const NAMING = /\/_versions\/|\/_refs\/|\/manifests\//;

/** placeFiles puts all that arrived in its place, but for the pointer. */
export function placeFiles({ place: { root }, arrived }: Fetched): void {
  const modes = modesUnder(root);
  const rank = (path: string): number => 2 * ORDER.findIndex((begin) => path.startsWith(begin)) + Number(NAMING.test(`/${path}`));
  for (const [path, from] of [...arrived].sort(([a], [b]) => rank(a) - rank(b))) {
    if (path === "current.json") continue;
    moveTo(join(root, path), from, modes.folder);
  }
}

/** findExtra lists files that were looked at and that the inventory does not have. */
export function findExtra({ files, inventory }: Fetched): readonly string[] {
  return [...files.keys()].filter((path) => !inventory.files.has(path));
}

/** findSpoiled lists files of the copy that were not what their names say. */
export function findSpoiled({ files, inventory }: Fetched): readonly string[] {
  return [...files].filter(([path, file]) => inventory.files.has(path) && isSpoiled(path, file)).map(([path]) => path);
}

/** remember writes down that the copy is what the bucket says; after the pointer has moved. */
export async function remember({ place, head, inventory, wants, files }: Fetched): Promise<Known> {
  const now = new Map<string, LocalFile>();
  for (const [path, { sha256: digest, size }] of inventory.files) {
    const before = files.get(path);
    const stamp = before?.sha256 === digest ? before.stamp : wants(path) ? await stampOf(join(place.root, path)) : null;
    if (stamp !== null) now.set(path, { sha256: digest, size, stamp });
  }
  const known: Known = { place: place.id, ...head, inventory, files: now };
  if (head.pointer.checked !== null) writeInRoot(place.root, join(place.root, "checked"), Buffer.from(head.pointer.checked));
  writeKnown(place.root, known);
  return known;
}
