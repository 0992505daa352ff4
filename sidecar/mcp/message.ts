/** The body of a POST as JSON-RPC messages: bounded in depth and number before anything walks through it, and in bytes by
 *  `boundMessages`, behind which the endpoint is mounted (serve/app.ts). */
import { isJsonContentType } from "@modelcontextprotocol/server";
import { bodyLimit } from "hono/body-limit";
import { findJsonFault } from "#snapshots/format";
import { MAX_MCP_BYTES } from "#sidecar/http";
import { CACHE } from "#snapshots/http";

const MAX_DEPTH = 64; // levels; arguments of our tools have three
export const MAX_BATCH = 20; // messages: each may cost a search
/** The only revision with batches; its clients send no version header. */
const BATCH_REVISION = "2025-03-26";

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
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers: { ...headers } });
}

/** sealResponse keeps answers out of caches: what may be kept says so in its own result. */
export function sealResponse(response: Response): Response {
  response.headers.set("Cache-Control", CACHE.none);
  return response;
}

export type Messages = {
  readonly body: unknown;
  readonly requests: number;
};

/** boundMessages refuses a body over the limit as soon as it is, announced or not. */
export const boundMessages = bodyLimit({
  maxSize: MAX_MCP_BYTES,
  onError: () => {
    const message = `The body is over the limit of ${MAX_MCP_BYTES} bytes.`;
    return sealResponse(rpcErrorResponse({ status: 413, code: REFUSED, message, data: { code: "body_too_large", limit: MAX_MCP_BYTES } }));
  },
});

/** readMessages reads a body. @returns the parsed body, or the error to answer with */
export async function readMessages(request: Request): Promise<Messages | RpcError> {
  if (!isJsonContentType(request.headers.get("content-type")))
    return { status: 415, code: REFUSED, message: "Content-Type must be application/json." };
  return parseMessages(new Uint8Array(await request.arrayBuffer()), request.headers.get("mcp-protocol-version"));
}

/** @param version of the protocol, as its header says */
function parseMessages(bytes: Uint8Array, version: string | null): Messages | RpcError {
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
  if (!Array.isArray(body)) return { body, requests: isRequest(body) ? 1 : 0 };
  return readBatch(body, version);
}

function readBatch(batch: readonly unknown[], version: string | null): Messages | RpcError {
  const invalid = (message: string): RpcError => ({ status: 400, code: INVALID_REQUEST, message: `Invalid Request: ${message}` });
  if (version !== null && version !== BATCH_REVISION) return invalid(`revision ${version.slice(0, 32)} has no batches.`);
  if (batch.length === 0) return invalid("the batch is empty.");
  if (batch.length > MAX_BATCH) return invalid(`a batch has at most ${MAX_BATCH} messages.`);
  const requests = batch.filter(isRequest);
  // Answers are told apart by id.
  if (new Set(requests.map(({ id }) => JSON.stringify(id))).size < requests.length)
    return invalid("two requests of the batch have the same id.");
  // Nothing outlives a request here, so there is nothing to cancel; within a batch it would leave a request without answer.
  const body = batch.filter((message) => !(isMessage(message) && message.method === "notifications/cancelled"));
  return { body: body.length === 0 ? batch.slice(0, 1) : body, requests: requests.length };
}

function isMessage(value: unknown): value is { readonly method?: unknown; readonly id?: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRequest(value: unknown): value is { readonly method: string; readonly id: unknown } {
  return isMessage(value) && typeof value.method === "string" && "id" in value;
}
