/** A root of which this machine keeps what is read: a blob that its folder lacks, or has spoiled, is asked of somebody who may read the
 *  bucket. Whoever keeps the folder small takes away what nobody has read for longest, and goes by the times that are set here. */
import { randomUUID } from "node:crypto";
import { stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import type { Sha256 } from "#snapshots/digest";
import type { OpenFile } from "./checked-read.ts";
import { overriding, type Shelf } from "./shelf.ts";

/** AskedBlob is "kept" when the blob lies in the folder now, or its bytes when it could not be kept and is handed over. The one that answers has
 *  compared the digest. */
export type AskedBlob = "kept" | "absent" | Uint8Array;

/** AskForBlob asks for a blob that lies elsewhere.
 *  @param anew whatever lies in the folder
 *  @throws ShelfError "bucket_unavailable", "bucket_denied", "snapshot_damaged" */
export type AskForBlob = (digest: Sha256, anew: boolean) => Promise<AskedBlob>;

/** How exactly it is known when a blob was last read; setting the time of a long one means to hash it again. Milliseconds. */
const TOUCH_MS = 10 * 60_000;
const MAX_TOUCHED = 50_000;
/** A blob that was kept a moment ago may have gone again, for others. */
const TRIES = 3;

/** openCachedShelf returns a shelf that asks for the blobs that it lacks.
 *  @param kept what there is
 *  @param roots folders in which blobs of its may lie in files of their own */
export function openCachedShelf(kept: Shelf, roots: readonly string[], ask: AskForBlob): Shelf {
  const touched = new LRUCache<Sha256, true>({ max: MAX_TOUCHED, ttl: TOUCH_MS });
  /** Before it is opened: another time makes it another file. */
  const touch = async (digest: Sha256): Promise<void> => {
    if (touched.has(digest)) return;
    touched.set(digest, true);
    for (const root of roots) {
      const path = join(root, "blobs", digest.slice(0, 2), digest);
      // One in a pack has none, and who may only read the folder cannot say when.
      const found = await stat(path).catch(() => null);
      if (found !== null) await utimes(path, new Date(), found.mtime).catch(() => undefined);
    }
  };

  /** @param open of what is kept
   *  @param held of bytes that could not be kept */
  const seek = async <T extends OpenFile | Uint8Array>(
    digest: Sha256,
    open: () => Promise<T | null>,
    held: (bytes: Uint8Array) => T,
    anew = false,
  ): Promise<T | null> => {
    await touch(digest);
    let found = anew ? null : await open();
    for (let tries = 0; found === null && tries < TRIES; tries++) {
      const asked = await ask(digest, anew);
      if (asked === "absent") return null;
      found = asked === "kept" ? await open() : held(asked);
    }
    return found;
  };

  return overriding<Shelf>(kept, {
    getBlob: (digest) =>
      seek(
        digest,
        () => kept.getBlob(digest),
        (bytes) => bytes,
      ),
    openBlob: (digest, anew) => seek(digest, () => kept.openBlob(digest), openBytes, anew),
    hasBlob: async (digest) => (await kept.hasBlob(digest)) || (await ask(digest, false)) !== "absent",
  });
}

function openBytes(held: Uint8Array): OpenFile {
  const bytes = Buffer.from(held);
  return {
    size: bytes.length,
    identity: randomUUID(),
    read: async (position, length) => bytes.subarray(position, position + length),
    close: async () => undefined,
  };
}
