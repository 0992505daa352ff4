/** Records and objects a line each, sent while they are made. */
import { setImmediate } from "node:timers/promises";
import { requireRegistry } from "#snapshots/query";
import { formatRows, type RowsRouteId } from "./record-rows.ts";
import {
  type Answer,
  type SnapshotRequest,
  checkPreconditions,
  chooseEncoding,
  commonHeaders,
  encodeStream,
  mayEncodeStream,
  notModified,
  queryTag,
} from "#snapshots/http";

/** rowsAnswer answers with all objects or all records, a line each. @throws ShelfError "registry_unavailable", "precondition_failed" */
export async function rowsAnswer(asked: SnapshotRequest, id: RowsRouteId): Promise<Answer> {
  const data = await asked.context.open.snapshot.data();
  if (id.startsWith("cubs")) requireRegistry(data);
  const type = id.endsWith("csv") ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson";
  return piecesAnswer(asked, id, type, () => formatRows(id, data));
}

/** piecesAnswer answers with a text that is as long as the library. It is made of the library's data piece by piece, the same each time.
 *  @param id tells it from others of the snapshot
 *  @throws ShelfError "precondition_failed" */
export async function piecesAnswer(
  { context: { open, view, cache }, request }: SnapshotRequest,
  id: string,
  type: string,
  format: () => Iterable<string>,
): Promise<Answer> {
  const tag = queryTag(open.snapshot.id, id);
  const encoding = mayEncodeStream() ? chooseEncoding(request.header("accept-encoding")) : "identity";
  const content = { type, tag, cache, headers: { Vary: "Accept-Encoding" } };
  const common = commonHeaders(view.options.view, open.snapshot.id);
  const held = checkPreconditions(request, tag, encoding, null);
  if (held !== null) return notModified(content, held, common);
  const headers = {
    ...notModified(content, encoding, common).headers,
    "Content-Type": type,
    ...(encoding === "identity" ? { "Content-Length": String(await lengthOf(format())) } : { "Content-Encoding": encoding }),
  };
  if (request.method === "HEAD") return { status: 200, headers, body: null };
  const chunks = (async function* () {
    for (const text of format()) yield Buffer.from(text);
  })();
  return { status: 200, headers, body: encoding === "identity" ? chunks : encodeStream(chunks, encoding) };
}

/** The pieces are made twice for it, and others have their turn meanwhile: nothing as long as the library is kept. */
async function lengthOf(pieces: Iterable<string>): Promise<number> {
  let length = 0;
  for (const text of pieces) {
    length += Buffer.byteLength(text);
    await setImmediate();
  }
  return length;
}
