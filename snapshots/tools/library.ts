/** Collections, listings, search, capabilities: the tools over the library's routes. */
import { ShelfError } from "../errors.ts";
import { formatCursor, parseCursor, positionOf, queryDigest } from "../query/cursor.ts";
import { list, parsePrefix } from "../query/list.ts";
import type { Source } from "../schema/resources.ts";
import { countFitting, jsonBytes, shorten } from "./budget.ts";
import { followCursor, readRoute, type Tool, type ToolContext, type ToolResult, withQuery } from "./context.ts";

/** The part of a list that starts at `position` and fits, and where to go on. */
export type Slice = { readonly items: readonly unknown[]; readonly next: number | null; readonly notices: readonly string[] };

/** @param base bytes of the result without items */
export function slice(all: readonly unknown[], position: number, limit: number, base: number, budget: number): Slice {
  const wanted = all.slice(position, position + limit);
  const fitting = countFitting(wanted, base, budget);
  if (fitting === 0 && wanted.length > 0) {
    // One item alone is over the budget: better its beginning than an endless loop of empty pages.
    const short = shorten(wanted[0], budget - base - 2);
    if (short === null) throw tooLarge();
    return { items: [short.value], next: position + 1 < all.length ? position + 1 : null, notices: [shortenedNotice(short.shortened)] };
  }
  const end = position + fitting;
  return { items: wanted.slice(0, fitting), next: fitting > 0 && end < all.length ? end : null, notices: [] };
}

export function tooLarge(): ShelfError {
  return new ShelfError("bad_parameter", "Even the shortest form of this is longer than a result may be.", {
    fixes: ["Fetch it over HTTP, at the GET route of this tool."],
  });
}

export function shortenedNotice(pointers: readonly string[]): string {
  return `Shortened to fit: ${pointers.join(", ")}. The whole is at href.`;
}

/** One thing that must fit as it is or shortened. */
export function fitWhole(
  value: object,
  budget: number,
): { readonly value: object; readonly truncated: boolean; readonly notices: readonly string[] } {
  const short = shorten(value, budget);
  if (short === null) throw tooLarge();
  const { shortened } = short;
  return {
    value: short.value as object,
    truncated: shortened.length > 0,
    notices: shortened.length === 0 ? [] : [shortenedNotice(shortened)],
  };
}

/** A body that is one thing, from its route. */
export async function wholeRoute(context: ToolContext, path: string, pinned: boolean): Promise<ToolResult> {
  const { body, snapshot } = await readRoute(context, path);
  const { snapshot: _, ...rest } = body;
  const { value, truncated, notices } = fitWhole(rest, context.budget);
  return { result: value, snapshot, path, pinned, truncated, next: null, notices };
}

/** A list that no route pages: its cursors are bound to the snapshot and to the call that gave them. */
export async function pagedList(
  context: ToolContext,
  name: string,
  query: readonly unknown[],
  cursor: unknown,
  page: (
    context: ToolContext,
  ) => Promise<{ readonly all: readonly unknown[]; readonly path: string; readonly wrap: (items: readonly unknown[]) => object }>,
  limit: number,
): Promise<ToolResult> {
  const at = await followCursor(context, cursor);
  const digest = queryDigest(name, query);
  const position = positionOf(typeof cursor === "string" ? parseCursor(cursor) : null, digest);
  const { all, path, wrap } = await page(at);
  const { items, next, notices } = slice(all, position, limit, jsonBytes(wrap([])), context.budget);
  const { id } = at.open.snapshot;
  return {
    result: wrap(items),
    snapshot: id,
    path,
    pinned: true,
    truncated: next !== null || notices.length > 0,
    next: next === null ? null : formatCursor({ snapshot: id, query: digest, position: next }),
    notices,
  };
}

export const listCollections: Tool = (context, { cursor }) =>
  pagedList(
    context,
    "tool:collections",
    [],
    cursor,
    async (at) => {
      const { body } = await readRoute(at, "/api/catalog");
      const { collections, counts } = body as { collections: { objects: unknown }[]; counts: unknown };
      // The objects are what list_objects is for.
      const all = collections.map(({ objects: _, ...rest }) => rest);
      return { all, path: "/api/catalog", wrap: (items) => ({ counts, collections: items }) };
    },
    Number.MAX_SAFE_INTEGER,
  );

/** Takes and gives the cursors of GET /api/list. */
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
  return {
    result,
    snapshot: id,
    path: withQuery("/api/list", { prefix, cursor }),
    pinned: true,
    truncated: next !== null,
    next: next === null ? null : formatCursor({ snapshot: id, query: digest, position: next }),
    notices: [],
  };
};

export const searchLibrary: Tool = (context, { query, prefix = "", limit, cursor }) =>
  pagedList(
    context,
    "tool:search",
    [query, prefix],
    cursor,
    async (at) => {
      const path = withQuery("/api/search", { q: query, prefix });
      const { body } = await readRoute(at, path);
      const { results } = body as { results: readonly Source[] };
      return { all: results, path, wrap: (items) => ({ query, prefix, results: items }) };
    },
    Number(limit),
  );

export const getCapabilities: Tool = (context) => wholeRoute(context, "/api/capabilities", false);
