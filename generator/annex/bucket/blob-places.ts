/** Where in a bucket each blob of a root lies: in a pack, of which the directory is read once, or in a file of its own. So a reader gets
 *  single blobs by ranges, many that lie near each other by one, and needs none of the packs whole. Nothing of a directory is
 *  believed: what it leads to is compared with the blob's digest. */
import { type Sha256, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import {
  type Directory,
  END_BYTES,
  findDirectory,
  type OpenFile,
  type Packed,
  parseDirectory,
  unpacked,
  WrongBytes,
} from "#snapshots/shelf";
import { concurrently } from "#generator/files";
import type { Inventory, InventoryFile } from "./inventory.ts";
import { getObjectPart, type BucketPlace } from "./place.ts";
import { AT_ONCE } from "./push.ts";

/** Read of the end of a pack, where its directory is: that of 2,000 blobs, as a rule. Bytes. */
const TAIL_BYTES = 256 * 1024;
/** Blobs that lie this near are read together: so many bytes take no longer than another request. */
const GAP_BYTES = 128 * 1024;
/** Read at once, and held in memory. Bytes. */
const RUN_BYTES = 8 * 1024 * 1024;
const PACK = /^packs\/([0-9a-f]{64})\.zip$/;

/** BlobPlace says where a blob lies: in a file of its own, or in a pack. */
export type BlobPlace = { readonly file: InventoryFile; readonly packed: Packed | null; readonly size: number };

/** FindBlob finds a blob; null when the root has no such blob. */
export type FindBlob = (digest: Sha256) => BlobPlace | null;

/** openBlobPlaces opens a finder for the blobs of an inventory of the root; it asks for the directories of packs that are new. */
export function openBlobPlaces(): (place: BucketPlace, inventory: Inventory) => Promise<FindBlob> {
  /** Directories of the packs of the newest inventory. */
  let known = new Map<Sha256, Directory | null>();
  let last: { readonly inventory: Inventory; readonly find: FindBlob } | null = null;
  return async (place, inventory) => {
    if (last?.inventory === inventory) return last.find;
    const packs: { readonly file: InventoryFile; readonly directory: Directory | null }[] = [];
    const named = [...inventory.files].flatMap(([path, file]) => (PACK.test(path) ? [file] : []));
    await concurrently(named, AT_ONCE, async (file) => {
      packs.push({ file, directory: known.get(file.sha256) ?? (await readDirectory(place, file)) });
    });
    known = new Map(packs.map(({ file, directory }) => [file.sha256, directory]));
    const find: FindBlob = (digest) => {
      const own = inventory.files.get(`blobs/${digest.slice(0, 2)}/${digest}`);
      if (own !== undefined) return { file: own, packed: null, size: own.size };
      for (const { file, directory } of packs) {
        const packed = directory?.find(digest) ?? null;
        if (packed !== null) return { file, packed, size: packed.size };
      }
      return null;
    };
    last = { inventory, find };
    return find;
  };
}

/** Null for one that makes no sense: its blobs count as absent. */
async function readDirectory(place: BucketPlace, file: InventoryFile): Promise<Directory | null> {
  const from = Math.max(0, file.size - TAIL_BYTES);
  const tail = await readPart(place, file, from, file.size - from);
  const at = findDirectory(tail.subarray(-END_BYTES), file.size);
  if (at === null) return null;
  const bytes = at.start >= from ? tail.subarray(at.start - from).subarray(0, at.length) : await readPart(place, file, at.start, at.length);
  return parseDirectory(bytes, at.start);
}

/** Bytes of a file, wherever they lie. */
async function readPart(place: BucketPlace, file: InventoryFile, start: number, length: number): Promise<Buffer> {
  const parts: Promise<Buffer>[] = [];
  let at = 0;
  for (const [object, offset, bytes] of file.pieces) {
    const [from, to] = [Math.max(start, at), Math.min(start + length, at + bytes)];
    if (from < to) parts.push(getObjectPart(place, object, offset + from - at, to - from));
    at += bytes;
  }
  return Buffer.concat(await Promise.all(parts));
}

/** readPieces reads the bytes of a blob in a file of its own, a piece at a time, unchecked. */
export async function* readPieces(place: BucketPlace, { pieces }: InventoryFile): AsyncGenerator<Buffer> {
  for (const [object, offset, length] of pieces) yield await getObjectPart(place, object, offset, length);
}

/** readPacked reads blobs in packs and compares each with its digest; those that lie near each other come by one request.
 *  @param take gets each one as it comes
 *  @throws ShelfError "snapshot_damaged" when one is not what its name says */
export async function readPacked(
  place: BucketPlace,
  blobs: ReadonlyMap<Sha256, BlobPlace>,
  take: (digest: Sha256, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  await concurrently(runsOf(blobs), AT_ONCE, async ({ file, start, end, packed }) => {
    const bytes = await readPart(place, file, start, end - start);
    const pack: OpenFile = {
      size: file.size,
      identity: file.sha256,
      read: async (position, length) => bytes.subarray(position - start, position - start + length),
      close: async () => undefined,
    };
    for (const [digest, where] of packed) {
      const blob = await unpacked(pack, digest, where)
        .read(0, where.size)
        .catch((error: unknown) => {
          if (error instanceof WrongBytes) return null;
          throw error;
        });
      if (blob === null || sha256(blob) !== digest) throw spoiled(place, digest);
      await take(digest, blob);
    }
  });
}

export function spoiled({ bucket }: BucketPlace, digest: Sha256): ShelfError {
  return new ShelfError("snapshot_damaged", `Blob ${digest} in ${bucket.address} is not what its name says.`, {
    fixes: ["Run proofshelf repair where the shelf is built: what its copy has is put there again."],
  });
}

type Run = { readonly file: InventoryFile; readonly start: number; end: number; readonly packed: [Sha256, Packed][] };

function runsOf(blobs: ReadonlyMap<Sha256, BlobPlace>): readonly Run[] {
  const runs: Run[] = [];
  const sorted = [...blobs].flatMap(([digest, { file, packed }]) => (packed === null ? [] : [{ digest, file, packed }]));
  sorted.sort((a, b) => (a.file === b.file ? a.packed.start - b.packed.start : a.file.sha256 < b.file.sha256 ? -1 : 1));
  for (const { digest, file, packed } of sorted) {
    const end = packed.start + packed.length;
    const last = runs.at(-1);
    if (last?.file === file && packed.start - last.end <= GAP_BYTES && end - last.start <= RUN_BYTES) {
      last.end = Math.max(last.end, end);
      last.packed.push([digest, packed]);
    } else runs.push({ file, start: packed.start, end, packed: [[digest, packed]] });
  }
  return runs;
}
