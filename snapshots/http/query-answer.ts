/** The routes that follow from the snapshot and the URL: list, search, cubs. */
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import type { SearchResult } from "../query/search-result.ts";
import { canonicalJson } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { objectPath } from "../format/layout.ts";
import { CUB_FILTERS } from "../schema/cubs.ts";
import type { Source } from "../schema/resources.ts";
import { type Cursor, formatCursor, parseCursor, positionOf, queryDigest } from "../query/cursor.ts";
import { findCubs, parseCubQuery } from "../query/cubs.ts";
import { single } from "../query/params.ts";
import { list, parsePrefix } from "../query/list.ts";
import { parseSearch, search } from "../query/search.ts";
import { relationsOf } from "../format/relations.ts";
import { type Answer, type AnswerRequest, type CacheClass, matchesTag, type Prepared, prepare, queryTag, reply } from "./reply.ts";
import type { Route } from "../routes/route.ts";
import type { View } from "./view.ts";
import { mountPath, type ViewData } from "../format/view-data.ts";

export type QueryContext = {
  readonly view: View;
  readonly open: OpenSnapshot;
  readonly mount: string;
  readonly cache: CacheClass;
  readonly prepared: { get(target: string): Prepared | undefined; set(target: string, prepared: Prepared): unknown };
};

type QueryBody = { readonly body: object; readonly next: string | null };
type Query = {
  /** Decides the result together with the snapshot; the validator is made of it. */
  readonly canonical: string;
  run(): Promise<QueryBody>;
};

export async function queryAnswer(context: QueryContext, request: AnswerRequest, route: Route, query: string): Promise<Answer> {
  const known = context.prepared.get(request.target);
  if (known !== undefined) return reply(request, known);
  const params = new URLSearchParams(query);
  const cursorText = route.query.some((item) => item.name === "cursor") ? single(params, "cursor") : null;
  const cursor = cursorText === null ? null : parseCursor(cursorText);
  const open =
    cursor === null || cursor.snapshot === context.open.snapshot.id ? context.open : await openCursor(context, route, params, cursor);
  const { snapshot } = open;
  const data = await snapshot.data();
  const parsed = parse(open, data, route, params, cursor, context.mount);
  const tag = queryTag(snapshot.id, parsed.canonical);
  // A cursor may lead into an earlier snapshot than the one that is served.
  const headers: Record<string, string> = snapshot.id === context.open.snapshot.id ? {} : { "X-Snapshot": snapshot.id };
  if (matchesTag(request.header("if-none-match"), tag)) {
    return reply(request, prepare({ bytes: new Uint8Array(), type: "application/json", tag, headers }, context.cache));
  }
  const { body, next } = await parsed.run();
  if (next !== null) {
    params.set("cursor", next);
    headers["Link"] = `<${context.mount}${route.path}?${params.toString()}>; rel="next"`;
  }
  const bytes = new TextEncoder().encode(canonicalJson({ ...body, ...(next === null ? {} : { next }) }));
  const prepared = prepare({ bytes, type: "application/json", tag, headers }, context.cache);
  context.prepared.set(request.target, prepared);
  return reply(request, prepared);
}

/** @throws ShelfError "cursor_expired" when its snapshot was pruned */
async function openCursor(context: QueryContext, route: Route, params: URLSearchParams, cursor: Cursor): Promise<OpenSnapshot> {
  const open = await context.view.byId(cursor.snapshot);
  if (open !== null) return open;
  params.delete("cursor");
  const first = `${context.mount}${route.path}${params.size === 0 ? "" : `?${params.toString()}`}`;
  throw new ShelfError("cursor_expired", "The snapshot that this cursor belongs to is no longer kept.", {
    fixes: [`Start again at ${first}`],
  });
}

function parse(open: OpenSnapshot, data: ViewData, route: Route, params: URLSearchParams, cursor: Cursor | null, mount: string): Query {
  const id = open.snapshot.id;
  const nextCursor = (digest: string, position: number | null): string | null =>
    position === null ? null : formatCursor({ snapshot: id, query: digest, position });
  if (route.id === "list") {
    const prefix = parsePrefix(single(params, "prefix") ?? "");
    const digest = queryDigest("list", prefix);
    const position = positionOf(cursor, digest);
    return {
      canonical: canonicalJson(["list", mount, prefix, position]),
      async run() {
        const { next, ...body } = list(data.objects, prefix, position);
        return { body, next: nextCursor(digest, next) };
      },
    };
  }
  if (route.id === "cubs") {
    const query = parseCubQuery(params);
    const { meta } = data;
    if (meta === null) throw new ShelfError("registry_unavailable", "The registry could not be read when this snapshot was built.");
    const filters = CUB_FILTERS.flatMap(({ name }) => (query.filters.has(name) ? [[name, query.filters.get(name)]] : []));
    const digest = queryDigest("cubs", [query.q, filters]);
    const position = positionOf(cursor, digest);
    return {
      canonical: canonicalJson(["cubs", mount, query.q, filters, query.limit, position]),
      async run() {
        const { count, cubs, next } = findCubs(data.cubs, query, position);
        return { body: { meta, count, returned: cubs.length, cubs }, next: nextCursor(digest, next) };
      },
    };
  }
  const query = parseSearch(params);
  return {
    canonical: canonicalJson(["search", mount, query.q, query.prefix, query.limit]),
    async run() {
      const results = await search(await open.reader(), query);
      return { body: { query: query.q, prefix: query.prefix, results: results.map((result) => toSource(data, result)) }, next: null };
    },
  };
}

/** A search result as the interface shows it. */
export function toSource(data: ViewData, result: SearchResult): Source {
  const { title, kind, key, snippet, score } = result;
  const mount = mountPath(data.library);
  const summary =
    kind === "record"
      ? (relationsOf(data).recordById.get(key)?.statement ?? "")
      : kind === "claim"
        ? (relationsOf(data).claimById.get(key)?.scope ?? "")
        : (relationsOf(data).objectByKey.get(key)?.summary ?? "");
  const href = kind === "record" ? `/api/cubs/${key}` : kind === "claim" ? `${mount}/api/claims` : mount + objectPath(key);
  return { title, kind, key, href, summary, snippet, score };
}
