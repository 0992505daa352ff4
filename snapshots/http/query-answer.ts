/** The routes that follow from the snapshot and the URL. */
import { canonicalJson } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import type { OpenSnapshot, ParsedQuery } from "#snapshots/query";
import type { RouteMatch } from "#snapshots/routes";
import { type SnapshotRequest, atBasis, type Context } from "./view.ts";
import { chooseEncoding } from "./encoding.ts";
import { type Answer, commonHeaders, makeReady, queryTag, reply } from "./reply.ts";

const JSON_TYPE = "application/json";

type QueryParser = (parts: RouteMatch["parts"], params: URLSearchParams) => ParsedQuery;

/** queryAnswer answers a query. @param parse reads the parts of the path and the parameters, whose names are known already
 *  @throws ShelfError for a value that the route does not take, and what its body throws */
export async function queryAnswer({ context, request, place }: SnapshotRequest, parse: QueryParser): Promise<Answer> {
  const { view } = context;
  const match = place.match as RouteMatch;
  const params = new URLSearchParams(place.query);
  const encoding = chooseEncoding(request.header("accept-encoding"));
  const parsed = parse(match.parts, params);
  const open = await continueIn(context, parsed, params, match);
  const content = { type: JSON_TYPE, tag: queryTag(open.snapshot.id, parsed.canonical), cache: context.cache };
  // A cursor may lead into an earlier snapshot than the one that is served.
  const common = commonHeaders(view.options.view, open.snapshot.id);
  // Kept under the snapshot that answers, so that it is forgotten with it. Made for a 304 too: that has the headers of what it stands for, and
  // only the body tells where the list goes on, and whether anything is there at all.
  const basis = open === context.open ? context.basis : atBasis(open.snapshot.id);
  const ready = await view.prepared.obtain(context.room ?? "queries", basis, request.target, encoding, async () => {
    const body = await parsed.body(open);
    const headers = linkHeader(context, match, params, body);
    return makeReady({ ...content, headers, bytes: new TextEncoder().encode(canonicalJson(body)) }, encoding, common);
  });
  return reply(request, ready);
}

/** continueIn returns the snapshot that a cursor belongs to, so that a rebuild never shifts pages.
 *  @throws ShelfError "cursor_expired" when it was pruned, "bad_cursor" where an address names another snapshot */
export async function continueIn(
  context: Context,
  { cursor }: Pick<ParsedQuery, "cursor">,
  params: URLSearchParams,
  match: RouteMatch,
): Promise<OpenSnapshot> {
  if (cursor === null || cursor.snapshot === context.open.snapshot.id) return context.open;
  if (context.room === "kept") throw new ShelfError("bad_cursor", "The cursor belongs to another snapshot than the address names.");
  const open = await context.view.byId(cursor.snapshot);
  if (open !== null) return open;
  throw new ShelfError("cursor_expired", "The snapshot that this cursor belongs to is no longer kept.", {
    fixes: [`Start again at ${targetOf(context, match, params, null)}`],
  });
}

/** linkHeader makes the Link header (RFC 8288) of a body that goes on. */
export function linkHeader(context: Context, match: RouteMatch, params: URLSearchParams, body: object): Record<string, string> {
  const next = "next" in body && typeof body.next === "string" ? body.next : null;
  return next === null ? {} : { Link: `<${targetOf(context, match, params, next)}>; rel="next"` };
}

/** A listing has a file's name too, whose prefix is a part of the path: its pages go on by parameters. */
function targetOf(context: Context, { route, parts }: RouteMatch, params: URLSearchParams, cursor: string | null): string {
  const named = Object.entries(parts).filter(([name]) => !route.path.includes(`{${name}`));
  const next = new URLSearchParams([...named, ...params]);
  next.delete("cursor");
  if (cursor !== null) next.set("cursor", cursor);
  return `${context.mount}${route.path}${next.size === 0 ? "" : `?${next.toString()}`}`;
}
