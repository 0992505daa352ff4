/** The route table, put together: the core's rows, the annexes' rows, and the pages, who has each and in which order it is described.
 *  Answers, the description at /api/openapi.json and the reference page are handed it. */
import { HISTORY_PAGES, HISTORY_ROWS } from "../annex/history/rows.ts";
import { HARVEST_ROWS } from "../annex/harvest/rows.ts";
import { LEAK_ROWS } from "../annex/leaks/rows.ts";
import { LOG_ROWS } from "../annex/log/rows.ts";
import { PROOF_ROWS } from "../annex/proofs/rows.ts";
import { BESIDE, SIDE_ROWS } from "../annex/side/rows.ts";
import { EFFECT_ROWS } from "../routes/effect-rows.ts";
import { openRouter } from "../routes/match.ts";
import { PAGE_ROWS } from "../routes/page-rows.ts";
import { describedRoutes, type Views } from "../routes/route.ts";
import { CORE_ROWS } from "../routes/routes.ts";

const ROWS = {
  ...CORE_ROWS,
  ...EFFECT_ROWS,
  ...HISTORY_ROWS,
  ...LOG_ROWS,
  ...SIDE_ROWS,
  ...PROOF_ROWS,
  ...HARVEST_ROWS,
  ...LEAK_ROWS,
} as const;
const PAGES = { ...PAGE_ROWS, ...HISTORY_PAGES } as const;

/** Whatever has an answer: a row of the interface, or a page. */
export type RowId = keyof typeof ROWS | keyof typeof PAGES;

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
  "catalog-parquet": "public",
  "cubs-parquet": "public",
  oai: "public",
  datacite: "public",
  "ro-crate": "public",
  "server-json": "public",
  opensearch: "public",
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
const pages = (Object.keys(PAGES) as (keyof typeof PAGES)[]).map((id) => ({ ...PAGES[id], id, views: "both" as const }));

/** Every route of the service as it is described. */
export const ROUTES = describedRoutes(rows);
/** Reads the paths of every row. */
export const ROUTER = openRouter([...rows, ...pages], BESIDE);

export { HARVEST_FILES } from "../annex/harvest/rows.ts";
