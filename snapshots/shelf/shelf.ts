/** The place that holds one root (public or internal): blobs under their digest, one record per published snapshot,
 *  the pointer, and the search index beside them. See architecture "The snapshot format". */
import { z } from "zod";
import { SHA256_PATTERN, type Sha256 } from "../digest.ts";
import type { TileFile } from "../log/tiles.ts";
import type { OpenFile } from "./checked-read.ts";

const digest = z.string().regex(SHA256_PATTERN);

/** `snapshots/<sequence>.json`: written once, before the pointer moves. */
export const snapshotRecordSchema = z.strictObject({
  sequence: z.int().positive(),
  snapshot: digest,
  /** RFC 3339 UTC: the build's clock; the only time that does not come from source data, and it lies outside the tree. */
  created: z.iso.datetime(),
  previous: digest.nullable(),
  /** What the build read: name → digest or version. */
  inputs: z.record(z.string(), z.string()),
  /** Internal records: the sequence of the public record that this one is served with. */
  public: z.int().positive().optional(),
  /** Sequence of the record whose snapshot a rollback serves again. */
  restores: z.int().positive().optional(),
});
export type SnapshotRecord = z.infer<typeof snapshotRecordSchema>;

/** `withdrawn.json`: records of snapshots that were taken out of service, ascending by sequence. */
export const withdrawnSchema = z.array(snapshotRecordSchema);

/** `current.json` of an internal root: one record, or two while both views are being published. A record without a list is of an
 *  earlier version of the program. */
export const internalPointerSchema = z.union([snapshotRecordSchema, z.array(snapshotRecordSchema).min(1).max(2)]);

const names = z.strictObject({ objects: z.array(z.string()), claims: z.array(z.string()), records: z.array(z.string()) });
/** `changes/<sequence>.json`: what this snapshot added, changed and removed against the one before it. Kept when the
 *  snapshot itself is pruned: from it follow the history page and "first seen". */
export const changesSchema = z.strictObject({ added: names, changed: names, removed: names });
export type Changes = z.infer<typeof changesSchema>;

export type ChangeCounts = Readonly<Record<"added" | "changed" | "removed", number>>;

export type RecordIndex = {
  /** Ascending by sequence, without those that cannot be read. The same list while nothing is added or removed. */
  readonly records: readonly SnapshotRecord[];
  /** Of snapshots that were taken out of service, ascending by sequence: nothing else of them is there. */
  readonly withdrawn: readonly SnapshotRecord[];
  /** The newest record of each snapshot. */
  readonly byId: ReadonlyMap<Sha256, SnapshotRecord>;
  /** The newest sequence of which the log says that it was served; 0 when it says nothing. */
  readonly served: number;
};

export type RecordLog = {
  index(): Promise<RecordIndex>;
  /** Null when there is no list of changes. */
  counts(sequence: number): Promise<ChangeCounts | null>;
  /** Changes of the publications after one and up to another, ascending; those that are lost are left out. */
  changes(after: number, upTo: number): AsyncGenerator<readonly [sequence: number, changes: Changes]>;
  /** Brings the log up to date. Only under the build lock.
   *  @param served the newest sequence that goes into it */
  keep(served: number): Promise<void>;
  /** What the log says of each publication, as far as it is what was written. Another shelf's log may say it: compare. */
  told(): Promise<ReadonlyMap<number, { readonly record: SnapshotRecord; readonly changes: Changes | null }>>;
  /** Which files of the history could not be read so far, in words; null when none was met. */
  trouble(): string | null;
  /** What the log says that the records do not, in words; null when it says the same. */
  findProblem(): Promise<string | null>;
};

/** The files of a root's log of publications, by their paths in the root; log.ts says what they are. */
export type LogFiles = {
  /** Null when there is no such file. */
  read(path: string): Promise<Uint8Array | null>;
  /** Numbers of entries of which there is a head, ascending. */
  sizes(): Promise<readonly number[]>;
  /** Writes `checkpoints/<size>`, and before it other files; all of it survives a power cut, and no other process does so meanwhile.
   *  @param make gets the checkpoint that is there, and returns null to leave everything as it is */
  put(
    size: number,
    make: (there: Uint8Array | null) => { readonly checkpoint: string; readonly files: readonly TileFile[] } | null,
  ): Promise<void>;
};

/** Notices in place of blobs that were taken out; redactions.ts says what they are. A blob that is there counts, whatever notice it has. */
type Redactions = {
  /** Digests that have one, ascending. */
  list(): Promise<readonly Sha256[]>;
  read(digest: Sha256): Promise<Uint8Array | null>;
  /** Survives a power cut. */
  put(digest: Sha256, notice: string): Promise<void>;
  drop(digest: Sha256): Promise<void>;
  /** Another text whenever one has come or gone. */
  version(): Promise<string>;
};

