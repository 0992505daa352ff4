/** server.json, as the public list of MCP servers takes it: schema of 2025-12-11. Whoever publishes it shows the list that the name's
 *  domain is theirs. */
import { absoluteHref, type ViewData } from "#snapshots/format";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/** The schema's own bounds, in characters. */
const MAX_TITLE = 100;
const MAX_DESCRIPTION = 100;

/** serverJson makes the entry of this library in the list of servers.
 *  @param sequence of the snapshot: the list wants a version that grows */
export function serverJson(data: ViewData, sequence: number): object {
  const { title, summary, base_url: base } = data.library;
  const description = summary === "" ? `${title}: search, records, claims and files` : summary;
  return {
    $schema: SCHEMA,
    name: `${reverse(base)}/library`,
    title: cut(title, MAX_TITLE),
    description: cut(description, MAX_DESCRIPTION),
    version: `1.0.${sequence}`,
    websiteUrl: absoluteHref(data, "/agents/", null),
    remotes: [{ type: "streamable-http", url: absoluteHref(data, "/mcp", null) }],
  };
}

/** `library.example.org` is `org.example.library`. An address in digits stays: the list takes no such server anyway. */
function reverse(base: string): string {
  const host = URL.parse(base)?.hostname.replaceAll(/[^a-z0-9.-]/g, "") ?? "";
  if (host === "") return "localhost";
  return /^[\d.]+$/.test(host) ? host : host.split(".").reverse().join(".");
}

/** cut at a word. */
function cut(text: string, most: number): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  if (flat.length <= most) return flat;
  const short = flat.slice(0, most - 1);
  return `${short
    .slice(0, Math.max(short.lastIndexOf(" "), most / 2))
    .toWellFormed()
    .trimEnd()}…`;
}
