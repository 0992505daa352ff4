/** The demo library, built once in a run of tests by the real command line, and the small things that tests of MCP share. */
import { rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { copyBuiltDemo } from "../../snapshots/contract/built-demo.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import type { Runtime, View } from "../../snapshots/http/view.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import type { AskTool, SemanticTool } from "../ask/semantic.ts";
import { MCP_RUNTIME } from "./handler.ts";
import { boundMessages } from "./message.ts";
import { sharedWith } from "./origin.ts";
import type { McpEndpoint } from "./handler.ts";
import { openViews } from "../../snapshots/service/views-fixture.ts";

const runtime: Runtime = { version: "test", components: () => [], limits: { mcp_body_bytes: 65536 }, auth: {}, mcp: MCP_RUNTIME };

export type Demo = { readonly folder: string; readonly publicView: View; readonly internalView: View; readonly close: () => void };

/** buildDemo returns both views of the demo library in a temporary folder. */
export async function buildDemo(): Promise<Demo> {
  const folder = await copyBuiltDemo();
  const publicShelf = openDirectoryShelf(join(folder, "shelf", "public"));
  const internalShelf = openDirectoryShelf(join(folder, "shelf", "internal"), publicShelf);
  return {
    folder,
    ...openViews(publicShelf, internalShelf, runtime),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** NO_MODELS stands where nothing answers questions or searches by meaning. */
export const NO_MODELS: { readonly ask: AskTool; readonly semantic: SemanticTool } = {
  ask: () => Promise.reject(new ShelfError("not_configured", "This process does not answer questions.")),
  semantic: async () => ({
    mode: "unavailable",
    notice: "Semantic search is not configured. Add embeddings to proofshelf.yaml and build again.",
    results: [],
  }),
};

export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export type Reply = { readonly status: number; readonly headers: Headers; readonly text: string; readonly body: RpcBody };
type RpcBody = {
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

/** mount puts an endpoint behind what the sidecar has before it. */
export function mount(mcp: McpEndpoint): { fetch(request: Request): Promise<Response> } {
  const app = new Hono().use(sharedWith(mcp.sharedWith ?? [])).all("*", boundMessages, (call) => mcp(call.req.raw));
  return { fetch: async (request) => app.fetch(request) };
}

/** post returns one POST, as a client without any library sends it. */
export async function post(mcp: McpEndpoint, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const sent = typeof body === "string" || body instanceof Uint8Array ? (body as string) : JSON.stringify(body);
  const response = await mount(mcp).fetch(
    new Request("http://localhost/mcp", { method: "POST", headers: { "content-type": "application/json", ...headers }, body: sent }),
  );
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text.startsWith("{") ? (JSON.parse(text) as RpcBody) : {} };
}

/** modern returns a request of revision 2026-07-28 with everything that it must carry. */
export function modern(mcp: McpEndpoint, method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
  const name = params["name"] ?? params["uri"];
  return post(
    mcp,
    { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } },
    {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    },
  );
}

export type Called = {
  readonly text: string;
  readonly isError: boolean;
  readonly content: {
    readonly snapshot: string;
    readonly href: string;
    readonly truncated: boolean;
    readonly next_cursor?: string;
    readonly notices?: readonly string[];
    readonly result: Record<string, unknown>;
  };
};

export async function call(mcp: McpEndpoint, name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Called> {
  const { body, text } = await modern(mcp, "tools/call", { name, arguments: args });
  if (body.result === undefined) throw new Error(text);
  const { content, isError, structuredContent } = body.result as {
    content: { text: string }[];
    isError?: boolean;
    structuredContent?: Called["content"];
  };
  return { text: content[0]?.text ?? "", isError: isError ?? false, content: structuredContent as Called["content"] };
}

/** listen returns the endpoint on a free port. */
export async function listen(mcp: McpEndpoint): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(getRequestListener((request) => mount(mcp).fetch(request)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server };
}
