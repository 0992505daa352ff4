/** Responses of the sidecar: errors as problem bodies that no cache keeps, answers of the snapshots layer as they are. */
import { Readable } from "node:stream";
import { type Answer, CACHE, partsOf, PATIENCE } from "#snapshots/http";
import type { ShelfError } from "#snapshots/errors";
import { PROBLEM_TYPE, problemBody } from "#snapshots/format";

type ProblemParts = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly requestId: string | undefined;
};

/** problemParts returns the parts of the answer that shows an error.
 *  @param baseUrl of the service, for the problem's address
 *  @param extra headers of this one error: Retry-After, Allow, another Cache-Control */
export function problemParts(error: ShelfError, baseUrl: string, extra: Readonly<Record<string, string>> = {}): ProblemParts {
  const problem = problemBody(error, baseUrl, null);
  const body = JSON.stringify(problem);
  return {
    status: error.status,
    headers: {
      "Content-Type": PROBLEM_TYPE,
      "Content-Length": String(Buffer.byteLength(body)),
      "Cache-Control": CACHE.none,
      "X-Content-Type-Options": "nosniff",
      ...refusalHeaders(error),
      ...extra,
    },
    body,
    requestId: problem.request_id,
  };
}

/** refusalHeaders gives the headers of an error. */
export function refusalHeaders(error: ShelfError): Readonly<Record<string, string>> {
  return { ...(error.status === 401 ? { "WWW-Authenticate": 'Bearer realm="proofshelf"' } : {}), ...error.headers };
}

export function problemResponse(error: ShelfError, baseUrl: string, extra: Readonly<Record<string, string>> = {}): Response {
  const { status, headers, body } = problemParts(error, baseUrl, extra);
  return new Response(body, { status, headers });
}

export function toResponse({ status, headers, body }: Answer): Response {
  if (body === null) return new Response(null, { status, headers });
  if (body instanceof Uint8Array && body.length <= PATIENCE.leeway)
    return new Response(body as Uint8Array<ArrayBuffer>, { status, headers });
  // A longer one in parts, so that it shows how fast a client reads.
  const parts = body instanceof Uint8Array ? partsOf(body) : body;
  return new Response(Readable.toWeb(Readable.from(parts)) as ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers });
}

export function jsonResponse(value: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Response {
  const body = JSON.stringify(value);
  const length = String(Buffer.byteLength(body));
  return new Response(body, {
    status,
    headers: { "Content-Type": "application/json", "Content-Length": length, "Cache-Control": CACHE.none, ...headers },
  });
}
