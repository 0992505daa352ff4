/** The sources of every answer of a snapshot, and how long an answer is kept: both are decided here and nowhere else. */
import { hasTwin } from "#snapshots/format";
import type { OpenSnapshot } from "#snapshots/query";
import { type RoutePlace, splitTarget } from "#snapshots/routes";
import { chooseEncoding } from "./encoding.ts";
import type { PreparedRoom } from "./prepared.ts";
import { type Answer, type AnswerRequest, type CacheClass, commonHeaders, type Content, makeReady, reply } from "./reply.ts";
import { atBasis, type Context, mountOf, type View } from "./view.ts";

export function liveCache(view: View): CacheClass {
  return view.options.view === "internal" ? "private" : "live";
}

export async function openContext(view: View, open: OpenSnapshot, { at, match }: Pick<RoutePlace, "at" | "match">): Promise<Context> {
  const top = mountOf(view);
  const { id } = open.snapshot;
  if (at !== null) {
    const cache = view.options.view === "internal" ? "private" : "kept";
    return { view, open, mount: `${top}/at/${id}`, cache, basis: atBasis(id), room: "kept" };
  }
  // Answers that follow from all records change with a publication or a prune.
  const history = match?.route.kind === "history" ? `+${await view.historyVersion()}` : "";
  return { view, open, mount: top, cache: liveCache(view), basis: id + history, room: null };
}

/** contentAnswer answers with a content, and makes it unless it is ready.
 *  @param keep the room in which it is kept: null when a stranger could ask for it under any number of names */
export async function contentAnswer(
  { view, open, mount, basis, room }: Context,
  request: AnswerRequest,
  keep: PreparedRoom | null,
  make: () => Promise<Content>,
): Promise<Answer> {
  const encoding = chooseEncoding(request.header("accept-encoding"));
  // An answer that is ready is sent without a look at its page: it says itself that a client may rather read its twin.
  const choice = hasTwin(splitTarget(request.target.slice(mount.length))[0]) ? { Vary: "Accept, Accept-Encoding" } : {};
  const common = commonHeaders(view.options.view, open.snapshot.id);
  const ready = await view.prepared.obtain(keep === null ? null : (room ?? keep), basis, request.target, encoding, async () => {
    const content = await make();
    return makeReady({ ...content, headers: { ...content.headers, ...choice } }, encoding, common);
  });
  return reply(request, ready);
}
