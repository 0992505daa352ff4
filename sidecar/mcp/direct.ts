/** The ordinary call of a tool, recognised so narrowly that the transport's answer to it is known: it is then made without
 *  a transport, which costs a third. Whatever differs in the least (a further member, a header that disagrees, an unknown
 *  tool) is null here and goes the general way, where each deviation has its own answer. A test sends the same calls both
 *  ways and compares the bytes. */
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";
import { MCP_VERSIONS } from "../../snapshots/tools/table.ts";

export type PlainCall = {
  readonly id: string | number;
  readonly name: string;
  /** undefined when left out; an object otherwise. */
  readonly args: unknown;
  readonly era: "modern" | "legacy";
};

const [MODERN, ...HANDSHAKE] = MCP_VERSIONS;
const MESSAGE: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const MODERN_PARAMS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
const HANDSHAKE_PARAMS: ReadonlySet<string> = new Set(["name", "arguments"]);
const META: ReadonlySet<string> = new Set([PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY]);
const CLIENT_INFO: ReadonlySet<string> = new Set(["name", "version"]);
const CAPABILITIES: ReadonlySet<string> = new Set(["roots", "sampling", "elicitation"]);

/** @param body parsed JSON; the caller controls it and the headers
 *  @returns null for everything that is not such a call */
export function findPlainCall(body: unknown, headers: Pick<Headers, "get">): PlainCall | null {
  if (!isObject(body) || !hasOnly(body, MESSAGE) || body["jsonrpc"] !== "2.0" || body["method"] !== "tools/call") return null;
  const { id, params } = body;
  if (!(typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id))) || !isObject(params)) return null;
  const { name, arguments: args, _meta: meta } = params;
  // The general way drops a member of this name.
  if (typeof name !== "string" || !(args === undefined || (isObject(args) && !Object.hasOwn(args, "__proto__")))) return null;
  const version = headers.get("mcp-protocol-version");
  const [method, named] = [headers.get("mcp-method"), headers.get("mcp-name")];
  if (meta === undefined) {
    const known = version === null || HANDSHAKE.some((handshake) => handshake === version);
    return known && method === null && named === null && hasOnly(params, HANDSHAKE_PARAMS) ? { id, name, args, era: "legacy" } : null;
  }
  const agrees = version === MODERN && method === "tools/call" && named === name && hasOnly(params, MODERN_PARAMS);
  return agrees && isPlainEnvelope(meta) ? { id, name, args, era: "modern" } : null;
}

function isPlainEnvelope(meta: unknown): boolean {
  if (!isObject(meta) || !hasOnly(meta, META) || meta[PROTOCOL_VERSION_META_KEY] !== MODERN) return false;
  const client = meta[CLIENT_INFO_META_KEY];
  if (
    client !== undefined &&
    !(isObject(client) && hasOnly(client, CLIENT_INFO) && typeof client["name"] === "string" && typeof client["version"] === "string")
  )
    return false;
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY];
  return (
    isObject(capabilities) &&
    hasOnly(capabilities, CAPABILITIES) &&
    Object.values(capabilities).every((value) => isObject(value) && hasOnly(value, NONE))
  );
}

const NONE: ReadonlySet<string> = new Set();

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasOnly(value: object, names: ReadonlySet<string>): boolean {
  for (const name of Object.keys(value)) if (!names.has(name)) return false;
  return true;
}
