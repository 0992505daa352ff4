/** Where the objects come from: a folder or a bucket. Names and bytes are controlled by whoever can write there. */
import type { SourceRef } from "#snapshots/schema";

export type StoredObject = {
  readonly key: string;
  readonly size: number; // bytes
  /** Changes whenever the bytes may have changed. Means something on this store only, so it never enters a snapshot. */
  readonly version: string;
  /** RFC 3339 UTC, null when the store has no usable time. */
  readonly uploaded: string | null;
  /** Why this object cannot be served, in words for a reader; null when it can. */
  readonly problem: string | null;
  /** The file or folder that git ignores, in which it lies; left out where it lies in none. */
  readonly ignored?: string;
};

export type ReadObject = {
  readonly bytes: Uint8Array;
  readonly version: string;
  /** As in StoredObject, where reading tells it better than listing. */
  readonly uploaded?: string | null;
  /** Where it comes from, where the store says so. */
  readonly source?: SourceRef;
};

export interface ObjectStore {
  /** Everything in the store, once, in any order; what cannot be served comes with its problem.
   *  @throws ShelfError "bad_source", and what a bucket throws, when the store as a whole cannot be read */
  list(): AsyncIterable<StoredObject>;
  /** Returns what `list` would give for a key; null when it is not there. */
  find(key: string): Promise<StoredObject | null>;
  /** The bytes of a listed object, all from one version of it.
   *  @throws ShelfError "bad_source" when it is gone, unreadable, too large or never holds still; what a bucket throws when that
   *          cannot be told */
  read(key: string): Promise<ReadObject>;
}
