/** Bodies as long as the library: sent part by part as the snapshot stores them, so that none is ever whole in memory. */
import type { Pieces } from "#snapshots/query";
import type { Snapshot } from "#snapshots/shelf";
import { contentAnswer } from "./context.ts";
import type { Context } from "./view.ts";
import { chooseEncoding, encodeStream, mayEncodeStream } from "./encoding.ts";
import { type Answer, type AnswerRequest, checkPreconditions, commonHeaders, notModified, queryTag } from "./reply.ts";

const JSON_TYPE = "application/json";
/** A shorter body is made whole, compressed once, and kept. Bytes. */
const MAX_WHOLE = 1024 * 1024;

/** listAnswer answers with a JSON body that is made of pieces: a short one is kept, a long one is streamed. @param name of the body within its
 *  snapshot
 *  @throws ShelfError "precondition_failed", "snapshot_damaged" */
export async function listAnswer(context: Context, request: AnswerRequest, name: string, pieces: Pieces): Promise<Answer> {
  const { open, view, cache } = context;
  const tag = queryTag(open.snapshot.id, name);
  const length = await lengthOf(open.snapshot, pieces);
  const content = { type: JSON_TYPE, tag, cache, headers: {} };
  if (length <= MAX_WHOLE)
    return contentAnswer(context, request, "files", async () => ({
      ...content,
      bytes: Buffer.concat(await Array.fromAsync(chunksOf(open.snapshot, pieces))),
    }));
  const wanted = chooseEncoding(request.header("accept-encoding"));
  const encoding = mayEncodeStream() ? wanted : "identity";
  const common = commonHeaders(view.options.view, open.snapshot.id);
  const held = checkPreconditions(request, tag, encoding, null);
  if (held !== null) return notModified(content, held, common);
  const chunks = request.method === "HEAD" ? null : chunksOf(open.snapshot, pieces);
  const coded = encoding === "identity" ? { "Content-Length": String(length) } : { "Content-Encoding": encoding };
  return {
    status: 200,
    headers: { ...notModified(content, encoding, common).headers, "Content-Type": JSON_TYPE, ...coded },
    body: chunks === null || encoding === "identity" ? chunks : encodeStream(chunks, encoding),
  };
}

/** Sizes stand in the trees: no part is read. */
async function lengthOf(snapshot: Snapshot, pieces: Pieces): Promise<number> {
  let length = 0;
  for (const piece of pieces) {
    if (typeof piece === "string") length += Buffer.byteLength(piece);
    else {
      const sizes = (await snapshot.files(piece.parts)).map(({ size }) => size);
      // Each without its brackets, and commas between them.
      length += sizes.reduce((sum, size) => sum + size - 2, Math.max(0, sizes.length - 1));
    }
  }
  return length;
}

async function* chunksOf(snapshot: Snapshot, pieces: Pieces): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (typeof piece === "string") yield Buffer.from(piece);
    else
      for (const [at, entry] of (await snapshot.files(piece.parts)).entries()) {
        const part = (await snapshot.readListed(entry)).subarray(1, -1);
        yield at === 0 ? part : Buffer.concat([Buffer.from(","), part]);
      }
  }
}
