/** Lists what changed: publication by publication, and between any two snapshots that are kept. Follows from the shelf's history besides the
 *  snapshot that is served. */
import { SHA256_PATTERN } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import type { ChangesResponse, Comparison } from "./changes-schema.ts";
import { meaningBody } from "./meaning.ts";
import {
  type Change,
  countFiles,
  describeChanges,
  describeListed,
  listChanges,
  type ChangedName,
  type SnapshotRecord,
  unreadable,
} from "#snapshots/shelf";
import {
  badParameter,
  type Cursor,
  cursorOf,
  findSnapshot,
  formatCursor,
  type History,
  missingSnapshot,
  type OpenSnapshot,
  parseCubId,
  parseLimit,
  positionOf,
  queryDigest,
  single,
} from "#snapshots/query";

/** A PastPublication has its record, where that is kept, and compares both snapshots, where those are kept. */
export type PastPublication = {
  readonly sequence: number;
  readonly record: SnapshotRecord | null;
  describe(listed: ChangedName): Promise<Change>;
};

/** openPublication opens a publication.
 *  @param sequence of a publication, whether its record is kept or not */
export async function openPublication(history: History, sequence: number): Promise<PastPublication> {
  const record = (await history.records()).find((one) => one.sequence === sequence) ?? null;
  const open = async (id: string | null): Promise<OpenSnapshot | null> => (id === null ? null : history.byId(id).catch(unreadable));
  const [before, after] = [await open(record?.previous ?? null), await open(record?.snapshot ?? null)];
  return {
    sequence,
    record,
    describe: ({ what, change, name }) => describeListed(before?.snapshot ?? null, after?.snapshot ?? null, what, change, name),
  };
}

/** GET /api/changes. @throws ShelfError "snapshot_not_found", "snapshot_withdrawn", "bad_parameter", "bad_cursor" */
async function changesBody(
  history: History,
  open: OpenSnapshot,
  { since: text, limit, cursor }: { readonly since: string; readonly limit: number; readonly cursor: Cursor | null },
): Promise<ChangesResponse> {
  const { record: served, shelf } = open.snapshot;
  const since = await sequenceOf(history, text, served.sequence);
  const digest = queryDigest("changes", since);
  const [first] = await history.records();
  const begin = placeOf(positionOf(cursor, digest));
  if (cursor !== null && begin.sequence < (first?.sequence ?? 1))
    throw new ShelfError("cursor_expired", "The publication with which this page begins is no longer kept.", {
      fixes: [`Begin again with what is kept: /api/changes?since=${(first?.sequence ?? 1) - 1}`],
    });
  const changes: ChangesResponse["changes"] = [];
  const withdrawn = new Set((await open.snapshot.data()).withdrawn?.map(({ what, name }) => `${what} ${name}`));
  let next: Place | null = null;
  for await (const [sequence, lists] of shelf.records.changes(Math.max(since, begin.sequence - 1), served.sequence)) {
    const listed = listChanges(lists);
    const from = sequence === begin.sequence ? begin.at : 0;
    const wanted = listed.slice(from, from + limit - changes.length);
    if (wanted.length > 0) {
      const { record, describe } = await openPublication(history, sequence);
      const at = { sequence, snapshot: record?.snapshot ?? null, created: record?.created ?? null };
      for (const one of wanted) {
        const described = await describe(one);
        // A thing that is withdrawn now is only said to have been there.
        changes.push({ ...at, ...described, ...(withdrawn.has(`${one.what} ${one.name}`) ? { fields: [], weaker: [] } : {}) });
      }
    }
    if (from + wanted.length < listed.length) {
      next = { sequence, at: from + wanted.length };
      break;
    }
  }
  return {
    since,
    until: served.sequence,
    complete: since + 1 >= (first?.sequence ?? 1),
    changes,
    ...(next === null ? {} : { next: formatCursor({ snapshot: open.snapshot.id, query: digest, position: positionAt(next) }) }),
  };
}

/** A Place is a change of a publication: counted from there, since what was published before may be pruned between two pages. */
type Place = { readonly sequence: number; readonly at: number };
const MOST_CHANGES = 2 ** 26; // of one publication

