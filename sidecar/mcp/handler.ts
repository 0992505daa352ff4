/** POST /mcp over one view; who may call is decided outside. */
import { EFFECT_ROWS } from "#snapshots/routes";
import { MCP_VERSIONS, TOOL_NAMES } from "#snapshots/tools";
import type { View } from "#snapshots/http";
import { type AskTool, noSemantic, type SemanticTool } from "#sidecar/ask";
import { createLibraryServer, type LibraryParts } from "./server.ts";
import { type McpEndpoint, serveMcp } from "./serve.ts";

type McpOptions = {
  readonly view: View;
  /** Left out: the tool says that it is not configured. */
  readonly ask?: AskTool | null;
  readonly semantic?: SemanticTool;
  /** Host names besides base_url's and loopback's; "*" when a proxy in front checks them. */
  readonly hosts?: readonly string[];
  /** Origins of pages elsewhere that may call, and, over the public view, read what is answered. */
  readonly origins?: readonly string[];
  readonly onError?: (error: unknown) => void;
};

export const MCP_RUNTIME = { endpoint: EFFECT_ROWS.mcp.path, versions: MCP_VERSIONS, tools: TOOL_NAMES } as const;

export function openMcp(options: McpOptions): McpEndpoint {
  const { view } = options;
  const onError = options.onError ?? ((error: unknown) => console.error(error));
  const parts: LibraryParts = { view, ask: options.ask ?? null, semantic: options.semantic ?? noSemantic, onError };
  return serveMcp({
    factory: (request) => createLibraryServer(parts, request),
    onError,
    sharedWith: view.options.view === "public" ? (options.origins ?? []) : [],
    async rules() {
      const open = await view.current().catch(() => null);
      const baseUrl = open === null ? "" : (await open.snapshot.library()).base_url;
      return { baseUrl, hosts: options.hosts ?? [], origins: options.origins ?? [] };
    },
  });
}
