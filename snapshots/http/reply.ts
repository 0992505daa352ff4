/** HTTP semantics in one place: validators, 304, HEAD, ranges, compression, cache headers (conventions "Errors and headers").
 *  Answers to the same content are the same objects, so that a listener can send them without building anything. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import Negotiator from "negotiator";
import parseRange from "range-parser";
import { sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";

export type AnswerRequest = {
  readonly method: string;
  /** Path and query as sent, still percent-encoded: `/api/list?prefix=notes/`. The caller controls it. */
  readonly target: string;
  /** Value of a header by lower-case name, or null. */
  header(name: string): string | null;
};

/** Header names as they are written on the wire. A body that is iterated is at most as long as Content-Length says. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | null;
};

export const CACHE = {
  live: "public, max-age=60, stale-while-revalidate=600",
  immutable: "public, max-age=31536000, immutable",
  /** Everything behind the gate. */
  private: "private, no-store",
  none: "no-store",
} as const;
export type CacheClass = keyof typeof CACHE;

/** A complete representation, before anybody asked how. */
export type Content = {
  readonly bytes: Uint8Array;
  readonly type: string;
  /** Strong validator without quotes. */
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status?: number;
};

export type Encoding = "br" | "gzip" | "identity";
const ENCODINGS: Encoding[] = ["br", "gzip", "identity"];

/** Below it compression saves nothing; above it the first reader would wait too long. Bytes. */
const MIN_COMPRESSED = 512;
const MAX_COMPRESSED = 4 * 1024 * 1024;
const BROTLI_QUALITY = 9;
const GZIP_LEVEL = 9;
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Bounded: header values come from clients. */
const encodings = new Map<string, Encoding>();
const MAX_REMEMBERED_ENCODINGS = 500;

/** The published types lack the second argument, which decides between encodings that the client likes equally. */
type PreferringNegotiator = { encodings(available: string[], options?: { preferred: string[] }): string[] };

/** @param header Accept-Encoding, or null */
export function chooseEncoding(header: string | null): Encoding {
  if (header === null || header === "") return "identity";
  let encoding = encodings.get(header);
  if (encoding === undefined) {
    const negotiator: PreferringNegotiator = new Negotiator({ headers: { "accept-encoding": header } });
    encoding = (negotiator.encodings(ENCODINGS, { preferred: ENCODINGS })[0] as Encoding | undefined) ?? "identity";
    if (encodings.size >= MAX_REMEMBERED_ENCODINGS) encodings.clear();
    encodings.set(header, encoding);
  }
  return encoding;
}

export function isCompressible(type: string): boolean {
  return /^text\/|[/+](json|xml|javascript|svg)\b|^application\/(javascript|wasm)/.test(type);
}

/** A prepared content: its answers are made once and shared. */
export type Prepared = {
  readonly content: Content;
  /** An answer without waiting, if it has been made already. */
  peek(encoding: Encoding): Answer | null;
  answer(encoding: Encoding): Promise<Answer>;
  /** The 304 for a client that holds this content in a form that If-None-Match names, or null when it holds none.
   *  It names that form: a cache keeps each one under its own validator. */
  notModified(ifNoneMatch: string | null, encoding: Encoding): Answer | null;
  /** Bytes that this holds on to. */
  size(): number;
};

export function prepare(content: Content, cache: CacheClass): Prepared {
  const compressible = isCompressible(content.type) && content.bytes.length >= MIN_COMPRESSED && content.bytes.length <= MAX_COMPRESSED;
  const shared: Record<string, string> = {
    "Cache-Control": CACHE[cache],
    // Whatever its length: a 304 is sent before the body is known, and has to say the same.
    ...(isCompressible(content.type) ? { Vary: "Accept-Encoding" } : {}),
    ...content.headers,
  };
  const unmodified = new Map<Encoding, Answer>();
  const answers = new Map<Encoding, Answer>();
  const build = (encoding: Encoding, body: Uint8Array): Answer => ({
    status: content.status ?? 200,
    headers: {
      ...shared,
      "Content-Type": content.type,
      "Content-Length": String(body.length),
      ETag: formatTag(content.tag, encoding),
      ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
    },
    body,
  });
  return {
    content,
    peek: (encoding) => answers.get(compressible ? encoding : "identity") ?? null,
    async answer(wanted) {
      const encoding = compressible ? wanted : "identity";
      const known = answers.get(encoding);
      if (known !== undefined) return known;
      const body =
        encoding === "br"
          ? await compressBrotli(content.bytes, {
              params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.bytes.length },
            })
          : encoding === "gzip"
            ? await compressGzip(content.bytes, { level: GZIP_LEVEL })
            : content.bytes;
      const answer = build(encoding, body);
      answers.set(encoding, answer);
      return answer;
    },
    notModified(ifNoneMatch, wanted) {
      // No bytes: a query whose answer has not been made, because the client may hold it already.
      const encoding = findHeld(ifNoneMatch, content.tag, compressible || content.bytes.length === 0 ? wanted : "identity");
      if (encoding === null) return null;
      let answer = unmodified.get(encoding);
      if (answer === undefined) {
        answer = { status: 304, headers: { ...shared, ETag: formatTag(content.tag, encoding) }, body: null };
        unmodified.set(encoding, answer);
      }
      return answer;
    },
    size: () => [...answers.values()].reduce((sum, answer) => sum + (answer.body as Uint8Array).length, content.bytes.length),
  };
}

