/** The page /agents/ and the file /.well-known/mcp.json, for agents and the people who connect them. */
import { mountPath, type ViewData } from "#snapshots/format";
import { inputJsonSchema, MAX_RESULT_BYTES, MCP_VERSIONS, TOOLS } from "#snapshots/tools";

/** agentsPage makes the page for agents. The endpoint is absolute when the service's address is known, else a site path. */
export function agentsPage(data: ViewData) {
  const endpoint = `${data.library.base_url}${mountPath(data.library)}/mcp`;
  return {
    page: "agents" as const,
    endpoint,
    versions: [...MCP_VERSIONS],
    resultBytes: MAX_RESULT_BYTES,
    gated: data.library.view === "internal",
    tools: TOOLS.map((tool) => {
      const { properties = {}, required = [] } = inputJsonSchema(tool) as {
        properties?: Record<string, { type: string; description?: string }>;
        required?: string[];
      };
      return {
        name: tool.name,
        title: tool.title,
        description: tool.description,
        twin: tool.twin,
        arguments: Object.entries(properties).map(([name, { type, description }]) => ({
          name,
          type: type === "array" ? "text or list" : type,
          required: required.includes(name),
          description: description ?? "filter",
        })),
        example: JSON.stringify(tool.example),
      };
    }),
    clients: clients(endpoint),
  };
}

function clients(url: string) {
  const json = (value: unknown): string => JSON.stringify(value, null, 2);
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_collections", arguments: {} } });
  return [
    { title: "Claude Code", where: "in a shell", text: `claude mcp add --transport http library ${url}` },
    { title: "Cursor", where: ".cursor/mcp.json", text: json({ mcpServers: { library: { url } } }) },
    { title: "VS Code", where: ".vscode/mcp.json", text: json({ servers: { library: { type: "http", url } } }) },
    { title: "Codex", where: "~/.codex/config.toml", text: `[mcp_servers.library]\nurl = ${JSON.stringify(url)}` },
    { title: "Gemini CLI", where: "in a shell", text: `gemini mcp add --transport http library ${url}` },
    {
      title: "Inspector",
      where: "in a shell",
      text: `npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list`,
    },
    { title: "No client at all", where: "in a shell", text: `curl -s -H 'content-type: application/json' -d '${call}' ${url}` },
  ];
}

/** mcpDescription makes /.well-known/mcp.json, from which a client can connect and can decide whether it wants to. */
export function mcpDescription(data: ViewData): object {
  const { library } = data;
  const base = library.base_url + mountPath(library);
  return {
    name: library.title,
    ...(library.summary === "" ? {} : { description: library.summary }),
    endpoints: [
      {
        url: `${base}/mcp`,
        transport: "streamable-http",
        protocolVersions: [...MCP_VERSIONS],
        authentication: library.view === "public" ? "none" : "required",
      },
    ],
    capabilities: {
      tools: TOOLS.map(({ name, title, description }) => ({ name, title, description })),
      resources: true,
    },
    limits: { result_bytes: MAX_RESULT_BYTES },
    documentation: `${base}/agents/`,
    llms: `${base}/llms.txt`,
  };
}
