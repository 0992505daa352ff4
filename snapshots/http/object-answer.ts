/** GET /objects/{key}: bytes of strangers, sent so that no browser runs them (conventions "Errors and headers"). */
import { create as formatDisposition } from "content-disposition";
import { parse as parseRange } from "range-parser";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { type BlobEntry, objectPath, countOf } from "#snapshots/format";
import type { SnapshotRequest, Context } from "./view.ts";
import { chooseEncoding, type Encoding, encode, encodeStream, isCompressed, mayEncodeStream, varies } from "./encoding.ts";
import { objectLinks } from "./signposts.ts";
import { type Answer, type AnswerRequest, CACHE, checkPreconditions, commonHeaders, formatTag, redirect } from "./reply.ts";

/** Types that a browser may show in place: nothing in them can run or load anything. */
const PASSIVE = /^(text\/(plain|markdown|csv|asciidoc|org|x-[\w.-]+)|application\/(json|yaml)|image\/(png|jpeg|gif|webp))(;|$)/;
/** MALFORMED is a bit of what the parser of ranges says. */
const MALFORMED = 1;
/** Objects up to this size are compressed whole, so that their length and digest are known beforehand. Bytes. */
const MAX_COMPRESSED_WHOLE = 1024 * 1024;

/** keyAnswer answers with the object of a key. @throws ShelfError "object_not_found", and what `objectAnswer` throws */
export async function keyAnswer({ context, request, place }: SnapshotRequest): Promise<Answer> {
  const key = place.match?.parts["key"] ?? "";
  const entry = await context.open.snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob") {
    throw new ShelfError("object_not_found", "No object of this view has this key.", {
      fixes: ["List its prefix with /api/list.", "Look in /api/rejected."],
    });
  }
  if (place.path !== objectPath(key)) return redirect(308, context.mount + objectPath(key), CACHE[context.cache]);
  return objectAnswer(context, key, entry, request);
}

/** objectAnswer answers with an object, or a range of it. @throws ShelfError "range_not_satisfiable", "precondition_failed", "snapshot_damaged" */
export async function objectAnswer(context: Context, key: string, entry: BlobEntry, request: AnswerRequest): Promise<Answer> {
  const { snapshot } = context.open;
  const { size } = entry;
  const range = request.method === "GET" ? request.header("range") : null;
  // A range counts bytes of the object as it is.
  const encoding = range === null && isCompressed(entry.type, size) ? chooseEncoding(request.header("accept-encoding")) : "identity";
  const headers: Readonly<Record<string, string>> = {
    "Cache-Control": CACHE[context.cache],
    "Content-Type": entry.type,
    "Accept-Ranges": "bytes",
    ...(varies(entry.type) ? { Vary: "Accept-Encoding" } : {}),
    ...objectHeaders(key, entry),
    ...(context.view.options.view === "public" ? objectLinks((await snapshot.library()).base_url, key) : {}),
  };
  const whole = (form: Encoding): Readonly<Record<string, string>> => ({
    ...headers,
    ETag: formatTag(entry.sha256, form),
    ...(form === "identity" ? digestHeader(entry.sha256) : {}),
  });
  const held = checkPreconditions(request, entry.sha256, encoding, headers["Last-Modified"] ?? null);
  if (held !== null) return { status: 304, headers: whole(held), body: null };
  const condition = request.header("if-range");
  const part = range === null || (condition !== null && condition !== formatTag(entry.sha256, encoding)) ? null : findRange(range, size);
  if (part !== null) {
    return {
      status: 206,
      headers: {
        ...whole("identity"),
        "Content-Length": String(part.end - part.start + 1),
        "Content-Range": `bytes ${part.start}-${part.end}/${size}`,
      },
      body: await snapshot.readPart(entry, part.start, part.end),
    };
  }
  const bodiless = request.method === "HEAD";
  if (encoding !== "identity" && size <= MAX_COMPRESSED_WHOLE) {
    // Made once: it costs more than everything else about an answer.
    const { view, basis, room } = context;
    const common = commonHeaders(view.options.view, snapshot.id);
    const { answer } = await view.prepared.obtain(room ?? "objects", basis, request.target, encoding, async () => {
      const body = await encode(await snapshot.read(entry), encoding);
      const sent = { ...common, ...whole(encoding), ...digestHeader(sha256(body)), "Content-Encoding": encoding };
      return {
        answer: { status: 200, headers: { ...sent, "Content-Length": String(body.length) }, body },
        unmodified: { status: 304, headers: { ...common, ...whole(encoding) }, body: null },
        tag: entry.sha256,
        encoding,
        onlyForm: false,
      };
    });
    return bodiless ? { ...answer, body: null } : answer;
  }
  const body = bodiless ? null : size === 0 ? new Uint8Array() : await snapshot.readPart(entry, 0, size - 1);
  if (encoding === "identity" || !mayEncodeStream())
    return { status: 200, headers: { ...whole("identity"), "Content-Length": String(size) }, body };
  return {
    status: 200,
    headers: { ...whole(encoding), "Content-Encoding": encoding },
    body: body === null || body instanceof Uint8Array ? body : encodeStream(body, encoding),
  };
}

/** findRange reads the one range that is asked for; null for several, or for none that can be read: then the whole object is sent, as RFC
 *  9110 §14.2 allows. @throws ShelfError "range_not_satisfiable" */
export function findRange(range: string, size: number): { readonly start: number; readonly end: number } | null {
  const { code, type, ranges } = parseRange(size, range);
  if (type !== "bytes" || (code & MALFORMED) !== 0) return null;
  const [only, ...more] = ranges;
  if (only !== undefined) return more.length > 0 ? null : only;
  // The last bytes of an empty object are asked for: it is sent whole.
  if (code === 0) return null;
  throw new ShelfError("range_not_satisfiable", `The object has ${countOf(size, "byte")}.`, {
    headers: { "Content-Range": `bytes */${size}` },
  });
}

/** RFC 9530: of the form that is sent, its content coding included. */
function digestHeader(digest: string): Record<string, string> {
  return { "Repr-Digest": `sha-256=:${Buffer.from(digest, "hex").toString("base64")}:` };
}

function objectHeaders(key: string, entry: BlobEntry): Record<string, string> {
  return {
    "Content-Disposition": formatDisposition(key.slice(key.lastIndexOf("/") + 1).replaceAll(/[\u0000-\u001f\u007f]/g, "_"), {
      type: PASSIVE.test(entry.type) ? "inline" : "attachment",
    }),
    "Content-Security-Policy": "sandbox",
    "X-Content-Type-Options": "nosniff",
    ...(typeof entry.uploaded === "string" ? { "Last-Modified": new Date(entry.uploaded).toUTCString() } : {}),
  };
}
