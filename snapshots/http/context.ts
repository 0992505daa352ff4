/** What every answer of a view is made from. */
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import type { Room } from "./prepared.ts";
import { chooseEncoding } from "./encoding.ts";
import { type Answer, type AnswerRequest, type CacheClass, commonHeaders, type Content, makeReady, reply } from "./reply.ts";
import type { View } from "./view.ts";

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
  const ready =
    view.prepared.get(basis, request.target, encoding) ??
    (await view.prepared.obtain(keep === null ? null : (room ?? keep), basis, request.target, encoding, async () =>
      makeReady(await make(), encoding, common),
    ));
  return reply(request, ready);
}
