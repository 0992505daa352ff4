/** Claims and proof records: the tools over their routes. */
import { ShelfError } from "../errors.ts";
import { pagePath } from "../format/layout.ts";
import { relationsOf } from "../format/relations.ts";
import { parseCubId } from "../query/cubs.ts";
import type { Claim } from "../schema/claims.ts";
import { CUB_FILTERS, CUB_SUMMARY, type CubRecord } from "../schema/cubs.ts";
import { countFitting, jsonBytes, shorten } from "./budget.ts";
import { readRoute, type Tool, type ToolContext, type ToolResult, withQuery } from "./context.ts";
import { fitWhole, pagedList, shortenedNotice, tooLarge, wholeRoute } from "./library.ts";

export const getRegistryMeta: Tool = (context) => wholeRoute(context, "/api/cubs/meta", true);

export const getCub: Tool = (context, { id }) => wholeRoute(context, `/api/cubs/${parseCubId(String(id))}`, true);

export const searchCubs: Tool = (context, { query, ...rest }) => findRecords(context, query, rest);

export const listCubs: Tool = (context, args) => findRecords(context, undefined, args);

/** A page of GET /api/cubs that is as short as it must be: its `next` is then the route's own. */
async function findRecords(context: ToolContext, query: unknown, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
  const { limit, cursor, detail, ...filters } = args;
  const named = Object.fromEntries(CUB_FILTERS.map(({ name }) => [name, filters[name]]));
  const fetch = async (count: unknown) => {
    const path = withQuery("/api/cubs", { q: query, ...named, limit: count, cursor });
    const { body, snapshot } = await readRoute(context, path);
    const { count: total, returned, cubs, next } = body as { count: number; returned: number; cubs: readonly CubRecord[]; next?: string };
    const items: readonly unknown[] = detail === "full" ? cubs : cubs.map(summary);
    return { path, snapshot, total, returned, items, next: next ?? null };
  };
  let page = await fetch(limit);
  const base = jsonBytes({ count: page.total, returned: page.returned, cubs: [] });
  const fitting = countFitting(page.items, base, context.budget);
  const notices: string[] = [];
  let items = page.items;
  if (fitting < items.length) {
    page = await fetch(Math.max(1, fitting));
    ({ items } = page);
    if (fitting === 0) {
      const short = shorten(items[0], context.budget - base - 2);
      if (short === null) throw tooLarge();
      items = [short.value];
      notices.push(shortenedNotice(short.shortened));
    }
  }
  return {
    result: { count: page.total, returned: page.returned, cubs: items },
    snapshot: page.snapshot,
    path: page.path,
    pinned: true,
    truncated: page.next !== null || notices.length > 0,
    next: page.next,
    notices,
  };
}

function summary(record: CubRecord): object {
  return Object.fromEntries(CUB_SUMMARY.map((name) => [name, record[name]]));
}

export const listClaims: Tool = (context, { status, limit, cursor, detail }) =>
  pagedList(
    context,
    "tool:claims",
    [status ?? null, detail],
    cursor,
    async ({ data }) => {
      const all = data.claims.claims.filter((claim) => status === undefined || claim.status === status);
      const shown = detail === "full" ? all : all.map(claimSummary);
      return { all: shown, path: "/api/claims", wrap: (items) => ({ count: all.length, claims: items }) };
    },
    Number(limit),
  );

function claimSummary({ id, title, status, scope, statement, evidence, gaps }: Claim): object {
  return { id, title, status, scope, statement, evidence: evidence.length, gaps: gaps.length };
}

export const getClaim: Tool = async (context, { id }) => {
  const claim = relationsOf(context.data).claimById.get(String(id));
  if (claim === undefined) {
    throw new ShelfError("claim_not_found", "No claim of this view has this id.", { fixes: ["list_claims gives the ids."] });
  }
  const { value, truncated, notices } = fitWhole(claim, context.budget);
  // The page has the claim by itself; /api/claims has it among all.
  const page = `Its page: ${pagePath.claim(claim.id)}`;
  return {
    result: value,
    snapshot: context.open.snapshot.id,
    path: "/api/claims",
    pinned: true,
    truncated,
    next: null,
    notices: [...notices, page],
  };
};
