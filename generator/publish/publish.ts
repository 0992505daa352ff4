/** The last step: records, then heads of the logs that are over them, then pointers, in the order that leaves what was served before served whatever happens. Blobs, trees
 *  and the index's tags are there and survive a power cut before it. The public pointer is the one switch for both views. */
import {
  type Changes,
  createTreeCache,
  diffSnapshots,
  type DirectoryShelf,
  extendLog,
  type LogSigner,
  newestServed,
  openSnapshot,
  type SnapshotRecord,
} from "#snapshots/shelf";
import type { Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { type ByView, keepRecords, type Shelves } from "#generator/shelves";

export type Publication = {
  /** Signers that answer for the logs. */
  readonly signers: ByView<LogSigner>;
  /** Records of what is served now. */
  readonly current: ByView<SnapshotRecord | null>;
  readonly next: ByView<Sha256>;
  readonly created: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** Inputs that one view's record has besides. */
  readonly own?: Readonly<Record<"public" | "internal", Readonly<Record<string, string>>>>;
  /** True when both views are published though they may not have changed: the pointer is an older one that somebody put back. */
  readonly anew?: boolean;
  /** For a rollback: the records whose snapshots come next. */
  readonly restores?: ByView<number>;
};

/** publish serves the next snapshots in place of the current ones, both views at the same moment. A view that has not changed is left alone; but
 *  the internal one gets a record whenever the public one does, so that each says what it is served with.
 *  @returns what changed in the public view, or null when only the internal one was published, or neither
 *  @throws ShelfError "lost_race" when another publisher was faster */
export async function publish(shelves: Pick<Shelves, "public" | "internal">, publication: Publication): Promise<Changes | null> {
  const { current, next, signers, anew = false } = publication;
  const isDue = (view: "public" | "internal"): boolean => anew || current[view]?.snapshot !== next[view];
  // Before it can be cut short: what the log does not name then was never served.
  await keepRecords(shelves);
  for (const view of ["public", "internal"] as const) {
    const served = current[view];
    await dropCutShort(shelves[view], served);
    // A log that has no head for it yet is begun with what is served.
    if (served !== null) await extendLog(shelves[view], served, signers[view]);
  }
  const open = isDue("public") ? await draftRecord(shelves, "public", publication) : null;
  const sequence = (open?.record ?? current.public)?.sequence;
  if (sequence === undefined || (open === null && !isDue("internal"))) return null;
  const full = await draftRecord(shelves, "internal", publication, sequence);
  await shelves.internal.history.putRecord(full.record, full.changes);
  if (open !== null) await shelves.public.history.putRecord(open.record, open.changes);
  await extendLog(shelves.internal, full.record, signers.internal);
  if (open !== null) await extendLog(shelves.public, open.record, signers.public);
  // Until the public pointer has moved the internal one names both: wherever a kill falls, a reader finds the view that belongs to the other.
  await shelves.internal.history.swapPointer(full.record, current.internal);
  if (open === null) return null;
  await shelves.public.history.swapPointer(open.record, current.public);
  // Both are served: nobody needs the name of what was served before.
  await shelves.internal.history.swapPointer(full.record, full.record);
  return open.changes;
}

/** A record that was never served goes when a head of the log is over it: its number is not used again, and its entry stays. */
async function dropCutShort(shelf: DirectoryShelf, current: SnapshotRecord | null): Promise<void> {
  const index = await shelf.records.index();
  const served = current?.sequence ?? 0;
  const made = (await shelf.log.sizes()).at(-1) ?? 0;
  if (newestServed(current, index) > served) return;
  for (const { sequence } of index.records) if (sequence > served && sequence <= made) await shelf.history.dropUnserved(sequence);
}

/** nextSequence returns the number of the next record. The number of a publication that was cut short is used again, where the log of what was
 *  served says that it was one and no head of the log of publications is over it. */
async function nextSequence(shelf: DirectoryShelf, current: SnapshotRecord | null): Promise<number> {
  const { records, served } = await shelf.records.index();
  const known = current !== null && current.sequence === served;
  const made = (await shelf.log.sizes()).at(-1) ?? 0;
  return Math.max(made, known ? served : Math.max(served, current?.sequence ?? 0, records.at(-1)?.sequence ?? 0)) + 1;
}

type Drafted = { readonly record: SnapshotRecord; readonly changes: Changes };

/** @param open sequence of the public record that an internal one is served with */
async function draftRecord(
  shelves: Pick<Shelves, "public" | "internal">,
  view: "public" | "internal",
  { current, next, created, inputs, own, restores }: Publication,
  open?: number,
): Promise<Drafted> {
  const shelf: DirectoryShelf = shelves[view];
  const before = current[view];
  const record: SnapshotRecord = {
    sequence: await nextSequence(shelf, before),
    snapshot: next[view],
    created,
    previous: before?.snapshot ?? null,
    inputs: { ...inputs, ...own?.[view] },
    ...(open === undefined ? {} : { public: open }),
    ...(restores === undefined ? {} : { restores: restores[view] }),
  };
  const trees = createTreeCache();
  const after = await openSnapshot(shelf, record, trees);
  const old = before === null ? null : await openSnapshot(shelf, before, trees).catch(ignoreDamage);
  const changes = (await diffSnapshots(old, after).catch(ignoreDamage)) ?? (await diffSnapshots(null, after));
  return { record, changes };
}

/** A damaged predecessor must not keep the next good snapshot from being published. */
function ignoreDamage(error: unknown): null {
  if (error instanceof ShelfError && error.code === "snapshot_damaged") return null;
  throw error;
}