/** Representations of one content in different encodings differ byte for byte, so their strong validators differ too. */
function formatTag(tag: string, encoding: Encoding): string {
  return encoding === "identity" ? `"${tag}"` : `"${tag}-${encoding}"`;
}

/** The encoding in which a client holds this content by its If-None-Match, `preferred` if it holds several; null for none. */
function findHeld(header: string | null, tag: string, preferred: Encoding): Encoding | null {
  if (header === null) return null;
  // Nearly every client sends back the one validator that it was given.
  if (header === formatTag(tag, preferred) || header.trim() === "*") return preferred;
  const named = new Set(header.split(",").map((item) => item.trim().replace(/^W\//, "")));
  return [preferred, ...ENCODINGS].find((encoding) => named.has(formatTag(tag, encoding))) ?? null;
}

/** Whether If-None-Match names this content, in any encoding. */
export function matchesTag(header: string | null, tag: string): boolean {
  return findHeld(header, tag, "identity") !== null;
}

/** The answer to a request for a prepared content. */
export async function reply(request: AnswerRequest, prepared: Prepared): Promise<Answer> {
  const encoding = chooseEncoding(request.header("accept-encoding"));
  const unmodified = prepared.notModified(request.header("if-none-match"), encoding);
  if (unmodified !== null) return unmodified;
  const answer = await prepared.answer(encoding);
  return request.method === "HEAD" ? { ...answer, body: null } : answer;
}

/** Strong validator of an answer that follows from a snapshot and a query. */
export function queryTag(snapshot: string, canonicalQuery: string): string {
  return sha256(`${snapshot}\n${canonicalQuery}`);
}

/** A blob in ranges, streamed when it is long.
 *  @param headers everything but the lengths, the range and the validator
 *  @param read bytes [start, end] of the blob
 *  @throws ShelfError "range_not_satisfiable" */
export async function replyRange(
  request: AnswerRequest,
  object: { readonly size: number; readonly sha256: string; readonly headers: Readonly<Record<string, string>> },
  read: (start: number, end: number) => Promise<Uint8Array | AsyncIterable<Uint8Array>>,
): Promise<Answer> {
  const { size } = object;
  const tag = `"${object.sha256}"`;
  const whole = { ...object.headers, "Accept-Ranges": "bytes", ETag: tag };
  if (matchesTag(request.header("if-none-match"), object.sha256)) return { status: 304, headers: whole, body: null };
  if (request.header("if-none-match") === null && notModifiedSince(request.header("if-modified-since"), object.headers["Last-Modified"])) {
    return { status: 304, headers: whole, body: null };
  }
  const range = request.header("range");
  const condition = request.header("if-range");
  if (range !== null && request.method === "GET" && (condition === null || condition === tag)) {
    const ranges = parseRange(size, clampSuffix(range, size));
    if (ranges === -1) {
      throw new ShelfError("range_not_satisfiable", `The object has ${size} bytes.`, { headers: { "Content-Range": `bytes */${size}` } });
    }
    // Several ranges, or none that can be read: the whole object, as RFC 9110 §14.2 allows.
    const [only, ...more] = ranges === -2 || ranges.type !== "bytes" ? [] : ranges;
    if (only !== undefined && more.length === 0) {
      const length = only.end - only.start + 1;
      return {
        status: 206,
        headers: { ...whole, "Content-Length": String(length), "Content-Range": `bytes ${only.start}-${only.end}/${size}` },
        body: await read(only.start, only.end),
      };
    }
  }
  return {
    status: 200,
    headers: { ...whole, "Content-Length": String(size) },
    body: request.method === "HEAD" ? null : size === 0 ? new Uint8Array() : await read(0, size - 1),
  };
}

/** A suffix longer than the object means all of it (RFC 9110 §14.1.2); the parser would call it unsatisfiable. */
function clampSuffix(range: string, size: number): string {
  const length = /^\s*bytes\s*=\s*-([0-9]+)\s*$/.exec(range)?.[1];
  return length === undefined || Number(length) <= size ? range : `bytes=-${size}`;
}

function notModifiedSince(header: string | null, lastModified: string | undefined): boolean {
  if (header === null || lastModified === undefined) return false;
  const since = Date.parse(header);
  return !Number.isNaN(since) && Date.parse(lastModified) <= since;
}

/** What every answer of a view says, whatever the route. */
export function commonHeaders(view: "public" | "internal", snapshot: string | null): Record<string, string> {
  return {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    ...(snapshot === null ? {} : { "X-Snapshot": snapshot }),
    ...(view === "public"
      ? { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag, Link, X-Snapshot, Repr-Digest" }
      : {}),
  };
}
