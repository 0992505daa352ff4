/** Finds the internal record that is served. The public root says nothing about the internal one, and its pointer is the single switch for both:
 *  the internal pointer names the record that belongs to what the public one names now and, while both views are being published, the record that
 *  will belong to what it names next. */
import { ShelfError } from "#snapshots/errors";
import type { SnapshotRecord } from "./shelf.ts";

/** Looks after which two pointers that do not fit each other are no longer taken for a publication that went by between them. */
const LOOKS = 5;

/** findServed picks the internal record that is served.
 *  @param named what the internal pointer names
 *  @param published what the public pointer names
 *  @returns the record that was published with it */
export function findServed(named: readonly SnapshotRecord[], published: SnapshotRecord | null): SnapshotRecord | null {
  return named.find((record) => published !== null && record.public === published.sequence) ?? null;
}

/** readServed reads both pointers.
 *  @param published reads the public pointer; @param named reads the internal one, null when there is none
 *  @throws ShelfError "snapshot_damaged" when the two do not belong together */
export async function readServed(
  published: () => Promise<SnapshotRecord | null>,
  named: () => Promise<readonly SnapshotRecord[] | null>,
): Promise<SnapshotRecord | null> {
  for (let look = 1; ; look++) {
    const open = await published();
    const records = await named();
    const served = records === null ? null : findServed(records, open);
    if (served !== null || records === null || open === null) return served;
    if (look === LOOKS) {
      throw new ShelfError(
        "snapshot_damaged",
        `The internal current.json names no record that belongs to public snapshot ${open.sequence}.`,
        {
          fixes: ["Run a build: it publishes both views anew."],
        },
      );
    }
  }
}

/** namedWith gives what the internal pointer names so that `record` is served as soon as the public one names what it was published with.
 *  @param served what is served until then */
export function namedWith(
  record: SnapshotRecord,
  served: SnapshotRecord | null,
  published: SnapshotRecord | null,
): readonly SnapshotRecord[] {
  const next = served === null ? [record] : [served, record];
  return findServed([record], published) === record ? [record] : next;
}

/** findPartner finds the internal record to serve with an earlier public one: the newest that was published with it; null when there is none. */
export function findPartner(records: readonly SnapshotRecord[], open: SnapshotRecord): SnapshotRecord | null {
  return records.findLast((record) => record.public === open.sequence) ?? null;
}
