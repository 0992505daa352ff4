/** One row of the route table. */
import type { z } from "zod";

/** RowKind says how long an answer may be kept. A `file` follows from the snapshot, a `query` from the snapshot and the URL, `history` from the
 *  shelf's records besides, `live` from the running process. An `effect` needs a secret, a body, a model or an identity, and lives in the sidecar
 *  (architecture "The flow"). */
export type RowKind = "file" | "query" | "history" | "live" | "effect";
/** RouteAccess says who may call. `token`: REINDEX_TOKEN; `gated`: the access gateway; `person`: the gateway, and people only. */
export type RouteAccess = "public" | "token" | "gated" | "person";
type Views = "both" | "public" | "internal";

/** A RateGroup is counted together when requests per client are limited. */
export type RateGroup = "search" | "mcp" | "ask" | "ai-search" | "code" | "llms-full" | "at" | "sign-in";

export type RouteParameter = {
  readonly name: string;
  readonly required: boolean;
  readonly repeats: boolean;
  readonly description: string;
  readonly example: string;
};
export type RouteResponse = { readonly description: string; readonly schema?: z.ZodType; readonly type?: string };

/** A PageRow decides how a request is answered. */
export type PageRow = {
  readonly id: string;
  /** With {name} for one segment, {name...} for the rest of the path. */
  readonly path: string;
  readonly methods: readonly ("GET" | "HEAD" | "POST")[];
  readonly kind: RowKind;
  readonly access: RouteAccess;
  /** The limit that a request counts against where limits are on; null counts nowhere. */
  readonly limit: RateGroup | null;
  /** Its meaning under /at/<snapshot>: of the snapshot that is kept, the same as now, or not there. */
  readonly at: "kept" | "now" | "none";
  /** True when it is read by people: unknown parameters of a page are ignored, and other spellings of its path lead to it. */
  readonly page: boolean;
  readonly views: Views;
  /** Where its bytes lie in the snapshot's tree, with the parts of `path`; absent where they are made when asked for. */
  readonly file?: string;
  /** Its path in the gated view, where that is another one. */
  readonly gatedPath?: string;
};

/** A Route is a row of the interface: it is described. */
export type Route = PageRow & {
  readonly group: "library" | "registry" | "service" | "internal";
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

export type RouteRow = Route | PageRow;

/** describedRoutes returns every route as it is described: each that both views have stands there a second time, behind the gate. */
export function describedRoutes(rows: readonly Route[]): readonly Route[] {
  const gated = rows
    .filter(({ views }) => views !== "public")
    .map(
      (row): Route => ({
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
  return [...rows.filter(({ views }) => views !== "internal"), ...gated];
}

/** GONE are what a kept snapshot answers that was taken out of service, and a thing in one that was withdrawn. */
const GONE = [410, 451] as const;

/** errorStatuses gives every error status that a route can answer, ascending: 400 for an unknown parameter, 405, 412 where something is read,
 *  429 where requests are counted, 503 where there is no snapshot or no room. */
export function errorStatuses({ at, errors, limit, methods }: Route): readonly number[] {
  const read = methods.includes("GET") ? [412] : [];
  const all = [400, 405, 503, ...(at === "kept" ? GONE : []), ...read, ...(limit === null ? [] : [429]), ...errors];
  return [...new Set(all)].sort((a, b) => a - b);
}