function positionAt({ sequence, at }: Place): number {
  return sequence * MOST_CHANGES + at;
}

function placeOf(position: number): Place {
  return { sequence: Math.floor(position / MOST_CHANGES), at: position % MOST_CHANGES };
}

/** @param text a number or an id; empty is the beginning */
async function sequenceOf(history: History, text: string, newest: number): Promise<number> {
  if (text === "") return 0;
  if (/^[0-9]{1,9}$/.test(text)) {
    const since = Number(text);
    if (since > newest) throw badParameter("since", `is a number up to ${newest}, which is served now`);
    return since;
  }
  if (!SHA256_PATTERN.test(text)) throw badParameter("since", "takes the number or the id of a snapshot");
  const record = (await history.records()).findLast(({ snapshot }) => snapshot === text);
  if (record === undefined) throw await missingSnapshot(history, text);
  return record.sequence;
}

/** GET /api/diff/{from}/{to}. @throws ShelfError "snapshot_not_found", "snapshot_withdrawn", "bad_cursor" */
async function comparisonBody(
  history: History,
  open: OpenSnapshot,
  { from, to, limit, cursor }: { readonly from: string; readonly to: string; readonly limit: number; readonly cursor: Cursor | null },
): Promise<Comparison> {
  const [a, b] = [await findSnapshot(history, from), await findSnapshot(history, to)];
  const digest = queryDigest("diff", [a.snapshot.id, b.snapshot.id]);
  const position = positionOf(cursor, digest);
  const changes = await describeChanges(a.snapshot, b.snapshot, open.snapshot);
  const end = position + limit;
  return {
    from: nameOf(a.snapshot.record),
    to: nameOf(b.snapshot.record),
    count: changes.length,
    changes: changes.slice(position, end),
    files: await countFiles(a.snapshot, b.snapshot),
    ...(end < changes.length ? { next: formatCursor({ snapshot: open.snapshot.id, query: digest, position: end }) } : {}),
  };
}

function nameOf({ sequence, snapshot, created }: SnapshotRecord): Comparison["from"] {
  return { sequence, snapshot, created };
}

/** A ParsedHistoryQuery is a parsed request for something that follows from the history. */
export type ParsedHistoryQuery = {
  readonly cursor: Cursor | null;
  body(history: History, open: OpenSnapshot): Promise<object>;
};

export type ChangesRouteId = "changes" | "diff" | "cub-meaning";

/** DEFAULT_CHANGES is how many changes one response has without a `limit`. */
export const DEFAULT_CHANGES = 100;
const SNAPSHOT_NAME = /^(?:[1-9][0-9]{0,6}|[0-9a-f]{6,64})$/;

/** HISTORY_QUERIES are as QUERIES, of the routes that follow from the shelf's history too. */
export const HISTORY_QUERIES: Readonly<
  Record<ChangesRouteId, (parts: Readonly<Record<string, string>>, params: URLSearchParams) => ParsedHistoryQuery>
> = {
  changes(_, params) {
    const query = { since: single(params, "since") ?? "", limit: limitOf(params), cursor: cursorOf(params) };
    return { cursor: query.cursor, body: (history, open) => changesBody(history, open, query) };
  },
  "cub-meaning"({ id = "" }, params) {
    const since = single(params, "since") ?? "";
    const name = parseCubId(id);
    return { cursor: null, body: (history, open) => meaningBody(history, open, name, since) };
  },
  diff({ from = "", to = "" }, params) {
    for (const name of [from, to])
      if (!SNAPSHOT_NAME.test(name))
        throw new ShelfError("bad_parameter", "A snapshot is named by its number, its id, or the first six digits of that or more.");
    const query = { from, to, limit: limitOf(params), cursor: cursorOf(params) };
    return { cursor: query.cursor, body: (history, open) => comparisonBody(history, open, query) };
  },
};

/** A page of nothing leads nowhere. */
function limitOf(params: URLSearchParams): number {
  const limit = parseLimit(params, DEFAULT_CHANGES);
  if (limit === 0) throw badParameter("limit", "takes a whole number from 1 to 500");
  return limit;
}
