/** A root's files into the bucket: what is new first, then the inventory, then the pointer by compare-and-swap. Whatever interrupts
 *  this leaves the bucket as it was, and at most objects that nobody needs. */
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Sha256, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { concurrently } from "#generator/files";
import { EMPTY, formatInventory, type Inventory, type InventoryFile, isBuilders, objectsOf, type FilePiece } from "./inventory.ts";
import { type Known, writeKnown } from "./known.ts";
import { isSpoiled, type LocalFile, lookAtFiles } from "./local-files.ts";
import { deleteObject, type BucketPlace, putObject, swapHead } from "./place.ts";
import type { Pointer } from "./pointer.ts";

/** An object's bytes at most: what is sent or fetched at once, times AT_ONCE, is held in memory. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** AT_ONCE is the number of requests at once. */
export const AT_ONCE = 8;
/** A file below this shares an object with others. */
const SMALL_BYTES = 1024 * 1024;
/** Objects with small files in them, above which all are written anew: each costs a reader that starts from nothing a request. */
const MAX_SHARED = 40;
/** Files that only say when a source was last read, or listed: they go with whatever else has changed. */
const OF_A_LOOK = /^build\/((claims|registry)\/[a-z]+\.state|listing\.json)$/;
/** GRACE_MS is how long a reader that is behind may still fetch what no file needs any more; milliseconds. */
export const GRACE_MS = 24 * 60 * 60_000;

export type Push = {
  readonly fence: number;
  /** Asks the bucket whether the lease is still held. */
  readonly holds: () => Promise<boolean>;
  readonly checked: string | null;
  /** The bytes that current.json holds as soon as the pointer has moved; null for those that it holds now. */
  readonly current: Uint8Array | null;
  /** Nothing stays in the bucket that the files do not need, readers that are behind or not. */
  readonly purge: boolean;
  /** The pointer moves although nothing has changed: readers look at this root alone, and another one has changed. */
  readonly anyway: boolean;
  /** Objects that are not there, or not what their names say: what lay in them is sent again. */
  readonly lost: ReadonlySet<Sha256>;
  readonly now: Date;
};

/** push publishes a root: it writes what the bucket lacks, and moves the pointer.
 *  @returns what is known then
 *  @throws ShelfError "lost_race" when another publisher moved the pointer since it was read */
export async function push(
  place: BucketPlace,
  known: Known | null,
  { fence, holds, checked, current, purge, anyway, lost, now }: Push,
): Promise<Known> {
  const { root } = place;
  const local = await lookAtFiles(root, known?.files ?? new Map());
  const wanted = new Map([...local].map(([path, { sha256: digest, size }]) => [path, { sha256: digest, size }]));
  if (current !== null) wanted.set("current.json", { sha256: sha256(current), size: current.length });
  const read = async (path: string): Promise<Uint8Array> =>
    path === "current.json" && current !== null ? current : readFile(join(root, path));

  const before = known?.inventory ?? EMPTY;
  // A file that was damaged here is whole there and stays; but not beside what has to go.
  const whole = new Map<string, InventoryFile>();
  for (const [path, file] of local) {
    if (!isSpoiled(path, file)) continue;
    const there = before.files.get(path);
    if (there === undefined || purge) throw spoiled(path);
    whole.set(path, there);
    wanted.delete(path);
  }
  const changed = [...new Set([...wanted.keys(), ...before.files.keys()])].filter(
    (path) => !whole.has(path) && wanted.get(path)?.sha256 !== before.files.get(path)?.sha256,
  );
  const idle = changed.every((path) => OF_A_LOOK.test(path)) && !purge && lost.size === 0;
  const files = idle ? before.files : new Map([...(await store(place, without(before, lost), wanted, purge, read)), ...whole]);
  const isSame =
    known !== null &&
    !lost.has(known.pointer.inventory) &&
    files.size === before.files.size &&
    [...files].every(([path, file]) => before.files.get(path) === file);
  const needed = objectsOf({ files });
  const spare = new Map([...before.dropped].filter(([object]) => !needed.has(object)));
  const replaced = known === null || isSame ? [] : [known.pointer.inventory, ...objectsOf(before)];
  for (const object of replaced) if (!needed.has(object) && !spare.has(object)) spare.set(object, now.toISOString());
  const isDue = (since: string): boolean => purge || now.getTime() - Date.parse(since) > GRACE_MS;
  const due = isSame && !purge ? [] : [...spare].filter(([, since]) => isDue(since)).map(([object]) => object);
  for (const object of due) spare.delete(object);
  const inventory: Inventory = { files, dropped: spare };

  if (isSame && due.length === 0 && known.pointer.checked === checked && !anyway) return known;
  const name = isSame && due.length === 0 ? known.pointer.inventory : await putObject(place, formatInventory(inventory));
  const pointer: Pointer = { sequence: (known?.pointer.sequence ?? 0) + 1, fence, inventory: name, checked };
  const next: Known = { place: place.id, ...(await swapHead(place, pointer, known?.etag ?? null)), inventory, files: local };
  writeKnown(root, next);
  // A builder that has taken over may have named one of them again. Objects that stay are nobody's then, and go with the next collection.
  if (due.length > 0 && (await holds())) await concurrently(due, AT_ONCE, (object) => deleteObject(place, object));
  return next;
}

