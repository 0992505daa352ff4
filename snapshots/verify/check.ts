/** A check of verification as a value. The walk over a shelf knows none of them: `service/verify.ts` says which there are, in which order. */
import type { Sha256 } from "#snapshots/digest";
import type { BlobEntry, ViewData } from "#snapshots/format";
import type { PageImage } from "#snapshots/schema";
import type { Route } from "#snapshots/routes";
import type { DirectoryShelf, Snapshot, SnapshotRecord, TreeCache } from "#snapshots/shelf";
import type { Report, RootName } from "./finding.ts";

/** An Audit is one root while it is verified. */
export type Audit = {
  readonly root: RootName;
  readonly shelf: DirectoryShelf;
  readonly report: Report;
  readonly checks: readonly Check[];
  /** Routes that the description of a snapshot's service describes. */
  readonly routes: readonly Route[];
  /** Digest → size of the blobs in this root alone, without the other root's. */
  readonly own: ReadonlyMap<Sha256, number>;
  /** The other root, when this is the public one: to say where a missing blob lies. */
  readonly other: DirectoryShelf | null;
  /** Root and digest → bytes of a blob, −1 of a bad one, −2 of one that was redacted; shared by both roots. */
  readonly hashed: Map<string, Promise<number>>;
  /** Root and id of the snapshots whose derived files are what was made again; shared by both roots. */
  readonly derived: Set<string>;
  /** The images that an extract names which was found good, by what it was held against; shared by both roots. */
  readonly extracts: Map<string, readonly PageImage[]>;
  /** "<digest> <path>" of the trees that were walked. */
  readonly walked: Set<string>;
  /** Its trees were read, hashed and found good. */
  readonly cache: TreeCache;
  /** Digests that notices stand for. */
  readonly redacted: Set<Sha256>;
  readonly maxFolders: number;
  readonly tell: TellProgress;
};

/** TellProgress hears what is being done, and how much of it is. */
export type TellProgress = (what: string, done?: number, total?: number) => void;

export type Records = {
  /** The record that the pointer names. When the pointer is unusable, it is the newest record, so that the rest can still be checked. */
  readonly current: SnapshotRecord | null;
  readonly all: readonly SnapshotRecord[]; // those that can be read, ascending
  readonly complete: boolean; // whether that is all of them
  readonly served: readonly SnapshotRecord[]; // at or below the pointer
};

/** A CheckedView is the snapshot that is served. @param files every file of it, each with its digest checked */
export type CheckedView = { readonly snapshot: Snapshot; readonly files: ReadonlyMap<string, BlobEntry>; readonly data: ViewData };

type Run<T extends readonly unknown[]> = { run(...subject: T): Promise<void> | void };

/** A Check is one check; `needs` says what it is run on and when:
 *  - gap: a digest of which no blob is there; `isFilled` tells whether something else rightly stands in its place
 *  - data: the snapshot that is served, when each of its files has its shape. An error that the check throws is a contradiction in the data.
 *  `sound` tells that no list in the data contradicts another
 *  - view: the snapshot that is served, when all data checks were run
 *  - snapshot: each kept snapshot that was walked; `data` is null for one that is not served, or whose files are not sound
 *  - root: the records of a root, when its snapshots were walked
 *  - views: both views, when both are served and sound; `records` are the public ones */
export type Check = { readonly name: string } & (
  | { readonly needs: "gap"; isFilled(audit: Audit, digest: Sha256): Promise<boolean> }
  | ({ readonly needs: "data" } & Run<[audit: Audit, view: CheckedView, sound: boolean]>)
  | ({ readonly needs: "view" } & Run<[audit: Audit, view: CheckedView]>)
  | ({ readonly needs: "snapshot" } & Run<[audit: Audit, snapshot: Sha256, data: ViewData | null]>)
  | ({ readonly needs: "root" } & Run<[audit: Audit, records: Records]>)
  | ({ readonly needs: "views" } & Run<[report: Report, open: CheckedView, full: CheckedView, records: readonly SnapshotRecord[]]>)
);

type Needs = Check["needs"];

/** checksOf returns the checks that need this, in their order. */
export function checksOf<N extends Needs>(checks: readonly Check[], needs: N): readonly Extract<Check, { readonly needs: N }>[] {
  return checks.filter((check): check is Extract<Check, { readonly needs: N }> => check.needs === needs);
}
