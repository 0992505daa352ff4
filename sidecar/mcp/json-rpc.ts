/** Answers of the rim, before any protocol object exists: JSON-RPC errors with the HTTP status that the revision gives them.
 *  `data` is the problem body that the other routes send, so that a client which knows either form is served. */
import { CACHE } from "#snapshots/http";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const REFUSED = -32000; // of the transport itself; the number that older clients know

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
