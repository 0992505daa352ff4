/** The route table, put together: the core's rows, the annexes' rows, and the pages, who has each and in which order it is described.
 *  The answers, the description at /api/openapi.json, the reference page and the tests that enumerate routes all read it. */
import { EFFECT_ROWS } from "./effect-rows.ts";
import { HISTORY_PAGES, HISTORY_ROWS } from "../annex/history/rows.ts";
import { LEAK_ROWS } from "../annex/leaks/rows.ts";
import { LOG_ROWS } from "../annex/log/rows.ts";
import { PROOF_ROWS } from "../annex/proofs/rows.ts";
import { PAGE_ROWS } from "./page-rows.ts";
import type { PageRow, Route, Views } from "./route.ts";
import { CORE_ROWS } from "./routes.ts";
import { BESIDE, SIDE_ROWS } from "../annex/side/rows.ts";

const ROWS = { ...CORE_ROWS, ...EFFECT_ROWS, ...HISTORY_ROWS, ...LOG_ROWS, ...SIDE_ROWS, ...PROOF_ROWS, ...LEAK_ROWS } as const;
const PAGES = { ...PAGE_ROWS, ...HISTORY_PAGES } as const;

export type EffectRouteId = keyof typeof EFFECT_ROWS;
type PageId = keyof typeof PAGES;
/** Whatever has an answer: a row of the interface, or a page. */
export type RowId = keyof typeof ROWS | PageId;
/** A route as it is described: each that both views have stands there a second time, behind the gate. */
export type RouteId = keyof typeof ROWS | `internal-${keyof typeof ROWS}`;
export type Row = Route<keyof typeof ROWS> | PageRow<PageId>;
export type Beside = (typeof BESIDE)[number];
export const BESIDE_FILES: readonly Beside[] = BESIDE;

/** Which views have a route. The order is that of the description. */
const VIEWS: Readonly<Record<keyof typeof ROWS, Views>> = {
  list: "both",
  catalog: "both",
  "catalog-collection": "both",
  claims: "both",
  search: "both",
  "ai-search": "both",
  ask: "both",
  capabilities: "both",
  openapi: "both",
  object: "both",
  "page-image": "both",
  "cub-graph": "both",
  "graph-ndjson": "both",
  "graph-dot": "both",
  digest: "both",
  proof: "both",
  changes: "both",
  diff: "both",
  "folder-feed": "both",
  "folder-feed-json": "both",
  browse: "both",
  llms: "both",
  "llms-full": "both",
  "mcp-description": "both",
  mcp: "both",
  feed: "both",
  "feed-json": "both",
  "claims-feed": "both",
  "claims-feed-json": "both",
  "registry-feed": "both",
  "registry-feed-json": "both",
  timemap: "both",
  timegate: "both",
  "leak-report": "both",
  cubs: "public",
  "cubs-all": "public",
  "cubs-meta": "public",
  cub: "public",
  "cub-code": "public",
  code: "public",
  archive: "public",
  "catalog-ndjson": "public",
  "catalog-csv": "public",
  "cubs-ndjson": "public",
  "cubs-csv": "public",
  rejected: "public",
  predicate: "public",
  reindex: "public",
  health: "public",
  sitemap: "public",
  "sitemap-part": "public",
  "security-txt": "public",
  robots: "public",
  shelf: "public",
  "person-ask": "internal",
};

const rows = (Object.keys(VIEWS) as (keyof typeof ROWS)[]).map((id) => ({ ...ROWS[id], id, views: VIEWS[id] }));
const pages = (Object.keys(PAGES) as PageId[]).map((id): PageRow<PageId> => ({ ...PAGES[id], id, views: "both" }));

/** Every row, as it stands in a view. */
export const ALL_ROWS: readonly Row[] = [...rows, ...pages];

const gated = rows
  .filter(({ views }) => views !== "public")
  .map(
    (row): Route<RouteId> => ({
      ...row,
      id: `internal-${row.id}`,
      group: "internal",
      path: `/internal${row.gatedPath ?? row.path}`,
      kind: "effect",
      access: row.access === "person" ? "person" : "gated",
      summary: row.views === "internal" ? row.summary : `${row.summary} (public plus email-gated)`,
      errors: [...new Set([...row.errors, 401, 403, 503])].sort(),
    }),
  );

/** Every route of the service as it is described, the gated view under /internal. */
export const ROUTES: readonly Route<RouteId>[] = [...rows.filter(({ views }) => views !== "internal"), ...gated];

export function findRoute(id: RouteId): Route<RouteId> {
  const route = ROUTES.find((candidate) => candidate.id === id);
  if (route === undefined) throw new TypeError(`there is no route "${id}"`);
  return route;
}