function without(inventory: Inventory, lost: ReadonlySet<Sha256>): Inventory {
  if (lost.size === 0) return inventory;
  return { ...inventory, files: new Map([...inventory.files].filter(([, { pieces }]) => !pieces.some(([object]) => lost.has(object)))) };
}

/** Sees to it that the bytes of every file are in the bucket. What is there stays where it is.
 *  @returns the files with their pieces, the same ones for what has not changed */
async function store(
  place: BucketPlace,
  before: Inventory,
  wanted: ReadonlyMap<string, Pick<LocalFile, "sha256" | "size">>,
  anew: boolean,
  read: (path: string) => Promise<Uint8Array>,
): Promise<ReadonlyMap<string, InventoryFile>> {
  const isShared = ({ size }: { readonly size: number }): boolean => size > 0 && size < SMALL_BYTES;
  const known = new Map([...before.files.values()].map((file) => [file.sha256, file]));
  const shared = objectsOf({ files: new Map([...before.files].filter(([path, file]) => wanted.has(path) && isShared(file))) });
  const repack = anew || shared.size > MAX_SHARED;
  const pieces = new Map<Sha256, readonly FilePiece[]>();
  const small: Record<"readers" | "builders", string[]> = { readers: [], builders: [] };
  const large: string[] = [];
  for (const [path, file] of wanted) {
    const there = known.get(file.sha256);
    if (pieces.has(file.sha256)) continue;
    if (file.size === 0) pieces.set(file.sha256, []);
    else if (there !== undefined && !(repack && isShared(file))) pieces.set(file.sha256, there.pieces);
    else {
      // Until they are there: one of several files with the same bytes is enough.
      pieces.set(file.sha256, []);
      if (!isShared(file)) large.push(path);
      else small[isBuilders(path) ? "builders" : "readers"].push(path);
    }
  }
  const batches = [...batched(small.readers, wanted), ...batched(small.builders, wanted)];
  await concurrently(batches, AT_ONCE, async (paths) => {
    const parts = await Promise.all(paths.map(async (path) => ({ digest: digestOf(path), bytes: await read(path) })));
    for (const { digest, bytes } of parts) expectDigest(bytes, digest);
    const object = await putObject(place, Buffer.concat(parts.map(({ bytes }) => bytes)));
    let at = 0;
    for (const { digest, bytes } of parts) {
      pieces.set(digest, [[object, at, bytes.length]]);
      at += bytes.length;
    }
  });
  function digestOf(path: string): Sha256 {
    return wanted.get(path)?.sha256 ?? "";
  }
  const cuts = large.flatMap((path) => {
    const { size, sha256: digest } = wanted.get(path) as Pick<LocalFile, "sha256" | "size">;
    const parts = Math.ceil(size / PIECE_BYTES);
    // Filled as they arrive.
    const all: FilePiece[] = [];
    pieces.set(digest, all);
    return Array.from({ length: parts }, (_, at) => {
      const start = at * PIECE_BYTES;
      return { path, digest, all, at, start, length: Math.min(PIECE_BYTES, size - start), alone: parts === 1 };
    });
  });
  await concurrently(cuts, AT_ONCE, async ({ path, digest, all, at, start, length, alone }) => {
    const bytes = await readPart(join(place.root, path), start, length);
    if (alone) expectDigest(bytes, digest);
    all[at] = [await putObject(place, bytes), 0, length];
  });
  return new Map(
    [...wanted].map(([path, file]) => {
      const there = before.files.get(path);
      const stays = there?.sha256 === file.sha256 && !(repack && isShared(file));
      return [path, stays ? there : { ...file, pieces: pieces.get(file.sha256) ?? [] }];
    }),
  );
}

/** Paths in lists whose bytes fill an object. */
function* batched(paths: readonly string[], wanted: ReadonlyMap<string, { readonly size: number }>): Generator<readonly string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    const { size = 0 } = wanted.get(path) ?? {};
    if (bytes + size > PIECE_BYTES) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(path);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

async function readPart(path: string, start: number, length: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await file.read(bytes, 0, length, start);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function spoiled(path: string): ShelfError {
  return new ShelfError("snapshot_damaged", `${path} of the shelf is not what its name says; nothing was published.`, {
    fixes: ["Run: proofshelf repair"],
  });
}

function expectDigest(bytes: Uint8Array, digest: Sha256): void {
  if (sha256(bytes) !== digest)
    throw new ShelfError("build_failed", "A file of the shelf's copy changed while it was sent to the bucket; nothing was published.", {
      fixes: ["See that no other program writes into the copy, and build again."],
    });
}
