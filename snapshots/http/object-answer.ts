/** GET /objects/{key}: bytes of strangers, sent so that no browser runs them (conventions "Errors and headers"). */
import { create as formatDisposition } from "content-disposition";
import parseRange from "range-parser";
import { sha256, sha256Of } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import type { BlobEntry } from "../format/tree.ts";
import type { Snapshot } from "../shelf/read.ts";
import { chooseEncoding, encode, encodeStream, isCompressed, varies } from "./encoding.ts";
import { type Answer, type AnswerRequest, CACHE, type CacheClass, checkPreconditions, formatTag } from "./reply.ts";

/** Types that a browser may show in place: nothing in them can run or load anything. */
const PASSIVE = /^(text\/(plain|markdown|csv|x-[\w.-]+)|application\/(json|yaml)|image\/(png|jpeg|gif|webp))(;|$)/;
/** Objects up to this size are checked and sent from memory; longer ones are hashed once and then streamed. Bytes. */
const MAX_IN_MEMORY = 16 * 1024 * 1024;
/** Objects up to this size are compressed whole, so that their length and digest are known beforehand. Bytes. */
const MAX_COMPRESSED_WHOLE = 1024 * 1024;

/** Digests of long blobs that this process has hashed and found true. */
const verified = new Set<string>();

/** @throws ShelfError "range_not_satisfiable", "precondition_failed", "snapshot_damaged" */
export async function objectAnswer(
  snapshot: Snapshot,
  key: string,
  entry: BlobEntry,
  request: AnswerRequest,
  cache: CacheClass,
): Promise<Answer> {
  const { size } = entry;
  const range = request.method === "GET" ? request.header("range") : null;
  // A range counts bytes of the object as it is.
  const encoding = range === null && isCompressed(entry.type, size) ? chooseEncoding(request.header("accept-encoding")) : "identity";
  const headers: Readonly<Record<string, string>> = {
    "Cache-Control": CACHE[cache],
    "Content-Type": entry.type,
    "Accept-Ranges": "bytes",
    ...(varies(entry.type) ? { Vary: "Accept-Encoding" } : {}),
    ...objectHeaders(key, entry),
  };
  const held = checkPreconditions(request, entry.sha256, encoding, headers["Last-Modified"] ?? null);
  if (held !== null) {
    const digest = held === "identity" ? digestHeader(entry.sha256) : {};
    return { status: 304, headers: { ...headers, ETag: formatTag(entry.sha256, held), ...digest }, body: null };
  }
  const whole: Readonly<Record<string, string>> = {
    ...headers,
    ETag: formatTag(entry.sha256, encoding),
    ...(encoding === "identity" ? digestHeader(entry.sha256) : {}),
  };
  const condition = request.header("if-range");
  const part = range === null || (condition !== null && condition !== whole["ETag"]) ? null : findRange(range, size);
  if (part !== null) {
    return {
      status: 206,
      headers: {
        ...whole,
        "Content-Length": String(part.end - part.start + 1),
        "Content-Range": `bytes ${part.start}-${part.end}/${size}`,
      },
      body: await read(snapshot, entry, part.start, part.end),
    };
  }
  const bodiless = request.method === "HEAD";
  if (encoding === "identity") {
    return {
      status: 200,
      headers: { ...whole, "Content-Length": String(size) },
      body: bodiless ? null : size === 0 ? new Uint8Array() : await read(snapshot, entry, 0, size - 1),
    };
  }
  if (size <= MAX_COMPRESSED_WHOLE) {
    const body = await encode(await snapshot.read(entry), encoding);
    return {
      status: 200,
      headers: { ...whole, ...digestHeader(sha256(body)), "Content-Encoding": encoding, "Content-Length": String(body.length) },
      body: bodiless ? null : body,
    };
  }
  return {
    status: 200,
    headers: { ...whole, "Content-Encoding": encoding },
    body: bodiless ? null : encodeStream(chunksOf(await read(snapshot, entry, 0, size - 1)), encoding),
  };
}

async function* chunksOf(body: Uint8Array | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}

/** The one range that is asked for; null for several, or for none that can be read: then the whole object is sent, as RFC
 *  9110 §14.2 allows. @throws ShelfError "range_not_satisfiable" */
function findRange(range: string, size: number): { readonly start: number; readonly end: number } | null {
  const ranges = parseRange(size, clampSuffix(range, size));
  if (ranges === -1) {
    throw new ShelfError("range_not_satisfiable", `The object has ${size} bytes.`, { headers: { "Content-Range": `bytes */${size}` } });
  }
  const [only, ...more] = ranges === -2 || ranges.type !== "bytes" ? [] : ranges;
  return only === undefined || more.length > 0 ? null : only;
}

/** A suffix longer than the object means all of it (RFC 9110 §14.1.2); the parser would call it unsatisfiable. */
function clampSuffix(range: string, size: number): string {
  const length = /^\s*bytes\s*=\s*-([0-9]+)\s*$/.exec(range)?.[1];
  return length === undefined || Number(length) <= size ? range : `bytes=-${size}`;
}

/** Bytes [start, end] of a blob that is what its digest says. */
async function read(snapshot: Snapshot, entry: BlobEntry, start: number, end: number): Promise<Uint8Array | AsyncIterable<Uint8Array>> {
  if (entry.size <= MAX_IN_MEMORY) return (await snapshot.read(entry)).subarray(start, end + 1);
  await checkLong(snapshot, entry);
  const stream = await snapshot.shelf.streamBlob(entry.sha256, start, end);
  if (stream === null) throw new ShelfError("snapshot_damaged", `Blob ${entry.sha256} is missing.`);
  return stream;
}

async function checkLong(snapshot: Snapshot, entry: BlobEntry): Promise<void> {
  if (verified.has(entry.sha256)) return;
  const stream = await snapshot.shelf.streamBlob(entry.sha256, 0, entry.size - 1);
  if (stream === null || (await sha256Of(stream)) !== entry.sha256) {
    throw new ShelfError("snapshot_damaged", `Blob ${entry.sha256} is missing or does not match its digest.`);
  }
  verified.add(entry.sha256);
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
