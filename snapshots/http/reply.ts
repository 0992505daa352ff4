/** HTTP semantics in one place: validators, preconditions, HEAD, cache headers (conventions "Errors and headers"). */
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { type Encoding, ENCODINGS, encode, isCompressed, varies } from "./encoding.ts";

export type AnswerRequest = {
  readonly method: string;
  /** Path and query as sent, still percent-encoded: `/api/list?prefix=notes/`. The caller controls it. */
  readonly target: string;
  /** Value of a header by lower-case name, or null. */
  header(name: string): string | null;
};

/** An Answer is one answer of HTTP. Header names are as they are written on the wire. A body that is iterated is at most as long as Content-Length
 *  says. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | null;
};

export const CACHE = {
  live: "public, max-age=60, stale-while-revalidate=600",
  /** The program's own files, which are named by their bytes. */
  immutable: "public, max-age=31536000, immutable",
  /** A kept snapshot: it never changes, and may be taken out of service, so caches for many ask again. */
  kept: "public, max-age=31536000, immutable, s-maxage=600",
  /** Everything behind the gate. */
  private: "private, no-store",
  none: "no-store",
} as const;
export type CacheClass = keyof typeof CACHE;

/** A Content is a complete representation, before anybody asked how. */
export type Content = {
  readonly bytes: Uint8Array;
  readonly type: string;
  /** Strong validator without quotes. */
  readonly tag: string;
  readonly cache: CacheClass;
  readonly headers: Readonly<Record<string, string>>;
};

/** Ready is a content in one encoding, ready to be sent to any number of clients. */
export type Ready = {
  readonly answer: Answer;
  /** The 304 for who holds it. */
  readonly unmodified: Answer;
  /** Validator of the content, without quotes and without the encoding's name. */
  readonly tag: string;
  readonly encoding: Encoding;
  /** True when clients that accept other encodings get the same bytes. */
  readonly onlyForm: boolean;
};

/** makeReady makes a content ready in an encoding. @param common headers of every answer of the view; the content's own win
 *  @param wanted by the client; a content that is not worth compressing is sent as it is */
export async function makeReady(content: Content, wanted: Encoding, common: Readonly<Record<string, string>>): Promise<Ready> {
  const onlyForm = !isCompressed(content.type, content.bytes.length);
  const encoding = onlyForm ? "identity" : wanted;
  const body = await encode(content.bytes, encoding);
  const unmodified = notModified(content, encoding, common);
  return {
    answer: {
      status: 200,
      headers: {
        ...unmodified.headers,
        "Content-Type": content.type,
        "Content-Length": String(body.length),
        ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
      },
      body,
    },
    unmodified,
    tag: content.tag,
    encoding,
    onlyForm,
  };
}

/** notModified makes the 304 for a client that holds a content in a form. */
export function notModified(content: Omit<Content, "bytes">, held: Encoding, common: Readonly<Record<string, string>>): Answer {
  return {
    status: 304,
    headers: {
      ...common,
      "Cache-Control": CACHE[content.cache],
      ...(varies(content.type) ? { Vary: "Accept-Encoding" } : {}),
      ...content.headers,
      ETag: formatTag(content.tag, held),
    },
    body: null,
  };
}

/** reply answers a request for a content that is ready. @throws ShelfError "precondition_failed" */
export function reply(request: AnswerRequest, ready: Ready): Answer {
  const held = checkPreconditions(request, ready.tag, ready.encoding, null);
  if (held !== null) {
    const { unmodified, tag } = ready;
    // A client may hold it in another form than it asks for now: a cache keeps each one under its own validator.
    return held === ready.encoding ? unmodified : { ...unmodified, headers: { ...unmodified.headers, ETag: formatTag(tag, held) } };
  }
  return request.method === "HEAD" ? { ...ready.answer, body: null } : ready.answer;
}

