/** Collections, listings, search, capabilities: the tools over the library. */
import { LRUCache } from "lru-cache";
import { capabilities } from "#snapshots/http";
import {
  collectionsBody,
  formatCursor,
  list,
  type OpenSnapshot,
  parseCursor,
  parsePrefix,
  parseSearch,
  positionOf,
  queryDigest,
  searchBody,
} from "#snapshots/query";
import { memoize } from "#snapshots/format";
import type { SearchResponse } from "#snapshots/schema";
import { countFitting, jsonBytes } from "#snapshots/tools";
import { followCursor, paramsOf, type Tool, withQuery } from "./context.ts";
import { pagedList, part, wholeBody } from "./fit.ts";

export const listCollections: Tool = (context, { cursor }) =>
  pagedList(
    context,
    "tool:collections",
    [],
    cursor,
    async (at) => {
      const { collections, counts } = await collectionsBody(at.open);
      const all = collections.map(({ objects: _, ...rest }) => rest);
      return { all, path: "/api/catalog", wrap: (items) => ({ counts, collections: items }) };
    },
    Number.MAX_SAFE_INTEGER,
  );

/** listObjects takes and gives the cursors of GET /api/list. */
export const listObjects: Tool = async (context, { prefix: given = "", limit, cursor }) => {
  const at = await followCursor(context, cursor);
  const prefix = parsePrefix(String(given));
  const digest = queryDigest("list", prefix);
  const position = positionOf(typeof cursor === "string" ? parseCursor(cursor) : null, digest);
  let listing = list(at.data.objects, prefix, position, Number(limit));
  const base = jsonBytes({ prefix, prefixes: [], objects: [] });
  const entries = (): readonly unknown[] => [...listing.prefixes, ...listing.objects];
  if (base + jsonBytes(entries()) > context.budget) {
    // Prefixes and objects alternate in key order, so the count that fits is looked for on the listing itself.
    let count = countFitting(entries(), base, context.budget);
    do listing = list(at.data.objects, prefix, position, count);
    while (base + jsonBytes(entries()) > context.budget && --count > 0);
  }
  const { next, ...result } = listing;
  const { id } = at.open.snapshot;
  const after = next === null ? null : formatCursor({ snapshot: id, query: digest, position: next });
  return part(at, withQuery("/api/list", { prefix, cursor }), result, after);
};

/** Sources of remembered searches, half a kilobyte each, for one open snapshot: the next page is cut from the same search. */
const MAX_SOURCES = 10_000;
const searchesOf = memoize(
  (_: OpenSnapshot) => new LRUCache<string, SearchResponse>({ maxSize: MAX_SOURCES, sizeCalculation: ({ results }) => results.length + 1 }),
);

/** @param path of the GET twin, which decides the results together with the snapshot */
async function searchOnce(open: OpenSnapshot, path: string): Promise<SearchResponse> {
  const known = searchesOf(open);
  const found = known.get(path) ?? (await searchBody(open, parseSearch(paramsOf(path))));
  known.set(path, found);
  return found;
}

export const searchLibrary: Tool = (context, { query, prefix = "", limit, cursor }) =>
  pagedList(
    context,
    "tool:search",
    [query, prefix],
    cursor,
    async (at) => {
      const path = withQuery("/api/search", { q: query, prefix });
      const { results, ...said } = await searchOnce(at.open, path);
      return { all: results, path, wrap: (items) => ({ ...said, query, prefix, results: items }) };
    },
    Number(limit),
  );

export const getCapabilities: Tool = async (context) => {
  const { snapshot: _, ...body } = await capabilities(context.view);
  return wholeBody(context, body, "/api/capabilities", false);
};
