/** Claims and proof records. */
import { absoluteHref, claimStandings, judgedWords, orWithdrawn, pagePath, relationsOf } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import { cubBody, cubsBody, parseCubId, parseCubQuery, parseCursor, registryMetaBody } from "#snapshots/query";
import { type Claim, CUB_SUMMARY, type CubRecord, RECORD_FILTERS } from "#snapshots/schema";
import { jsonBytes } from "#snapshots/tools";
import { followCursor, paramsOf, type Tool, type ToolContext, type ToolResult, withQuery } from "./context.ts";
import { pagedList, part, slice, wholeBody } from "./fit.ts";

export const getRegistryMeta: Tool = async (context) => wholeBody(context, await registryMetaBody(context.open), "/api/cubs/meta", true);

export const getCub: Tool = async (context, { id: given }) => {
  const id = parseCubId(String(given));
  const record = await cubBody(context.open, id);
  const found = wholeBody(context, record, `/api/cubs/${id}`, true);
  const files = absoluteHref(context.data, `/api/cubs/${id}/code`, found.snapshot);
  return { ...found, notices: [...found.notices, `${id} is ${judgedWords(record)}. Its files: ${files}`] };
};

export const searchCubs: Tool = (context, { query, ...rest }) => findRecords(context, query, rest);

export const listCubs: Tool = (context, args) => findRecords(context, undefined, args);

/** A page of GET /api/cubs that is as short as it must be: its `next` is then the route's own. */
async function findRecords(given: ToolContext, query: unknown, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
  const { limit, cursor, detail, ...filters } = args;
  const context = await followCursor(given, cursor);
  const named = Object.fromEntries(RECORD_FILTERS.map(({ name }) => [name, filters[name]]));
  const fetch = async (count: unknown) => {
    const path = withQuery("/api/cubs", { q: query, ...named, limit: count, cursor });
    const parsed = { ...parseCubQuery(paramsOf(path)), cursor: typeof cursor === "string" ? parseCursor(cursor) : null };
    const { count: total, returned, cubs, next } = await cubsBody(context.open, parsed);
    const items: readonly unknown[] = detail === "full" ? cubs : cubs.map(summary);
    return { path, total, returned, items, next: next ?? null };
  };
  let page = await fetch(limit);
  const base = jsonBytes({ count: page.total, returned: page.returned, cubs: [] });
  const { items, notices } = slice(page.items, 0, page.items.length, base, context.budget);
  if (items.length < page.items.length) page = await fetch(items.length);
  return part(context, page.path, { count: page.total, returned: page.returned, cubs: items }, page.next, notices);
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

function claimSummary({ id, title, status, standing, reviewed, scope, statement, evidence, gaps }: Claim): object {
  return { id, title, status, standing, reviewed, scope, statement, evidence: evidence.length, gaps: gaps.length };
}

export const getClaim: Tool = async (context, { id }) => {
  const claim = relationsOf(context.data).claimById.get(String(id));
  if (claim === undefined) {
    const error = new ShelfError("claim_not_found", "No claim of this view has this id.", { fixes: ["list_claims gives the ids."] });
    throw orWithdrawn(context.data.withdrawn, "claim", String(id), error);
  }
  const found = wholeBody(context, claim, "/api/claims", true);
  // The page has the claim by itself; /api/claims has it among all.
  const { says } = claimStandings(context.data)(claim);
  return { ...found, notices: [...found.notices, `It is ${says}. Its page: ${pagePath.claim(claim.id)}`] };
};
