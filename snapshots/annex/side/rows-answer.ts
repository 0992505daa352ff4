/** Records and objects a line each, sent while they are made. */
import { setImmediate } from "node:timers/promises";
import type { ViewData } from "../../format/view-data.ts";
import { requireRegistry } from "../../query/bodies.ts";
import type { Asked } from "../../http/view.ts";
import { chooseEncoding, encodeStream, mayEncodeStream } from "../../http/encoding.ts";
import { type Answer, checkPreconditions, commonHeaders, notModified, queryTag } from "../../http/reply.ts";

/** A text that is as long as the library, in chunks. */
export type Rows = { readonly id: string; readonly type: string; readonly ofRegistry: boolean; format(data: ViewData): Iterable<string> };

/** @throws ShelfError "registry_unavailable", "precondition_failed" */
export async function rowsAnswer({ context: { open, view, cache }, request }: Asked, rows: Rows): Promise<Answer> {
  const { id, type } = rows;
  const data = await open.snapshot.data();
  if (rows.ofRegistry) requireRegistry(data);
  const tag = queryTag(open.snapshot.id, id);
  const encoding = mayEncodeStream() ? chooseEncoding(request.header("accept-encoding")) : "identity";
  const content = { type, tag, cache, headers: {} };
  const common = commonHeaders(view.options.view, open.snapshot.id);
  const held = checkPreconditions(request, tag, encoding, null);
  if (held !== null) return notModified(content, held, common);
  const headers = {
    ...notModified(content, encoding, common).headers,
    Vary: "Accept-Encoding",
    "Content-Type": type,
    ...(encoding === "identity" ? { "Content-Length": String(await lengthOf(rows.format(data))) } : { "Content-Encoding": encoding }),
  };
  if (request.method === "HEAD") return { status: 200, headers, body: null };
  const chunks = (async function* () {
    for (const text of rows.format(data)) yield Buffer.from(text);
  })();
  return { status: 200, headers, body: encoding === "identity" ? chunks : encodeStream(chunks, encoding) };
}

/** Rows are made twice for it, and others have their turn meanwhile: nothing as long as the library is kept. */
async function lengthOf(chunks: Iterable<string>): Promise<number> {
  let length = 0;
  for (const text of chunks) {
    length += Buffer.byteLength(text);
    await setImmediate();
  }
  return length;
}
