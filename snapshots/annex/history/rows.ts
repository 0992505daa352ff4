/** Rows of what follows from the shelf's history besides: changes, comparisons, feeds, times (RFC 7089), and the pages of all of them. */
import { pagePath } from "#snapshots/format";
import { DEFAULT_CHANGES } from "./changes.ts";
import { ChangesResponse, Comparison } from "./changes-schema.ts";
import { MeaningAnswer } from "./meaning.ts";
import {
  anyObject,
  cursor,
  json,
  limit,
  pageRow,
  parameter,
  type Route,
  row,
  text,
  type WrittenPage,
  type WrittenRow,
} from "#snapshots/routes";

const SNAPSHOT_NAMED = "Number of a snapshot, its id, or the first six digits of that or more.";

type FeedForm = "xml" | "json";

/** One form of the feed beside a page. */
function feedRow(form: FeedForm, page: string, summary: string, more: Partial<Pick<Route, "parts" | "errors">> = {}): WrittenRow {
  const shared = { group: "service", kind: "history", path: `${page}/feed.${form}`, ...more } as const;
  return form === "xml"
    ? row({
        ...shared,
        summary: `${summary} as a feed`,
        success: text("application/atom+xml", "Atom: an entry for each change, what got weaker in the category weaker"),
      })
    : row({
        ...shared,
        summary: `${summary} as a JSON Feed`,
        success: { ...json(anyObject, "JSON Feed 1.1, with tags for categories"), type: "application/feed+json" },
      });
}

const OF_FOLDER = ["/browse/{prefix...}", "The newest changes of objects under a prefix"] as const;
const FOLDER = {
  parts: { prefix: { description: "Prefix without its last slash, percent-encoded.", example: "notes" } },
  errors: [404],
};
const OF_CLAIMS = ["/claims", "The newest changes of claims"] as const;
const OF_RECORDS = ["/registry", "The newest changes of records", { errors: [404] }] as const;

export const FEED_ROWS = {
  feed: feedRow("xml", "", "The newest changes"),
  "feed-json": feedRow("json", "", "The newest changes"),
  "claims-feed": feedRow("xml", ...OF_CLAIMS),
  "claims-feed-json": feedRow("json", ...OF_CLAIMS),
  "registry-feed": feedRow("xml", ...OF_RECORDS),
  "registry-feed-json": feedRow("json", ...OF_RECORDS),
  "folder-feed": feedRow("xml", ...OF_FOLDER, FOLDER),
  "folder-feed-json": feedRow("json", ...OF_FOLDER, FOLDER),
} as const satisfies Readonly<Record<string, WrittenRow>>;

export const HISTORY_ROWS = {
  changes: row({
    group: "library",
    path: "/api/changes",
    kind: "history",
    limit: "at",
    summary: "What each publication changed, oldest first, with fields before and after",
    query: [
      parameter("since", "Number or id of a snapshot: what came after it. Everything that is kept without it.", "0"),
      { ...limit("Changes", DEFAULT_CHANGES), description: `Changes in one response, 1 to 500; ${DEFAULT_CHANGES} without it.` },
      cursor,
    ],
    success: json(ChangesResponse, "The changes of objects, claims and records"),
    errors: [400, 404, 410],
  }),
  diff: row({
    group: "library",
    path: "/api/diff/{from}/{to}",
    kind: "history",
    limit: "at",
    summary: "What differs between two snapshots that are kept",
    parts: { from: { description: SNAPSHOT_NAMED, example: "0".repeat(64) }, to: { description: SNAPSHOT_NAMED, example: "0".repeat(64) } },
    query: [
      { ...limit("Changes", DEFAULT_CHANGES), description: `Changes in one response, 1 to 500; ${DEFAULT_CHANGES} without it.` },
      cursor,
    ],
    success: json(Comparison, "As the page of the comparison, and as `snapshots diff --json`"),
    errors: [400, 404, 410],
  }),
  "cub-meaning": row({
    group: "registry",
    path: "/api/cubs/{id}/meaning",
    kind: "history",
    limit: "at",
    summary: "What has to be read to believe a record's statement, quoted, and what of it changed",
    parts: { id: { description: "Exact CUB id.", example: "CUB-0001" } },
    query: [parameter("since", "Number or id of a snapshot, or the digest of a meaning that somebody read.", "1")],
    success: json(MeaningAnswer, "Definitions, each after what it rests on; with since, its changed lines"),
    errors: [400, 404, 410, 503],
  }),
  timemap: row({
    group: "service",
    path: "/api/timemap",
    kind: "history",
    summary: "When which snapshot was served: a TimeMap (RFC 7089)",
    success: text("application/link-format", "A link for each snapshot that is kept"),
  }),
  timegate: row({
    group: "service",
    path: "/timegate/{path...}",
    kind: "history",
    summary: "Leads to any address as it was at the time in Accept-Datetime (RFC 7089); /at/2026-01-31T12:00:00Z/… does so too",
    parts: { path: { description: "Any path of this service.", example: "claims/" } },
    success: text("text/html", "Never: the answer is the address under /at/"),
    errors: [400, 404],
    also: { 302: "The address under /at/" },
  }),
  ...FEED_ROWS,
} as const satisfies Readonly<Record<string, WrittenRow>>;

/** A comparison reads whole catalogs, record by record; so does a look at what a thing has been. */
const COMPARED = { kind: "history", limit: "at" } as const;

export const HISTORY_PAGES = {
  "diff-page": pageRow("/snapshots/{from}..{to}/", COMPARED),
  "object-revisions": pageRow("/snapshots/object/{key...}", COMPARED),
  "record-revisions": pageRow("/snapshots/registry/{id...}", COMPARED),
  "snapshots-page": pageRow(pagePath.snapshots, { kind: "history" }),
  "snapshots-part": pageRow("/snapshots/=p{part}/", { kind: "history" }),
} as const satisfies Readonly<Record<string, WrittenPage>>;
