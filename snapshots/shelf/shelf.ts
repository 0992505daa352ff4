/** The place that holds one root (public or internal): blobs under their digest, one record per published snapshot,
 *  the pointer, and the search index beside them. See architecture "The snapshot format". */
import { z } from "zod";
import { type Sha256, SHA256_PATTERN } from "#snapshots/digest";
import type { TileFile } from "#snapshots/log";
import type { OpenFile } from "./checked-read.ts";

const digest = z.string().regex(SHA256_PATTERN);

/** snapshotRecordSchema is `snapshots/<sequence>.json`: written once, before the pointer moves. */
export const snapshotRecordSchema = z.strictObject({
  sequence: z.int().positive(),
  snapshot: digest,
  /** RFC 3339 UTC: the build's clock; the only time that does not come from source data, and it lies outside the tree. */
  created: z.iso.datetime(),
  previous: digest.nullable(),
  /** The inputs that the build read: name → digest or version. */
  inputs: z.record(z.string(), z.string()),
  /** Internal records: the sequence of the public record that this one is served with. */
  public: z.int().positive().optional(),
  /** Sequence of the record whose snapshot a rollback serves again. */
  restores: z.int().positive().optional(),
});
export type SnapshotRecord = z.infer<typeof snapshotRecordSchema>;

/** withdrawnSchema is `withdrawn.json`: records of snapshots that were taken out of service, ascending by sequence. */
export const withdrawnSchema = z.array(snapshotRecordSchema);

/** internalPointerSchema is `current.json` of an internal root: one record, or two while both views are being published. */
export const internalPointerSchema = z.array(snapshotRecordSchema).min(1).max(2);

const names = z.strictObject({ objects: z.array(z.string()), claims: z.array(z.string()), records: z.array(z.string()) });
/** changesSchema is `changes/<sequence>.json`: the names that this snapshot added, changed and removed against the one before it. It is kept when
 *  the snapshot itself is pruned: the history page and "first seen" follow from it. */
export const changesSchema = z.strictObject({ added: names, changed: names, removed: names });
export type Changes = z.infer<typeof changesSchema>;

export type ChangeCounts = Readonly<Record<"added" | "changed" | "removed", number>>;

export type RecordIndex = {
  /** Ascending by sequence, without those that cannot be read. The same list while nothing is added or removed. */
  readonly records: readonly SnapshotRecord[];
  /** Records of snapshots that were taken out of service, ascending by sequence: nothing else of them is there. */
  readonly withdrawn: readonly SnapshotRecord[];
  /** The newest record of each snapshot. */
  readonly byId: ReadonlyMap<Sha256, SnapshotRecord>;
  /** The newest sequence of which `served` says that it was served; 0 when it says nothing that can be. */
  readonly served: number;
};

export type RecordLog = {
  index(): Promise<RecordIndex>;
  /** Null when there is no list of changes. */
  counts(sequence: number): Promise<ChangeCounts | null>;
  /** Changes of the publications after one and up to another, ascending; those that are lost are left out. */
  changes(after: number, upTo: number): AsyncGenerator<readonly [sequence: number, changes: Changes]>;
  /** Files of the history that could not be read so far, in words; null when none was met. */
  trouble(): string | null;
};

/** LogFiles are the files of a root's log of publications, by their paths in the root; log.ts says what they are. */
export type LogFiles = {
  /** Null when there is no such file. */
  read(path: string): Promise<Uint8Array | null>;
  /** Numbers of entries of which there is a head, ascending. */
  sizes(): Promise<readonly number[]>;
  /** Paths of the files under `tile/`, whatever they are. */
  tiles(): Promise<readonly string[]>;
  /** Writes `checkpoints/<size>`, and before it other files; all of it survives a power cut, and no other process does so meanwhile.
   *  @param make gets the checkpoint that is there, and returns null to leave everything as it is */
  put(
    size: number,
    make: (there: Uint8Array | null) => { readonly checkpoint: string; readonly files: readonly TileFile[] } | null,
  ): Promise<void>;
};

/** Redactions are notices in place of blobs that were taken out; redactions.ts says what they are. A blob that is there counts, whatever notice it
 *  has. */
export type Redactions = {
  /** Digests that have one, ascending. */
  list(): Promise<readonly Sha256[]>;
  read(digest: Sha256): Promise<Uint8Array | null>;
  /** Another text whenever one has come or gone. */
  version(): Promise<string>;
};

/** A Shelf is what readers need of a root. A writer has the whole class (shelf-directory.ts). */
export interface Shelf {
  /** Bytes of a blob, or null when it is not here. Not re-hashed: readers check (see read.ts). */
  getBlob(digest: Sha256): Promise<Uint8Array | null>;
  /** A blob to read parts of, checked by `readChecked`: what is sent to readers. Null when it is not here. */
  openBlob(digest: Sha256): Promise<OpenFile | null>;
  /** Short blobs, unchecked, as far as they can be read in few goes; others have to be opened one at a time. */
  readMany(digests: readonly Sha256[]): Promise<ReadonlyMap<Sha256, Uint8Array>>;
  hasBlob(digest: Sha256): Promise<boolean>;

  /** The record that is served, or null before the first publication. Of an internal root, the one that belongs to what the public
   *  root serves (see served.ts). @throws ShelfError "snapshot_damaged" when the pointer is no record, or the two do not fit */
  readPointer(): Promise<SnapshotRecord | null>;
  /** Null when it is not there. @throws ShelfError "snapshot_damaged" */
  readRecord(sequence: number): Promise<SnapshotRecord | null>;
  /** Null when it is not there. @throws ShelfError "snapshot_damaged" */
  readChanges(sequence: number): Promise<Changes | null>;
  /** The records again, for whoever asks often: known without reading them all. */
  readonly records: RecordLog;
  readonly log: Pick<LogFiles, "read" | "sizes">;
  readonly redactions: Redactions;

  /** When a build last found this view up to date or published it (RFC 3339 UTC); null before the first. */
  readChecked(): Promise<string | null>;
  /** When a copy of a shelf elsewhere was last compared with it, in milliseconds since 1970; null for what is no such copy. */
  readFollowed(): Promise<number | null>;

  /** Where the search index of this root lies (a path or an address that the index opens). */
  readonly indexUri: string;
  /** The address of the public root's index, for an internal root: whose rows its index may have in place of its own; else null. */
  readonly sharedIndexUri: string | null;
}