export type SweepOptions = {
  /** Null when everything is. */
  readonly isNeeded: ((digest: Sha256) => boolean) | null;
  /** Of what is not needed, what may not stay where removing it means to rewrite much else; nothing by default. */
  readonly mustGo?: (digest: Sha256) => boolean;
  /** Packs that are rewritten in any case, without what in them is not whole. */
  readonly packs?: readonly Sha256[];
  /** Blobs in files of their own are left as they are. */
  readonly leaveLoose?: boolean;
};
export type Swept = { readonly blobs: number; readonly bytes: number };

export interface Shelf {
  /** Bytes of a blob, or null when it is not here. Not re-hashed: readers check (see read.ts). */
  getBlob(digest: Sha256): Promise<Uint8Array | null>;
  /** A blob to read parts of, checked by `readChecked`: what is sent to readers. Null when it is not here. */
  openBlob(digest: Sha256): Promise<OpenFile | null>;
  /** Short blobs, unchecked, as far as they can be read in few goes; others have to be opened one at a time. */
  readMany(digests: readonly Sha256[]): Promise<ReadonlyMap<Sha256, Uint8Array>>;
  /** The blob from where this shelf is a copy of, whatever is here: for who has found it spoiled. Null where there is no such place,
   *  or it is not there. */
  openAnew(digest: Sha256): Promise<OpenFile | null>;
  /** A byte range of a blob, `end` inclusive, unchecked: for who looks for damage. Null when it is not here. */
  streamBlob(digest: Sha256, start: number, end: number): Promise<AsyncIterable<Uint8Array> | null>;
  /** Stores bytes under their digest unless they are there. @returns whether anything was written */
  putBlob(digest: Sha256, bytes: Uint8Array): Promise<boolean>;
  hasBlob(digest: Sha256): Promise<boolean>;
  listBlobs(): AsyncIterable<{ readonly digest: Sha256; readonly size: number }>;
  /** Lets others read what was put so far. `flush` does so too. */
  seal(): Promise<void>;
  /** Removes blobs that are not needed, and brings the others into few packs. Only under the build lock. */
  sweep(options: SweepOptions): Promise<Swept>;
  /** What `sweep` would remove. */
  findSpare(isNeeded: SweepOptions["isNeeded"]): Promise<readonly { readonly digest: Sha256; readonly size: number }[]>;
  /** Names of the packs that are not what was written. */
  findDamagedPacks(): Promise<readonly Sha256[]>;

  /** The record that is served, or null before the first publication. Of an internal root, the one that belongs to what the public
   *  root serves (see served.ts). @throws ShelfError "snapshot_damaged" when the pointer is no record, or the two do not fit */
  readPointer(): Promise<SnapshotRecord | null>;
  /** Makes `record` current if `expected` still is; an internal record with a `public` that is not served yet is served together
   *  with that. @throws ShelfError "lost_race" otherwise */
  swapPointer(record: SnapshotRecord, expected: SnapshotRecord | null): Promise<void>;
  /** All records as they are now, ascending by sequence. One beyond the pointer is left by a crash and was never served. */
  listRecords(): Promise<readonly SnapshotRecord[]>;
  /** Numbers of the records that are there, readable or not, ascending. */
  listSequences(): Promise<readonly number[]>;
  /** Null when it is not there. @throws ShelfError "snapshot_damaged" */
  readRecord(sequence: number): Promise<SnapshotRecord | null>;
  putRecord(record: SnapshotRecord, changes: Changes): Promise<void>;
  /** Writes one of the two again. Only for repair. */
  restoreRecord(record: SnapshotRecord): Promise<void>;
  restoreChanges(sequence: number, changes: Changes): Promise<void>;
  readChanges(sequence: number): Promise<Changes | null>;
  deleteRecord(sequence: number): Promise<void>;
  /** Removes a record that was never served, with its changes. Only under the build lock. */
  dropUnserved(sequence: number): Promise<void>;
  /** Writes other changes in place of those that a publication left; the log has to be brought up to date then. Only under the
   *  build lock. */
  replaceChanges(sequence: number, changes: Changes): Promise<void>;
  /** Takes snapshots out of service: their records are only remembered as withdrawn from then on. Only under the build lock. */
  withdraw(records: readonly SnapshotRecord[]): Promise<void>;
  /** The records again, for whoever asks often: known without reading them all. */
  readonly records: RecordLog;
  readonly log: LogFiles;
  readonly redactions: Redactions;

  /** When a build last found this view up to date or published it (RFC 3339 UTC); null before the first. */
  readChecked(): Promise<string | null>;
  writeChecked(time: string): Promise<void>;
  /** When a copy of a shelf elsewhere was last compared with it, in milliseconds since 1970; null for what is no such copy. */
  readFollowed(): Promise<number | null>;

  /** Returns when everything put so far survives a power cut. */
  flush(): Promise<void>;
  /** Where the search index of this root lies (a path or an address that the index opens). */
  readonly indexUri: string;
}
