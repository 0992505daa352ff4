/** The body of a POST as one JSON-RPC message: bounded in depth before anything walks through it, and in bytes by
 *  `boundMessages`, behind which the endpoint is mounted (serve/app.ts). */
import { isJsonContentType } from "@modelcontextprotocol/server";
import { bodyLimit } from "hono/body-limit";
import { findJsonFault } from "#snapshots/format";
import { jsonResponse, MAX_MCP_BYTES } from "#sidecar/http";
import { CACHE } from "#snapshots/http";

const MAX_DEPTH = 64; // levels; arguments of our tools have three

const UTF8 = new TextDecoder("utf-8", { fatal: true });

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
export const REFUSED = -32000; // of the transport itself; the number that older clients know

/** RpcError is an answer before any protocol object exists, with the HTTP status that the revision gives it. Its `data` is the problem body that
 *  the other routes send, so that a client which knows either form is served. */
export type RpcError = {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export function rpcErrorResponse({ status, code, message, data, headers }: RpcError): Response {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return jsonResponse({ jsonrpc: "2.0", error, id: null }, headers, status);
}

/** sealResponse keeps answers out of caches: what may be kept says so in its own result. */
export function sealResponse(response: Response): Response {
  response.headers.set("Cache-Control", CACHE.none);
  return response;
}

/** boundMessages refuses a body over the limit as soon as it is, announced or not. */
export const boundMessages = bodyLimit({
  maxSize: MAX_MCP_BYTES,
  onError: () => {
    const message = `The body is over the limit of ${MAX_MCP_BYTES} bytes.`;
    return sealResponse(rpcErrorResponse({ status: 413, code: REFUSED, message, data: { code: "body_too_large", limit: MAX_MCP_BYTES } }));
  },
});

/** readMessage reads a body. @returns the parsed body, or the error to answer with */
export async function readMessage(request: Request): Promise<{ readonly body: unknown } | RpcError> {
  if (!isJsonContentType(request.headers.get("content-type")))
    return { status: 415, code: REFUSED, message: "Content-Type must be application/json." };
  return parseMessage(new Uint8Array(await request.arrayBuffer()));
}

function parseMessage(bytes: Uint8Array): { readonly body: unknown } | RpcError {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return { status: 400, code: PARSE_ERROR, message: "Parse error: the body is not UTF-8." };
  }
  if (findJsonFault(text, MAX_DEPTH, false) !== null)
    return { status: 400, code: INVALID_REQUEST, message: `Invalid Request: the body is nested deeper than ${MAX_DEPTH} levels.` };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { status: 400, code: PARSE_ERROR, message: "Parse error: the body is not JSON." };
  }
  // One revision of the past has batches, and no client that is known sends any.
  if (Array.isArray(body)) return { status: 400, code: INVALID_REQUEST, message: "Invalid Request: send one message at a time." };
  return { body };
}
