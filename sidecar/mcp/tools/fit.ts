/** Bodies cut to an agent's budget: one thing whole or shortened, a list as many items as fit. */
import { ShelfError } from "#snapshots/errors";
import { formatCursor, parseCursor, positionOf, queryDigest } from "#snapshots/query";
import { countFitting, jsonBytes, shorten } from "#snapshots/tools";
import { followCursor, type ToolContext, type ToolResult } from "./context.ts";

type Slice = { readonly items: readonly unknown[]; readonly next: number | null; readonly notices: readonly string[] };

/** slice returns the items from a position on, as many as fit. @param base bytes of the result without items */
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

function shortenedNotice(pointers: readonly string[]): string {
  return `Shortened to fit: ${pointers.join(", ")}. The whole is at href.`;
}

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

/** wholeBody makes a body that is one thing. @param pinned whether `path` also works under /at/<snapshot> */
export function wholeBody(context: ToolContext, body: object, path: string, pinned: boolean): ToolResult {
  const { value, truncated, notices } = fitWhole(body, context.budget);
  return { result: value, snapshot: context.open.snapshot.id, path, pinned, truncated, next: null, notices };
}

/** A part of what a route says; its path also works under /at/<snapshot>. */
export function part(
  { open }: ToolContext,
  path: string,
  result: object,
  next: string | null,
  notices: readonly string[] = [],
): ToolResult {
  return { result, snapshot: open.snapshot.id, path, pinned: true, truncated: next !== null || notices.length > 0, next, notices };
}

/** pagedList makes a list that no route pages. */
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
  return part(at, path, wrap(items), next === null ? null : formatCursor({ snapshot: id, query: digest, position: next }), notices);
}
