/** POST /mcp over one view: one stateless endpoint for revision 2026-07-28 and for the handshake revisions. Who may call is decided outside. */
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  type McpServerFactory,
  type ProtocolEra,
  ProtocolError,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { View } from "#snapshots/http";
import { EFFECT_ROWS } from "#snapshots/routes";
import { MCP_VERSIONS, TOOL_NAMES } from "#snapshots/tools";
import type { AskTool, SemanticTool } from "#sidecar/ask";
import { findOriginProblem } from "./origin.ts";
import { readMessage, REFUSED, rpcErrorResponse, sealResponse } from "./message.ts";
import { createLibraryServer, type LibraryParts } from "./server.ts";
import { type Allow, askTool, semanticTool } from "./tools/models.ts";

type McpOptions = {
  readonly view: View;
  readonly ask: AskTool;
  readonly semantic: SemanticTool;
  /** Host names besides base_url's and loopback's; "*" when a proxy in front checks them. */
  readonly hosts?: readonly string[];
  /** Origins of pages elsewhere that may call, and, over the public view, read what is answered. */
  readonly origins?: readonly string[];
  /** Hears what failed; the caller of the endpoint sees none of it. */
  readonly onError?: (error: unknown) => void;
};

export const MCP_RUNTIME = { endpoint: EFFECT_ROWS.mcp.path, versions: MCP_VERSIONS, tools: TOOL_NAMES } as const;

export type McpEndpoint = {
  (request: Request, allow?: Allow): Promise<Response>;
  /** Origins of pages elsewhere that may read what is answered. */
  readonly sharedWith?: readonly string[];
};

const everyone: Allow = () => true;

/** openMcp opens the endpoint over a view. @param createServer makes what answers one request */
export function openMcp(
  { view, ask, semantic, hosts = [], origins = [], onError = console.error }: McpOptions,
  createServer: (parts: LibraryParts, era: ProtocolEra) => Server | McpServer = createLibraryServer,
): McpEndpoint {
  const onerror = (error: Error): void => {
    // Refusals of what a caller sent are answers, not failures.
    if (!(error instanceof ProtocolError) && !/^(Rejected|Bad Request|Unsupported|Invalid)/.test(error.message)) onError(error);
  };
  const counted = new WeakMap<Request, Allow>();
  const factory: McpServerFactory = ({ requestInfo, era }) => {
    const allow = (requestInfo && counted.get(requestInfo)) ?? everyone;
    const signal = requestInfo?.signal ?? new AbortController().signal;
    return createServer({ view, ask: askTool(ask, allow, signal), semantic: semanticTool(semantic, allow, signal), onError }, era);
  };
  const modern = createMcpHandler(factory, { legacy: "reject", onerror });
  const endpoint = async (request: Request, allow = everyone): Promise<Response> => sealResponse(await serve(request, allow).catch(failed));
  return Object.assign(endpoint, { sharedWith: view.options.view === "public" ? origins : [] });

  function failed(error: unknown): Response {
    onError(error);
    return rpcErrorResponse({ status: 500, code: -32603, message: "Internal error" });
  }

  async function serve(request: Request, allow: Allow): Promise<Response> {
    const open = await view.current().catch(() => null);
    const baseUrl = open === null ? "" : (await open.snapshot.library()).base_url;
    const host = request.headers.get("host") ?? new URL(request.url).host;
    const refused = findOriginProblem(host, request.headers.get("origin"), { baseUrl, hosts, origins });
    if (refused !== null)
      return rpcErrorResponse({ status: 403, code: REFUSED, message: `Forbidden: ${refused}.`, data: { code: "bad_origin" } });
    if (request.method !== "POST") {
      const message = "Method not allowed: this endpoint keeps no stream and no session. POST a JSON-RPC message.";
      return rpcErrorResponse({ status: 405, code: REFUSED, message, headers: { Allow: "POST" } });
    }
    const read = await readMessage(request);
    if ("status" in read) return rpcErrorResponse(read);
    // A body that is null would count as none, and be read again.
    const parsedBody = read.body ?? {};
    const handshake = await isLegacyRequest(request, parsedBody);
    const forwarded = handshake ? withAccept(request) : request;
    counted.set(forwarded, allow);
    return handshake ? serveHandshake(forwarded, read.body) : modern.fetch(forwarded, { parsedBody });
  }

  /** Handshake revisions over a transport that lives for one request. */
  async function serveHandshake(request: Request, body: unknown): Promise<Response> {
    const server = await factory({ era: "legacy", requestInfo: request });
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
      supportedProtocolVersions: [...MCP_VERSIONS],
    });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    transport.onerror = onerror;
    try {
      await server.connect(transport);
      return await transport.handleRequest(request, { parsedBody: body });
    } finally {
      await transport.close();
      await server.close();
    }
  }
}

/** With the Accept header that the transport insists on: a plain POST is answered with plain JSON, whatever its client forgot. */
function withAccept(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  headers.delete("content-length");
  return new Request(request.url, { method: "POST", headers, signal: request.signal });
}
