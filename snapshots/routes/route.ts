/** What one row of the route table says. */
import type { RowsRouteId } from "../query/rows.ts";
import type { z } from "zod";
import type { QueryRouteId } from "../query/bodies.ts";
import type { ChangesRouteId } from "../query/changes.ts";

/** `file` follows from the snapshot, `query` from the snapshot and the URL, `history` from the shelf's records besides, `live` from the
 *  running process, `effect` needs a secret, a body, a model or an identity and lives in the sidecar (architecture "The flow"). */
type RouteKind = "file" | "query" | "history" | "live" | "effect";
/** `token`: REINDEX_TOKEN; `gated`: the access gateway; `person`: the gateway, and people only. */
export type RouteAccess = "public" | "token" | "gated" | "person";

/** What is counted together when requests per client are limited. */
export type RateGroup = "search" | "mcp" | "ask" | "ai-search" | "code" | "llms-full" | "at";

/** Routes that follow from the snapshot alone. */
export type FileRouteId =
  | "catalog"
  | "catalog-collection"
  | "claims"
  | "cubs-all"
  | "cubs-meta"
  | "cub"
  | "cub-code"
  | "rejected"
  | "openapi"
  | "object"
  | "page-image"
  | "browse"
  | "llms"
  | "llms-full"
  | "mcp-description"
  | "security-txt"
  | "archive"
  | RowsRouteId
  | "sitemap"
  | "sitemap-part"
  | "robots"
  | "shelf";
export type FeedName = "feed" | "claims-feed" | "registry-feed" | "folder-feed";
type FeedRouteId = FeedName | `${FeedName}-json`;
/** Routes that follow from the shelf's history besides. */
export type HistoryRouteId = ChangesRouteId | FeedRouteId | "timemap" | "timegate";
export type LiveRouteId = "capabilities" | "health";
type EffectRouteId = "ask" | "ai-search" | "mcp" | "code" | "reindex";
/** A route inside a view. */
export type ViewRouteId = QueryRouteId | HistoryRouteId | FileRouteId | LiveRouteId | EffectRouteId;
export type RouteId = ViewRouteId | `internal-${ViewRouteId}` | "internal-person-ask";

export type RouteParameter = {
  readonly name: string;
  readonly required: boolean;
  readonly repeats: boolean;
  readonly description: string;
  readonly example: string;
};
export type RouteResponse = { readonly description: string; readonly schema?: z.ZodType; readonly type?: string };

export type Route<Id extends RouteId = RouteId> = {
  readonly id: Id;
  readonly group: "library" | "registry" | "service" | "internal";
  readonly methods: readonly ("GET" | "HEAD" | "POST")[];
  /** With {name} for one segment, {name...} for the rest of the path. */
  readonly path: string;
  readonly kind: RouteKind;
  /** Where its bytes lie in the snapshot's tree, with the parts of `path`; absent where they are made when asked for. */
  readonly file?: string;
  readonly access: RouteAccess;
  /** Which limit a request counts against where limits are on; null counts nowhere. */
  readonly limit: RateGroup | null;
  readonly summary: string;
  readonly query: readonly RouteParameter[];
  /** Descriptions of the parts in braces. */
  readonly parts: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  readonly body?: z.ZodType;
  readonly success: RouteResponse;
  /** Other answers that are no problem body: 3xx without a body, else with the body of a success. */
  readonly also?: Readonly<Record<number, string>>;
  /** Error statuses besides those that every route of its kind has: see `errorStatuses`. */
  readonly errors: readonly number[];
};

/** Every error status that a route can answer, ascending: 400 for an unknown parameter, 405, 412 where there is a validator, 429 where
 *  requests are counted. */
export function errorStatuses({ errors, group, kind, limit, methods }: Route): readonly number[] {
  const validated = methods.includes("GET") && (kind === "file" || kind === "query" || kind === "history" || group === "internal");
  return [...new Set([400, 405, ...(validated ? [412] : []), ...(limit === null ? [] : [429]), ...errors])].sort((a, b) => a - b);
}

/** A row of a page: pages are described to people, not to programs. */
export type PageRoute = { readonly id: "search-page" | "ask-page" | "at" | "diff-page" } & Pick<
  Route,
  "path" | "methods" | "kind" | "access" | "limit"
>;
