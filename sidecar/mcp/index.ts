/** The MCP room offers the read-only tools of a library to agents, over the protocol's own SDK.
 *  It takes a request and gives a JSON-RPC answer within its budget.
 *  A tool reads the same snapshot as the API, and never more than its view. */
export { MCP_RUNTIME, type McpEndpoint, openMcp } from "./handler.ts";
export { boundMessages } from "./message.ts";
export { sharedWith } from "./origin.ts";
