/** The newest changes of a part of the library, as a feed has them: one entry for each thing that changed, one for a whole publication
 *  where those would be many, and always one for what got weaker. */
import { pagePath, parseSlug, relationsOf, type ViewData } from "#snapshots/format";
import { type Change, listChanges, type ChangedName, type SnapshotRecord } from "#snapshots/shelf";
import { openPublication, type PastPublication } from "./changes.ts";
import type { History, OpenSnapshot } from "#snapshots/query";

/** Entries in one feed, about. */
const MAX_ENTRIES = 50;
/** Publications that are looked at for them. */
const MAX_PUBLICATIONS = 100;
/** More changes than this in one publication are one entry. */
const MAX_SINGLE = 20;
/** Claims and records of such a publication that are looked at for what got weaker. */
const MAX_EXAMINED = 200;

export type FeedEntry = {
  readonly sequence: number;
  readonly snapshot: string;
  readonly created: string;
  readonly title: string;
  /** Site path of what it speaks of. */
  readonly path: string;
  /** Lines of plain text. */
  readonly text: string;
  readonly tags: readonly string[];
};

export type FeedScope = { readonly title: string; includes(listed: ChangedName): boolean };

/** feedScope finds what the page of a path has a feed of, or null.
 *  @param path "/", "/claims/", "/registry/" or that of a folder */
export function feedScope(data: ViewData, path: string): FeedScope | null {
  if (path === pagePath.front) return { title: data.library.title, includes: () => true };
  if (path === pagePath.claims) return { title: "Claims", includes: ({ what }) => what === "claim" };
  if (path === pagePath.registry) return data.meta === null ? null : { title: "Registry", includes: ({ what }) => what === "record" };
  const slug = path.startsWith("/browse/") ? path.slice("/browse/".length) : null;
  const prefix = slug === null || slug === "" ? null : parseSlug(decodeURIComponent(slug));
  if (prefix === null || !relationsOf(data).folders.has(prefix) || pagePath.browse(prefix) !== path) return null;
  const title = data.library.collections.find((collection) => collection.prefix === prefix)?.title ?? prefix;
  return { title, includes: ({ what, name }) => what === "object" && name.startsWith(prefix) };
}

/** feedEntries returns the entries of a feed, newest first. */
export async function feedEntries(history: History, open: OpenSnapshot, scope: FeedScope): Promise<readonly FeedEntry[]> {
  const { record: served, shelf } = open.snapshot;
  const data = await open.snapshot.data();
  const records = (await history.records()).filter(({ sequence }) => sequence <= served.sequence).slice(-MAX_PUBLICATIONS);
  const withdrawn = new Set(data.withdrawn?.map(({ what, name }) => `${what} ${name}`));
  // A thing that is withdrawn now is in no feed, but its withdrawal is.
  const isTold = (one: ChangedName): boolean => one.change === "removed" || !withdrawn.has(`${one.what} ${one.name}`);
  const entries: FeedEntry[] = [];
  for (const record of records.reverse()) {
    if (entries.length >= MAX_ENTRIES) break;
    for await (const [sequence, lists] of shelf.records.changes(record.sequence - 1, record.sequence)) {
      const listed = listChanges(lists).filter((one) => scope.includes(one) && isTold(one));
      if (listed.length > 0) entries.push(...(await entriesOf(data, await openPublication(history, sequence), record, listed)));
    }
  }
  return entries;
}

async function entriesOf(
  data: ViewData,
  publication: PastPublication,
  record: SnapshotRecord,
  listed: readonly ChangedName[],
): Promise<readonly FeedEntry[]> {
  const single = listed.length <= MAX_SINGLE;
  const examined = single ? listed : listed.filter(({ what, change }) => what !== "object" && change !== "added").slice(0, MAX_EXAMINED);
  const changes = await Promise.all(examined.map((one) => publication.describe(one)));
  const told = changes.filter(({ weaker }) => single || weaker.length > 0).map((change) => entryOf(data, record, change));
  if (single) return told;
  const count = (kind: ChangedName["change"]): number => listed.filter(({ change }) => change === kind).length;
  const title = `Snapshot ${record.sequence}: ${count("added")} added, ${count("changed")} changed, ${count("removed")} removed`;
  const path = record.previous === null ? pagePath.snapshots : pagePath.diff(record.previous, record.snapshot);
  return [...told, { ...at(record), title, path, text: title, tags: ["snapshot"] }];
}

const at = ({ sequence, snapshot, created }: SnapshotRecord) => ({ sequence, snapshot, created });

const NAMES: Readonly<Record<Change["what"], string>> = { object: "Object", claim: "Claim", record: "Record", other: "Library" };

function entryOf(data: ViewData, record: SnapshotRecord, change: Change): FeedEntry {
  const { what, name, fields, weaker } = change;
  const title = what === "object" ? relationsOf(data).objectByKey.get(name)?.title : undefined;
  const named = `${NAMES[what]} ${name}${title === undefined || title === name ? "" : ` (${title})`}`;
  const lines = fields.map(
    ({ field, before, after }) => `${field}: ${before === "" ? "nothing" : before} → ${after === "" ? "nothing" : after}`,
  );
  return {
    ...at(record),
    title: weaker.length > 0 ? `${named} got weaker: ${weaker.join("; ")}` : `${named} was ${change.change}`,
    path: change.path ?? pagePath.snapshots,
    text: [`${named} was ${change.change} in snapshot ${record.sequence}.`, ...weaker, ...lines].join("\n"),
    tags: [what, change.change, ...(weaker.length > 0 ? ["weaker"] : [])],
  };
}
