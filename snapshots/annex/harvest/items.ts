/** The items that OAI-PMH tells of: every object, claim and record that is served, each with the time of the publication that last changed it, and
 *  what was published once and is gone. */
import { absoluteHref, findCollection, pagePath, type ViewData } from "#snapshots/format";
import type { OpenSnapshot } from "#snapshots/query";
import { listChanges, type Snapshot, type SnapshotRecord } from "#snapshots/shelf";
import type { Described } from "./dublin-core.ts";

export type HarvestItem = {
  /** Address of its page. */
  readonly identifier: string;
  /** RFC 3339 UTC, to the second. */
  readonly datestamp: string;
  readonly sets: readonly string[];
  /** Null of what is gone. */
  readonly described: Described | null;
};

export type HarvestItems = {
  /** Ascending by time, then by identifier. */
  readonly list: readonly HarvestItem[];
  readonly byIdentifier: ReadonlyMap<string, HarvestItem>;
  /** The oldest publication that was kept when they were made: of what went before it nothing is told. */
  readonly since: number;
};

type What = Described["what"];

const SETS: Readonly<Record<What, string>> = { object: "objects", claim: "claims", record: "records" };

/** setsOf returns the sets of a view, with their names. It is empty where there is nothing of any kind. */
export function setsOf({ library, claims, meta }: ViewData): readonly (readonly [spec: string, name: string])[] {
  return [
    ...(library.collections.length === 0 ? [] : [["objects", "Every object"] as const]),
    ...library.collections.map(({ id, title }) => [`objects:${id}`, title] as const),
    ...(claims.claims.length === 0 ? [] : [["claims", "Claims"] as const]),
    ...(meta === null ? [] : [["records", "Proof records"] as const]),
  ];
}

const kept = new WeakMap<Snapshot, Promise<HarvestItems>>();

/** itemsOf returns the items of a snapshot; they are made once for a snapshot. */
export function itemsOf(open: OpenSnapshot): Promise<HarvestItems> {
  const known = kept.get(open.snapshot);
  if (known !== undefined) return known;
  const made = makeItems(open);
  kept.set(open.snapshot, made);
  made.catch(() => kept.delete(open.snapshot));
  return made;
}

async function makeItems(open: OpenSnapshot): Promise<HarvestItems> {
  const data = await open.snapshot.data();
  const { records } = await open.snapshot.shelf.records.index();
  const list: HarvestItem[] = [];
  const add = async (described: Described, name: string): Promise<void> => {
    const seen = await open.firstSeen(described.what === "object" ? "objects" : described.what === "claim" ? "claims" : "records", name);
    const { created } = seen?.bytes ?? open.snapshot.record;
    list.push({ ...headOf(data, described.what, name), datestamp: toSecond(created), described });
  };
  for (const row of data.objects) await add({ what: "object", row }, row.key);
  for (const row of data.claims.claims) await add({ what: "claim", row }, row.id);
  for (const row of data.cubs) await add({ what: "record", row }, row.id);
  const byIdentifier = new Map(list.map((item) => [item.identifier, item]));
  for (const [identifier, item] of await goneFrom(open, records, data)) {
    if (byIdentifier.has(identifier)) continue;
    byIdentifier.set(identifier, item);
    list.push(item);
  }
  const order = ({ datestamp, identifier }: HarvestItem): string => `${datestamp} ${identifier}`;
  list.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return { list, byIdentifier, since: records[0]?.sequence ?? open.snapshot.record.sequence };
}

/** Items that an earlier snapshot had, with the time at which they went; those that were withdrawn before the history that is kept have a day. */
async function goneFrom(
  { snapshot: { shelf, record } }: OpenSnapshot,
  records: readonly SnapshotRecord[],
  data: ViewData,
): Promise<ReadonlyMap<string, HarvestItem>> {
  const times = new Map([...records, record].map(({ sequence, created }) => [sequence, created]));
  const gone = new Map<string, HarvestItem>();
  const add = (what: What, name: string, time: string): void => {
    const head = headOf(data, what, name);
    gone.set(head.identifier, { ...head, datestamp: toSecond(time), described: null });
  };
  // The publication that told of it may be pruned, and is no later than the oldest that is kept: who harvested between its day and then hears of it.
  const oldest = records[0]?.created ?? record.created;
  for (const { what, name, date } of data.withdrawn ?? []) add(what, name, [`${date}T00:00:00Z`, oldest].sort().at(-1) ?? oldest);
  for await (const [sequence, changes] of shelf.records.changes(0, record.sequence)) {
    const time = times.get(sequence);
    if (time === undefined) continue;
    for (const { what, change, name } of listChanges(changes)) if (change === "removed") add(what, name, time);
  }
  return gone;
}

function headOf(data: ViewData, what: What, name: string): Pick<HarvestItem, "identifier" | "sets"> {
  const collection = what === "object" ? findCollection(data.library.collections, name) : null;
  return {
    identifier: absoluteHref(data, pagePath.source(what, name), null),
    sets: [SETS[what], ...(collection === null ? [] : [`${SETS[what]}:${collection.id}`])],
  };
}

export function toSecond(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
