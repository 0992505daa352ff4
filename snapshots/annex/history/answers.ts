/** Answers that follow from the shelf's history besides the snapshot that is served: changes, comparisons, feeds, and which snapshot was served
 *  when (RFC 7089, Memento). */
import { canonicalJson, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { pagePath } from "#snapshots/format";
import { FEED_TYPES, formatFeed } from "./format-feed.ts";
import { TIME_MAP_PATH, TIME_MAP_TYPE, timeMap } from "./time-map.ts";
import { HISTORY_QUERIES } from "./changes.ts";
import { feedEntries, feedScope } from "./feed.ts";
import { recordAt } from "#snapshots/query";
import type { RouteMatch } from "#snapshots/routes";
import { FEED_ROWS, HISTORY_PAGES, type HISTORY_ROWS } from "./rows.ts";
import {
  type Answer,
  type SnapshotRequest,
  CACHE,
  contentAnswer,
  continueIn,
  forEachRow,
  type Handler,
  linkHeader,
  pageAnswer,
  redirect,
  textContent,
  type View,
} from "#snapshots/http";

export const HISTORY_HANDLERS = {
  changes: { read: (asked) => bodyAnswer(asked, "changes") },
  diff: { read: (asked) => bodyAnswer(asked, "diff") },
  "cub-meaning": { read: (asked) => bodyAnswer(asked, "cub-meaning") },
  ...forEachRow(FEED_ROWS, { read: feedAnswer }),
  timemap: { read: timeMapAnswer },
  timegate: {
    read({ context: { view, open, mount }, request, place: { path, query } }) {
      const rest = path.slice("/timegate".length) + (query === "" ? "" : `?${query}`);
      return timeAnswer(view, open.snapshot.record.sequence, request.header("accept-datetime"), mount, rest);
    },
  },
  ...forEachRow(HISTORY_PAGES, { read: pageAnswer }),
} as const satisfies Readonly<Record<keyof typeof HISTORY_ROWS | keyof typeof HISTORY_PAGES, Handler>>;

async function bodyAnswer({ context, request, place }: SnapshotRequest, id: keyof typeof HISTORY_QUERIES): Promise<Answer> {
  const match = place.match as RouteMatch;
  const params = new URLSearchParams(place.query);
  const parsed = HISTORY_QUERIES[id](match.parts, params);
  return contentAnswer(context, request, "queries", async () => {
    const body = await parsed.body(context.view, await continueIn(context, parsed, params, match));
    const bytes = new TextEncoder().encode(canonicalJson(body));
    const headers = linkHeader(context, match, params, body);
    return { bytes, type: "application/json", tag: sha256(bytes), cache: context.cache, headers };
  });
}

/** @throws ShelfError "not_found" where nothing has one */
async function feedAnswer({ context, request, place: { path } }: SnapshotRequest): Promise<Answer> {
  const { open, view, cache } = context;
  const file = path.endsWith(".json") ? "feed.json" : "feed.xml";
  const page = path.slice(0, -file.length);
  return contentAnswer(context, request, "files", async () => {
    const data = await open.snapshot.data();
    const scope = feedScope(data, page);
    if (scope === null) throw new ShelfError("not_found", "There is no feed beside this path.", { fixes: ["/feed.xml is of everything."] });
    const entries = await feedEntries(view, open, scope);
    return textContent(formatFeed(data, open.snapshot.record, scope, page, file, entries), FEED_TYPES[file], cache);
  });
}

async function timeMapAnswer({ context, request }: SnapshotRequest): Promise<Answer> {
  const { open, view, mount, cache } = context;
  return contentAnswer(context, request, "files", async () => {
    const { base_url: base } = await open.snapshot.library();
    return textContent(timeMap(base + mount, await view.records(), open.snapshot.record.sequence), TIME_MAP_TYPE, cache);
  });
}

/** Leads to the snapshot of a time.
 *  @param time as a client wrote it; null is now
 *  @param rest path and query inside the snapshot
 *  @throws ShelfError "bad_parameter" when it is no time */
async function timeAnswer(view: View, current: number, time: string | null, mount: string, rest: string): Promise<Answer> {
  const wanted = time === null ? Number.POSITIVE_INFINITY : Date.parse(time);
  if (Number.isNaN(wanted)) {
    throw new ShelfError("bad_parameter", "This is no time.", {
      fixes: ["Write it like 2026-01-31T12:00:00Z under /at/, and like Sat, 31 Jan 2026 12:00:00 GMT in Accept-Datetime."],
    });
  }
  const record = recordAt(await view.records(), current, wanted);
  if (record === null) throw new ShelfError("snapshot_not_found", "No snapshot of that time is kept.");
  const target = redirect(302, mount + pagePath.at(record.snapshot, rest), CACHE[view.options.view === "internal" ? "private" : "live"]);
  return { ...target, headers: { ...target.headers, Vary: "Accept-Datetime", Link: originalLinks(mount, rest) } };
}

/** Headers of an answer under /at about the time that it is of. */
function mementoHeaders(created: string, mount: string, rest: string, link: string | undefined): Record<string, string> {
  return {
    "Memento-Datetime": new Date(created).toUTCString(),
    Link: [...(link === undefined ? [] : [link]), originalLinks(mount, rest), `<${encodeRest(mount + rest)}>; rel="latest-version"`].join(
      ", ",
    ),
  };
}

function originalLinks(mount: string, rest: string): string {
  return `<${encodeRest(mount + rest)}>; rel="original", <${encodeRest(`${mount}/timegate${rest}`)}>; rel="timegate", <${mount}${TIME_MAP_PATH}>; rel="timemap"; type="${TIME_MAP_TYPE}"`;
}

/** encodeRest leaves in a path only what may stand in a header, and ends none of its addresses. */
function encodeRest(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]|[<>]/gu, encodeURIComponent);
}

/** RFC 3339 with at least a day, as it stands in a path; null for anything else. */
function parsePathTime(text: string): string | null {
  const time = decodeURIComponent(text);
  return /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(time) ? time : null;
}

/** MEMENTO is what /at/ takes and says beside a snapshot's id (RFC 7089). */
export const MEMENTO = { parsePathTime, timeAnswer, mementoHeaders } as const;
