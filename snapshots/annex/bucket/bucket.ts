/** The little that is asked of object storage, so that a place can be a bucket: bytes by key, two conditional writes, and lists.
 *
 *  Every operation ends: it is tried again with growing pauses while the store fails in ways that pass, and then throws. What
 *  somebody else may have done meanwhile is told, never guessed: the outcome of a conditional write is read back. */
export { type BucketConfig } from "#snapshots/shelf";

type BucketObject = {
  readonly key: string;
  readonly size: number; // bytes
  /** As the store gives it, without quotes: another one may mean other bytes. No digest of anything. */
  readonly etag: string;
  /** RFC 3339 UTC; null when the store has no usable time. Lists have milliseconds where heads have seconds. */
  readonly modified: string | null;
};

export type ListedObject = BucketObject & {
  /** The key is not UTF-8 and cannot be asked for; it is shown with \xHH for the bytes that are not. */
  readonly unreadable: boolean;
};

export type HeadObject = BucketObject & {
  /** Names are lower-case. */
  readonly metadata: Readonly<Record<string, string>>;
};

/** Got is the answer to a get.
 *  - absent: there is no such object
 *  - unchanged: it has the ETag of `ifNoneMatch`
 *  - changed: it has another one than `ifMatch`
 *  - longer: the bytes that were asked for are more than `maxBytes` */
export type Got =
  | ({ readonly state: "found"; readonly bytes: Buffer } & HeadObject)
  | ({ readonly state: "longer" } & HeadObject)
  | { readonly state: "absent" }
  | { readonly state: "unchanged" }
  | { readonly state: "changed" };

export type GetOptions = {
  /** Bytes from `start` to `end`, both inclusive, as far as the object has them; `size` is that of the whole object. */
  readonly range?: { readonly start: number; readonly end: number };
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  /** A longer answer is not read to its end. */
  readonly maxBytes?: number;
};

export type PutOptions = {
  readonly contentType?: string;
  readonly cacheControl?: string;
  readonly contentDisposition?: string;
  /** The coding of the bytes; only a reader over HTTP undoes it. */
  readonly contentEncoding?: "gzip";
  readonly metadata?: Readonly<Record<string, string>>;
};

/** A Bucket is a store of objects. All its methods throw ShelfError "bucket_denied" when the store refuses us, which may pass, and
 *  "bucket_unavailable" when it did not do in time what it was asked to. After such a failure of a write it is not known whether it was done. */
export interface Bucket {
  /** For messages: s3://bucket/prefix. */
  readonly address: string;
  get(key: string, options?: GetOptions): Promise<Got>;
  /** Null when there is no such object. */
  head(key: string): Promise<HeadObject | null>;
  /** Replaces what is there. @returns the ETag */
  put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<string>;
  /** written: nothing was there, and these bytes are now; same: these very bytes were there; other: other bytes are.
   *  @throws ShelfError "bucket_unavailable" also when the store has no such writes. One that has them by name only answers
   *          `written` twice: see whether it does before anything depends on it. */
  putIfAbsent(key: string, bytes: Uint8Array): Promise<"written" | "same" | "other">;
  /** Compare-and-swap: puts these bytes in the place of the version with that ETag.
   *  @param bytes never the same ones twice, whoever writes them: an ETag may be a digest of the content, and what is read back
   *         decides who has won
   *  @returns the new ETag; null when another version is there now */
  putIfMatch(key: string, bytes: Uint8Array, etag: string): Promise<string | null>;
  /** Every object below the prefix, in the order of the bytes of their keys' UTF-8, a page at a time: with many as with few only
   *  two pages are held. Nothing is left out in silence: a page that cannot be had, or makes no sense, ends it with an error. */
  list(prefix?: string): AsyncGenerator<ListedObject>;
  /** Nothing happens when there is no such object. */
  delete(key: string): Promise<void>;
}
