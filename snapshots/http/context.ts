/** What every answer of a snapshot is made from, and how long what is made is kept: decided here and nowhere else. */
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import type { RowId } from "../routes/all.ts";
import type { Match, Place } from "../routes/match.ts";
import { chooseEncoding } from "./encoding.ts";
import type { Room } from "./prepared.ts";
import { type Answer, type AnswerRequest, type CacheClass, commonHeaders, type Content, makeReady, reply } from "./reply.ts";
import { atBasis, mountOf, type View } from "./view.ts";

export type Context = {
  readonly view: View;
  readonly open: OpenSnapshot;
  /** Site path of this view and, under /at, of the snapshot: "" or "/internal" or "/at/<id>". */
  readonly mount: string;
  readonly cache: CacheClass;
  /** What prepared answers are kept under, besides their target. */
  readonly basis: string;
  /** Where prepared answers are kept, whatever they are; null where that follows from what they are. */
  readonly room: Room | null;
};

/** A request for what follows from a snapshot. */
export type Asked = { readonly context: Context; readonly request: AnswerRequest; readonly place: Place };

/** How a row of the route table is answered. */
export type Handler =
  | {
      /** @throws ShelfError for a value that the row does not take, and what its body throws */
      read(asked: Asked): Promise<Answer>;
      /** Before the first publication, from what the object store lists. */
      before?(view: View, request: AnswerRequest, parts: Match["parts"]): Promise<Answer>;
    }
  /** What the process says of itself it says in any state. */
  | { live(view: View, request: AnswerRequest): Promise<Answer> };

/** A fact that is filled into pages when they are served. */
export type Stamp = {
  readonly token: string;
  /** Pages that may have it. */
  readonly pages: readonly RowId[];
  /** @param path site path of the page; the links are made relative to it */
  html(open: OpenSnapshot, path: string, plainFiles: boolean): string | Promise<string>;
};

export function liveCache(view: View): CacheClass {
  return view.options.view === "internal" ? "private" : "live";
}

export async function openContext(view: View, open: OpenSnapshot, { at, match }: Pick<Place, "at" | "match">): Promise<Context> {
  const top = mountOf(view);
  const { id } = open.snapshot;
  if (at !== null) {
    const cache = view.options.view === "internal" ? "private" : "immutable";
    return { view, open, mount: `${top}/at/${id}`, cache, basis: atBasis(id), room: "kept" };
  }
  // What follows from all records changes with a publication or a prune.
  const history = match?.route.kind === "history" ? `+${await view.historyVersion()}` : "";
  return { view, open, mount: top, cache: liveCache(view), basis: id + history, room: null };
}

/** A content, made unless it is ready.
 *  @param keep how long: null when a stranger could ask for it under any number of names */
export async function contentAnswer(
  { view, open, basis, room }: Context,
  request: AnswerRequest,
  keep: Room | null,
  make: () => Promise<Content>,
): Promise<Answer> {
  const encoding = chooseEncoding(request.header("accept-encoding"));
  const common = commonHeaders(view.options.view, open.snapshot.id);
  const ready = await view.prepared.obtain(keep === null ? null : (room ?? keep), basis, request.target, encoding, async () =>
    makeReady(await make(), encoding, common),
  );
  return reply(request, ready);
}
