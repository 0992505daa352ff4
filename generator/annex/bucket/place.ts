/** A root of a shelf in a bucket: `pointer`, `files/<sha256>`, and of the internal one `lease`. */
import { type Sha256, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import type { Bucket } from "#snapshots/annex/bucket";
import { formatPointer, type Pointer, parsePointer } from "./pointer.ts";

export type BucketPlace = {
  readonly bucket: Bucket;
  /** Name of the bucket and prefix, of all there are. */
  readonly id: string;
  /** Folder of the copy. */
  readonly root: string;
  readonly view: "public" | "internal";
  /** Objects that are known to be there. */
  readonly present?: ReadonlySet<Sha256>;
};

/** PointerVersion is a version of the pointer, with its ETag. */
export type PointerVersion = { readonly pointer: Pointer; readonly etag: string };

const MAX_POINTER_BYTES = 4096;

/** readHead reads the pointer.
 *  @param etag of the version that is known
 *  @returns "same" when that is still there, null when there is none */
export async function readHead({ bucket, view }: BucketPlace, etag: string | null): Promise<PointerVersion | "same" | null> {
  const got = await bucket.get(`${view}/pointer`, { maxBytes: MAX_POINTER_BYTES, ...(etag === null ? {} : { ifNoneMatch: etag }) });
  if (got.state === "unchanged") return "same";
  return got.state === "found" ? { pointer: parsePointer(got.bytes), etag: got.etag } : null;
}

/** swapHead moves the pointer. @throws ShelfError "lost_race" when another version is there than expected */
export async function swapHead({ bucket, view }: BucketPlace, pointer: Pointer, expected: string | null): Promise<PointerVersion> {
  const etag = await swap(bucket, `${view}/pointer`, formatPointer(pointer), expected);
  if (etag !== null) return { pointer, etag };
  throw new ShelfError("lost_race", "Another publisher moved the pointer in the bucket first; nothing was published.", {
    fixes: ["Build again: the next build begins with what is published now."],
  });
}

/** swap compares and swaps, also with nothing.
 *  @param bytes that were never written before
 *  @returns the new ETag; null when another version is there */
export async function swap(bucket: Bucket, key: string, bytes: Uint8Array, expected: string | null): Promise<string | null> {
  if (expected !== null) return bucket.putIfMatch(key, bytes, expected);
  if ((await bucket.putIfAbsent(key, bytes)) === "other") return null;
  const got = await bucket.get(key, { maxBytes: MAX_POINTER_BYTES });
  return got.state === "found" && got.bytes.equals(bytes) ? got.etag : null;
}

function objectKey(view: BucketPlace["view"], object: Sha256): string {
  return `${view}/files/${object}`;
}

/** putObject writes bytes as an object. @returns the object's name */
export async function putObject({ bucket, view, present }: BucketPlace, bytes: Uint8Array): Promise<Sha256> {
  const object = sha256(bytes);
  if (present?.has(object) === true) return object;
  const found = await bucket.putIfAbsent(objectKey(view, object), bytes);
  // Somebody has spoiled it: it is the same for nobody until it is put right.
  if (found === "other") await bucket.put(objectKey(view, object), bytes);
  return object;
}

/** getObject reads an object. @throws ShelfError "snapshot_damaged" when it is not there, or not what its name says */
export async function getObject({ bucket, view }: BucketPlace, object: Sha256): Promise<Buffer> {
  const got = await bucket.get(objectKey(view, object));
  if (got.state === "found" && sha256(got.bytes) === object) return got.bytes;
  throw notThere(bucket, view, object, got.state === "found" ? "is not what its name says" : "is not there");
}

function notThere(bucket: Bucket, view: BucketPlace["view"], object: Sha256, why: string): ShelfError {
  return new ShelfError("snapshot_damaged", `${objectKey(view, object)} in ${bucket.address} ${why}.`, {
    fixes: ["Run proofshelf repair where the shelf is built: what its copy has is put there again."],
  });
}

export async function deleteObject({ bucket, view }: BucketPlace, object: Sha256): Promise<void> {
  await bucket.delete(objectKey(view, object));
}

/** listObjects lists every object of the root: this needs a right that readers do without. */
export async function* listObjects({
  bucket,
  view,
}: BucketPlace): AsyncGenerator<{ readonly object: Sha256; readonly modified: string | null }> {
  for await (const { key, modified } of bucket.list(`${view}/files/`)) yield { object: key.slice(`${view}/files/`.length), modified };
}
