/** Responses of the sidecar: errors as problem bodies that no cache keeps, answers of the snapshots layer as they are. */
import { Readable } from "node:stream";
import { CACHE, type Answer } from "../snapshots/reply.ts";
import type { ShelfError } from "../snapshots/errors.ts";
import { PROBLEM_TYPE, problemBody } from "../snapshots/problem.ts";

/** @param baseUrl of the service, for the problem's address
 *  @param extra headers of this one error: WWW-Authenticate, Retry-After, Allow */
export function problemResponse(error: ShelfError, baseUrl: string, extra: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(problemBody(error, baseUrl, null)), {
    status: error.status,
    headers: {
      "Content-Type": PROBLEM_TYPE,
      "Cache-Control": CACHE.none,
      "X-Content-Type-Options": "nosniff",
      ...extra,
    },
  });
}

export function toResponse({ status, headers, body }: Answer): Response {
  if (body === null) return new Response(null, { status, headers });
  if (body instanceof Uint8Array) return new Response(body as Uint8Array<ArrayBuffer>, { status, headers });
  return new Response(Readable.toWeb(Readable.from(body)) as ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers });
}

export function jsonResponse(value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    headers: { "Content-Type": "application/json", "Cache-Control": CACHE.none, "X-Content-Type-Options": "nosniff", ...headers },
  });
}