/** checkPreconditions checks the preconditions of a request as RFC 9110 §13.2.2 says, in its order.
 *  @param preferred the form that this request would be sent
 *  @returns null when the request is to be answered in full; the form that the client holds when it needs nothing
 *  @throws ShelfError "precondition_failed" */
export function checkPreconditions(request: AnswerRequest, tag: string, preferred: Encoding, lastModified: string | null): Encoding | null {
  const match = request.header("if-match");
  if (match !== null) {
    // Weak validators never match here.
    if (match.trim() !== "*" && findForm(match, tag, preferred, false) === null) throw preconditionFailed("If-Match");
  } else if (lastModified !== null && isLater(lastModified, request.header("if-unmodified-since"))) {
    throw preconditionFailed("If-Unmodified-Since");
  }
  const none = request.header("if-none-match");
  if (none !== null) return none.trim() === "*" ? preferred : findForm(none, tag, preferred, true);
  // The very time that we sent, and no later one: other bytes may come with an earlier time, by a clock that was set back or from a copy.
  const since = Date.parse(request.header("if-modified-since") ?? "");
  return lastModified !== null && since === Date.parse(lastModified) ? preferred : null;
}

function preconditionFailed(header: string): ShelfError {
  return new ShelfError("precondition_failed", `What ${header} asks for does not hold: the content is another one now.`);
}

/** Tells whether `time` is later than the date of a header; false when that is absent or no date. */
function isLater(time: string, header: string | null): boolean {
  return header !== null && Date.parse(time) > Date.parse(header);
}

/** formatTag makes the strong validator of a content in an encoding. Representations in different encodings differ byte for byte, so their strong
 *  validators differ too. */
export function formatTag(tag: string, encoding: Encoding): string {
  return encoding === "identity" ? `"${tag}"` : `"${tag}-${encoding}"`;
}

/** The form of a content that a list of validators names, `preferred` if it names several; null for none. */
function findForm(header: string, tag: string, preferred: Encoding, weak: boolean): Encoding | null {
  const named = new Set(header.split(",").map((item) => (weak ? item.trim().replace(/^W\//, "") : item.trim())));
  return [preferred, ...ENCODINGS].find((encoding) => named.has(formatTag(tag, encoding))) ?? null;
}

/** queryTag makes the strong validator of an answer that follows from a snapshot and a query. */
export function queryTag(snapshot: string, canonicalQuery: string): string {
  return sha256(`${snapshot}\n${canonicalQuery}`);
}

/** snapshotHeaders names the snapshot of an answer twice: Server-Timing is what the scripts of a page can read of the page's own answer, without
 *  asking for it again. */
export function snapshotHeaders(id: string): Record<string, string> {
  return { "X-Snapshot": id, "Server-Timing": `snapshot;desc="${id}"` };
}

/** commonHeaders returns the headers that every answer of a view has, whatever the route. */
export function commonHeaders(view: "public" | "internal", snapshot: string | null): Record<string, string> {
  return {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    ...(snapshot === null ? {} : snapshotHeaders(snapshot)),
    ...(view === "public"
      ? { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag, Link, X-Snapshot, Repr-Digest" }
      : {}),
  };
}

/** redirect makes a redirect. @param location path and query; the query comes along as it was sent, so whatever a header cannot carry is escaped */
export function redirect(status: 302 | 307 | 308, location: string, cache: string): Answer {
  const safe = location.toWellFormed().replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);
  return { status, headers: { Location: safe, "Cache-Control": cache, "Content-Length": "0" }, body: null };
}

/** plainAnswer answers with a short text that nobody keeps. */
export function plainAnswer(
  request: AnswerRequest,
  status: number,
  text: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const bytes = new TextEncoder().encode(text);
  return {
    status,
    headers: { "Cache-Control": CACHE.none, "Content-Type": type, "Content-Length": String(bytes.length), ...headers },
    body: request.method === "HEAD" ? null : bytes,
  };
}
